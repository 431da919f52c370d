package property

import (
	"bytes"
	"fmt"
	"iter"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// assigned returns the raw value that an event assigns to a variable of its process; ok is false if the event
// does not name the variable.
func assigned(e *tracefmt.Event, variable string) (value []byte, ok bool) {
	if !e.Kind.AssignsVariables() {
		return nil, false
	}
	return e.Field(variable)
}

// sameValue reports whether two JSON values are equal numbers, or equal texts.
func sameValue(x, y []byte) bool {
	return bytes.Equal(tracefmt.Canonical(x), tracefmt.Canonical(y))
}

// allProcesses returns the processes of a run, in ascending order.
func allProcesses(run *tracefmt.Run) []tracefmt.ProcessID {
	list := make([]tracefmt.ProcessID, len(run.Members))
	for i := range list {
		list[i] = tracefmt.ProcessID(i + 1)
	}
	return list
}

// needsOfEach are the needs of these processes. They are made for one process at a time: a list of all may be long, and
// often the first is enough.
func needsOfEach(ps []tracefmt.ProcessID, needs func(p tracefmt.ProcessID) []analyze.Need) iter.Seq[analyze.Need] {
	return func(yield func(analyze.Need) bool) {
		for _, p := range ps {
			for _, n := range needs(p) {
				if !yield(n) {
					return
				}
			}
		}
	}
}

// inTurn are the needs of one sequence after the other; nil has none.
func inTurn(all ...iter.Seq[analyze.Need]) iter.Seq[analyze.Need] {
	return func(yield func(analyze.Need) bool) {
		for _, needs := range all {
			if needs == nil {
				continue
			}
			for n := range needs {
				if !yield(n) {
					return
				}
			}
		}
	}
}

func isNull(value []byte) bool { return string(value) == "null" }

func isSome(value []byte) bool { return !isNull(value) }

// acts reports by process whether it did more than a client does: a start, states, timers, notes or suspicions.
// If the run does not state whether a process participates, and the process does not use the words of the
// problem, it may participate if it acts. Otherwise it counts as a non-participant.
type acts []bool

func (a acts) step(e *tracefmt.Event) {
	switch e.Kind {
	case tracefmt.Send, tracefmt.Receive, tracefmt.Lose, tracefmt.Invoke, tracefmt.Return, tracefmt.Crash, tracefmt.Halt:
	default:
		a[e.Process] = true
	}
}

// partUnknown explains why p's participation is unknown.
func partUnknown(run *tracefmt.Run, p tracefmt.ProcessID) string {
	return fmt.Sprintf("whether process %s is a participant is not recorded (by its role in the header, such as "+
		"server or client)", run.ProcessName(p))
}

// faults records which processes are correct in the sense of the literature: they participate, and neither crash
// nor halt in the whole run. If the run does not state whether a process participates, it participates if it speaks in
// the words of the problem; a process that only sends and receives owes nothing.
type faults struct {
	parts          []tracefmt.Part
	failed, speaks []bool // by process
	acts           acts
	// guessed has, by process, its failure, if all its failures were inferred.
	guessed map[tracefmt.ProcessID]tracefmt.Seq
	// rose has, by process, its first restart, and stepped whether it took a step.
	rose    map[tracefmt.ProcessID]tracefmt.Seq
	stepped []bool
}

func newFaults(run *tracefmt.Run) faults {
	n := len(run.Members) + 1
	f := faults{
		parts: make([]tracefmt.Part, n), failed: make([]bool, n), speaks: make([]bool, n),
		acts: make(acts, n), stepped: make([]bool, n),
		guessed: map[tracefmt.ProcessID]tracefmt.Seq{}, rose: map[tracefmt.ProcessID]tracefmt.Seq{},
	}
	for _, p := range allProcesses(run) {
		f.parts[p] = run.Part(p)
	}
	return f
}

func (f *faults) step(e *tracefmt.Event) {
	f.acts.step(e)
	rises := e.Kind == tracefmt.Recover || e.Kind == tracefmt.Start && f.stepped[e.Process]
	if rises && !e.Inferred() && f.rose[e.Process] == 0 {
		f.rose[e.Process] = e.Seq
	}
	f.stepped[e.Process] = f.stepped[e.Process] || e.Kind.IsStep()
	if e.Kind != tracefmt.Crash && e.Kind != tracefmt.Halt {
		return
	}
	switch {
	case !e.Inferred():
		f.guessed[e.Process] = 0
	case !f.failed[e.Process]:
		f.guessed[e.Process] = e.Seq
	}
	f.failed[e.Process] = true
}

// possiblyCorrect returns the needs by which p, which failed by the record, is correct.
func (f *faults) possiblyCorrect(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	if f.parts[p] == tracefmt.Bystander || f.fell(s, p) {
		return nil
	}
	return possiblyAbsent(s, f.guessed[p])
}

// fell reports whether p restarted, and so must have crashed before, in a recording that may lack the crash.
func (f *faults) fell(s *replay.State, p tracefmt.ProcessID) bool {
	return f.rose[p] != 0 && s.Coverage().Missing(p, crashFact, 0, f.rose[p])
}

// certainlyFailed reports whether p failed, and not only by inference.
func (f *faults) certainlyFailed(s *replay.State, p tracefmt.ProcessID) bool {
	return f.failed[p] && f.guessed[p] == 0 || f.fell(s, p)
}

// isCorrect reports whether p participates and did not fail. It must be called at the end of a run.
func (f *faults) isCorrect(s *replay.State, p tracefmt.ProcessID) bool {
	return !f.failed[p] && !f.fell(s, p) && (f.parts[p] == tracefmt.TakesPart || f.parts[p] == tracefmt.PartUnknown && f.speaks[p])
}

// doubtful returns the first process that may be correct, since it acts and did not fail, but never speaks: 0 for
// none. It must be called at the end of a run.
func (f *faults) doubtful(s *replay.State) tracefmt.ProcessID {
	for _, p := range s.LiveProcesses() {
		if f.parts[p] == tracefmt.PartUnknown && (f.acts[p] || actsUnrecorded(s, p)) && !f.speaks[p] && !f.failed[p] && !f.fell(s, p) {
			return p
		}
	}
	return 0
}

// actsUnrecorded reports whether a process may start and have states, which a client does not, without a record:
// the run declares both incomplete.
func actsUnrecorded(s *replay.State, p tracefmt.ProcessID) bool {
	return s.Coverage().DeclaredMissing(p, startFact, 0, 0) && s.Coverage().DeclaredMissing(p, stateFact, 0, 0)
}

// possibleFailure reports whether p may have an unrecorded failure.
func (f *faults) possibleFailure(s *replay.State, p tracefmt.ProcessID) bool {
	return slices.ContainsFunc(downFacts, func(f tracefmt.Fact) bool { return s.Coverage().Missing(p, f, 0, 0) })
}

// correct returns the participants that did not fail, in ascending order.
func (f *faults) correct(s *replay.State) []tracefmt.ProcessID {
	return slices.DeleteFunc(s.LiveProcesses(), func(p tracefmt.ProcessID) bool { return !f.isCorrect(s, p) })
}

// standingBy returns by process whether it is a non-participant, such as a client, or Byzantine: its actions are
// no violation.
func standingBy(run *tracefmt.Run) []bool {
	aside := make([]bool, len(run.Members)+1)
	for _, p := range allProcesses(run) {
		aside[p] = run.Part(p) == tracefmt.Bystander
	}
	return aside
}
