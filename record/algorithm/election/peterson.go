package election

import (
	"slices"

	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

var petersonAlgorithm = algorithm.Algorithm{
	Name: "peterson",
	Doc: `The ring election of Peterson: each round at least halves the number of competing processes.

A process that starts is active, and its value is its own id. In a round each
active process sends one(value) clockwise, passes the value that it receives on
in two, and so knows the values of the two active processes before it. If the
nearer one is greater than its own and than the farther one, it goes on to the
next round with that value in place of its own; else it becomes passive. Passive
processes pass everything on. Of two active neighbours at most one stays active,
and the greatest value never gets lost. A process that receives its own value in a message has
found the winning value.

Values move: the process that finds the winning value need not be its owner. The leader is the
process with that id. Like all other processes, it learns the result from elected(id), which the
finder sends once round the ring and removes. This is the basic form, the same as that of Dolev,
Klawe and Rodeh; their improved forms, with smaller constants, are other algorithms.

It needs FIFO channels. The winner is the finder in what follows: with
elected-pass=off the leader itself does not learn of it, unless it is the finder.

` + contestDoc,
	Source: "Peterson, An O(n log n) Unidirectional Algorithm for the Circular Extrema Problem, TOPLAS 4(4), " +
		"1982; Dolev, Klawe and Rodeh, Journal of Algorithms 3, 1982",
	Problem: "election",
	Traits:  []string{tracefmt.GreatestWins, tracefmt.NoRecovery, tracefmt.OnRing},
	Needs:   algorithm.Ring,
	Bounds: []tracefmt.Bound{
		// Each round of several active processes has one and two pass every place of
		// the ring once, and leaves at most half of them: 2*live in each of at most
		// log2 rounds. The last active process sends one round the ring, and the
		// announcement goes round.
		atMost("2*live*floor(log2(live)) + 2*live", "", "Peterson 1982; Dolev, Klawe and Rodeh 1982: 2n log n + "+
			"O(n), here n for the last round and n for the announcement"),
		without(atMost("2*live*floor(log2(live)) + live", "", "the same without the announcement"), "elected"),
		boundInWords("2n log2 n + O(n)", "", "Peterson 1982; Dolev, Klawe and Rodeh 1982"),
	},
	Params: slices.Clone(contestParams),
	New:    newPeterson,
}

// valued has the fields of a message with a value, which is the id of a process.
type valued struct{ value tracefmt.ProcessID }

// peterson is the protocol.
type peterson struct {
	*contest
	value, neighbour sim.Var[tracefmt.ProcessID]
	found            sim.Var[bool]
	first, two       sim.Message[valued]
}

// newPeterson returns the protocol.
func newPeterson(v algorithm.Values) *sim.Protocol {
	pr := &sim.Protocol{}
	e := &peterson{
		contest:   newContest(pr, v),
		value:     sim.Declare[tracefmt.ProcessID](pr, "value", "the id for which the process competes, at first its own"),
		neighbour: sim.Declare[tracefmt.ProcessID](pr, "neighbour", "the value of the active process before this one"),
		found:     sim.Declare[bool](pr, "found", "the process has found the winning value"),
		first:     sim.DeclareMessage[valued](pr, "one", "the value of the nearest active process before the receiver"),
		two:       sim.DeclareMessage[valued](pr, "two", "the value of the second active process before the receiver"),
	}
	e.announced(pr)
	e.contest.compete = func(p *sim.Process) { e.goOn(p, p.ID()) }
	e.first.On(e.handleOne)
	e.two.On(e.handleTwo)
	e.electedIs.On(e.handleElected)
	return pr
}

// goOn begins a round with a value.
func (e *peterson) goOn(p *sim.Process, value tracefmt.ProcessID) {
	e.value.Set(p, value)
	e.first.SendNext(p, valued{value})
}

// handleOne handles the message one: the value of the active process before p.
func (e *peterson) handleOne(p *sim.Process, _ tracefmt.ProcessID, m valued) {
	e.wakeOrRelay(p)
	switch {
	case e.standing.Get(p) != active:
		e.first.SendNext(p, m)
	case m.value == e.value.Get(p):
		e.find(p)
	default:
		e.neighbour.Set(p, m.value)
		e.two.SendNext(p, m)
	}
}

// handleTwo handles the message two: the value of the second active process before p.
func (e *peterson) handleTwo(p *sim.Process, _ tracefmt.ProcessID, m valued) {
	e.wakeOrRelay(p)
	neighbour := e.neighbour.Get(p)
	switch {
	case e.standing.Get(p) != active:
		e.two.SendNext(p, m)
	case neighbour > e.value.Get(p) && neighbour > m.value:
		e.goOn(p, neighbour)
	default:
		e.standing.Set(p, passive)
	}
}

// find ends the rounds: no other process has the value of p.
func (e *peterson) find(p *sim.Process) {
	e.found.Set(p, true)
	e.standing.Set(p, passive)
	e.believe(p, e.value.Get(p))
	if e.pass {
		e.electedIs.SendNext(p, named{e.value.Get(p)})
	}
}

// handleElected handles elected. The process that has sent it removes it.
func (e *peterson) handleElected(p *sim.Process, _ tracefmt.ProcessID, m named) {
	e.wakeOrRelay(p)
	if e.found.Get(p) {
		return // the announcement has gone round the ring
	}
	e.believe(p, m.id)
	e.electedIs.SendNext(p, m)
}

// believe makes q the coordinator of p.
func (e *peterson) believe(p *sim.Process, q tracefmt.ProcessID) {
	if q == p.ID() {
		e.role.Set(p, leader)
	}
	e.elected.Set(p, q)
}
