package diagram

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"etrace/render/drawing"
	"etrace/render/story"
	"etrace/render/view"
	"etrace/tracefmt"
)

// The lists name every style and every row once, and all that they need.
func TestListsAreComplete(t *testing.T) {
	names := map[string]bool{}
	for i, s := range styles {
		if s == nil || s.Name == "" || names[s.Name] {
			t.Fatalf("style %d is missing, nameless, or listed twice: %+v", i, s)
		}
		names[s.Name] = true
	}
	texts := map[*LegendRow]bool{}
	for i, row := range legendRows {
		if row == nil || row.Text == "" || row.Draw == nil || texts[row] {
			t.Fatalf("row %d of the legend is missing, empty, or listed twice: %+v", i, row)
		}
		texts[row] = true
	}
}

// TestLegends: no two rows of a legend have signs that look equal, in any diagram of any part of any run.
func TestLegends(t *testing.T) {
	recordings := []string{"bully", "chang-roberts", "faults", "hostile", "loop", "operations", "partial", "two-leaders"}
	rapid.Check(t, func(t *rapid.T) {
		var rec *tracefmt.Memory
		if name := rapid.SampledFrom(append(recordings, "")).Draw(t, "recording"); name != "" {
			rec = load(t, name)
		} else {
			rec = randomRun(t)
		}
		last := rec.Len()
		seq := func(name string) tracefmt.Seq { return tracefmt.Seq(rapid.IntRange(1, max(last, 1)).Draw(t, name)) }
		for _, d := range Builtin().All() {
			o := story.Options{Variables: d.Variables, Operations: d.Name == "history", Overview: d.Whole()}
			o.View = view.View{Kinds: d.Kinds, KeepIdle: !d.Columns, Merge: rapid.Bool().Draw(t, "merge"), Fold: rapid.Bool().Draw(t, "fold")}
			if rapid.Bool().Draw(t, "part") {
				o.From = seq("from")
				o.To = max(o.From, seq("to"))
			}
			if rapid.Bool().Draw(t, "few") {
				o.Processes = make([]bool, len(rec.Run().Members)+1)
				for p := range o.Processes {
					o.Processes[p] = rapid.Bool().Draw(t, "shown")
				}
			}
			if d.Marks && rapid.Bool().Draw(t, "marked") {
				o.Witness = []tracefmt.Seq{seq("witness")}
				o.Highlight = o.Witness
			}
			s, err := story.Read(context.Background(), rec, o)
			if err != nil {
				t.Fatal(err)
			}
			made, err := d.Build(context.Background(), s, Layout{})
			if err != nil {
				t.Fatal(err)
			}
			checkLegend(t, made)
		}
	})
}

// checkLegend compares the signs of the rows of a legend as they are drawn.
func checkLegend(t rapid.TB, d *drawing.Drawing) {
	t.Helper()
	type row struct {
		text string
		look []float64
	}
	var rows []row
	marks := &d.Layers[Marks]
	for _, n := range marks.Nodes {
		if n.Style == legendText {
			at := drawing.At(n.X-n.W/2-6-sampleWidth/2, n.Y)
			rows = append(rows, row{n.Text, lookAt(marks, at)})
		}
	}
	for i, a := range rows {
		for _, b := range rows[:i] {
			same := slices.EqualFunc(a.look, b.look, func(x, y float64) bool { return math.Abs(x-y) <= 1 })
			if same || a.text == b.text {
				t.Fatalf("the rows %q and %q look equal", a.text, b.text)
			}
		}
	}
}

// lookAt measures the sign around a point, in units of the least difference that readers notice.
func lookAt(l *drawing.Layer, at drawing.Point) (look []float64) {
	const (
		noticed = 3.0  // points
		hue     = 40.0 // of 255
		shape   = 10.0 // any other shape
	)
	within := func(p drawing.Point) bool {
		return math.Abs(p.X-at.X) <= sampleWidth/2+4 && math.Abs(p.Y-at.Y) <= legendPitch/2
	}
	place := func(p drawing.Point) { look = append(look, (p.X-at.X)/noticed, (p.Y-at.Y)/noticed) }
	color := func(text string) {
		for i := 1; i < 7; i += 2 {
			part, _ := strconv.ParseUint(fmt.Sprintf("%-7s", text)[i:i+2], 16, 8) // none is black
			look = append(look, float64(part)/hue)
		}
	}
	style := func(s drawing.Style) {
		if s.Dash == drawing.Invisible {
			s.Stroke = ""
		}
		color(s.Stroke)
		color(cmp.Or(s.Fill, drawing.Paper))
		double := 0.0
		if s.Double {
			double = shape
		}
		look = append(look, float64(s.Shape)*shape, float64(s.Dash)*shape, float64(s.Head)*shape, s.Width, double)
	}
	for _, n := range l.Nodes {
		if middle := drawing.At(n.X, n.Y); n.Style != legendText && within(middle) {
			style(n.Look())
			place(middle)
			look = append(look, n.W/noticed, n.H/noticed)
			for _, r := range n.Text {
				look = append(look, float64(r)*shape)
			}
		}
	}
	for _, p := range l.Paths {
		if !within(p.Strokes[0][0]) {
			continue
		}
		style(p.Look())
		for _, stroke := range p.Strokes {
			for _, point := range stroke {
				place(point)
			}
		}
	}
	return look
}
