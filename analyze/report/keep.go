package report

import (
	"bytes"
	"slices"

	"etrace/analyze"
	"etrace/tracefmt"
)

// Add appends outcomes of runs. It keeps only what reports print, and stores equal parts once: most runs of
// an archive satisfy every property.
func (r *Report) Add(runs ...Run) {
	for _, run := range runs {
		run.RunReport = r.sharedCopy(run.RunReport)
		r.Runs = append(r.Runs, run)
	}
}

// plainKey identifies plain results, which reports print alike if their keys are equal.
type plainKey struct {
	property    *analyze.Property
	verdict     analyze.Verdict
	explanation string
	named       bool
	examined    int
	maxSteps    int64
}

// sharedCopy returns a copy of an outcome that shares its equal parts with other runs.
func (r *Report) sharedCopy(run *analyze.RunReport) *analyze.RunReport {
	kept := *run
	kept.Run = r.keptHead(run.Run)
	kept.Results = make([]*analyze.Result, len(run.Results))
	for i, p := range run.Results {
		kept.Results[i] = r.keptResult(p)
	}
	return &kept
}

// keptResult returns a copy of a result, or an earlier result if both are plain and equal.
func (r *Report) keptResult(p *analyze.Result) *analyze.Result {
	kept := &analyze.Result{
		Property: p.Property, Verdict: p.Verdict, Violations: p.Violations, Witness: p.Witness,
		Explanation: p.Explanation, Cut: p.Cut, Open: p.Open,
		Needs: p.Needs, LogNext: p.LogNext,
		Named: p.Named, Counts: p.Counts, Examined: p.Examined, MaxSteps: p.MaxSteps, Skew: p.Skew, Kept: p.Kept,
		Excused: p.Excused,
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
	key := plainKeyOf(p)
	if same := r.plainKey[key]; same != nil {
		return same
	}
	if r.plainKey == nil {
		r.plainKey = make(map[plainKey]*analyze.Result)
	}
	r.plainKey[key] = kept
	return kept
}

// plainKeyOf returns the key of a plain result.
func plainKeyOf(p *analyze.Result) plainKey {
	return plainKey{
		property: p.Property, verdict: p.Verdict, explanation: p.Explanation, named: p.Named,
		examined: p.Examined, maxSteps: p.MaxSteps,
	}
}

// plainResult reports whether a result has nothing beside the fields of its [plainKey].
func plainResult(p *analyze.Result) bool {
	return outcomes[p.Verdict] < open && p.Violations+p.Excused+len(p.Witness)+len(p.Cut)+len(p.Open)+len(p.Needs)+len(p.Kept) == 0
}

// keptHead returns a copy of the description of a run that shares its equal parts with the run before.
func (r *Report) keptHead(run *tracefmt.Run) *tracefmt.Run {
	// The run is part of a recording: a copy does not keep the recording in memory.
	kept := *run
	if len(r.Runs) == 0 {
		return &kept
	}
	last := r.Runs[len(r.Runs)-1].Run
	kept.Members = shareEqual(last.Members, kept.Members, sameMember)
	kept.Scenario = shareEqual(last.Scenario, kept.Scenario, equal)
	kept.Traits = shareEqual(last.Traits, kept.Traits, equal)
	kept.Counters = shareEqual(last.Counters, kept.Counters, equal)
	kept.Bounds = shareEqual(last.Bounds, kept.Bounds, sameBound)
	return &kept
}

// shareEqual returns the last list if it equals the given one, else the given one.
func shareEqual[T any](last, list []T, same func(a, b T) bool) []T {
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
