package property

import (
	"fmt"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

var commitAbortCause = analyze.Property{
	Name: "commit-abort-cause",
	Kind: analyze.Safety,
	Doc: `A process decides to abort only after a cause: some process has voted no, a timer has
expired, one has been suspected, or one has crashed or halted.

After is meant in the recorded order; a vote in the event of the decision is in time. Any
process will do, a Byzantine one, too. Whether the cause was known to who decides is not
asked. So a message that was lost is no cause, but the timer that expires for want of
it. What a Byzantine process decides convicts no process.`,
	Needs:    commitNeeds,
	Source:   reliableProgramming + ", 6.6: NBAC4, abort-validity; " + gray + ", 5.8.3.3",
	Problem:  tracefmt.Commit,
	Convicts: decisionFacts,
	Acquits:  abortCauses,
	New: func(*tracefmt.Run) analyze.Monitor {
		return new(commitAbortCauseMonitor)
	},
}

// abortCauses are the facts for which a transaction may be aborted.
var abortCauses = append(analyze.Facts("timeout", "suspect", "crash", "halt"), ballotFacts...)

type commitAbortCauseMonitor struct {
	decider
	// cause is the first event for which a process may abort, 0 for none yet.
	cause tracefmt.Seq
}

func (m *commitAbortCauseMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if m.cause == 0 && isAbortCause(e) {
		m.cause = e.Seq
	}
	if value := m.decisions.decided.value; value == nil || !sameValue(value, []byte(toAbort)) {
		return
	}
	if r.Examined++; m.cause == 0 {
		r.ViolateUnless(analyze.Needs(analyze.EveryProcess, 0, e.Seq, abortCauses...), func() string {
			return fmt.Sprintf("process %s decides to abort at seq %d, before which no process has voted no, no timer has expired, and no process was suspected or down",
				s.Run.ProcessName(e.Process), e.Seq)
		}, e.Seq)
	}
}

// isAbortCause reports whether an event is a cause to abort. What was only inferred may not
// have happened.
func isAbortCause(e *tracefmt.Event) bool {
	switch e.Kind {
	case tracefmt.Timeout, tracefmt.Suspect, tracefmt.Crash, tracefmt.Halt:
		return !e.Inferred()
	}
	return casts(e, noVote)
}

func (m *commitAbortCauseMonitor) End(r *analyze.Result, _ *replay.State, _ analyze.Ending) {
	m.decisions.nothingTold(r)
}

// Relies implements [analyze.Relying]: once there is a cause, nothing violates it.
func (m *commitAbortCauseMonitor) Relies(*replay.State, analyze.Ending) []analyze.Need {
	return analyze.Needs(analyze.EveryProcess, 0, m.cause, decisionFacts...)
}
