package drawing

import (
	"fmt"
	"math"
	"strconv"
)

// Theme is the background on which a drawing is shown: light or dark.
type Theme uint8

// The themes. Colours of the dark theme have the hues of the light theme, and the opposite lightness.
const (
	Light Theme = iota
	Dark
)

// Themes are the names of the themes, by theme.
var Themes = [...]string{Light: "light", Dark: "dark"}

// Shade returns a style in the theme's colours.
func (t Theme) Shade(s Style) Style {
	s.Stroke, s.Fill, s.Text = t.Color(s.Stroke), t.Color(s.Fill), t.Color(s.Text)
	return s
}

// darkest is the lightness of the background in the dark theme.
const darkest = 0.09

// Color converts a colour of the light theme, #rrggbb or #rrggbbaa, to the theme.
func (t Theme) Color(color string) string {
	if t == Light || len(color) < 7 {
		return color
	}
	var c [3]float64
	for i := range c {
		v, err := strconv.ParseUint(color[1+2*i:3+2*i], 16, 8)
		if err != nil {
			return color
		}
		c[i] = float64(v) / 255
	}
	high, low := max(c[0], c[1], c[2]), min(c[0], c[1], c[2])
	lightness := (high + low) / 2
	goal := darkest + (1-darkest)*(1-lightness)
	// The saturation stays the same: the distance from grey, relative to the greatest one at that lightness.
	grow := 0.0
	if room := min(lightness, 1-lightness); room > 0 {
		grow = min(goal, 1-goal) / room
	}
	out := []byte("#")
	for _, v := range c {
		out = fmt.Appendf(out, "%02x", int(math.Round(255*min(max(goal+(v-lightness)*grow, 0), 1))))
	}
	return string(out) + color[7:]
}
