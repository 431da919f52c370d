package algorithm

import (
	"etrace/record/sim"
	"etrace/tracefmt"
)

var bullyAlgorithm = Algorithm{
	Name: "bully",
	Doc: `The bully algorithm of Garcia-Molina as lecture notes tell it.

A process that notices that the coordinator is gone holds an election: it sends
ELECTION to every process with a higher id, up or not, and waits. Who gets an
ELECTION answers OK and, unless it is already holding one, holds an election of
its own. If no OK comes before the answer timeout, the process wins: it sends
COORDINATOR. A process that recovers holds an election; the highest id
therefore just announces itself.

A process goes on holding, and so answers further ELECTIONs with OK only, until
a COORDINATOR arrives or it announces itself. COORDINATOR is believed whoever
sends it. A winner no longer holds: asked again, it holds and announces again.

Where the texts differ: who hears the result (parameter announce: the notes say
"all processes" in the rule and "all running processes" in the example, the
paper says lower ids); whether a process waits for the result for ever
(coordinator-timeout, off in these texts); whether the failed coordinator is
asked, too (skip-known-dead, the notes' example taken literally: a process that
has only that one above it asks nobody, but waits all the same).`,
	Source:  "Lecture notes, Distributed Systems - Theory 12, Bully Algorithm; baseline [1] of the comparison paper, section II; Garcia-Molina, Elections in a Distributed Computing System, 1982",
	Problem: "election",
	Params: []Param{
		announceParam("lower"),
		timeoutParam,
		{
			Name: "coordinator-timeout", Default: "off", Words: onOff, Time: true,
			Doc: "how long a process that got an OK waits for COORDINATOR before it holds an election again; on: timeout + 1",
		},
		{
			Name: "skip-known-dead", Default: "off", Words: onOff,
			Doc: "on: nobody sends ELECTION to the coordinator whose failure started the run",
		},
	},
	New: newBully,
}

var timeoutParam = Param{
	Name: "timeout", Default: "3", Time: true,
	Doc: "how long a process waits for an answer; must exceed the round trip of 2",
}

func announceParam(reading string) Param {
	return Param{
		Name: "announce", Default: reading, Words: []string{"lower", "all", "live"},
		Doc: "who hears the result: every lower id, every other id, or every other process that is up (the simulator tells the truth)",
	}
}

type bully struct {
	holding, answered         sim.Flag
	elected                   sim.ProcessVar
	role                      sim.Word
	election, ok, coordinator sim.MessageType
	answerTimer, waitTimer    sim.Timer

	announce string
	timeout  tracefmt.Time
	// wait is the coordinator timeout, 0 for off.
	wait          tracefmt.Time
	skipKnownDead bool
}

func newBully(v Values) *sim.Protocol {
	pr := &sim.Protocol{}
	b := &bully{
		elected:  pr.Elected(),
		role:     declareRole(pr),
		holding:  pr.Flag("holding", "an election of this process is running"),
		answered: pr.Flag("answered", "somebody higher has answered"),

		election:    pr.Message("ELECTION", "asks a higher process to take over"),
		ok:          pr.Message("OK", "the sender is alive and takes over"),
		coordinator: pr.Message("COORDINATOR", "the sender is the new coordinator"),
		answerTimer: pr.Timer("answer"),
		waitTimer:   pr.Timer("coordinator"),

		announce:      v["announce"],
		skipKnownDead: v.on("skip-known-dead"),
	}
	b.timeout, _ = v.time("timeout")
	b.wait, _ = v.time("coordinator-timeout")
	if v.on("coordinator-timeout") {
		b.wait = b.timeout + tracefmt.Unit
	}
	pr.Start, pr.Recover, pr.Receive, pr.Timeout = b.hold, b.hold, b.receive, b.expire
	pr.Busy = b.holding.Get
	return pr
}

// hold begins an election. With no higher id it is won at once. Where
// only the known dead one is higher, the process waits all the same: the texts
// take away the message, not the timer.
func (b *bully) hold(p *sim.Process) {
	if p.ID() == p.Last() {
		b.win(p)
		return
	}
	b.holding.Set(p, true)
	b.answered.Set(p, false)
	for q := p.ID() + 1; q <= p.Last(); q++ {
		if b.asks(p, q) {
			p.Send(q, b.election)
		}
	}
	p.SetTimer(b.answerTimer, b.timeout)
}

func (b *bully) asks(p *sim.Process, q tracefmt.ProcessID) bool {
	return !b.skipKnownDead || q != p.FirstSuspect()
}

func (b *bully) receive(p *sim.Process, m *sim.Message) {
	switch m.Type {
	case b.election:
		p.Send(m.From, b.ok)
		if !b.holding.Get(p) {
			b.hold(p)
		}
	case b.ok:
		b.answer(p)
	case b.coordinator:
		b.follow(p, m.From)
	}
}

func (b *bully) answer(p *sim.Process) {
	if !b.holding.Get(p) || b.answered.Get(p) {
		return
	}
	b.answered.Set(p, true)
	p.StopTimer(b.answerTimer)
	if b.wait > 0 {
		p.SetTimer(b.waitTimer, b.wait)
	}
}

func (b *bully) follow(p *sim.Process, q tracefmt.ProcessID) {
	b.holding.Set(p, false)
	b.elected.Set(p, q)
	b.role.Set(p, follower)
	p.StopTimer(b.answerTimer)
	p.StopTimer(b.waitTimer)
}

func (b *bully) expire(p *sim.Process, t sim.Timer) {
	switch t {
	case b.answerTimer:
		b.win(p)
	case b.waitTimer:
		b.hold(p)
	}
}

// win announces the process itself.
func (b *bully) win(p *sim.Process) {
	b.holding.Set(p, false)
	b.role.Set(p, leader)
	b.elected.Set(p, p.ID())
	for q := tracefmt.ProcessID(1); q <= p.Last(); q++ {
		if q != p.ID() && b.hears(p, q) {
			p.Send(q, b.coordinator)
		}
	}
}

func (b *bully) hears(p *sim.Process, q tracefmt.ProcessID) bool {
	switch b.announce {
	case "lower":
		return q < p.ID()
	case "live":
		return p.Up(q)
	}
	return true
}
