package format

import (
	"strings"
	"testing"

	"etrace/render/drawing"
)

// TestElement: an element has the shapes, the lines and the texts of the drawing where these are. Texts on a translucent
// ground are opaque; the head of a dashed line is solid.
func TestElement(t *testing.T) {
	label := &drawing.Style{Text: drawing.Grey, Size: 10, Fill: drawing.Veil}
	leader := &drawing.Style{Shape: drawing.Rounded, Stroke: drawing.Blue, Width: 1, Text: drawing.Ink, Size: 12, Bold: true, Double: true}
	open := &drawing.Style{Stroke: drawing.Ink, Width: 1, Dash: drawing.Dashed, Head: drawing.Filled}
	mark := &drawing.Style{Shape: drawing.Ellipse, Fill: drawing.Vermilion}
	d := &drawing.Drawing{
		Title: "a < b", Desc: "c & d", Width: 200, Height: 100.5,
		Areas: []drawing.Area{{Fill: "#00ff0080", Corners: []drawing.Point{{X: 0, Y: 80}, {X: 40, Y: 80}, {X: 40, Y: 100}}}},
		Layers: []drawing.Layer{{
			Nodes: []drawing.Node{
				{Style: leader, X: 50, Y: 40, W: 60, H: 30, Text: "x", Tip: "node <1>"},
				{Style: mark, X: 5, Y: 6, W: 4, H: 2},
				{Style: label, X: 100, Y: 50, W: 40, H: 12, Text: "left", Align: drawing.Left, Pointing: ": point"},
			},
			Paths: []drawing.Path{{
				Style: open, Tip: "sent",
				Strokes: [][]drawing.Point{drawing.Line(drawing.At(10, 90), drawing.At(100, 90))},
			}, {
				Style:   &drawing.Style{Stroke: drawing.Ink, Width: 2, Double: true},
				Strokes: [][]drawing.Point{{{X: 1, Y: 2}, {X: 3, Y: 4}, {X: 5, Y: 6}, {X: 7, Y: 8}}},
			}},
		}},
	}
	made, err := Element(t.Context(), d, "p1-")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<svg role="img" aria-labelledby="p1-etrace-title p1-etrace-desc" xmlns="http://www.w3.org/2000/svg"` +
			` width="200pt" height="101pt" viewBox="0 0 200 100.5">`,
		`<title id="p1-etrace-title">a &lt; b</title><desc id="p1-etrace-desc">c &amp; d</desc>`,
		`<path fill="#00ff00" fill-opacity="0.5" d="M0 80L40 80L40 100Z"/>`,
		`<g fill="none" stroke="#0072b2" stroke-width="1" font-size="12" font-weight="bold">`,
		`<g><title>node &lt;1&gt;</title><rect x="20" y="25" width="60" height="30" rx="10"/>` +
			`<rect x="24" y="29" width="52" height="22" rx="7.33"/>` +
			`<text x="50" y="43.96" fill="#222222" stroke="none">x</text></g>`,
		`<ellipse cx="5" cy="6" rx="2" ry="1"/>`,
		`<rect x="80" y="44" width="40" height="12"/>` +
			`<text x="80" y="53.3" text-anchor="start" fill="#666666" fill-opacity="1">left: point</text>`,
		`<g fill="none" stroke="#222222" stroke-width="1" stroke-dasharray="5,2">`,
		`<g><title>sent</title><path d="M10 90L92.5 90"/>` +
			`<path fill="#222222" stroke-dasharray="none" d="M92.5 92.63L100 90L92.5 87.38Z"/></g>`,
		`<path stroke-width="6" d="M1 2C3 4 5 6 7 8"/><path stroke-width="2" stroke="#ffffff" d="M1 2C3 4 5 6 7 8"/>`,
	} {
		if !strings.Contains(string(made), want) {
			t.Errorf("no %s in\n%s", want, made)
		}
	}
	d.Pixels, d.Theme = drawing.Pixels{Width: 1280, Height: 720}, drawing.Dark
	dark, err := Element(t.Context(), d, "")
	if err != nil || !strings.Contains(string(dark), `width="1280" height="720"`) || strings.Contains(string(dark), drawing.Ink) {
		t.Errorf("error %v, expected 1280 by 720 pixels in the colours of the dark theme:\n%s", err, dark)
	}
}
