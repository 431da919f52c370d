package rerun

import (
	"context"

	"etrace/record/algorithm"
	"etrace/tracefmt"
)

// defaultMaxSteps is how many unrecorded steps are tried unless one says otherwise, beside
// [stepsPerEvent] for each recorded event: on a long run most are tried in vain.
const defaultMaxSteps = 1_000_000

// stepsPerEvent is how many unrecorded steps are tried per recorded event.
const stepsPerEvent = 64

// StepsAllowed says in words how many unrecorded steps are tried by default.
const StepsAllowed = "1000000, and 64 per event"

// The greatest number of states in which a process may be at once. They grow from pass
// to pass: most runs need few, and a run that needs many is followed again.
var stateLimits = []int{1 << 6, 1 << 9, 1 << 12, 1 << 16}

// searchFor compares a partial recording with an algorithm, in as many passes as it takes
// to decide.
func searchFor(ctx context.Context, known algorithm.Registry, rec tracefmt.Recording, about *contents, name string, params map[string]string, maxSteps int64) (*Conformance, error) {
	budget := maxSteps
	if budget == 0 {
		budget = defaultMaxSteps + stepsPerEvent*rec.Run().Events
	}
	var c *conformer
	tried := int64(0)
	for _, limit := range stateLimits {
		var err error
		if c, err = searching(ctx, known, rec, about, name, params, limit, budget, tried, nil); err != nil {
			return nil, err
		}
		tried = c.search.steps.tried
		c.report.Tried = tried
		if c.report.Conforms() || c.report.deviates() || tried > budget {
			break
		}
	}
	c.report.Partial = true
	return c.report, explainFirst(ctx, known, rec, about, name, params, c, budget)
}

// explainFirst follows a run once more for how the process that leaves the algorithm first
// may have got there.
func explainFirst(ctx context.Context, known algorithm.Registry, rec tracefmt.Recording, about *contents, name string, params map[string]string, c *conformer, budget int64) error {
	deviating := c.report.deviating()
	if len(deviating) == 0 {
		return nil
	}
	first := deviating[0]
	again, err := searching(ctx, known, rec, about, name, params, c.search.limit, 2*budget, 0, newGraph(first))
	if err != nil {
		return err
	}
	if d := again.report.Processes[first.Process-1].Deviation; d != nil && d.Explanations != nil {
		first.Deviation = d
	}
	return nil
}

// searching is one pass.
func searching(ctx context.Context, known algorithm.Registry, rec tracefmt.Recording, about *contents, name string, params map[string]string, limit int, budget, tried int64, g *graph) (*conformer, error) {
	c, err := newConformer(rec, known, name, params)
	if err != nil {
		return nil, err
	}
	c.shared = about.shares(c.protocolOf)
	c.report.Variables, c.report.Shared = len(c.shared.told), len(c.shared.both)
	c.search = newSearch(c, about, limit, budget, g)
	c.search.steps.tried = tried
	c.search.begin()
	return c, conform(ctx, rec, []*conformer{c})
}

// deviates reports whether some process is known to leave the algorithm.
func (r *Conformance) deviates() bool {
	for i := range r.Processes {
		if r.Processes[i].Deviation != nil {
			return true
		}
	}
	return false
}

// Open says why it was not decided whether the algorithm explains the run, "" if it was. A run that has nothing in
// common with the algorithm does not show that the algorithm was broken.
func (r *Conformance) Open() string {
	if r.deviates() {
		return r.Mismatch
	}
	for i := range r.Processes {
		if open := r.Processes[i].Open; open != "" {
			return open
		}
	}
	return ""
}

// supposed counts by kind the unrecorded steps that the explanation supposes, as few as
// were found: under start those that begin what the algorithm is there for.
func (r *Conformance) supposed() map[tracefmt.Kind]int64 {
	counts := map[tracefmt.Kind]int64{}
	for i := range r.Processes {
		for k, n := range r.Processes[i].hidden {
			if n > 0 {
				counts[tracefmt.Kind(k)] += int64(n)
			}
		}
	}
	return counts
}

// searchDraws compares a run with an algorithm whose processes draw numbers, where the
// recording is complete: which numbers they have drawn is still not recorded as such, so
// that each of them is tried.
func searchDraws(ctx context.Context, known algorithm.Registry, rec tracefmt.Recording, name string, params map[string]string, maxSteps int64) (*Conformance, error) {
	about, err := allContentsOf(ctx, rec)
	if err != nil {
		return nil, err
	}
	r, err := searchFor(ctx, known, rec, about, name, params, maxSteps)
	if err == nil {
		r.Partial = false
	}
	return r, err
}
