package election

import (
	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

var bullyAlgorithm = algorithm.Algorithm{
	Name: "bully",
	Doc: `The bully algorithm of Garcia-Molina in the version of lecture notes.

A process that notices that the coordinator is gone holds an election: it sends
ELECTION to every process with a higher id, up or not, and waits. A process that gets an ELECTION
answers OK and, unless it is already holding one, holds an election of its own. If no OK comes
before the answer timeout, the process wins: it sends COORDINATOR. A process that recovers holds an
election; the highest id therefore just announces itself.

A process holds its election until a COORDINATOR arrives or it announces itself. Meanwhile it
answers further ELECTIONs with OK only. It believes a COORDINATOR from any sender. A winner holds
no election: if it is asked again, it holds one and announces itself again.

The texts differ on the processes that hear the result (parameter announce: the notes say "all
processes" in the rule and "all running processes" in the example, the paper says lower ids);
whether a process waits for the result forever (coordinator-timeout, off in these texts); whether
the failed coordinator is asked, too (skip-known-dead, the notes' example taken literally: a process
with only that coordinator above it asks no process, but still waits); whether a process that
holds an election holds another one when asked (guard; the encyclopedia reads it as off, see
bully-wikipedia).`,
	Source: "Lecture notes, Distributed Systems - Theory 12, Bully Algorithm; baseline [1] of the comparison " +
		"paper, section II; Garcia-Molina, Elections in a Distributed Computing System, 1982",
	Problem: "election",
	Traits:  []string{tracefmt.Answers, tracefmt.AsksUpward, tracefmt.GreatestWins, tracefmt.Guarded},
	Needs:   algorithm.CompleteGraph,
	Bounds:  holdingBounds,
	Params: []algorithm.Param{
		announceParam("lower"),
		timeoutParam,
		waitParam("off"),
		guardParam,
		{
			Name: "skip-known-dead", Default: "off", Words: onOff, Bounded: []string{"off"},
			Doc: "on: no process sends ELECTION to the coordinator whose failure started the run",
		},
	},
	New: bullyDialect{election: "ELECTION", ok: "OK", coordinator: "COORDINATOR"}.New,
}

var timeoutParam = algorithm.Param{
	Name: "timeout", Default: "3", Time: true, Bounded: []string{"3"},
	Doc: "the time that a process waits for an answer; more than the round trip of 2",
}

// announceParam returns the parameter announce, with the default of a text.
func announceParam(reading string) algorithm.Param {
	return algorithm.Param{
		Name: "announce", Default: reading, Words: []string{"lower", "all", "live"},
		Doc: "the receivers of the result: every lower id, every other id, or every other process that is up, which only the simulator knows",
	}
}

// waitParam returns the parameter coordinator-timeout, with the default of a text.
func waitParam(reading string) algorithm.Param {
	return algorithm.Param{
		Name: "coordinator-timeout", Default: reading, Words: onOff, Time: true, Bounded: onOff,
		Doc: "the time that a process with an answer waits for the result before it asks again; on: timeout + 1",
	}
}

var guardParam = algorithm.Param{
	Name: "guard", Default: "on", Words: onOff, Bounded: []string{"on"},
	Waives: map[string][]string{"off": {tracefmt.Guarded}},
	Doc:    "off: a process that holds an election begins another one, with its own timer, for each ELECTION that it receives",
}

// bullyDialect has the differences of the papers, in addition to the defaults of their parameters: the names of
// the messages, and the extent of skip-known-dead.
type bullyDialect struct {
	election, ok, coordinator string
	// atOnce is true if the crashed coordinator does not get the result either, and a process without a process to ask
	// wins without waiting.
	atOnce bool
}

// bully is the protocol of the three texts. An election of a process is an instance with a number. With the
// guard a process has one instance at a time, number 0. Without the guard, instances count up from 1, and
// ELECTION and OK carry the number. The state of an instance is in its timers: it waits for an answer, then for
// the result. With coordinator-timeout=off it waits for the result without a timer.
type bully struct {
	announcer
	holding, answered      sim.Var[bool]  // declared for guard=on only
	opened, open           sim.Var[int64] // declared for guard=off only
	election, ok           question
	coordinator            sim.Signal
	answerTimer, waitTimer sim.Timer

	timeout tracefmt.Time
	// wait is the coordinator timeout, 0 for off.
	wait                         tracefmt.Time
	guard, skipKnownDead, atOnce bool
}

// question is a message about an election of its sender. It carries the number of the instance, if there may be
// several.
type question struct {
	guard    bool
	plain    sim.Signal
	numbered sim.Message[instance]
}

// instance has the fields of a question with a number.
type instance struct{ instance int64 }

// declareQuestion declares a question; with the guard it has no number.
func declareQuestion(pr *sim.Protocol, name, doc string, guard bool) question {
	if guard {
		return question{guard: true, plain: pr.Signal(name, doc)}
	}
	return question{numbered: sim.DeclareMessage[instance](pr, name, doc)}
}

// send sends the question about instance n.
func (q *question) send(p *sim.Process, receiver tracefmt.ProcessID, n int64) {
	if q.guard {
		q.plain.Send(p, receiver)
	} else {
		q.numbered.Send(p, receiver, instance{n})
	}
}

// on sets the handler of the question; with the guard n is 0.
func (q *question) on(handle func(p *sim.Process, from tracefmt.ProcessID, n int64)) {
	if q.guard {
		q.plain.On(func(p *sim.Process, from tracefmt.ProcessID) { handle(p, from, 0) })
	} else {
		q.numbered.On(func(p *sim.Process, from tracefmt.ProcessID, m instance) { handle(p, from, m.instance) })
	}
}

// New returns the protocol of a dialect.
func (d bullyDialect) New(v algorithm.Values) *sim.Protocol {
	pr := &sim.Protocol{}
	b := &bully{
		announcer:     newAnnouncer(pr, v),
		guard:         v.On("guard"),
		skipKnownDead: v.On("skip-known-dead"),
		atOnce:        d.atOnce,
	}
	if b.guard {
		b.holding = sim.Declare[bool](pr, "holding", "true while an election of this process runs")
		b.answered = sim.Declare[bool](pr, "answered", "a higher process has answered")
		pr.Busy = b.holding.Get
	} else {
		b.opened = sim.Declare[int64](pr, "opened", "the number of elections that the process has begun, which numbers the latest")
		b.open = sim.Declare[int64](pr, "open", "the number of its running elections")
		pr.Busy = func(p *sim.Process) bool { return b.open.Get(p) > 0 }
	}
	b.election = declareQuestion(pr, d.election, "asks a higher process to take over", b.guard)
	b.ok = declareQuestion(pr, d.ok, "the sender is alive and takes over", b.guard)
	b.coordinator = pr.Signal(d.coordinator, "the sender is the new coordinator")
	b.answerTimer, b.waitTimer = pr.Timer("answer"), pr.Timer("coordinator")

	b.timeout, _ = v.Time("timeout")
	b.wait, _ = v.Time("coordinator-timeout")
	if v.On("coordinator-timeout") {
		b.wait = b.timeout + tracefmt.Unit
	}
	b.election.on(b.handleElection)
	b.ok.on(func(p *sim.Process, _ tracefmt.ProcessID, n int64) { b.handleOK(p, n) })
	b.coordinator.On(b.handleResult)
	pr.Start, pr.Recover, pr.Timeout = b.elected.Noticing(b.holdElection), b.holdElection, b.expire
	return pr
}

// holdElection begins an election. A process that is the highest has no process to ask and wins at once. One exception:
// only the crashed coordinator is higher, and the dialect leaves out its message but not the timer.
func (b *bully) holdElection(p *sim.Process) {
	if b.isHighest(p) {
		b.win(p)
		return
	}
	b.ask(p, b.begin(p))
}

// isHighest reports whether p has no process to ask, see atOnce.
func (b *bully) isHighest(p *sim.Process) bool {
	for q := p.ID() + 1; q <= p.Last(); q++ {
		if !b.atOnce || b.knows(p, q) {
			return false
		}
	}
	return true
}

// begin returns the number of a new instance.
func (b *bully) begin(p *sim.Process) int64 {
	if b.guard {
		b.holding.Set(p, true)
		return 0
	}
	b.open.Set(p, b.open.Get(p)+1)
	b.opened.Set(p, b.opened.Get(p)+1)
	return b.opened.Get(p)
}

// ask sends ELECTION to all higher ids, and arms the timer for an answer.
func (b *bully) ask(p *sim.Process, instance int64) {
	if b.guard {
		b.answered.Set(p, false)
	}
	for q := p.ID() + 1; q <= p.Last(); q++ {
		if b.knows(p, q) {
			b.election.send(p, q, instance)
		}
	}
	p.SetTimer(b.answerTimer.At(instance), b.timeout)
}

// knows reports whether p sends messages to q: with skip-known-dead it leaves out the coordinator that was down
// at the start.
func (b *bully) knows(p *sim.Process, q tracefmt.ProcessID) bool {
	return !b.skipKnownDead || q != b.elected.FirstSuspect(p)
}

// handleElection handles ELECTION: p answers that it takes over, and holds an election itself.
func (b *bully) handleElection(p *sim.Process, from tracefmt.ProcessID, instance int64) {
	b.ok.send(p, from, instance)
	if !b.guard || !b.holding.Get(p) {
		b.holdElection(p)
	}
}

// handleOK handles the first OK of an instance. Later ones find the answer timer stopped.
func (b *bully) handleOK(p *sim.Process, instance int64) {
	if !p.Armed(b.answerTimer.At(instance)) {
		return
	}
	if b.guard {
		b.answered.Set(p, true)
	}
	p.StopTimer(b.answerTimer.At(instance))
	if b.wait > 0 {
		p.SetTimer(b.waitTimer.At(instance), b.wait)
	}
}

// handleResult handles the result: p believes it, and closes all its instances.
func (b *bully) handleResult(p *sim.Process, q tracefmt.ProcessID) {
	if b.guard {
		b.holding.Set(p, false)
	} else {
		b.open.Set(p, 0)
	}
	b.believe(p, q)
	p.StopTimers(b.answerTimer)
	p.StopTimers(b.waitTimer)
}

// expire handles a timer: without an answer p wins; without a result it asks again.
func (b *bully) expire(p *sim.Process, t sim.Timer) {
	switch t.Declared() {
	case b.answerTimer:
		if !b.guard {
			b.open.Set(p, b.open.Get(p)-1)
		}
		b.win(p)
	case b.waitTimer:
		b.ask(p, t.Number())
	}
}

// win ends the elections of p, and announces p as the winner.
func (b *bully) win(p *sim.Process) {
	if b.guard {
		b.holding.Set(p, false)
	}
	b.believe(p, p.ID())
	for q := tracefmt.ProcessID(1); q <= p.Last(); q++ {
		if q != p.ID() && b.hears(p, p.ID(), q) && (!b.atOnce || b.knows(p, q)) {
			b.coordinator.Send(p, q)
		}
	}
}
