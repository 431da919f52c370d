package commit

import (
	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

var twoPhaseCommitAlgorithm = algorithm.Algorithm{
	Name: "two-phase-commit",
	Doc: `Two-phase commit: the coordinator collects the votes, and commits if all are yes; it blocks if the coordinator crashes in
between.

The first process, the one with the least id, is the coordinator. When it starts, it votes yes itself,
sends PREPARE to all others, and waits for a timeout. A participant that gets PREPARE votes, once:
yes, or no if the parameter no lists it, and sends VOTE; a process that votes no decides to abort at once.
With the first no, or when the timeout expires, the coordinator decides to abort, with all votes yes
to commit. It sends COMMIT or ABORT to all others, also to participants that voted no. Votes and
decisions are on stable storage.

A participant that has voted yes is in doubt until it hears of the decision: it may not decide
alone. With ask=off it waits forever. With ask=on it sends ASK to all others after the timeout,
once. A participant that has decided answers; a participant that has not voted decides to abort and
answers; others do not answer. So it learns the decision if any process that answers knows it. If
the coordinator is down and all others are in doubt, the participant keeps waiting: it blocks, and
no rule could avoid that. A coordinator that recovers sends its decision again. If it had begun
without a decision, it decides to abort.

A run takes 3(n-1) messages: a PREPARE, a VOTE and a decision for each participant, whatever
the votes. With ack=on each decision has an ACK: 4(n-1) messages. Where each takes one unit,
the coordinator decides after 2, all others by 3.

The source leaves some cases open; here they are as follows. A participant that has decided to abort
without a vote and then gets PREPARE votes no. A participant that recovers in doubt waits as it did
after its vote. Each decision of the coordinator gets an ACK, also a repeated decision; after all
ACKs the coordinator could forget the transaction. A start of another process, or a second one, has
no effect.`,
	Source:  "Gray, Notes on data base operating systems, 1978, section 5.8.3.3",
	Problem: tracefmt.Commit,
	Needs:   algorithm.CompleteGraph,
	Role:    roleOf,
	Suits:   votesYesItself,
	Bounds: []tracefmt.Bound{
		exactly("3*n - 3", "Gray 1978: PREPARE, VOTE and decision of each participant", "ACK"),
		atMost("4*n - 4", "Gray 1978: with ack=on an ACK of each participant, too"),
	},
	Params: []algorithm.Param{
		noParam, timeoutParam,
		{Name: "ack", Default: "off", Words: onOff, Doc: "on: participants acknowledge the decision"},
		{Name: "ask", Default: "off", Words: onOff, Doc: "on: a participant in doubt asks all others after the timeout"},
	},
	Tolerates: withoutCoordinator(
		"a participant that has voted yes and does not know the decision may wait until the coordinator is back",
		"Skeen 1981: two-phase commit blocks",
	),
	Mutants: []algorithm.Mutant{
		{
			Name: "guesses", Doc: "A participant that voted yes and has no decision aborts after the timeout.",
			Breaks: []string{"commit-agreement"}, Shows: "nodes: 3, start: 1, crash: 1@2.5, drop: COMMIT:1>3",
		},
		{
			Name: "majority", Doc: "The coordinator commits once a majority has voted yes.",
			Breaks: []string{"commit-all-yes"}, Shows: "nodes: 4, start: 1, slow: PREPARE:1>4=2.5, params: {timeout: 9}",
		},
	},
	New: newTwoPhaseCommit,
}

// twoPhaseCommit is the protocol.
type twoPhaseCommit struct {
	transaction
	ack, ask sim.Signal

	acks              bool
	guesses, majority bool // mutants
}

// newTwoPhaseCommit returns the protocol.
func newTwoPhaseCommit(v algorithm.Values) *sim.Protocol {
	pr := &sim.Protocol{}
	t := &twoPhaseCommit{
		transaction: declareTransaction(pr, v),
		ack:         pr.Signal("ACK", "the sender has the decision"),
		ask:         pr.Signal("ASK", "asks for the decision"),
		acks:        v.On("ack"),
		guesses:     v.Mutant("guesses"),
		majority:    v.Mutant("majority"),
	}
	t.patient, t.tally = !v.On("ask") && !t.guesses, t.tallyVotes
	t.prepare.On(t.handlePrepare)
	t.voteIs.On(t.handleVote)
	t.commit.On(func(p *sim.Process, from tracefmt.ProcessID) { t.handleDecision(p, from, toCommit) })
	t.abort.On(func(p *sim.Process, from tracefmt.ProcessID) { t.handleDecision(p, from, toAbort) })
	t.ask.On(t.handleAsk)
	pr.Start, pr.Starts, pr.Busy = t.begin, coordinates, t.busy
	pr.Timeout, pr.Recover = t.expire, t.recover
	return pr
}

// tallyVotes makes the coordinator decide when all have voted yes.
func (t *twoPhaseCommit) tallyVotes(p *sim.Process) {
	needed := int(p.Last())
	if t.majority {
		needed = p.Majority()
	}
	if t.votes.Get(p).Len() >= needed {
		t.conclude(p, toCommit, t.votesDue)
	}
}

// handleDecision handles COMMIT and ABORT: the participant adopts the decision, and acknowledges it if ack is on.
func (t *twoPhaseCommit) handleDecision(p *sim.Process, from tracefmt.ProcessID, answer outcome) {
	t.learn(p, answer)
	if t.acks && from == coordinator {
		t.ack.Send(p, from)
	}
}

// handleAsk handles ASK: a process that has decided sends the decision. A participant without a vote aborts first.
func (t *twoPhaseCommit) handleAsk(p *sim.Process, from tracefmt.ProcessID) {
	if t.vote.Get(p) == unvoted {
		t.learn(p, toAbort)
	}
	if t.decided.Get(p) != undecided {
		t.sendDecision(p, from)
	}
}

// expire handles a timer: the coordinator aborts, and a participant in doubt asks the others.
func (t *twoPhaseCommit) expire(p *sim.Process, timer sim.Timer) {
	switch {
	case timer == t.votesDue:
		t.conclude(p, toAbort, t.votesDue)
	case t.guesses:
		t.decided.Set(p, toAbort)
	default:
		t.ask.Broadcast(p)
	}
}

// recover continues after a crash: the coordinator sends its decision or aborts, and a participant in doubt
// waits again.
func (t *twoPhaseCommit) recover(p *sim.Process) {
	switch decided := t.decided.Get(p) != undecided; {
	case t.vote.Get(p) == unvoted:
	case p.ID() == coordinator && decided:
		t.sendToAll(p)
	case p.ID() == coordinator:
		t.conclude(p, toAbort, t.votesDue)
	case !decided:
		t.doubt(p)
	}
}
