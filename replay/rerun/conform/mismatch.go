package conform

import (
	"fmt"
	"slices"

	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/replay/rerun"
	"etrace/tracefmt"
)

// mismatchOf explains that the run solves another problem than the algorithm; "" if it solves the same or
// names none.
func mismatchOf(run *tracefmt.Run, a *algorithm.Algorithm) string {
	if run.Problem == "" || run.Problem == a.Problem {
		return ""
	}
	return fmt.Sprintf("the run solves %s, %s solves %s", rerun.Short(run.Problem), a.Name, a.Problem)
}

// messageTypes looks for a type of message that both a run and an algorithm have.
type messageTypes struct {
	declared []string
	// any: the run has messages; found: some type is common to both.
	any, found bool
}

func newMessageTypes(protocol *sim.Protocol) messageTypes {
	return messageTypes{declared: protocol.MessageNames()}
}

// examine examines the message of an event.
func (m *messageTypes) examine(e *tracefmt.Event) {
	if m.found || e.Kind != tracefmt.Send && e.Kind != tracefmt.Receive {
		return
	}
	m.any, m.found = true, slices.Contains(m.declared, e.Type)
}

// mismatch explains that the run shares no type of message with the algorithm; "" if it shares one or has no
// messages.
func (m *messageTypes) mismatch(name string) string {
	if m.found || !m.any {
		return ""
	}
	return fmt.Sprintf("the run and %s have no type of message in common", name)
}

// nothingInCommon is the reason why the comparison of a run is open that has no variable of the algorithm, and of its events only
// starts and ends of processes; "" for any other run.
func (r *Conformance) nothingInCommon() string {
	if r.Events == 0 || r.acts > 0 || r.Shared > 0 {
		return ""
	}
	return fmt.Sprintf("the run and %s have only starts and ends of processes in common", r.Algorithm)
}

// noteAct counts a compared event that shows more than the life of a process.
func (r *Conformance) noteAct(e *tracefmt.Event) {
	switch e.Kind {
	case tracefmt.Start, tracefmt.Crash, tracefmt.Recover, tracefmt.Halt:
	default:
		r.acts++
	}
}
