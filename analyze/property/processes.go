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

// assigned returns the raw value that an event gives a variable of its
// process; ok is false for an event that does not name the variable.
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
	all := make([]tracefmt.ProcessID, len(run.Members))
	for i := range all {
		all[i] = tracefmt.ProcessID(i + 1)
	}
	return all
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

// acts are, by process, those that do more than any client does: they start, have states, timers, notes or
// suspicions. One of which the run does not say whether it takes part, and which does not use the words of the
// problem, may take part all the same if it acts; one that does not is taken for one that stands by.
type acts []bool

func (a acts) step(e *tracefmt.Event) {
	switch e.Kind {
	case tracefmt.Send, tracefmt.Receive, tracefmt.Lose, tracefmt.Invoke, tracefmt.Return, tracefmt.Crash, tracefmt.Halt:
	default:
		a[e.Process] = true
	}
}

// partNotSaid says why it is not known whether p takes part.
func partNotSaid(run *tracefmt.Run, p tracefmt.ProcessID) string {
	return fmt.Sprintf("whether process %s is a participant is not recorded (by its role in the header, such as server or client)", run.ProcessName(p))
}

// faults knows which processes are correct in the sense of the literature: those that
// take part, and neither crash nor halt in the whole run. One of which the run does not
// say whether it takes part does if it speaks, in the words of the problem: who merely
// sends and receives owes nothing.
type faults struct {
	parts          []tracefmt.Part
	failed, speaks []bool // by process
	acts           acts
	// guessed is by process where it failed, if all its failures were inferred.
	guessed map[tracefmt.ProcessID]tracefmt.Seq
	// rose is by process where it first came up anew, and stepped whether it took a step.
	rose    map[tracefmt.ProcessID]tracefmt.Seq
	stepped []bool
}

func newFaults(run *tracefmt.Run) faults {
	n := len(run.Members) + 1
	f := faults{
		parts: make([]tracefmt.Part, n), failed: make([]bool, n), speaks: make([]bool, n), acts: make(acts, n), stepped: make([]bool, n),
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
	f.stepped[e.Process] = f.stepped[e.Process] || isStep(e.Kind)
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

// mayBeCorrect is that p, which failed, may not have.
func (f *faults) mayBeCorrect(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	if f.parts[p] == tracefmt.StandsBy || f.fell(s, p) {
		return nil
	}
	return mayNotBe(s, f.guessed[p])
}

// fell reports whether p came up anew and so must have crashed before, in a recording that may lack
// that.
func (f *faults) fell(s *replay.State, p tracefmt.ProcessID) bool {
	return f.rose[p] != 0 && s.Coverage().Missing(p, crashFact, 0, f.rose[p])
}

// surelyFailed reports whether p failed, and not only by inference.
func (f *faults) surelyFailed(s *replay.State, p tracefmt.ProcessID) bool {
	return f.failed[p] && f.guessed[p] == 0 || f.fell(s, p)
}

// isCorrect reports whether p takes part and did not fail. It is for the end of a run.
func (f *faults) isCorrect(s *replay.State, p tracefmt.ProcessID) bool {
	return !f.failed[p] && !f.fell(s, p) && (f.parts[p] == tracefmt.TakesPart || f.parts[p] == tracefmt.PartUnknown && f.speaks[p])
}

// doubtful returns the first process that may be correct, since it acts and did not fail, and is not taken for
// one that is, since it does not speak: 0 for none. It is for the end of a run.
func (f *faults) doubtful(s *replay.State) tracefmt.ProcessID {
	for _, p := range s.LiveProcesses() {
		if f.parts[p] == tracefmt.PartUnknown && (f.acts[p] || actsUnrecorded(s, p)) && !f.speaks[p] && !f.failed[p] && !f.fell(s, p) {
			return p
		}
	}
	return 0
}

// actsUnrecorded reports whether a process may do what no client does without a record: it starts and has
// states, both of which the run says not to record completely.
func actsUnrecorded(s *replay.State, p tracefmt.ProcessID) bool {
	return s.Coverage().SaidMissing(p, startFact, 0, 0) && s.Coverage().SaidMissing(p, stateFact, 0, 0)
}

// mayFail reports whether p may have failed without that being recorded.
func (f *faults) mayFail(s *replay.State, p tracefmt.ProcessID) bool {
	return slices.ContainsFunc(downFacts, func(f tracefmt.Fact) bool { return s.Coverage().Missing(p, f, 0, 0) })
}

// correct returns the processes that take part and did not fail, in ascending order.
func (f *faults) correct(s *replay.State) []tracefmt.ProcessID {
	return slices.DeleteFunc(s.LiveProcesses(), func(p tracefmt.ProcessID) bool { return !f.isCorrect(s, p) })
}

// standingBy returns the processes that do not take part, such as clients, and those
// that are Byzantine: what they say that they do convicts no process.
func standingBy(run *tracefmt.Run) []bool {
	aside := make([]bool, len(run.Members)+1)
	for _, p := range allProcesses(run) {
		aside[p] = run.Part(p) == tracefmt.StandsBy
	}
	return aside
}
