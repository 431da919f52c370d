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
		second := at
		change(&second)
		list := []chart.Series{
			{Name: "a", Points: []chart.Point{at}},
			{Name: "b", Points: []chart.Point{second}},
			{Name: "c", Points: []chart.Point{at}},
		}
		nameCoveredSeries(list)
		if list[0].Name != "a, covered by c" || list[1].Name != "b" || list[2].Name != "c" {
			t.Errorf("%+v: %s, %s, %s", second, list[0].Name, list[1].Name, list[2].Name)
		}
	}
}

// TestNoFormula: without a formula and a fit there is no line.
func TestNoFormula(t *testing.T) {
	if title, points := formulaLine("mean", &closedform.Result{}, 1, 9); title != "" || points != nil {
		t.Errorf("line %q through %v, want none", title, points)
	}
}
