package conform

import (
	"context"

	"etrace/tracefmt"
)

// defaultMaxSteps is the default number of unrecorded steps to try, beside [stepsPerEvent] for each recorded
// event: in a long run most attempts fail.
const defaultMaxSteps = 1_000_000

// stepsPerEvent is the number of unrecorded steps to try per recorded event.
const stepsPerEvent = 64

// StepsAllowed describes the default budget in words.
const StepsAllowed = "1000000, and 64 per event"

// stateLimits are the greatest numbers of states of a process, pass by pass. Most runs need few; a run that
// needs more is searched again with the next limit.
var stateLimits = []int{1 << 6, 1 << 9, 1 << 12, 1 << 16}

// searchWithLimits compares a partial recording with an algorithm. It searches with growing limits on the states of
// a process until one decides or the budget is spent.
func searchWithLimits(ctx context.Context, rec tracefmt.Recording, about *contents, m Model) (*Conformance, error) {
	budget := m.MaxSteps
	if budget == 0 {
		budget = defaultMaxSteps + stepsPerEvent*rec.Run().Events
	}
	var c *conformer
	tried := int64(0)
	for _, limit := range stateLimits {
		var err error
		c, err = pass{contents: about, model: m, limit: limit, budget: budget, tried: tried}.run(ctx, rec)
		if err != nil {
			return nil, err
		}
		tried = c.search.steps.tried
		c.report.Tried = tried
		if c.report.Conforms() || c.report.deviates() || tried > budget {
			break
		}
	}
	c.report.Partial = true
	return c.report, explainFirst(ctx, rec, pass{
		contents: about, model: m, limit: c.search.limit,
		budget: 2 * budget,
	}, c.report)
}

// explainFirst searches the run once more for the first process that leaves the algorithm, and adds to its
// deviation all explanations up to there.
func explainFirst(ctx context.Context, rec tracefmt.Recording, p pass, report *Conformance) error {
	deviating := report.deviating()
	if len(deviating) == 0 {
		return nil
	}
	first := deviating[0]
	p.graph = newGraph(first)
	again, err := p.run(ctx, rec)
	if err != nil {
		return err
	}
	if d := again.report.Processes[first.Process-1].Deviation; d != nil && d.Explanations != nil {
		first.Deviation = d
	}
	return nil
}

// pass is one pass of a search over a recording.
type pass struct {
	contents *contents
	model    Model
	// limit is the greatest number of states of a process, budget the greatest number of unrecorded steps to try.
	limit  int
	budget int64
	// tried is the number of steps that earlier passes tried.
	tried int64
	// graph collects the explanations of a process; nil to collect none.
	graph *graph
}

// run makes the pass. It returns the conformer with the report filled in.
func (p pass) run(ctx context.Context, rec tracefmt.Recording) (*conformer, error) {
	c, err := newConformer(rec, p.model)
	if err != nil {
		return nil, err
	}
	c.shared = p.contents.shares(c.protocolOf)
	c.report.Variables, c.report.Shared = len(c.shared.recorded), len(c.shared.common)
	c.search = newSearch(c, p)
	c.search.steps.tried = p.tried
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

// Open explains why the comparison was not decided; "" if it was. A run that has nothing in common with the
// algorithm does not show a deviation from it.
func (r *Conformance) Open() string {
	if r.deviates() {
		return r.Mismatch
	}
	if reason := r.nothingInCommon(); reason != "" {
		return reason
	}
	for i := range r.Processes {
		if open := r.Processes[i].Open; open != "" {
			return open
		}
	}
	return ""
}

// assumedSteps counts by kind the unrecorded steps that the explanation assumes. Kind start counts starts such as
// those of an election.
func (r *Conformance) assumedSteps() map[tracefmt.Kind]int64 {
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

// searchDraws compares a complete recording with an algorithm whose processes draw random numbers. The
// recording does not show the numbers, so the search tries each.
func searchDraws(ctx context.Context, rec tracefmt.Recording, m Model) (*Conformance, error) {
	about, err := allContentsOf(ctx, rec)
	if err != nil {
		return nil, err
	}
	r, err := searchWithLimits(ctx, rec, about, m)
	if err == nil {
		r.Partial = false
	}
	return r, err
}
