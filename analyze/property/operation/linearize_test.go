package operation

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/anishathalye/porcupine"

	"etrace/fixtures/size"
	"etrace/tracefmt"
)

// TestPlacesExplainResults: the order of a history has each operation that succeeded, keeps the order of operations that follow
// one another, and gives the results, as a register gives them.
func TestPlacesExplainResults(t *testing.T) {
	seen := 0
	for seed := range uint64(size.Pick(100, 500, 5_000)) {
		d := registerHistory(rand.New(rand.NewPCG(35, seed)), 20)
		if d.wrongEnd() != 0 {
			continue
		}
		seen++
		b := newSearchBudget(1 << 30)
		places := make(map[tracefmt.Seq]int)
		d.judgedBy(&history{object: d.byProcess, state: d.byProcess.initial, places: places}, &b)
		holds, latest := d.model.Init(), tracefmt.Seq(0)
		list := d.upTo(len(d.steps))
		slices.SortFunc(list, func(x, y porcupine.Operation) int { return places[tracefmt.Seq(x.Call)] - places[tracefmt.Seq(y.Call)] })
		for _, op := range list {
			place, ended := places[tracefmt.Seq(op.Call)], op.Input.(plainInput).ended
			switch {
			case place == 0 && !ended:
				continue
			case place == 0:
				t.Fatalf("%s: the %v invoked at %d has no place", d, op.Input, op.Call)
			case tracefmt.Seq(op.Return) < latest:
				t.Fatalf("%s: the %v that ends at %d is after one invoked at %d", d, op.Input, op.Return, latest)
			}
			latest = max(latest, tracefmt.Seq(op.Call))
			fits, next := d.model.Step(holds, op.Input, op.Output)
			holds = next
			if !fits {
				t.Fatalf("%s: the %v invoked at %d does not fit in its place %d", d, op.Input, op.Call, place)
			}
		}
	}
	if seen < size.Pick(10, 50, 500) {
		t.Errorf("only %d histories have an order", seen)
	}
}
