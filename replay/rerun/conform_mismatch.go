package rerun

import (
	"fmt"
	"slices"

	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

// mismatchOf says that the run is of another problem than the algorithm, ""
// where it is not, or does not say.
func mismatchOf(run *tracefmt.Run, a *algorithm.Algorithm) string {
	if run.Problem == "" || run.Problem == a.Problem {
		return ""
	}
	return fmt.Sprintf("the run solves %s, %s solves %s", short(run.Problem), a.Name, a.Problem)
}

// messageTypes looks for a type of message that both a run and an algorithm
// have.
type messageTypes struct {
	declared   []string
	any, found bool // of the run; of both
}

func newMessageTypes(protocol *sim.Protocol) messageTypes {
	return messageTypes{declared: protocol.MessageNames()}
}

// see takes in the message of an event.
func (m *messageTypes) see(e *tracefmt.Event) {
	if m.found || e.Kind != tracefmt.Send && e.Kind != tracefmt.Receive {
		return
	}
	m.any, m.found = true, slices.Contains(m.declared, e.Type)
}

// mismatch says that no message of the run is one of the algorithm's, "" where
// one is, or the run has none.
func (m *messageTypes) mismatch(name string) string {
	if m.found || !m.any {
		return ""
	}
	return fmt.Sprintf("the run and %s have no type of message in common", name)
}
