package unrecorded

import (
	"slices"

	"etrace/analyze"
	"etrace/analyze/property/members"
	"etrace/replay"
	"etrace/tracefmt"
)

// Faults records which processes are correct in the sense of the literature: they participate, and neither crash
// nor halt in the whole run. If the run does not state whether a process participates, it participates if it speaks in
// the words of the problem; a process that only sends and receives owes nothing.
type Faults struct {
	Parts          []tracefmt.Part
	Failed, Speaks []bool // by process
	acts           members.Acts
	// Guessed has, by process, its failure, if all its failures were inferred.
	Guessed map[tracefmt.ProcessID]tracefmt.Seq
	// firstRestart has, by process, its first restart, and stepped whether it took a step.
	firstRestart map[tracefmt.ProcessID]tracefmt.Seq
	stepped      []bool
}

// NewFaults returns the record of a run before its first event.
func NewFaults(run *tracefmt.Run) Faults {
	n := len(run.Members) + 1
	f := Faults{
		Parts: make([]tracefmt.Part, n), Failed: make([]bool, n), Speaks: make([]bool, n),
		acts: make(members.Acts, n), stepped: make([]bool, n),
		Guessed: map[tracefmt.ProcessID]tracefmt.Seq{}, firstRestart: map[tracefmt.ProcessID]tracefmt.Seq{},
	}
	for _, p := range members.All(run) {
		f.Parts[p] = run.Part(p)
	}
	return f
}

// Step takes an event.
func (f *Faults) Step(e *tracefmt.Event) {
	f.acts.Step(e)
	// A start after a step is a restart, like a recovery.
	rises := e.Kind == tracefmt.Recover || e.Kind == tracefmt.Start && f.stepped[e.Process]
	if rises && !e.Inferred() && f.firstRestart[e.Process] == 0 {
		f.firstRestart[e.Process] = e.Seq
	}
	f.stepped[e.Process] = f.stepped[e.Process] || e.Kind.IsStep() && !e.Inferred()
	if e.Kind != tracefmt.Crash && e.Kind != tracefmt.Halt {
		return
	}
	switch {
	// A recorded crash replaces a guessed one.
	case !e.Inferred():
		f.Guessed[e.Process] = 0
	case !f.Failed[e.Process]:
		f.Guessed[e.Process] = e.Seq
	}
	f.Failed[e.Process] = true
}

// PossiblyCorrect returns the needs by which p, which failed by the record, is correct.
func (f *Faults) PossiblyCorrect(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	if f.Parts[p] == tracefmt.Bystander || f.crashedUnrecorded(s, p) {
		return nil
	}
	return Absence(s, f.Guessed[p])
}

// crashedUnrecorded reports whether p restarted, and so must have crashed before, in a recording that may lack the
// crash.
func (f *Faults) crashedUnrecorded(s *replay.State, p tracefmt.ProcessID) bool {
	return f.firstRestart[p] != 0 && s.Coverage().Missing(p, CrashFact, 0, f.firstRestart[p])
}

// CertainlyFailed reports whether p failed, and not only by inference.
func (f *Faults) CertainlyFailed(s *replay.State, p tracefmt.ProcessID) bool {
	return f.Failed[p] && f.Guessed[p] == 0 || f.crashedUnrecorded(s, p)
}

// IsCorrect reports whether p participates and did not fail. It must be called at the end of a run.
func (f *Faults) IsCorrect(s *replay.State, p tracefmt.ProcessID) bool {
	return !f.Failed[p] && !f.crashedUnrecorded(s, p) && (f.Parts[p] == tracefmt.TakesPart ||
		f.Parts[p] == tracefmt.PartUnknown && f.Speaks[p])
}

// Doubtful returns the first process that may be correct, since it acts and did not fail, but never speaks: 0 for
// none. It must be called at the end of a run.
func (f *Faults) Doubtful(s *replay.State) tracefmt.ProcessID {
	for _, p := range s.LiveProcesses() {
		if f.Parts[p] == tracefmt.PartUnknown && (f.acts[p] || ActsUnrecorded(s, p)) && !f.Speaks[p] &&
			!f.Failed[p] && !f.crashedUnrecorded(s, p) {
			return p
		}
	}
	return 0
}

// ActsUnrecorded reports whether a process may start and have states, which a client does not, without a record:
// the run declares both incomplete.
func ActsUnrecorded(s *replay.State, p tracefmt.ProcessID) bool {
	return s.Coverage().DeclaredMissing(p, StartFact, 0, 0) && s.Coverage().DeclaredMissing(p, StateFact, 0, 0)
}

// PossibleFailure reports whether p may have an unrecorded failure.
func (f *Faults) PossibleFailure(s *replay.State, p tracefmt.ProcessID) bool {
	return slices.ContainsFunc(DownFacts, func(f tracefmt.Fact) bool { return s.Coverage().Missing(p, f, 0, 0) })
}

// Correct returns the participants that did not fail, in ascending order.
func (f *Faults) Correct(s *replay.State) []tracefmt.ProcessID {
	return slices.DeleteFunc(s.LiveProcesses(), func(p tracefmt.ProcessID) bool { return !f.IsCorrect(s, p) })
}
