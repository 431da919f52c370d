package sweeps

import (
	"testing"

	"etrace/analyze/closedform"
	"etrace/render/chart"
)

// TestSayCoveredSeries: a series is covered by a later one only if that has the same points and spans.
func TestSayCoveredSeries(t *testing.T) {
	at := chart.Point{X: 1, Y: 2, Low: 1, High: 3, Error: 0.5}
	for _, change := range []func(*chart.Point){
		func(p *chart.Point) { p.X++ }, func(p *chart.Point) { p.Y++ }, func(p *chart.Point) { p.Low-- },
		func(p *chart.Point) { p.High++ }, func(p *chart.Point) { p.Error++ },
	} {
		other := at
		change(&other)
		all := []chart.Series{
			{Name: "a", Points: []chart.Point{at}},
			{Name: "b", Points: []chart.Point{other}},
			{Name: "c", Points: []chart.Point{at}},
		}
		if nameCoveredSeries(all); all[0].Name != "a, covered by c" || all[1].Name != "b" || all[2].Name != "c" {
			t.Errorf("%+v: %s, %s, %s", other, all[0].Name, all[1].Name, all[2].Name)
		}
	}
}

// TestNoFormula: without a formula and a fit there is no line.
func TestNoFormula(t *testing.T) {
	if title, points := formulaLine("mean", &closedform.Result{}, 1, 9); title != "" || points != nil {
		t.Errorf("line %q through %v, want none", title, points)
	}
}
