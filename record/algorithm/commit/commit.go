package commit

import (
	"slices"

	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

// All returns the algorithms of commitment, sorted by name.
func All() []*algorithm.Algorithm {
	return []*algorithm.Algorithm{
		&threePhaseCommitAlgorithm,
		&twoPhaseCommitAlgorithm,
	}
}

// coordinator is the process that begins the transaction: the one with the least id.
const coordinator tracefmt.ProcessID = 1

// coordinates reports whether a process is the coordinator.
func coordinates(p, _ tracefmt.ProcessID) bool { return p == coordinator }

// roleOf returns the role of the coordinator for the header of a run.
func roleOf(_ algorithm.Values, p, last tracefmt.ProcessID) string {
	if coordinates(p, last) {
		return tracefmt.Coordinator
	}
	return ""
}

// withoutCoordinator declares that the protocol blocks if the coordinator crashes, with the consequence.
func withoutCoordinator(breaks, source string) []algorithm.Tolerance {
	return []algorithm.Tolerance{{
		Faults: algorithm.Down, Of: tracefmt.Coordinator, Among: func(_ algorithm.Values, p, last tracefmt.ProcessID) bool {
			return coordinates(p, last)
		},
		Most: algorithm.None, Breaks: breaks, Source: source,
	}}
}

// onOff are the words of a parameter that is on or off.
var onOff = []string{"off", "on"}

var timeoutParam = algorithm.Param{
	Name: "timeout", Default: "3", Time: true, Bounded: []string{"3"},
	Doc: "the time that a process waits; more than the round trip of 2",
}

var noParam = algorithm.Param{
	Name: "no", Default: "none", Words: []string{"none"}, Processes: true,
	Doc: "the processes that vote no; the others vote yes",
}

// votesYesItself fails if the coordinator is to vote no.
func votesYesItself(v algorithm.Values, _ *sim.Config) *algorithm.Unsuited {
	if slices.Contains(v.Processes(noParam.Name), coordinator) {
		return &algorithm.Unsuited{Param: noParam.Name, Reason: "the first process votes no, expected others: " +
			"it is the coordinator, which votes yes"}
	}
	return nil
}

// atMost returns an upper bound on the messages of a transaction that the coordinator begins, counting every
// send. It requires unit delays, since with other delays timeouts may expire early.
func atMost(messages, source string) tracefmt.Bound {
	return tracefmt.Bound{
		Messages: messages, If: "above == n-1 and live == n", Counts: tracefmt.CountsSent,
		Delays: tracefmt.UnitDelays, Source: source,
	}
}

// exactly returns a bound on the exact number of messages, without the given types.
func exactly(messages, source string, without ...string) tracefmt.Bound {
	b := atMost(messages, source)
	b.Kind, b.Without = tracefmt.ExactCase, without
	return b
}

// ballot is the vote of a process.
type ballot uint8

const (
	unvoted ballot = iota
	yes
	no
)

// Words implements [sim.Words].
func (ballot) Words() []string { return []string{"", "yes", "no"} }

// outcome is the decision of a process.
type outcome uint8

const (
	undecided outcome = iota
	toCommit
	toAbort
)

// Words implements [sim.Words].
func (outcome) Words() []string { return []string{"", "commit", "abort"} }

// cast has the fields of VOTE.
type cast struct{ vote ballot }

// transaction is the common part of two-phase and three-phase commit.
type transaction struct {
	vote    sim.Var[ballot]
	decided sim.Var[outcome]
	votes   sim.Var[sim.Set[tracefmt.ProcessID]]

	prepare, commit, abort sim.Signal
	voteIs                 sim.Message[cast]

	// votesDue is the coordinator's timer for the votes, decisionDue a participant's timer for the decision.
	votesDue, decisionDue sim.Timer

	timeout  tracefmt.Time
	refusing []tracefmt.ProcessID // the processes that vote no

	// patient is true if a participant in doubt waits without a timeout.
	patient bool
	// tally makes the coordinator act on the votes that it has.
	tally func(p *sim.Process)
}

// declareTransaction declares the variables, messages and timers of both protocols.
func declareTransaction(pr *sim.Protocol, v algorithm.Values) transaction {
	t := transaction{
		vote:        sim.Declare[ballot](pr, "vote", "how the process has voted", sim.Stable),
		decided:     sim.Declare[outcome](pr, "decided", "how it has decided", sim.Stable),
		votes:       sim.Declare[sim.Set[tracefmt.ProcessID]](pr, "votes", "the coordinator: the processes that have voted yes"),
		prepare:     pr.Signal("PREPARE", "asks for the vote"),
		voteIs:      sim.DeclareMessage[cast](pr, "VOTE", "the vote of the sender"),
		commit:      pr.Signal("COMMIT", "the decision is to commit"),
		abort:       pr.Signal("ABORT", "the decision is to abort"),
		votesDue:    pr.Timer("votes"),
		decisionDue: pr.Timer("decision"),
		refusing:    v.Processes(noParam.Name),
	}
	t.timeout, _ = v.Time(timeoutParam.Name)
	return t
}

// busy reports whether a start of the coordinator has no effect, since the transaction has begun.
func (t *transaction) busy(p *sim.Process) bool {
	return t.vote.Get(p) != unvoted || t.decided.Get(p) != undecided
}

// begin makes the coordinator vote yes, and ask the others for their votes.
func (t *transaction) begin(p *sim.Process) {
	t.vote.Set(p, yes)
	sim.Insert(p, t.votes, p.ID())
	t.prepare.Broadcast(p)
	p.SetTimer(t.votesDue, t.timeout)
	t.tally(p)
}

// handlePrepare handles PREPARE: a participant votes, once. A participant that has decided without a vote has decided
// to abort, and votes no.
func (t *transaction) handlePrepare(p *sim.Process, _ tracefmt.ProcessID) {
	vote := yes
	switch {
	case t.vote.Get(p) != unvoted:
		return
	case t.decided.Get(p) != undecided:
		vote = no
	case slices.Contains(t.refusing, p.ID()):
		vote = no
		t.decided.Set(p, toAbort)
	}
	t.vote.Set(p, vote)
	t.voteIs.Send(p, coordinator, cast{vote})
	if vote == yes {
		t.doubt(p)
	}
}

// doubt makes a participant wait for the next message of the coordinator.
func (t *transaction) doubt(p *sim.Process) {
	if !t.patient {
		p.SetTimer(t.decisionDue, t.timeout)
	}
}

// handleVote handles VOTE at the coordinator, while it waits for votes.
func (t *transaction) handleVote(p *sim.Process, from tracefmt.ProcessID, m cast) {
	switch {
	case !p.Armed(t.votesDue): // the vote comes after the decision
	case m.vote == no:
		t.conclude(p, toAbort, t.votesDue)
	default:
		sim.Insert(p, t.votes, from)
		t.tally(p)
	}
}

// conclude makes the coordinator decide, and send the decision to all. waiting is the timer that it stops.
func (t *transaction) conclude(p *sim.Process, decision outcome, waiting sim.Timer) {
	t.decided.Set(p, decision)
	p.StopTimer(waiting)
	t.sendToAll(p)
}

// sendDecision sends the decision to q.
func (t *transaction) sendDecision(p *sim.Process, q tracefmt.ProcessID) { t.messageOf(p).Send(p, q) }

// sendToAll sends the decision of p to all others.
func (t *transaction) sendToAll(p *sim.Process) { t.messageOf(p).Broadcast(p) }

// messageOf returns the message for the decision of p.
func (t *transaction) messageOf(p *sim.Process) sim.Signal {
	if t.decided.Get(p) == toCommit {
		return t.commit
	}
	return t.abort
}

// learn makes a participant adopt a decision that it receives, unless it has decided.
func (t *transaction) learn(p *sim.Process, decision outcome) {
	if t.decided.Get(p) == undecided {
		t.decided.Set(p, decision)
		p.StopTimer(t.decisionDue)
	}
}
