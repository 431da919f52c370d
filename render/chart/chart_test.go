package chart_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"etrace/render/chart"
	"etrace/render/drawing"
	"etrace/render/format"
)

func write(t *testing.T, name string, d *drawing.Drawing) []byte {
	t.Helper()
	var out bytes.Buffer
	if name == "png" {
		if err := format.PNG(t.Context(), &out, d); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	f, err := format.Builtin().Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Write(t.Context(), &out, d); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// example is the mean of n messages for each of n processes, from n to n*n, under a bound.
func example(sizes ...float64) *chart.Chart {
	c := &chart.Chart{Title: "an example", Subtitle: "made up", X: "processes n", Y: "messages"}
	mean := chart.Series{Name: "mean, least and greatest", Joined: true}
	for _, n := range sizes {
		mean.Points = append(mean.Points, chart.Point{
			X: n, Y: n * n / 2, Low: n, High: n * n, Error: n,
			Label: fmt.Sprintf("n = %v", n), Tip: "a point",
		})
	}
	bound := chart.Line{Name: "at most 2*n^2", Bound: chart.AtMost}
	for n := sizes[0]; n <= sizes[len(sizes)-1]; n++ {
		bound.Points = append(bound.Points, drawing.At(n, 2*n*n))
	}
	c.Series, c.Lines = []chart.Series{mean}, []chart.Line{bound}
	return c
}

// TestGolden compares with files that people have looked at, as pictures.
func TestGolden(t *testing.T) {
	plane := &chart.Chart{Title: "a plane", X: "rounds", Y: "messages", Series: []chart.Series{
		{Name: "one", Joined: true, Points: []chart.Point{{X: 2, Y: 3, Label: "n = 2"}, {X: 4, Y: 8, Label: "n = 3"}}},
		{Name: "other", Points: []chart.Point{{X: 3, Y: 7}, {X: 3, Y: 9}}},
	}}
	for name, c := range map[string]*chart.Chart{
		"even":        example(2, 3, 4, 5),
		"logarithmic": example(8, 16, 32, 64, 128, 256), "plane": plane,
	} {
		d, err := c.Draw()
		if err != nil {
			t.Fatal(err)
		}
		got := string(write(t, "dot", d))
		file := filepath.Join("testdata", name+".dot")
		if os.Getenv("ETRACE_UPDATE") != "" {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestAxesGrowByFactors: sizes that double are as far from each other, sizes that grow by 1 are, too.
func TestAxesGrowByFactors(t *testing.T) {
	for _, c := range []*chart.Chart{example(2, 3, 4, 5, 6), example(8, 16, 32, 64, 128)} {
		d, err := c.Draw()
		if err != nil {
			t.Fatal(err)
		}
		var xs []float64
		for _, l := range d.Layers {
			for _, n := range l.Nodes {
				if n.Tip == "a point" {
					xs = append(xs, n.X)
				}
			}
		}
		for i := 2; i < len(xs); i++ {
			if step := xs[i] - xs[i-1]; len(xs) != 5 || math.Abs(step-(xs[1]-xs[0])) > 1e-6 {
				t.Errorf("points at %v, want even steps", xs)
			}
		}
	}
}

// TestThreeDecades: values that grow by the same factor over more than three powers of ten are as far from each other, whatever
// the sizes are.
func TestThreeDecades(t *testing.T) {
	for _, c := range []struct {
		factor float64
		even   bool
	}{{20, true}, {2, false}} {
		line := chart.Series{Name: "a"}
		for n, v := 2, 5.0; n < 6; n, v = n+1, v*c.factor {
			line.Points = append(line.Points, chart.Point{X: float64(n), Y: v, Tip: "a point"})
		}
		d, err := (&chart.Chart{Title: "t", X: "x", Y: "y", Series: []chart.Series{line}}).Draw()
		if err != nil {
			t.Fatal(err)
		}
		var ys []float64
		for _, l := range d.Layers {
			for _, n := range l.Nodes {
				if n.Tip == "a point" {
					ys = append(ys, n.Y)
				}
			}
		}
		if len(ys) != 4 {
			t.Fatalf("%d points, want 4", len(ys))
		}
		if even := math.Abs(ys[0]-ys[1]-(ys[2]-ys[3])) < 1e-6; even != c.even {
			t.Errorf("factor %v: points at %v, even steps: %v, want %v", c.factor, ys, even, c.even)
		}
	}
}

// TestPowersOfTwo: sizes that are powers of two, three or more, are as far from each other and have
// the labels; of others an even axis has labels of its own.
func TestPowersOfTwo(t *testing.T) {
	for _, tt := range []struct {
		sizes []float64
		want  string
	}{
		{[]float64{4, 8, 16, 32}, "4 8 16 32"},
		{[]float64{1, 2, 4}, "1 2 4"},
		{[]float64{4, 8, 16, 31}, "5 10 15 20 25 30"},
		{[]float64{4, 8}, "4 5 6 7 8"},
	} {
		d, err := example(tt.sizes...).Draw()
		if err != nil {
			t.Fatal(err)
		}
		lowest, labels := 0.0, []string(nil)
		for _, l := range d.Layers {
			for _, n := range l.Nodes {
				if n.Style.Name != "axis-text" || n.Align != drawing.Center {
					continue
				}
				if n.Y > lowest {
					lowest, labels = n.Y, nil
				}
				labels = append(labels, n.Text)
			}
		}
		if got := strings.Join(labels, " "); got != tt.want {
			t.Errorf("%v: labels %s, want %s", tt.sizes, got, tt.want)
		}
	}
}

// TestMarksWithoutColour: no two series have marks of one shape and one filling.
func TestMarksWithoutColour(t *testing.T) {
	c := &chart.Chart{Title: "many", X: "n", Y: "messages"}
	for i := range chart.MostSeries {
		c.Series = append(c.Series, chart.Series{Name: fmt.Sprint(i), Points: []chart.Point{{X: 1, Y: float64(i + 1), Tip: fmt.Sprint(i)}}})
	}
	d, err := c.Draw()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for _, l := range d.Layers {
		for _, n := range l.Nodes {
			if n.Tip == "" {
				continue
			}
			mark := fmt.Sprintf("shape %d, hollow %v", n.Style.Shape, n.Style.Fill == drawing.Paper)
			if second, found := seen[mark]; found {
				t.Errorf("series %s and %s have one mark: %s", second, n.Tip, mark)
			}
			seen[mark] = n.Tip
		}
	}
	if len(seen) != chart.MostSeries {
		t.Errorf("%d marks, want %d", len(seen), chart.MostSeries)
	}
}

// TestLongNames: a name for which one row of the legend has no room is in several, up to four.
func TestLongNames(t *testing.T) {
	fits := strings.TrimSpace(strings.Repeat("a longer name ", 20))
	for name, want := range map[string]string{fits: fits, strings.Repeat("a longer name ", 60): "…"} {
		c := example(2, 3, 4)
		c.Lines[0].Name = name
		d, err := c.Draw()
		if err != nil {
			t.Fatal(err)
		}
		var rows []string
		for _, l := range d.Layers {
			for _, n := range l.Nodes {
				if n.Style.Name == "legend-text" && n.Text != c.Series[0].Name {
					rows = append(rows, n.Text)
				}
			}
		}
		if got := strings.Join(rows, " "); len(rows) < 2 || len(rows) > 4 || !strings.HasSuffix(got, want) {
			t.Errorf("%q, want %q", rows, want)
		}
	}
}

// TestHostileNames: no text of a chart means anything to SVG, DOT or PNG.
func TestHostileNames(t *testing.T) {
	for _, name := range []string{
		`"];evil [URL="javascript:alert(1)"`, `</title><script>alert(1)</script>`, "]]>",
		"\x1b[31m\x00", `\N \G "`, "\u202eevil", strings.Repeat("long ", 200), "&amp;", `c 9 -#000000`, "",
	} {
		c := example(2, 3, 4)
		c.Title, c.Subtitle, c.X, c.Y = name, name, name, name
		c.Series[0].Name, c.Lines[0].Name = name, name
		for i := range c.Series[0].Points {
			c.Series[0].Points[i].Label, c.Series[0].Points[i].Tip = name, name
		}
		d, err := c.Draw()
		if err != nil {
			t.Fatal(err)
		}
		svg := write(t, "svg", d)
		decoder := xml.NewDecoder(bytes.NewReader(svg))
		for {
			token, err := decoder.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%q: %v", name, err)
			}
			if e, ok := token.(xml.StartElement); ok && (e.Name.Local == "script" || e.Name.Local == "a") {
				t.Errorf("%q becomes an element %s", name, e.Name.Local)
			}
		}
		if _, err := png.Decode(bytes.NewReader(write(t, "png", d))); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// TestFactorsWithoutEnd: values so near to zero, or so far apart, that a logarithmic axis would have no end
// are on an even one.
func TestFactorsWithoutEnd(t *testing.T) {
	for _, sizes := range [][]float64{{5e-324, 1e-323, 1e-300, 1}, {1e-200, 1, 2, 1e200}} {
		c := &chart.Chart{Title: "any", X: "x", Y: "y", Series: []chart.Series{{Name: "series"}}}
		for _, x := range sizes {
			c.Series[0].Points = append(c.Series[0].Points, chart.Point{X: x, Y: x})
		}
		d, err := c.Draw()
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range d.Layers {
			for _, n := range l.Nodes {
				if strings.Contains(n.Text, "logarithmic") {
					t.Errorf("%v: %s, want even axes", sizes, n.Text)
				}
			}
		}
	}
}

// TestWhatCannotBePlotted is refused.
func TestWhatCannotBePlotted(t *testing.T) {
	for _, c := range []*chart.Chart{
		{},
		{Series: []chart.Series{{Points: []chart.Point{{X: math.NaN()}}}}},
		{Series: []chart.Series{{Points: []chart.Point{{Y: math.Inf(1)}}}}},
		{Series: make([]chart.Series, chart.MostSeries+1)},
	} {
		if _, err := c.Draw(); err == nil {
			t.Errorf("%+v: no error", c)
		}
	}
}

// TestEverythingIsInThePicture: whatever is plotted, one point or huge ones, all marks, labels and
// lines are within the drawing.
func TestEverythingIsInThePicture(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(rapid.Float64Range(-1e9, 1e9), rapid.Float64Range(0, 1), rapid.Just(0.0), rapid.Float64Range(1, 1e60))
		c := &chart.Chart{Title: "any", X: "x", Y: "y"}
		for range rapid.IntRange(1, 3).Draw(t, "series") {
			s := chart.Series{Name: "series", Joined: rapid.Bool().Draw(t, "joined")}
			for range rapid.IntRange(1, 12).Draw(t, "points") {
				y := value.Draw(t, "y")
				s.Points = append(s.Points, chart.Point{
					X: value.Draw(t, "x"), Y: y, Low: y - 1, High: y + 2,
					Error: rapid.Float64Range(0, 1e9).Draw(t, "error"), Label: "label",
				})
			}
			c.Series = append(c.Series, s)
		}
		l := chart.Line{Name: "line", Bound: chart.Bound(rapid.IntRange(0, 2).Draw(t, "bound"))}
		for range rapid.IntRange(0, 8).Draw(t, "corners") {
			l.Points = append(l.Points, drawing.At(value.Draw(t, "line x"), value.Draw(t, "line y")))
		}
		c.Lines = append(c.Lines, l)
		d, err := c.Draw()
		if err != nil {
			t.Fatal(err)
		}
		inside := func(name string, p drawing.Point) {
			const slack = 1
			if !(p.X > -slack && p.X < d.Width+slack && p.Y > -slack && p.Y < d.Height+slack) {
				t.Fatalf("%s at %v, in a picture of %v x %v", name, p, d.Width, d.Height)
			}
		}
		for _, a := range d.Areas {
			for _, p := range a.Corners {
				inside("an area", p)
			}
		}
		for _, layer := range d.Layers {
			for _, n := range layer.Nodes {
				inside("a node", drawing.At(n.X, n.Y))
			}
			for _, path := range layer.Paths {
				for _, stroke := range path.Strokes {
					for _, p := range stroke {
						inside("a line", p)
					}
				}
			}
		}
	})
}

// TestStylesAreListed: a drawing lists the styles of all its series and lines, since formats write what is listed.
func TestStylesAreListed(t *testing.T) {
	c := example(4, 8)
	for len(c.Lines) < chart.MostSeries {
		c.Lines = append(c.Lines, chart.Line{Name: fmt.Sprint(len(c.Lines)), Points: []drawing.Point{drawing.At(4, 10), drawing.At(8, 20)}})
	}
	for len(c.Series) < chart.MostSeries {
		c.Series = append(c.Series, c.Series[0])
	}
	d, err := c.Draw()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range d.Layers {
		for _, p := range l.Paths {
			if !slices.Contains(d.Styles, p.Style) {
				t.Errorf("the style %s of a path is not listed", p.Style.Name)
			}
		}
		for _, n := range l.Nodes {
			if !slices.Contains(d.Styles, n.Style) {
				t.Errorf("the style %s of a node is not listed", n.Style.Name)
			}
		}
	}
}

// TestLineFarBeyond: a line that goes far beyond the plot is drawn up to its edge and no further,
// there and back, at its height.
func TestLineFarBeyond(t *testing.T) {
	for _, far := range []float64{1e14, -1e14, 8.89599926394175e14, 1e30, -1e60} {
		for _, points := range [][]drawing.Point{
			{drawing.At(5, 5), drawing.At(far, 5)},
			{drawing.At(far, 5), drawing.At(5, 5)},
			{drawing.At(5, 5), drawing.At(far, 5), drawing.At(5, 5)},
		} {
			c := &chart.Chart{
				Title: "far", X: "x", Y: "y", Linear: true,
				Series: []chart.Series{{Name: "series", Points: []chart.Point{{X: 0, Y: 0}, {X: 10, Y: 10}}}},
			}
			c.Lines = []chart.Line{{Name: "line", Points: points}}
			d, err := c.Draw()
			if err != nil {
				t.Fatal(err)
			}
			var axis, line []drawing.Point
			for _, layer := range d.Layers {
				for _, path := range layer.Paths {
					switch path.Style.Name {
					case "axis-line":
						axis = path.Strokes[0]
					case "line":
						if line == nil { // what comes then is of the legend
							line = slices.Concat(path.Strokes...)
						}
					}
				}
			}
			edge := axis[len(axis)-1].X
			if far < 0 {
				edge = axis[0].X
			}
			if !slices.ContainsFunc(line, func(p drawing.Point) bool { return p.X == edge }) {
				t.Errorf("%v: the line goes through %v, want it to reach the edge at %v", points, line, edge)
			}
			for _, p := range line {
				if p.X < axis[0].X || p.X > axis[len(axis)-1].X || p.Y != line[0].Y {
					t.Errorf("%v: the line goes through %v, want it within %v and %v, at one height", points, line, axis[0].X, axis[len(axis)-1].X)
					break
				}
			}
		}
	}
}
