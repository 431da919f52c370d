package termination

import (
	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

var safraAlgorithm = algorithm.Algorithm{
	Name: "safra",
	Doc: `The detection of Safra: a token circles and sums up the messages sent minus received, until a round
is clean.

Each process counts the messages of the computation that it has sent, less the messages that it has
received (variable c), and turns black at each receipt. When the run begins, the first process, that
with the lowest id, sends TOKEN, white and with the sum 0, against the order of the ring. The holder
of the token passes it on when it is passive: it adds its own count to the sum, makes the token
black if it is black itself, and is white from then on. When the token is back, the first process
waits until it is passive. If the token and the process are white, and the sum with the process's
own count is 0, all processes are passive and no message is in flight: the process announces the
end. Otherwise it makes itself white and sends a new token. A round has n messages TOKEN, and at
most two rounds begin after the end.` + workDoc + `

Published specifications let an active first process begin a new round, too; here it waits
until it is passive. No token is sent any more after the announcement. If a message is lost, the sum never becomes 0
and the token goes round forever.`,
	Source: "Dijkstra, Shmuel Safra's version of termination detection, EWD998, 1987; Tel, Introduction to " +
		"Distributed Algorithms, section 8.3.2",
	Problem: tracefmt.Termination,
	Basic:   []string{workMessage},
	Traits:  []string{tracefmt.NoRecovery},
	Needs:   algorithm.CompleteGraph,
	Bounds: []tracefmt.Bound{
		exactly("starts*fan*(fan**height-1)/(fan-1)", "live == n and fan > 1", "the computation's own messages", tokenMessage),
		exactly("starts*height", "live == n and fan == 1", "the computation's own messages", tokenMessage),
		exactly("n", "starts == 0 and live == n", "EWD998: one round, if there is nothing to do"),
	},
	Params: params,
	Tolerates: []algorithm.Tolerance{{
		Faults: algorithm.Down, Most: algorithm.None, Breaks: "the token or the count of a message is lost, and " +
			"the end may never be announced", Source: "by the rules: the token passes all, and its sum is 0 only if all have counted",
	}},
	Mutants: []algorithm.Mutant{
		{
			Name: "never-black", Doc: "A process that receives a message stays white.",
			Breaks: []string{"announcement-not-early"}, Shows: "nodes: 3, start: 1, slow: ['WORK:3>2#1=9', 'TOKEN:2>1#1=3']",
		},
		{
			Name: "sender-turns-black", Doc: "The sender of a message turns black, not the receiver: the rule " +
				"of EWD840, for messages that take no time.",
			Breaks: []string{"announcement-not-early"}, Shows: "nodes: 3, start: 2, params: {busy: 3}, slow: ['TOKEN:3>2#2=9', 'WORK:2>3#1=12']",
		},
		{
			Name: "ignores-sum", Doc: "A clean round is enough, whatever its sum.",
			Breaks: []string{"announcement-not-early"}, Shows: "nodes: 3, start: 2, params: {fan: 1, height: 1}",
		},
	},
	Suits:   checkWork,
	Example: "nodes: 5, start: 1",
	New:     newSafra,
}

const tokenMessage = "TOKEN"

// safra is the protocol.
type safra struct {
	work
	c        sim.Var[int64] // the number of messages sent minus the number of messages received
	black    sim.Var[bool]
	token    sim.Var[bool] // the process holds the token, since it is active
	probe    sim.Var[probe]
	messages sim.Message[probe]

	neverBlack, senderTurnsBlack, ignoresSum bool // mutants
}

// probe is the content of the token.
type probe struct {
	q     int64
	black bool
}

// newSafra returns the protocol.
func newSafra(v algorithm.Values) *sim.Protocol {
	pr := &sim.Protocol{}
	s := &safra{neverBlack: v.Mutant("never-black"), senderTurnsBlack: v.Mutant("sender-turns-black"), ignoresSum: v.Mutant("ignores-sum")}
	s.work = newWork(pr, v, rules{sends: s.countSent, receives: s.countReceived, rests: s.release})
	s.c = sim.Declare[int64](pr, "c", "messages of the computation sent minus messages received")
	s.black = sim.Declare[bool](pr, "black", "the process has received such a message since it last had the token")
	s.token = sim.Declare[bool](pr, "token", "the process has the token, and is active")
	s.probe = sim.Declare[probe](pr, "probe", "the content of the token")
	s.messages = sim.DeclareMessage[probe](pr, tokenMessage, "the token, with the sum of the counts, and whether the round is not clean")
	s.messages.On(s.handleToken)
	pr.Wake = func(p *sim.Process) {
		if isFirst(p) {
			s.launch(p)
		}
	}
	return pr
}

// isFirst reports whether the process begins and ends the rounds.
func isFirst(p *sim.Process) bool { return p.ID() == 1 }

// launch begins a round.
func (s *safra) launch(p *sim.Process) {
	s.black.Set(p, false)
	s.messages.Send(p, p.Along(-1), probe{})
}

// countSent counts messages that the process sends.
func (s *safra) countSent(p *sim.Process, messages int64) {
	sim.Add(p, s.c, messages)
	if s.senderTurnsBlack {
		s.black.Set(p, true)
	}
}

// countReceived counts a message that the process receives, and turns the process black.
func (s *safra) countReceived(p *sim.Process, _ tracefmt.ProcessID) {
	sim.Add(p, s.c, -1)
	if !s.neverBlack && !s.senderTurnsBlack {
		s.black.Set(p, true)
	}
}

// handleToken handles TOKEN, which an active process keeps until it is passive.
func (s *safra) handleToken(p *sim.Process, _ tracefmt.ProcessID, m probe) {
	if s.isActive(p) {
		s.token.Set(p, true)
		s.probe.Set(p, m)
		return
	}
	s.pass(p, m)
}

// release forwards the token if the process has it and has become passive.
func (s *safra) release(p *sim.Process) {
	if s.token.Take(p) {
		s.pass(p, s.probe.Take(p))
	}
}

// pass adds the count of a passive process to the token, and sends the token on. The first process ends the
// round instead: it announces the end, or begins the next round.
func (s *safra) pass(p *sim.Process, m probe) {
	m = probe{m.q + s.c.Get(p), m.black || s.black.Get(p)}
	switch {
	case !isFirst(p):
		s.black.Set(p, false)
		s.messages.Send(p, p.Along(-1), m)
	case !m.black && (m.q == 0 || s.ignoresSum):
		s.announce.Record(p)
	default:
		s.launch(p)
	}
}
