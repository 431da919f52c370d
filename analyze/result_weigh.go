package analyze

import (
	"slices"

	"etrace/tracefmt"
)

// weigh says whether an open verdict counts: the property was named, or the run is recorded completely, or the
// facts that it needs are recorded of some process, so that the recording is fit to decide it and has a gap, a
// member without a log, or reached a bound. What a stopped recording still owes does not count.
func (r *Result) weigh(run *tracefmt.Run) {
	if r.Verdict != Unknown && r.Verdict != Pending {
		return
	}
	for _, n := range r.Needs {
		if !slices.Contains(r.NotRecorded, n.Fact) && r.state.Coverage().Lacks(n.Fact) {
			r.NotRecorded = append(r.NotRecorded, n.Fact)
		}
	}
	fit := r.Verdict == Unknown && len(r.NotRecorded) == 0
	r.Counts = r.Named || run.RecordsAll() || fit
}
