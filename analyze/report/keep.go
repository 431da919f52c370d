package report

import (
	"bytes"
	"slices"

	"etrace/analyze"
	"etrace/tracefmt"
)

// Add handles the outcomes of runs. It keeps the parts of an outcome that reports print, and stores
// equal parts once: archives have many runs, and most of them satisfy everything.
func (r *Report) Add(runs ...Run) {
	for _, run := range runs {
		run.RunReport = r.kept(run.RunReport)
		r.Runs = append(r.Runs, run)
	}
}

// alike is the common part of results without a violation, which every report prints in the same way.
type alike struct {
	property    *analyze.Property
	verdict     analyze.Verdict
	explanation string
	named       bool
	examined    int
	maxSteps    int64
}

func (r *Report) kept(run *analyze.RunReport) *analyze.RunReport {
	kept := *run
	kept.Run = r.keptHead(run.Run)
	kept.Results = make([]*analyze.Result, len(run.Results))
	for i, p := range run.Results {
		kept.Results[i] = r.keptResult(p)
	}
	return &kept
}

func (r *Report) keptResult(p *analyze.Result) *analyze.Result {
	kept := &analyze.Result{
		Property: p.Property, Verdict: p.Verdict, Violations: p.Violations, Witness: p.Witness,
		Explanation: p.Explanation, Cut: p.Cut, Open: p.Open,
		Needs: p.Needs, LogNext: p.LogNext,
		Named: p.Named, Counts: p.Counts, Examined: p.Examined, MaxSteps: p.MaxSteps, Skew: p.Skew, Kept: p.Kept, Excused: p.Excused,
	}
	if e, ok := r.Explanations[p]; ok {
		delete(r.Explanations, p)
		r.Explanations[kept] = e
	}
	if wanted, ok := r.LogNext[p]; ok {
		delete(r.LogNext, p)
		r.LogNext[kept] = wanted
	}
	if !plainResult(p) {
		return kept
	}
	key := alikeOf(p)
	if same := r.alike[key]; same != nil {
		return same
	}
	if r.alike == nil {
		r.alike = make(map[alike]*analyze.Result)
	}
	r.alike[key] = kept
	return kept
}

func alikeOf(p *analyze.Result) alike {
	return alike{p.Property, p.Verdict, p.Explanation, p.Named, p.Examined, p.MaxSteps}
}

// plainResult reports whether there is nothing to a result but what [alike] has.
func plainResult(p *analyze.Result) bool {
	return outcomes[p.Verdict] < open && p.Violations+p.Excused+len(p.Witness)+len(p.Cut)+len(p.Open)+len(p.Needs)+len(p.Kept) == 0
}

// keptHead is the description of a run, which shares with that of the run before what they
// have in common.
func (r *Report) keptHead(run *tracefmt.Run) *tracefmt.Run {
	kept := *run // alone: it is part of a recording
	if len(r.Runs) == 0 {
		return &kept
	}
	last := r.Runs[len(r.Runs)-1].Run
	kept.Members = shared(last.Members, kept.Members, sameMember)
	kept.Scenario = shared(last.Scenario, kept.Scenario, equal)
	kept.Traits = shared(last.Traits, kept.Traits, equal)
	kept.Counters = shared(last.Counters, kept.Counters, equal)
	kept.Bounds = shared(last.Bounds, kept.Bounds, sameBound)
	return &kept
}

// shared is the list, which is that of another run if it is the same.
func shared[T any](last, list []T, same func(a, b T) bool) []T {
	if len(list) > 0 && slices.EqualFunc(last, list, same) {
		return last
	}
	return list
}

func equal[T comparable](a, b T) bool { return a == b }

func sameBound(a, b tracefmt.Bound) bool { return a.Equal(&b) }

func sameMember(a, b tracefmt.Member) bool {
	return a.Name == b.Name && a.Position == b.Position && bytes.Equal(a.Attributes, b.Attributes) &&
		(a.Attributes == nil) == (b.Attributes == nil)
}
