package consensus

import (
	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

var paxosAlgorithm = algorithm.Algorithm{
	Name: "paxos",
	Doc: `Paxos for a single decision: what a majority has accepted in one ballot is decided.

A ballot is a counter with the id of the process that begins it; the greater counter is the greater
ballot; if counters are equal, the greater id decides. A process that starts proposes its id and
begins a ballot: its counter is one more than the greatest that it has seen, and PREPARE(ballot)
goes to all others. A process without a greater promise promises to accept nothing in smaller
ballots, and answers PROMISE(ballot, what it accepted last, if anything). When a majority of all
processes, itself among them, has promised, the process sends ACCEPT(ballot, value) to all others:
the value accepted in the greatest ballot that was reported, or its own if none was reported. A
process without a greater promise accepts, and answers ACCEPTED. When a majority has accepted, the
process decides, and sends DECIDE(value) to all others, which decide, too.

With learn=all there is no DECIDE: a process that accepts sends ACCEPTED to all others, and
each process decides when it knows of a majority.

Promises and accepted values are on stable storage. There are no negative answers: a process that
has promised a greater ballot does not answer. With retry, a process that has not decided begins
another ballot whenever its timer expires, so two proposers may overtake each other forever. Without
retry, a failed ballot is the last one.

The text leaves some questions open. Accepting is also a promise: a process that accepts in a ballot
participates in no smaller one. For each process, only the greatest ballot in which it has accepted
counts. A start of a process that waits for the outcome of its proposal, or has decided, does
nothing. A proposer that has learned the decision of another sends no DECIDE when a majority accepts
its own. A process that recovers knows its promises, waits for nothing, and may be started again.`,
	Source:  "Lamport, The Part-Time Parliament, ACM TOCS 16(2), 1998, for a single decree; in the words of Paxos Made Simple, 2001",
	Problem: tracefmt.Consensus,
	Needs:   algorithm.CompleteGraph,
	Bounds: []tracefmt.Bound{
		{
			Messages: "5*(n-1)", If: "starts == 1 and live == n", Kind: tracefmt.ExactCase, Counts: tracefmt.CountsSent, Delays: tracefmt.UnitDelays,
			Source: "by the rules: PREPARE, PROMISE, ACCEPT, ACCEPTED and DECIDE, once with each of the others",
		},
		{
			Messages: "5*(n-1)", If: "starts == 1", Counts: tracefmt.CountsSent,
			Source: "by the rules: each of the five at most once with each of the others; a ballot that the next one overtakes gets no answers",
		},
	},
	Params: []algorithm.Param{
		{
			Name: "learn", Default: "proposer", Words: []string{"proposer", "all"}, Bounded: []string{"proposer"},
			Doc: "the process that counts acceptances: the initiator of the ballot, or every process",
		},
		{
			Name: "retry", Default: "off", Words: []string{"off"}, Time: true, Bounded: []string{"off"},
			Doc: "how long a process waits for a decision before it begins another ballot",
		},
	},
	Tolerates: []algorithm.Tolerance{{
		Faults: algorithm.Down, Most: algorithm.LessThanHalf, Breaks: "no value is accepted by a majority until one is up",
		Source: "Lamport, Paxos Made Simple, section 2.2",
	}},
	Mutants: []algorithm.Mutant{
		{
			Name: "own-value", Doc: "a process asks to accept its own value, whatever was accepted before: so a " +
				"second one is decided after the first",
			Breaks: []string{"consensus-agreement"}, Shows: "nodes: 3, start: [1@0, 3@10], drop: ['ACCEPT:1>3', 'DECIDE:*>*']",
		},
		{
			Name: "half", Doc: "half of the processes are enough, so that two halves decide without a process in common",
			Breaks: []string{"consensus-agreement"}, Shows: "nodes: 4, start: [1, 4], slow: ['*:1>3=9', '*:1>4=9', '*:4>1=9', '*:4>2=9']",
		},
	},
	New: newPaxos,
}

// ballot is one attempt to have a value decided, ordered by counter, then by process.
type ballot struct {
	counter sim.Counter
	process tracefmt.ProcessID
}

// vote is the last acceptance of a process.
type vote struct {
	ballot ballot
	value  tracefmt.ProcessID
}

// Lists of at most one item represent optional values: a counter of 0 would not grow with the other
// counters.
type (
	prepare struct{ ballot ballot }
	promise struct {
		ballot   ballot
		accepted sim.List[vote]
	}
	decide struct{ value tracefmt.ProcessID }
)

// paxos is the protocol.
type paxos struct {
	decision
	values   algorithm.Values
	timer    sim.Timer
	seen     sim.Var[sim.Counter]
	promised sim.Var[ballot]
	accepted sim.Var[sim.List[vote]]
	current  sim.Var[sim.List[ballot]]
	promises sim.Var[sim.Set[tracefmt.ProcessID]]
	reported sim.Var[sim.List[vote]]
	votes    sim.Var[sim.Map[tracefmt.ProcessID, vote]]

	prepare sim.Message[prepare]
	promise sim.Message[promise]
	accept  sim.Message[vote]
	accepts sim.Message[vote]
	decide  sim.Message[decide]
}

// newPaxos returns the protocol.
func newPaxos(v algorithm.Values) *sim.Protocol {
	pr := &sim.Protocol{}
	x := &paxos{
		decision: declareDecision(pr), values: v,
		timer:    pr.Timer("retry"),
		seen:     sim.Declare[sim.Counter](pr, "seen", "the greatest counter of a ballot that the process has seen"),
		promised: sim.Declare[ballot](pr, "promised", "the greatest ballot that it has promised: it participates in no smaller one", sim.Stable),
		accepted: sim.Declare[sim.List[vote]](pr, "accepted", "what it accepted last, and in which ballot, if anything", sim.Stable),
		current:  sim.Declare[sim.List[ballot]](pr, "ballot", "the ballot that it has begun last, if any"),
		promises: sim.Declare[sim.Set[tracefmt.ProcessID]](pr, "promises", "the processes that have promised to participate in that ballot"),
		reported: sim.Declare[sim.List[vote]](pr, "reported", "of what these have accepted before, that of the greatest ballot, if any"),
		votes:    sim.Declare[sim.Map[tracefmt.ProcessID, vote]](pr, "votes", "what each process is known to have accepted last"),

		prepare: sim.DeclareMessage[prepare](pr, "PREPARE", "asks to participate in a ballot, and in no smaller one"),
		promise: sim.DeclareMessage[promise](pr, "PROMISE", "agrees to, with what the sender has accepted before"),
		accept:  sim.DeclareMessage[vote](pr, "ACCEPT", "asks to accept a value in a ballot"),
		accepts: sim.DeclareMessage[vote](pr, "ACCEPTED", "the sender has accepted it"),
		decide:  sim.DeclareMessage[decide](pr, "DECIDE", "names the value that is decided"),
	}
	pr.Busy = func(p *sim.Process) bool { return x.proposed.Get(p) != 0 || x.decided.Get(p) != 0 }
	pr.Start = func(p *sim.Process) {
		x.proposed.Set(p, p.ID())
		x.begin(p)
	}
	pr.Recover = func(p *sim.Process) { x.seen.Set(p, x.promised.Get(p).counter) }
	pr.Timeout = func(p *sim.Process, _ sim.Timer) { x.begin(p) }
	x.prepare.On(x.handlePrepare)
	x.promise.On(x.handlePromise)
	x.accept.On(x.handleAccept)
	x.accepts.On(x.handleAccepted)
	x.decide.On(func(p *sim.Process, _ tracefmt.ProcessID, m decide) { x.learn(p, m.value) })
	return pr
}

// quorum returns the size of a quorum: any two quorums have a common process.
func (x *paxos) quorum(p *sim.Process) int {
	if x.values.Mutant("half") {
		return max(1, int(p.Last())/2)
	}
	return p.Majority()
}

// begin begins a ballot that is greater than all that p has seen.
func (x *paxos) begin(p *sim.Process) {
	b := ballot{sim.Add(p, x.seen, 1), p.ID()}
	x.current.Set(p, sim.ListOf(b))
	x.promises.Clear(p)
	x.reported.Clear(p)
	x.prepare.Broadcast(p, prepare{b})
	if wait, retries := x.values.Time("retry"); retries {
		p.SetTimer(x.timer, wait)
	}
	x.prepare.SendOrTake(p, p.ID(), prepare{b})
}

// handlePrepare promises to take part in the ballot, unless p has promised a greater one.
func (x *paxos) handlePrepare(p *sim.Process, from tracefmt.ProcessID, m prepare) {
	sim.Raise(p, x.seen, m.ballot.counter)
	if sim.Less(x.promised.Get(p), m.ballot) {
		x.promised.Set(p, m.ballot)
		x.promise.SendOrTake(p, from, promise{m.ballot, x.accepted.Get(p)})
	}
}

// handlePromise handles PROMISE. With a majority of promises p sends ACCEPT.
func (x *paxos) handlePromise(p *sim.Process, from tracefmt.ProcessID, m promise) {
	if !x.current.Get(p).Contains(m.ballot) || x.promises.Get(p).Has(from) {
		return
	}
	// The proposal with the greatest ballot binds the proposer.
	reported := x.reported.Get(p)
	if m.accepted.Len() > 0 && (reported.Len() == 0 || sim.Less(reported.Last(), m.accepted.Last())) {
		x.reported.Set(p, m.accepted)
	}
	if sim.Insert(p, x.promises, from).Len() != x.quorum(p) {
		return
	}
	value := x.proposed.Get(p)
	if x.reported.Get(p).Len() > 0 && !x.values.Mutant("own-value") {
		value = x.reported.Get(p).Last().value
	}
	x.accept.Broadcast(p, vote{m.ballot, value})
	x.accept.SendOrTake(p, p.ID(), vote{m.ballot, value})
}

// handleAccept accepts the value and announces that, unless p has promised a greater ballot.
func (x *paxos) handleAccept(p *sim.Process, from tracefmt.ProcessID, m vote) {
	sim.Raise(p, x.seen, m.ballot.counter)
	if sim.Less(m.ballot, x.promised.Get(p)) {
		return
	}
	x.promised.Set(p, m.ballot)
	x.accepted.Set(p, sim.ListOf(m))
	if x.values.Is("learn", "proposer") {
		x.accepts.SendOrTake(p, from, m)
		return
	}
	x.accepts.Broadcast(p, m)
	x.accepts.SendOrTake(p, p.ID(), m)
}

// handleAccepted handles ACCEPTED. With a majority for one ballot p decides.
func (x *paxos) handleAccepted(p *sim.Process, from tracefmt.ProcessID, m vote) {
	sim.Raise(p, x.seen, m.ballot.counter)
	if known := x.votes.Get(p); known.Has(from) && sim.Less(m, known.Get(from)) {
		return // a later acceptance of the sender has overtaken this one
	}
	same := sim.Put(p, x.votes, from, m).Count(func(v vote) bool { return v == m })
	if same < x.quorum(p) || x.decided.Get(p) != 0 {
		return
	}
	x.learn(p, m.value)
	if x.values.Is("learn", "proposer") {
		x.decide.Broadcast(p, decide{m.value})
	}
}

// learn decides a value, unless p has decided.
func (x *paxos) learn(p *sim.Process, value tracefmt.ProcessID) {
	if x.decided.Get(p) == 0 {
		x.decided.Set(p, value)
		p.StopTimer(x.timer)
	}
}
