package format

import (
	"bytes"
	"image/color"
	"image/png"
	"testing"

	"etrace/render/drawing"
)

// TestPNG looks at pixels of which it is known what they show: the middle of shapes, of lines
// and of areas.
func TestPNG(t *testing.T) {
	filled := &drawing.Style{Shape: drawing.Rectangle, Stroke: drawing.Ink, Width: 1, Fill: drawing.Blue}
	line := &drawing.Style{Stroke: drawing.Vermilion, Width: 4, Head: drawing.Filled}
	text := &drawing.Style{Text: drawing.Ink, Size: 40, Bold: true}
	d := &drawing.Drawing{
		Title: "t", Width: 200, Height: 100,
		Areas: []drawing.Area{{Fill: "#00ff00", Corners: []drawing.Point{{X: 0, Y: 80}, {X: 40, Y: 80}, {X: 40, Y: 100}, {X: 0, Y: 100}}}},
		Layers: []drawing.Layer{{
			Nodes: []drawing.Node{{Style: filled, X: 30, Y: 30, W: 40, H: 30}, {Style: text, X: 150, Y: 50, W: 100, H: 40, Text: "I"}},
			Paths: []drawing.Path{{Style: line, Strokes: [][]drawing.Point{drawing.Line(drawing.At(80, 70), drawing.At(120, 70))}}},
		}},
	}
	var out bytes.Buffer
	if err := PNG(t.Context(), &out, d); err != nil {
		t.Fatal(err)
	}
	if head := out.Bytes()[:80]; !bytes.Contains(head, []byte("Written by etrace")) {
		t.Errorf("the mark of etrace is not near the beginning: %q", head)
	}
	picture, err := png.Decode(&out)
	if err != nil {
		t.Fatal(err)
	}
	if b := picture.Bounds(); b.Dx() != 400 || b.Dy() != 200 {
		t.Errorf("%v, want two pixels for each point", b)
	}
	for name, c := range map[string]struct {
		x, y  int
		color string
	}{
		"inside the box":    {60, 60, drawing.Blue},
		"its outline":       {20, 60, drawing.Ink},
		"outside":           {150, 20, drawing.Paper},
		"the line":          {180, 140, drawing.Vermilion},
		"the arrowhead":     {230, 140, drawing.Vermilion},
		"beyond the line":   {260, 140, drawing.Paper},
		"the area":          {40, 180, "#00ff00"},
		"the letter":        {300, 100, drawing.Ink},
		"beside the letter": {340, 100, drawing.Paper},
	} {
		want := colorOf(c.color)
		if got := color.NRGBAModel.Convert(picture.At(c.x, c.y)); got != want {
			t.Errorf("%s: %v at %d, %d, want %v", name, got, c.x, c.y, want)
		}
	}
}

// TestPNGOfCurves: an O is a ring: it has ink at each side of its middle, which is empty.
func TestPNGOfCurves(t *testing.T) {
	text := &drawing.Style{Text: drawing.Ink, Size: 40}
	d := &drawing.Drawing{
		Title: "t", Width: 100, Height: 100,
		Layers: []drawing.Layer{{Nodes: []drawing.Node{{Style: text, X: 50, Y: 50, W: 100, H: 40, Text: "O"}}}},
	}
	var out bytes.Buffer
	if err := PNG(t.Context(), &out, d); err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(&out)
	if err != nil {
		t.Fatal(err)
	}
	var sides [2]int // pixels with ink left and right of the middle
	ink := colorOf(drawing.Ink)
	for x := range picture.Bounds().Dx() {
		if color.NRGBAModel.Convert(picture.At(x, 100)) != ink {
			continue
		}
		if x == 100 {
			t.Error("the middle of the O has ink")
		}
		sides[x/100]++
	}
	if sides[0] == 0 || sides[1] == 0 {
		t.Errorf("%d pixels with ink left of the middle of the O, %d right of it, want some at each side", sides[0], sides[1])
	}
}

// TestPNGOfTextsAtEdges: an edge cuts a text. No part of the text appears at the opposite edge.
func TestPNGOfTextsAtEdges(t *testing.T) {
	style := &drawing.Style{Text: drawing.Ink, Size: 30}
	for _, at := range []drawing.Point{{X: 0, Y: 50}, {X: 50, Y: 0}, {X: 100, Y: 50}, {X: 50, Y: 100}} {
		d := &drawing.Drawing{
			Title: "t", Width: 100, Height: 100,
			Layers: []drawing.Layer{{Nodes: []drawing.Node{{Style: style, X: at.X, Y: at.Y, W: 30, H: 30, Text: "WM"}}}},
		}
		var out bytes.Buffer
		if err := PNG(t.Context(), &out, d); err != nil {
			t.Fatal(err)
		}
		picture, err := png.Decode(&out)
		if err != nil {
			t.Fatal(err)
		}
		paper := color.NRGBAModel.Convert(picture.At(100, 100))
		far := picture.Bounds().Dx() - 1
		if at.X > 50 {
			far = 0
		}
		for y := range picture.Bounds().Dy() {
			if color.NRGBAModel.Convert(picture.At(far, y)) != paper {
				t.Errorf("the text at %v has ink at the other edge, in row %d", at, y)
				break
			}
		}
	}
}

// TestPNGOfAnyText: characters that the font does not have, and none, do no harm.
func TestPNGOfAnyText(t *testing.T) {
	style := &drawing.Style{Text: drawing.Ink, Size: 12}
	for _, text := range nasty {
		d := &drawing.Drawing{
			Title: text, Desc: text, Width: 100, Height: 30,
			Layers: []drawing.Layer{{Nodes: []drawing.Node{{Style: style, X: 50, Y: 15, W: 90, H: 20, Text: text}}}},
		}
		var out bytes.Buffer
		if err := PNG(t.Context(), &out, d); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if _, err := png.Decode(&out); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestPNGTooLarge: a picture that no memory holds is refused, and nothing is written.
func TestPNGTooLarge(t *testing.T) {
	var out bytes.Buffer
	for _, d := range []*drawing.Drawing{{Width: 1e6, Height: 1e6}, {}} {
		if err := PNG(t.Context(), &out, d); err == nil || out.Len() > 0 {
			t.Errorf("%v x %v: %d bytes, error %v", d.Width, d.Height, out.Len(), err)
		}
	}
}

// TestRounded: a rounded rectangle has the width and the height of the rectangle around its middle.
func TestRounded(t *testing.T) {
	var low, high drawing.Point
	for i, p := range rounded(100, 50, 40, 20) {
		if i == 0 {
			low, high = p, p
		}
		low, high = drawing.At(min(low.X, p.X), min(low.Y, p.Y)), drawing.At(max(high.X, p.X), max(high.Y, p.Y))
	}
	if low != drawing.At(80, 40) || high != drawing.At(120, 60) {
		t.Errorf("from %v to %v, want from 80, 40 to 120, 60", low, high)
	}
}

// TestLabelGround: the ground of a label is as wide as its text in the font of the bitmap, with a margin of two points. The box
// of a label has room for wider fonts.
func TestLabelGround(t *testing.T) {
	label := &drawing.Style{Text: drawing.Ink, Size: 10, Fill: drawing.Vermilion}
	n := drawing.Node{Style: label, X: 100, Y: 20, W: 180, H: 12, Text: "OK"}
	d := &drawing.Drawing{Width: 200, Height: 40, Layers: []drawing.Layer{{Nodes: []drawing.Node{n}}}}
	var out bytes.Buffer
	if err := PNG(t.Context(), &out, d); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&out)
	if err != nil {
		t.Fatal(err)
	}
	width, err := newBitmap(200, 40, fine).width("OK", label)
	if err != nil {
		t.Fatal(err)
	}
	first, last := img.Bounds().Max.X, 0
	for x := range img.Bounds().Max.X {
		if r, g, _, _ := img.At(x, 2*15).RGBA(); r != g { // above the letters
			first, last = min(first, x), max(last, x)
		}
	}
	if got := float64(last-first+1) / fine; got < width+3 || got > width+5 {
		t.Errorf("the ground is %.1f points wide, and the text %.1f", got, width)
	}
}
