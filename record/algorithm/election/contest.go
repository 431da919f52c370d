package election

import (
	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

// contest is the common part of the reference rings: the standing of a process, and the announcement of the
// winner.
type contest struct {
	standing   sim.Var[standing]
	role       sim.Var[role]
	elected    sim.Elected
	electedIs  sim.Message[named]
	wake, pass bool
	compete    func(p *sim.Process) // sends the first messages of an active process
}

// standing is the part of a process in the election.
type standing uint8

const (
	asleep standing = iota
	active
	passive
)

// Words implements [sim.Words].
func (standing) Words() []string { return []string{"asleep", "active", "passive"} }

// contestDoc is the part of the documentation that they share.
const contestDoc = `A process participates in one election: once it is not asleep, a start has no
effect. A process that has not started starts before it handles its first message, or only relays
from then on (parameter join). The winner sends elected(id) once round the ring, clockwise, and
removes it (parameter elected-pass). There is no rule for crashes and recoveries. In a run with a crash,
a message of the crashed process may go round forever, and a recovered process is asleep.`

// contestParams are the common parameters.
var contestParams = []algorithm.Param{
	{
		Name: "join", Default: "wake", Words: []string{"wake", "relay"},
		Waives: map[string][]string{"relay": {tracefmt.GreatestWins}},
		Doc:    "a process that a message reaches before its start: wake: it starts; relay: it only relays, and does not compete",
	},
	{
		Name: "elected-pass", Default: "on", Words: onOff,
		Doc: "off: the winner does not send elected, so no other process learns the result",
	},
}

// newContest declares the common part. The caller sets compete.
func newContest(pr *sim.Protocol, v algorithm.Values) *contest {
	c := &contest{
		standing: sim.Declare[standing](pr, "standing", "asleep: no message has reached the process; active: it competes; passive: it relays"),
		role:     declareRole(pr),
		elected:  pr.Elected(),
		wake:     v["join"] == "wake",
		pass:     v.On("elected-pass"),
	}
	pr.Start = c.elected.Noticing(c.enter)
	pr.Busy = func(p *sim.Process) bool { return c.standing.Get(p) != asleep }
	return c
}

// announced declares the message elected, after those of the algorithm.
func (c *contest) announced(pr *sim.Protocol) {
	c.electedIs = sim.DeclareMessage[named](pr, "elected", "announces the winner")
	c.electedIs.On(c.handleElected)
}

// enter makes a process active.
func (c *contest) enter(p *sim.Process) {
	c.standing.Set(p, active)
	c.compete(p)
}

// wakeOrRelay is called before a process handles a message: a process that is asleep starts, or only relays from now
// on.
func (c *contest) wakeOrRelay(p *sim.Process) {
	switch {
	case c.standing.Get(p) != asleep: // it takes part already
	case c.wake:
		c.enter(p)
	default:
		c.standing.Set(p, passive)
	}
}

// competes reports whether the process is active and has not won.
func (c *contest) competes(p *sim.Process) bool {
	return c.standing.Get(p) == active && c.role.Get(p) != leader
}

// win makes a process the leader, and announces that.
func (c *contest) win(p *sim.Process) {
	c.role.Set(p, leader)
	c.elected.Set(p, p.ID())
	if c.pass {
		c.electedIs.SendNext(p, named{p.ID()})
	}
}

// handleElected handles elected: p adopts the winner and forwards the message.
func (c *contest) handleElected(p *sim.Process, _ tracefmt.ProcessID, m named) {
	c.wakeOrRelay(p)
	if m.id == p.ID() {
		return // the announcement has gone round the ring
	}
	c.role.Set(p, follower)
	c.elected.Set(p, m.id)
	c.electedIs.SendNext(p, m)
}

// way is a direction on the ring.
type way uint8

const (
	clockwise way = iota
	counterclockwise
)

// Words implements [sim.Words].
func (way) Words() []string { return []string{"clockwise", "counterclockwise"} }

// opposite returns the opposite direction.
func (w way) opposite() way { return counterclockwise - w }

// sendOn forwards a message to the next neighbour in its direction.
func sendOn[M any](p *sim.Process, t sim.Message[M], w way, m M) {
	if w == clockwise {
		t.SendNext(p, m)
		return
	}
	t.SendPrevious(p, m)
}
