package drawing

import (
	"math"
	"testing"
)

var small, plain = &Style{Size: 11.5}, &Style{Size: 10.5}

func TestWrap(t *testing.T) {
	width := small.TextWidth("three words here")
	lines := small.Wrap("three words here and some more of them", width)
	if len(lines) != 3 || lines[0] != "three words here" {
		t.Errorf("%q", lines)
	}
	for _, line := range lines {
		if small.TextWidth(line) > width {
			t.Errorf("%q is too wide", line)
		}
	}
}

// TestTextWidth: C, O, O, R, D, I, N, A, T, O and R are 7.665 of the size in the
// widest fonts; a tenth of air comes on top. Bold is wider than plain.
func TestTextWidth(t *testing.T) {
	bold := Style{Size: 10, Bold: true}
	if w := bold.TextWidth("elected = 6"); w <= 11.5*(&Style{Size: 10}).TextWidth("elected = 6")/11 {
		t.Errorf("in bold it is only %.1f wide", w)
	}
	if w, want := plain.TextWidth("COORDINATOR"), 7.665*10.5*1.1; math.Abs(w-want) > 0.01 {
		t.Errorf("COORDINATOR is %.2f wide, want %.2f", w, want)
	}
	if plain.TextWidth("東京") < 2*plain.Size {
		t.Error("wide characters are taken for narrow ones")
	}
}

func TestFit(t *testing.T) {
	// a is 0.613 of the size, the ellipsis counts as 1.1: three of the one and
	// one of the other are 2.939, with the air 3.233.
	style := &Style{Size: 10}
	for text, want := range map[string]string{"aaaaaaaa": "aaa…", "aaaaa": "aaa…", "aaaa": "aaaa", "a": "a", "": ""} {
		if got := style.Fit(text, 32.4); got != want {
			t.Errorf("Fit(%q) = %q, want %q", text, got, want)
		}
	}
}

// TestLook: the hue of a path is its colour, and its arrowhead where the style
// has a filled one; what is faint is faint in its hue.
func TestLook(t *testing.T) {
	arrow, line := &Style{Stroke: Ink, Head: Filled}, &Style{Stroke: Ink, Head: Vee}
	for _, c := range []struct {
		path   Path
		stroke string
		head   Head
	}{
		{Path{Style: arrow}, Ink, Filled},
		{Path{Style: arrow, Hue: HueOf(3)}, Vermilion, Empty},
		{Path{Style: line, Hue: HueOf(3)}, Vermilion, Vee},
		{Path{Style: arrow, Hue: HueOf(3 + 6)}, Vermilion, HeadDiamond}, // the head of the next colour
		{Path{Style: arrow, Hue: HueOf(3 + Hues)}, Vermilion, Empty},
		{Path{Style: arrow, Hue: HueOf(3), Faint: true}, fade(Vermilion), Empty},
	} {
		if got := c.path.Look(); got.Stroke != c.stroke || got.Head != c.head || c.path.Head() != c.head {
			t.Errorf("%+v looks like %s with head %d, want %s with %d", c.path, got.Stroke, got.Head, c.stroke, c.head)
		}
	}
}

// TestHues: each kind of paths has a look of its own, up to the number of hues.
func TestHues(t *testing.T) {
	seen := map[Style]int{}
	for n := 1; n <= Hues; n++ {
		look := (&Path{Style: &Style{Head: Filled}, Hue: HueOf(n)}).Look()
		if kind := seen[look]; kind > 0 {
			t.Errorf("kind %d looks like kind %d", n, kind)
		}
		seen[look] = n
	}
}

// TestLines: each line of a solid path looks different, and none has the dashes of a path that has
// a meaning by them; such a path keeps them, whatever its line.
func TestLines(t *testing.T) {
	solid, dashed := &Style{Stroke: Ink, Width: 1}, &Style{Stroke: Ink, Width: 1, Dash: Dashed}
	seen := make(map[Style]int)
	for i := 1; i <= Lines; i++ {
		look := (&Path{Style: solid, Line: i}).Look()
		if second := seen[look]; second > 0 || look.Dash != Solid {
			t.Errorf("line %d looks like line %d, with dashes %d", i, second, look.Dash)
		}
		seen[look] = i
		if got := (&Path{Style: dashed, Line: i}).Look(); got != *dashed {
			t.Errorf("dashes on line %d look like %+v", i, got)
		}
	}
}

func TestFade(t *testing.T) {
	// 28 % of the way from white to the colour is kept; what is transparent stays.
	for color, want := range map[string]string{"#000000": "#b8b8b8", "#ffffff": "#ffffff", "#ffffffd8": "#ffffffd8", "": ""} {
		if got := fade(color); got != want {
			t.Errorf("%q: got %q, want %q", color, got, want)
		}
	}
}
