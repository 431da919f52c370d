package raft

import (
	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

// role is the role of a server in its term.
type role uint8

const (
	follower role = iota
	candidate
	leader
)

// Words implements [sim.Words].
func (role) Words() []string { return []string{"follower", "candidate", "leader"} }

// entry is an entry of a log.
type entry struct {
	term    sim.Counter
	command tracefmt.ProcessID
}

// entries is a log, or a part of one.
type entries = sim.List[entry]

// termOf is the term of an entry, an empty list for no entry: a term 0 would be a counter that does not grow
// with the others.
type termOf = sim.List[sim.Counter]

// The fields of the messages RequestVote, Vote, AppendEntries and Appended.
type (
	requestVote struct {
		term      sim.Counter
		lastTerm  termOf
		lastIndex int
	}
	vote struct {
		term    sim.Counter
		granted bool
	}
	appendEntries struct {
		term          sim.Counter
		previousIndex int
		previousTerm  termOf
		entries       entries
		commit        int
	}
	appended struct {
		term    sim.Counter
		success bool
		match   int
	}
)

// raft is the protocol. Indices of the log begin at 1; 0 is the index before the first entry.
type raft struct {
	values algorithm.Values

	role     sim.Var[role]
	elected  sim.Elected
	term     sim.Var[sim.Counter]
	votedFor sim.Var[tracefmt.ProcessID]
	votes    sim.Var[sim.Set[tracefmt.ProcessID]]
	log      sim.Var[entries]
	commit   sim.Var[int]
	// next and match are variables of a leader.
	next, match sim.Var[sim.Map[tracefmt.ProcessID, int]]

	requestVote   sim.Message[requestVote]
	vote          sim.Message[vote]
	appendEntries sim.Message[appendEntries]
	appended      sim.Message[appended]

	clock
}

// newRaft returns the protocol.
func newRaft(v algorithm.Values) *sim.Protocol {
	pr := &sim.Protocol{}
	r := &raft{
		values:   v,
		role:     sim.Declare[role](pr, "role", "follower, candidate or leader in the present term"),
		elected:  pr.Elected(),
		term:     sim.Declare[sim.Counter](pr, "term", "the latest term that it has seen", sim.Stable),
		votedFor: sim.Declare[tracefmt.ProcessID](pr, "votedFor", "the candidate for which it has voted in this term", sim.Stable),
		votes:    sim.Declare[sim.Set[tracefmt.ProcessID]](pr, "votes", "a candidate: the servers that have voted for it"),
		log:      sim.Declare[entries](pr, "log", "its entries", sim.Stable, sim.Indexed),
		commit:   sim.Declare[int](pr, "commit", "the greatest index that it knows to be committed"),
		next:     sim.Declare[sim.Map[tracefmt.ProcessID, int]](pr, "next", "a leader: the index from which on it sends to each of the others"),
		match:    sim.Declare[sim.Map[tracefmt.ProcessID, int]](pr, "match", "a leader: how far the log of each is known to be its own"),

		requestVote: sim.DeclareMessage[requestVote](pr, "RequestVote", "asks for the vote, with the last "+
			"entry of the candidate: its term, [] for an empty log, and its index"),
		vote:          sim.DeclareMessage[vote](pr, "Vote", "grants or refuses the vote"),
		appendEntries: sim.DeclareMessage[appendEntries](pr, "AppendEntries", "the entries after the previous one, and how much is committed"),
		appended:      sim.DeclareMessage[appended](pr, "Appended", "accepts or refuses the entries"),

		clock: declareClock(pr, v),
	}
	pr.Start, pr.Recover, pr.Timeout = r.start, r.waitForLeader, r.expire
	if r.ticks {
		pr.Wake = r.waitForLeader
		pr.Busy = func(p *sim.Process) bool { return r.role.Get(p) != leader }
	}
	r.requestVote.On(r.handleRequestVote)
	r.vote.On(r.handleVote)
	r.appendEntries.On(r.handleAppendEntries)
	r.appended.On(r.handleAppended)
	return pr
}

// start gives a leader a command. At any other server it is the expiry of the election timeout.
func (r *raft) start(p *sim.Process) {
	if r.role.Get(p) == leader {
		r.command(p)
	} else {
		r.campaign(p)
	}
}

// expire handles a timer: the heartbeat of a leader, or the election timeout.
func (r *raft) expire(p *sim.Process, t sim.Timer) {
	if t == r.heartbeat {
		r.announce(p)
		p.SetTimer(r.heartbeat, heartbeatEvery)
	} else {
		r.campaign(p)
	}
}

// adoptTerm adopts the term of a message if it is higher, and reports whether it is the current term.
func (r *raft) adoptTerm(p *sim.Process, term sim.Counter) bool {
	if now := r.term.Get(p); term > now || term < now && r.values.Mutant("any-term") {
		r.enter(p, term)
		r.stepDown(p)
	}
	return term == r.term.Get(p)
}

// enter makes a server enter a term, in which it has not voted and knows no leader. So its vote is recorded in
// each term, even if it is for the same candidate.
func (r *raft) enter(p *sim.Process, term sim.Counter) {
	r.term.Set(p, term)
	r.votedFor.Clear(p)
	if r.elected.Get(p) != 0 {
		r.elected.Clear(p)
	}
}

// stepDown makes a candidate or leader a follower.
func (r *raft) stepDown(p *sim.Process) {
	if r.role.Get(p) == follower {
		return
	}
	r.role.Set(p, follower)
	p.StopTimer(r.heartbeat)
	r.waitForLeader(p)
}

// clock has the timers of a server.
type clock struct {
	election, heartbeat sim.Timer

	ticks           bool // timers are on
	draws           bool // the timeouts are random
	timeout, spread tracefmt.Time
}

const (
	heartbeatEvery = 2 * tracefmt.Unit
	// drawnTimeout is the least random timeout; the greatest is less than twice as long. There are drawnSteps of them,
	// evenly spaced.
	drawnTimeout = 10 * tracefmt.Unit
	drawnSteps   = 100
)

// declareClock declares the timers.
func declareClock(pr *sim.Protocol, v algorithm.Values) clock {
	c := clock{election: pr.Timer("election"), heartbeat: pr.Timer("heartbeat"), ticks: v.On(timersParam)}
	timeout, fixed := v.Time(timeoutParam)
	c.timeout, c.draws = timeout, !fixed
	c.spread, _ = v.Time(spreadParam)
	pr.Draws = c.ticks && c.draws
	return c
}

// waitForLeader arms the election timeout of a server again.
func (c *clock) waitForLeader(p *sim.Process) {
	switch {
	case !c.ticks: // elections begin only by actions of the scenario
	case c.draws:
		p.SetTimer(c.election, drawnTimeout+tracefmt.Time(p.Draw(drawnSteps)-1)*drawnTimeout/drawnSteps)
	default:
		p.SetTimer(c.election, c.timeout+tracefmt.Time(p.ID()-1)*c.spread)
	}
}
