package election

import (
	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

var changRobertsAlgorithm = algorithm.Algorithm{
	Name: "chang-roberts",
	Doc: `The ring election of Chang and Roberts: only the greatest id goes all the way round the ring.

A process that starts sends election(its id) clockwise. A process passes a greater id on. It
replaces a smaller id by its own if it does not participate yet; otherwise it drops the smaller id.
A process whose own id returns is elected and sends elected(id) once round the ring. With one
initiator and no failure it takes at most 3N-1 messages, when the initiator comes right after the
greatest id.

The slides omit three details. What happens to a smaller id at a process that participates: parameter
discard. Whether the starter participates: mark-starter. Whether receivers of elected store the id
and leave the election: here they do. With mark-starter=off, the own id may return twice in one
election. The second return is ignored; the variable returned distinguishes it from the first return
in a later election. There is no rule for recovery: the process takes part
when a message passes. If the process with the winning id crashes after its id was passed on, no
process stops the message. On a repaired ring it circles forever.`,
	Source:  "Slides, CSE 486/586 Distributed Systems, Leader Election, Algorithm 1: Ring Election; Chang and Roberts, CACM 22(5), 1979",
	Problem: "election",
	Traits:  []string{tracefmt.DropsSmaller, tracefmt.GreatestWins, tracefmt.NoRecovery, tracefmt.OnRing},
	Needs:   algorithm.Ring,
	Bounds: []tracefmt.Bound{
		// The start comes right after the greatest id: live-1 hops to it, its own
		// live, and the announcement.
		atMost("3*live-1", "starts == 1", "slides, Algorithm 1: 3N-1"),
		// Each id is stopped by the next greater one: at worst 1 + 2 + ... + live.
		atMost("live*(live+1)/2 + live", "", "Chang and Roberts 1979: worst case"),
		without(atMost("live*(live+1)/2", "", "Chang and Roberts 1979: worst case, the announcement not counted"), "elected"),
		kind(tracefmt.LeastCase, without(atMost("2*live - 1", "starts == live and live > 1",
			"Chang and Roberts 1979: best case, the announcement not counted"), "elected")),
		kind(tracefmt.MeanCase, without(atMost("live*H(live)", "starts == live", "Chang and Roberts 1979: mean "+
			"over all (n-1)! orders, the announcement not counted"), "elected")),
	},
	Params: []algorithm.Param{
		{
			Name: "discard", Default: "on", Words: onOff, Bounded: []string{"on"},
			Waives: map[string][]string{"off": {tracefmt.DropsSmaller}},
			Doc:    "off: a participant passes smaller ids on instead of dropping them",
		},
		{
			Name: "mark-starter", Default: "on", Words: onOff, Bounded: []string{"on"},
			Doc: "off: starting does not make a process a participant",
		},
	},
	New: newChangRoberts,
}

// changRoberts is the protocol.
type changRoberts struct {
	participating       sim.Var[bool]
	returned            sim.Var[bool] // declared for mark-starter=off only
	role                sim.Var[role]
	elected             sim.Elected
	election, electedIs sim.Message[named]
	discard             bool
	markStarter         bool
}

// newChangRoberts returns the protocol.
func newChangRoberts(v algorithm.Values) *sim.Protocol {
	pr := &sim.Protocol{}
	c := &changRoberts{
		elected:       pr.Elected(),
		role:          declareRole(pr),
		participating: sim.Declare[bool](pr, "participating", "the process has sent its id, or forwarded a greater one, in the current election"),
		election:      sim.DeclareMessage[named](pr, "election", "carries the greatest id met so far"),
		electedIs:     sim.DeclareMessage[named](pr, "elected", "announces the winner"),
		discard:       v.On("discard"),
		markStarter:   v.On("mark-starter"),
	}
	if !c.markStarter {
		c.returned = sim.Declare[bool](pr, "returned", "its own id has travelled round the ring since the process sent it")
	}
	c.election.On(c.handleElection)
	c.electedIs.On(c.handleElected)
	pr.Start, pr.Busy = c.elected.Noticing(c.start), c.participating.Get
	return pr
}

// start makes a process compete.
func (c *changRoberts) start(p *sim.Process) {
	if c.markStarter {
		c.participating.Set(p, true)
	}
	c.compete(p)
}

// compete sends the own id to the successor.
func (c *changRoberts) compete(p *sim.Process) {
	if !c.markStarter {
		c.returned.Set(p, false)
	}
	c.election.SendNext(p, named{p.ID()})
}

// handleElection handles election: p forwards a greater id, replaces or drops a smaller one, and wins by its own.
func (c *changRoberts) handleElection(p *sim.Process, _ tracefmt.ProcessID, m named) {
	switch {
	case m.id == p.ID():
		c.win(p)
	case m.id > p.ID():
		c.participating.Set(p, true)
		c.election.SendNext(p, m)
	case !c.participating.Get(p):
		c.participating.Set(p, true)
		c.compete(p)
	case !c.discard:
		c.election.SendNext(p, m)
	}
}

// win handles the return of the own id: p is the leader, and announces that.
func (c *changRoberts) win(p *sim.Process) {
	if c.hasReturned(p) {
		return
	}
	if !c.markStarter {
		c.returned.Set(p, true)
	}
	c.role.Set(p, leader)
	c.participating.Set(p, false)
	c.elected.Set(p, p.ID())
	c.electedIs.SendNext(p, named{p.ID()})
}

// hasReturned reports whether the own id has been round before in this election. If starters are marked, this is
// so for a leader that does not participate. If they are not marked, that also describes a leader whose later
// election is in flight, so a variable is needed.
func (c *changRoberts) hasReturned(p *sim.Process) bool {
	if !c.markStarter {
		return c.returned.Get(p)
	}
	return c.role.Get(p) == leader && !c.participating.Get(p)
}

// handleElected handles elected: p adopts the winner and forwards the message.
func (c *changRoberts) handleElected(p *sim.Process, _ tracefmt.ProcessID, m named) {
	if m.id == p.ID() {
		return // p has received its own id: the message has gone round the ring
	}
	c.role.Set(p, follower)
	c.participating.Set(p, false)
	c.elected.Set(p, m.id)
	c.electedIs.SendNext(p, m)
}
