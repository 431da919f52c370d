package election

import (
	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

var gajreRaghaAlgorithm = algorithm.Algorithm{
	Name: "gajre-ragha",
	Doc: `The bully variant of Gajre and Ragha: one ELECTION by a status table, and no answer.

The initiator looks up the highest process above it that is not CRASHED in its table and sends it
the only ELECTION; without such a process, it announces itself. The asked process announces itself
to every other process that is not CRASHED in its table.

The paper has no rule for the case that the asked process is down: the initiator sets no timer, and
no process is elected. retry=on borrows the rule of basu: if no COORDINATOR comes in time, mark it
CRASHED and ask the next. A process that is asked again after it has announced itself is not
covered either. Here it announces itself again; dedupe=on keeps it silent as long as it is the
leader.

` + statusDoc,
	Source:  comparisonPaper + ", section III",
	Problem: "election",
	Traits:  []string{tracefmt.AsksUpward, tracefmt.GreatestWins},
	Needs:   algorithm.CompleteGraph,
	Bounds:  []tracefmt.Bound{inTime("starts * (1 + n-1)", "", "Gajre and Ragha, section III: ELECTION, announcement")},
	Params: append(statusParams("other"),
		algorithm.Param{
			Name: "retry", Default: "off", Words: onOff, Bounded: []string{"off"},
			Doc: "on: an initiator that hears nothing in time marks the process that it asked CRASHED and asks the next lower one",
		},
		algorithm.Param{
			Name: "dedupe", Default: "off", Words: onOff,
			Doc: "on: a leader that is asked again does not announce itself again",
		},
	),
	New: newGajreRagha,
}

// newGajreRagha returns the protocol.
func newGajreRagha(v algorithm.Values) *sim.Protocol {
	pr := &sim.Protocol{}
	election := pr.Signal("ELECTION", "asks the receiver to take over")
	s, dedupe := newStatus(pr, v, election, v.On("retry")), v.On("dedupe")
	election.On(func(p *sim.Process, _ tracefmt.ProcessID) {
		if !dedupe || s.role.Get(p) != leader {
			s.win(p)
		}
	})
	return pr
}
