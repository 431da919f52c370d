package election

import (
	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

var basuAlgorithm = algorithm.Algorithm{
	Name: "basu",
	Doc: `The bully variant of Basu: a status table has the process that is asked next.

The initiator looks up the highest process above it that is not CRASHED in its table and sends it
ELECTION; without such a process, it announces itself. The asked process answers OK and announces
itself to the lower processes. An OK or a COORDINATOR stops the initiator's timer; if it expires,
the initiator marks the process it has asked CRASHED and asks the next.

The paper writes "all other live processes" where the asked process announces, and only "lower"
where the initiator itself ends as coordinator; here the value of announce counts in both cases, and
live goes downwards only. The paper describes recovery for its own proposal, and hardly separates it
from Basu's. The same rules are taken here, so a process that takes over when it recovers informs
every other that is not CRASHED.

` + statusDoc,
	Source: comparisonPaper + ", section II, method [4], and section III; Basu, An Efficient Approach of " +
		"Election Algorithm in Distributed Systems, 2010",
	Problem: "election",
	Traits:  []string{tracefmt.Answers, tracefmt.AsksUpward, tracefmt.GreatestWins},
	Needs:   algorithm.CompleteGraph,
	Bounds:  []tracefmt.Bound{inTime("starts * (2 + n-1)", "", "Gajre and Ragha, method [4]: ELECTION, OK, announcement")},
	Params:  statusParams("lower"),
	New:     newBasu,
}

// basu is the protocol.
type basu struct {
	*status
	ok sim.Signal
}

// newBasu returns the protocol.
func newBasu(v algorithm.Values) *sim.Protocol {
	pr := &sim.Protocol{}
	election := pr.Signal("ELECTION", "asks the receiver to take over")
	b := &basu{ok: pr.Signal("OK", "the sender takes over")}
	b.status = newStatus(pr, v, election, true)
	b.victory.live = func(p *sim.Process, q tracefmt.ProcessID) bool { return q < p.ID() && b.notCrashed(p, q) }
	election.On(func(p *sim.Process, from tracefmt.ProcessID) {
		b.ok.Send(p, from)
		b.win(p)
	})
	b.ok.On(func(p *sim.Process, _ tracefmt.ProcessID) { b.handleAnswer(p) })
	return pr
}
