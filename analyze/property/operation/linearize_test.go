package operation

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/anishathalye/porcupine"

	"etrace/fixtures/size"
	"etrace/tracefmt"
)

// TestPlacesExplainResults: the order of a history has each operation that succeeded, keeps the order of operations
// that follow one another, and gives the results, as a register gives them.
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

// TestLinearizeTellsWhatIsWrong: a read of what was not written is wrong, and its object has no order; another object
// has one.
func TestLinearizeTellsWhatIsWrong(t *testing.T) {
	rec := tracefmt.NewMemory(tracefmt.Run{Members: []tracefmt.Member{{Name: "1", Position: 1}}})
	for i, e := range []struct {
		kind       tracefmt.Kind
		name, text string
	}{
		{tracefmt.Invoke, "write", `{"key":"x","value":1}`},
		{tracefmt.Return, "write", `{}`},
		{tracefmt.Invoke, "read", `{"key":"y"}`},
		{tracefmt.Return, "read", `{"value":7}`},
		{tracefmt.Invoke, "read", `{"key":"x"}`},
		{tracefmt.Return, "read", `{"value":1}`},
	} {
		if err := rec.Write(&tracefmt.Event{
			Seq: tracefmt.Seq(i + 1), Kind: e.kind, Process: 1, Type: e.name, Payload: []byte(e.text),
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := rec.Finish(tracefmt.Quiescent); err != nil {
		t.Fatal(err)
	}
	places, wrong, err := Linearize(rec)
	if err != nil || !slices.Equal(wrong, []tracefmt.Seq{4}) || !maps.Equal(places, map[tracefmt.Seq]int{1: 1, 5: 2}) {
		t.Errorf("got the places %v, wrong %v, %v; want the write before the read of x, and the read of y wrong at seq 4",
			places, wrong, err)
	}
}
