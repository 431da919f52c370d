package drawing

import (
	"strconv"
	"testing"
)

// TestDarkTheme: in the dark theme the contrast of texts and ground is at least 4.5, as WCAG 2.2 demands.
func TestDarkTheme(t *testing.T) {
	for _, color := range []string{Ink, Grey, Blue, Vermilion, Green, Orange, Purple, Brown} {
		ground, text := luminance(t, Dark.Color(Paper)), luminance(t, Dark.Color(color))
		if ratio := (text + 0.05) / (ground + 0.05); ratio < 4.5 {
			t.Errorf("%s becomes %s on %s: contrast %.1f, expected 4.5", color, Dark.Color(color), Dark.Color(Paper), ratio)
		}
		if Light.Color(color) != color {
			t.Errorf("%s changes in the light theme", color)
		}
	}
	if got := Dark.Color("#ffffffd8"); got[7:] != "d8" {
		t.Errorf("a transparent colour becomes %s", got)
	}
	if got := Dark.Color(""); got != "" {
		t.Errorf("no colour becomes %s", got)
	}
}

// luminance is that of sRGB.
func luminance(t *testing.T, color string) float64 {
	t.Helper()
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		v, err := strconv.ParseUint(color[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(v) / 255
		// The curve of sRGB, near enough.
		sum += weight * c * c * (0.3 + 0.7*c)
	}
	return sum
}
