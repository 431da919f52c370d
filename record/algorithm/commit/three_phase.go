package commit

import (
	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

var threePhaseCommitAlgorithm = algorithm.Algorithm{
	Name: "three-phase-commit",
	Doc: `Three-phase commit without its termination protocol: it does not block, but processes may
decide differently if PRECOMMIT reaches only some of them.

The first process, the one with the least id, is the coordinator. When it starts, it votes yes
itself, and sends PREPARE to all others. A participant that gets PREPARE votes, once: yes, or no if
the parameter no lists it, and sends VOTE; a process that votes no decides to abort at once.
With the first no the coordinator decides to abort, and sends ABORT to all others. With all votes
yes it sends PRECOMMIT to all others, and each answers ACK; when all have answered, it decides to
commit, and sends COMMIT. Votes, decisions and the receipt of PRECOMMIT are on stable storage.

Every wait has a timeout. The coordinator then aborts where it waits for votes, and commits where it
waits for ACKs. A participant that has voted yes aborts, and commits once it has PRECOMMIT. So no
process waits forever. But the coordinator may crash, or the network may be partitioned, when
PRECOMMIT has reached only some participants. Then these commit and the others abort. Skeen's
paper prevents this by a termination protocol: the remaining processes elect a process that collects
their states. The protocol is left out here, to show that it is necessary.

A run takes 5(n-1) messages, or 3(n-1) if a process votes no. Where each message takes one unit, the
coordinator decides after 4, all others by 5.

The source leaves some cases open; here they are as follows. A participant that has decided without a vote and
then gets PREPARE votes no; a process that has decided does not answer PRECOMMIT. There is no rule for
recoveries: a process that recovers has its stable storage, and waits forever. A start of another process than
the coordinator, or a second one, has no effect.`,
	Source:  "Skeen, Nonblocking Commit Protocols, SIGMOD 1981",
	Problem: tracefmt.Commit,
	Traits:  []string{tracefmt.NoRecovery},
	Needs:   algorithm.CompleteGraph,
	Role:    roleOf,
	Suits:   votesYesItself,
	Bounds: []tracefmt.Bound{
		exactly("3*n - 3", "Skeen 1981: PREPARE, VOTE and decision of each participant", "PRECOMMIT", "ACK"),
		atMost("5*n - 5", "Skeen 1981: exactly these if all vote yes"),
	},
	Params: []algorithm.Param{noParam, timeoutParam},
	Tolerates: withoutCoordinator("participants with its PRECOMMIT commit, and the others abort",
		"by the rules: the termination protocol is left out"),
	Mutants: []algorithm.Mutant{
		{
			Name: "waits", Doc: "Participants wait forever, as in two-phase commit.",
			Breaks: []string{"commit-termination"}, Shows: "nodes: 3, start: 1, crash: 1@1.5",
		},
		{
			Name: "commits-in-doubt", Doc: "A participant that has voted yes commits after the timeout, though it has no PRECOMMIT.",
			Breaks: []string{"commit-agreement"}, Shows: "nodes: 3, start: 1, drop: ABORT:1>2, params: {no: 3}",
		},
	},
	New: newThreePhaseCommit,
}

// threePhaseCommit is the protocol.
type threePhaseCommit struct {
	transaction
	precommitted   sim.Var[bool]
	acks           sim.Var[sim.Set[tracefmt.ProcessID]]
	precommit, ack sim.Signal
	acksDue        sim.Timer

	commitsInDoubt bool // a mutant
}

// newThreePhaseCommit returns the protocol.
func newThreePhaseCommit(v algorithm.Values) *sim.Protocol {
	pr := &sim.Protocol{}
	t := &threePhaseCommit{
		transaction:    declareTransaction(pr, v),
		precommitted:   sim.Declare[bool](pr, "precommitted", "all have voted yes, as the process knows", sim.Stable),
		acks:           sim.Declare[sim.Set[tracefmt.ProcessID]](pr, "acks", "the coordinator: the processes that know that all have voted yes"),
		precommit:      pr.Signal("PRECOMMIT", "all have voted yes"),
		ack:            pr.Signal("ACK", "the sender knows that all have voted yes"),
		acksDue:        pr.Timer("acks"),
		commitsInDoubt: v.Mutant("commits-in-doubt"),
	}
	t.patient, t.tally = v.Mutant("waits"), t.tallyVotes
	t.prepare.On(t.handlePrepare)
	t.voteIs.On(t.handleVote)
	t.precommit.On(t.handlePreCommit)
	t.ack.On(t.handleAck)
	t.commit.On(func(p *sim.Process, _ tracefmt.ProcessID) { t.learn(p, toCommit) })
	t.abort.On(func(p *sim.Process, _ tracefmt.ProcessID) { t.learn(p, toAbort) })
	pr.Start, pr.Starts, pr.Busy, pr.Timeout = t.begin, coordinates, t.busy, t.expire
	return pr
}

// tallyVotes makes the coordinator begin the second phase when all have voted yes.
func (t *threePhaseCommit) tallyVotes(p *sim.Process) {
	if t.votes.Get(p).Len() < int(p.Last()) {
		return
	}
	t.precommitted.Set(p, true)
	sim.Insert(p, t.acks, p.ID())
	p.StopTimer(t.votesDue)
	t.precommit.Broadcast(p)
	p.SetTimer(t.acksDue, t.timeout)
	t.tallyAcks(p)
}

// handlePreCommit handles PRECOMMIT: the participant now commits when its timer expires.
func (t *threePhaseCommit) handlePreCommit(p *sim.Process, from tracefmt.ProcessID) {
	if t.decided.Get(p) == undecided {
		t.precommitted.Set(p, true)
		t.ack.Send(p, from)
		t.doubt(p)
	}
}

// handleAck handles ACK at the coordinator, while it waits for acknowledgements.
func (t *threePhaseCommit) handleAck(p *sim.Process, from tracefmt.ProcessID) {
	if p.Armed(t.acksDue) {
		sim.Insert(p, t.acks, from)
		t.tallyAcks(p)
	}
}

// tallyAcks makes the coordinator commit when all have acknowledged.
func (t *threePhaseCommit) tallyAcks(p *sim.Process) {
	if t.acks.Get(p).Len() == int(p.Last()) {
		t.conclude(p, toCommit, t.acksDue)
	}
}

// expire handles a timer: a process that waits decides by its state, and waits no longer.
func (t *threePhaseCommit) expire(p *sim.Process, timer sim.Timer) {
	switch {
	case timer == t.votesDue:
		t.conclude(p, toAbort, timer)
	case timer == t.acksDue:
		t.conclude(p, toCommit, timer)
	case t.precommitted.Get(p) || t.commitsInDoubt:
		t.decided.Set(p, toCommit)
	default:
		t.decided.Set(p, toAbort)
	}
}
