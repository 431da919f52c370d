package operation

import (
	"math"
	"slices"

	"github.com/anishathalye/porcupine"

	"etrace/analyze"
	"etrace/tracefmt"
)

// Linearize finds, for each object, an order of its operations that explains all results. It returns the place of each
// operation in its order; the key is the event of the invocation. Operations without such an order have no place:
// wrong has the last event of the witness of each violation. It fails if the recording cannot be read.
func Linearize(rec tracefmt.Recording) (places map[tracefmt.Seq]int, wrong []tracefmt.Seq, err error) {
	places = make(map[tracefmt.Seq]int)
	p := linearizability
	p.New = func(run *tracefmt.Run) analyze.Monitor {
		m := newLinearizability(run)
		m.places = places
		return m
	}
	report, err := analyze.Check(rec, []*analyze.Property{&p}, analyze.Options{Named: true, Keep: math.MaxInt})
	if err != nil {
		return nil, nil, err
	}
	for _, v := range report.Results[0].Kept {
		if v.Excuses == nil {
			wrong = append(wrong, slices.Max(v.Witness))
		}
	}
	return places, wrong, nil
}

// place gives an operation the next place.
func (h *history) place(op *operation) {
	if h.places != nil {
		h.placed++
		h.places[op.called] = h.placed
	}
}

// placeAll places operations in an order that porcupine found, which numbers their invocations. An operation without
// an end gets no place if no ended operation follows.
func (h *history) placeAll(events []porcupine.Event, order []int) {
	var ops []*operation
	for _, e := range events {
		if e.Kind == porcupine.CallEvent {
			ops = append(ops, e.Value.(*operation))
		}
	}
	last := len(order)
	for last > 0 && !ops[order[last-1]].hasTakenEffect() {
		last--
	}
	for _, number := range order[:last] {
		h.place(ops[number])
	}
}
