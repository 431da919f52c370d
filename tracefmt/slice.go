package tracefmt

import "errors"

// ErrSlice is the error for a slice ([Run.Slice]) where a run is expected: to judge it, count it
// or draw it as if it were one would be wrong of the events that it lacks.
var ErrSlice = errors.New("is a slice of a run: check it with the plan that made it: etrace check --plan PLAN --shard I")

// checkSlice examines the place of the next event of a slice. What it says of other events was
// compared with them in the run, which has them: nothing of an event is remembered here but
// its seq, however long the slice is.
func (v *Validator) checkSlice(e *Event) *Flaw {
	if e.Seq <= v.last {
		return flaw(FlawOfOrder, v.last, "seq %d follows seq %d, expected %d or more: the events of a slice are in the order of the run, each once", e.Seq, v.last, v.last+1)
	}
	return nil
}
