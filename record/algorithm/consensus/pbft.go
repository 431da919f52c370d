package consensus

import (
	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

var pbftAlgorithm = algorithm.Algorithm{
	Name: "pbft",
	Doc: `The normal case of PBFT: replicas decide the request of a client; less than a third of them may lie.

The process with the greatest id is the client. The n others are the replicas, and the first of
these is the primary. f, the number of Byzantine replicas that it tolerates, is (n-1)/3, rounded
down. The client starts: it proposes its own id, and sends REQUEST(value) to the primary, which
sends PRE-PREPARE(value) to all other replicas, the backups. A backup takes the first PRE-PREPARE,
and sends PREPARE(value) to all other replicas. A replica has prepared the value of the primary once
it has PREPARE for that value from 2f backups, its own included; it then sends COMMIT(value) to all
other replicas. A replica that has prepared a value and has COMMIT for it from 2f+1 replicas, its
own included, decides it, and sends REPLY(value) to the client. The client takes what f+1 replicas
reply; it decides nothing.

The replicas exchange 2n(n-1) messages: n-1 PRE-PREPAREs, (n-1)(n-1) PREPAREs and n(n-1) COMMITs.
The client takes part in n+1 messages: a REQUEST and n REPLYs. If s backups are silent, all messages
are 2(n-1)(n-s) + 1 + (n-s), as long as n-s-1 >= 2f. If each message takes one unit, the client has
its result after 5; with f = 0, where no replica waits for another, after 2.

For n = 3f+1, as in the source, any two sets of 2f+1 replicas have a correct one in common. So no two
correct replicas decide differently, whatever f others send. With more replicas, 2f+1 are too
few for that: with n = 5 a primary that sends different values to two pairs of backups makes them
decide differently.

There is one request, one view, and no view change: with a faulty primary, some or all replicas may
not decide. Also left out are sequence numbers, digests and checkpoints, and the second request of
a client that gets no reply. Nothing is signed: a lying primary may invent a request. In the source
the signature of the client prevents this. Of several messages of one type from one replica the
first counts. A start of a replica, or a second one of the client, has no effect. There is no rule
for recoveries.

The plan contains the messages of a Byzantine primary, as in --lie '1@0 PRE-PREPARE:2=5,3=4'.`,
	Source:  "Castro, Liskov, Practical Byzantine Fault Tolerance, OSDI 1999, section 4.2",
	Problem: tracefmt.Consensus,
	Traits:  []string{tracefmt.NoRecovery},
	Needs:   algorithm.CompleteGraph,
	Role: func(_ algorithm.Values, p, last tracefmt.ProcessID) string {
		if isClient(p, last) {
			return "client"
		}
		return ""
	},
	Bounds: []tracefmt.Bound{
		{
			Messages: "2*n*(n-1) + 1 + n", If: "starts == 1 and above == 0 and live == n", Kind: tracefmt.ExactCase, Counts: tracefmt.CountsSent,
			Source: "by the rules, n being the replicas: REQUEST, n-1 PRE-PREPARE, n-1 PREPARE of n-1 backups, n-1 COMMIT of n replicas, n REPLY",
		},
		{
			Messages: "2*(n-1)*live + 1 + live", Counts: tracefmt.CountsSent,
			Source: "by the rules: exactly these if the primary is up and enough backups are",
		},
	},
	Tolerates: []algorithm.Tolerance{{
		Faults: algorithm.AnyFault, Of: "replica", Among: func(_ algorithm.Values, p, last tracefmt.ProcessID) bool { return !isClient(p, last) },
		Most: algorithm.LessThanAThird, Breaks: "correct replicas may decide differently, or none of them decides",
		Source: "Castro, Liskov 1999, section 3",
	}},
	Mutants: []algorithm.Mutant{{
		Name: "small-quorum", Doc: "f+1 replicas are enough, in place of 2f+1, to prepare and to commit: two " +
			"such sets may have only a liar in common",
		Breaks: []string{"consensus-agreement"}, Shows: "nodes: 5, start: 5, lie: ['1@0 PRE-PREPARE:2=4,3=5,4=5', '1@0 COMMIT:2=4,3=5,4=5']",
	}},
	Suits: func(_ algorithm.Values, c *sim.Config) *algorithm.Unsuited {
		if len(c.Members) < 2 {
			return &algorithm.Unsuited{Reason: "1 process, expected at least 2: the replicas, and the client, which is the last"}
		}
		return nil
	},
	New: newPBFT,
}

// primary is the replica that orders the requests of the only view.
const primary tracefmt.ProcessID = 1

// isClient reports whether a process is the client, and no replica.
func isClient(p, last tracefmt.ProcessID) bool { return p == last }

// request has the fields of all messages: the requested value.
type request struct{ value tracefmt.ProcessID }

// values maps each replica to the value in its message of one type.
type values = sim.Map[tracefmt.ProcessID, tracefmt.ProcessID]

// pbft is the protocol.
type pbft struct {
	decision
	smallQuorum bool

	prePrepared sim.Var[tracefmt.ProcessID]
	prepared    sim.Var[bool]
	result      sim.Var[tracefmt.ProcessID]

	prepares, commits, replies sim.Var[values]

	request, prePrepare, prepare, commit, reply sim.Message[request]
}

// newPBFT returns the protocol.
func newPBFT(v algorithm.Values) *sim.Protocol {
	pr := &sim.Protocol{}
	x := &pbft{
		decision: declareDecision(pr), smallQuorum: v.Mutant("small-quorum"),
		prePrepared: sim.Declare[tracefmt.ProcessID](pr, "preprepared", "the value that the primary has proposed to the replica"),
		prepares:    sim.Declare[values](pr, "prepares", "the value in the PREPARE of each backup"),
		prepared:    sim.Declare[bool](pr, "prepared", "it has prepared that value and sent COMMIT"),
		commits:     sim.Declare[values](pr, "commits", "the value in the COMMIT of each replica"),
		replies:     sim.Declare[values](pr, "replies", "at the client: the value in the REPLY of each replica"),
		result:      sim.Declare[tracefmt.ProcessID](pr, "result", "at the client: the value that f+1 replicas have replied"),

		request:    sim.DeclareMessage[request](pr, "REQUEST", "the client requests this value"),
		prePrepare: sim.DeclareMessage[request](pr, "PRE-PREPARE", "the primary proposes the value to the replicas"),
		prepare:    sim.DeclareMessage[request](pr, "PREPARE", "a backup has the value from the primary"),
		commit:     sim.DeclareMessage[request](pr, "COMMIT", "a replica has prepared the value"),
		reply:      sim.DeclareMessage[request](pr, "REPLY", "a replica has decided the value"),
	}
	pr.Starts = isClient
	pr.Busy = func(p *sim.Process) bool { return x.proposed.Get(p) != 0 }
	pr.Start = func(p *sim.Process) {
		x.proposed.Set(p, p.ID())
		x.request.Send(p, primary, request{p.ID()})
	}
	x.request.On(x.handleRequest)
	x.prePrepare.On(x.handlePrePrepare)
	x.prepare.On(x.handlePrepare)
	x.commit.On(x.handleCommit)
	x.reply.On(x.handleReply)
	return pr
}

// faulty returns f, the number of Byzantine replicas that the protocol tolerates.
func faulty(p *sim.Process) int { return (replicas(p) - 1) / 3 }

// replicas returns the number of replicas.
func replicas(p *sim.Process) int { return int(p.Last()) - 1 }

// quorum returns the number of replicas that must prepare a value, and the number that must commit it.
func (x *pbft) quorum(p *sim.Process) int {
	if x.smallQuorum {
		return faulty(p) + 1
	}
	return 2*faulty(p) + 1
}

// toReplicas sends a message to all other replicas.
func toReplicas(p *sim.Process, message sim.Message[request], m request) {
	for q := primary; q < p.Last(); q++ {
		if q != p.ID() {
			message.Send(p, q, m)
		}
	}
}

// handleRequest handles REQUEST: the primary proposes the request to the other replicas.
func (x *pbft) handleRequest(p *sim.Process, from tracefmt.ProcessID, m request) {
	if p.ID() == primary && from == p.Last() && x.prePrepared.Get(p) == 0 {
		x.prePrepared.Set(p, m.value)
		toReplicas(p, x.prePrepare, m)
		x.advance(p)
	}
}

// handlePrePrepare handles PRE-PREPARE: a backup takes the first proposal of the primary, and sends PREPARE.
func (x *pbft) handlePrePrepare(p *sim.Process, from tracefmt.ProcessID, m request) {
	if p.ID() != p.Last() && from == primary && x.prePrepared.Get(p) == 0 {
		x.prePrepared.Set(p, m.value)
		toReplicas(p, x.prepare, m)
		x.prepare.SendOrTake(p, p.ID(), m)
	}
}

// handlePrepare handles PREPARE, which only backups send.
func (x *pbft) handlePrepare(p *sim.Process, from tracefmt.ProcessID, m request) {
	if from != primary {
		hear(p, x.prepares, from, m)
		x.advance(p)
	}
}

// advance makes a replica prepare the proposed value, once, when it has enough PREPAREs: one less than a quorum,
// since the PRE-PREPARE of the primary counts, too.
func (x *pbft) advance(p *sim.Process) {
	m := request{x.prePrepared.Get(p)}
	if m.value != 0 && !x.prepared.Get(p) && backers(p, x.prepares, m) >= x.quorum(p)-1 {
		x.prepared.Set(p, true)
		toReplicas(p, x.commit, m)
		x.commit.SendOrTake(p, p.ID(), m)
	}
}

// handleCommit handles COMMIT. It decides the prepared value, once, when it has enough COMMITs.
func (x *pbft) handleCommit(p *sim.Process, from tracefmt.ProcessID, m request) {
	hear(p, x.commits, from, m)
	prepared := request{x.prePrepared.Get(p)}
	if x.prepared.Get(p) && x.decided.Get(p) == 0 && backers(p, x.commits, prepared) >= x.quorum(p) {
		x.decided.Set(p, prepared.value)
		x.reply.Send(p, p.Last(), prepared)
	}
}

// handleReply handles REPLY: the client takes a value that f+1 replicas reply, so that one of them is correct.
func (x *pbft) handleReply(p *sim.Process, from tracefmt.ProcessID, m request) {
	if p.ID() != p.Last() {
		return
	}
	hear(p, x.replies, from, m)
	if x.result.Get(p) == 0 && backers(p, x.replies, m) > faulty(p) {
		x.result.Set(p, m.value)
	}
}

// hear stores the value in the first message of a replica.
func hear(p *sim.Process, votes sim.Var[values], from tracefmt.ProcessID, m request) {
	if from != p.Last() && !votes.Get(p).Has(from) {
		sim.Put(p, votes, from, m.value)
	}
}

// backers returns the number of replicas that name the value of a request.
func backers(p *sim.Process, votes sim.Var[values], m request) int {
	return votes.Get(p).Count(func(value tracefmt.ProcessID) bool { return value == m.value })
}
