package mutex

import (
	"fmt"
	"slices"

	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

var maekawaAlgorithm = algorithm.Algorithm{
	Name: "maekawa",
	Doc: `The mutual exclusion of Maekawa: a process with the votes of its quorum enters. Any two quorums share a member, which votes once.

A requester sends REQUEST(clock) to its quorum, itself included. A member that has not voted locks
itself for the request and answers LOCKED. A member that has voted queues the request: FAIL goes to
each requester with an older request before it. If the new request is the oldest of all, INQUIRE
goes to the holder of the vote. The holder ignores it when it is inside. If it waits and has a FAIL,
it answers RELINQUISH; if it waits without a FAIL, it answers once a FAIL comes. The member then
puts its request back and votes for the oldest. A process that leaves sends RELEASE to its quorum:
3(K-1) messages for a quorum of K without competitors, at most 6K-3 on the average.

The paper of 1985 sends no FAIL to a request that was the oldest of the queue, older than the vote,
and is overtaken by a still older one; then the requesters may deadlock. Sanders has mended that:
such a request gets its FAIL when the older one comes. The mutant maekawa-1985 does not send this
FAIL. Channels must be FIFO: INQUIRE comes after LOCKED. Messages of a process to itself take effect
at once, at its place in the order of ids. With quorums=grid the ids are in rows of the square root
of n, rounded up, and a quorum is a row and a column; the last row may be short. With plane, for n =
3, 7, 13 and 21, it is a line of a finite projective plane: positions p+d modulo n, for d of a
difference set. The algorithm has no rule for a member that crashes.`,
	Source: "Maekawa, ACM TOCS 3(2), 1985, section 4; Sanders, ACM TOCS 5(3), 1987; Kshemkalyani and Singhal, " +
		"Distributed Computing, 2008, section 9.6",
	Problem: tracefmt.Mutex,
	Traits:  []string{tracefmt.NoRecovery},
	FIFO:    true,
	Needs:   algorithm.CompleteGraph,
	Bounds: []tracefmt.Bound{
		exactly(
			"repeat*3*((4*n-3)**0.5-1)/2", "quorums_plane == 1 and starts == 1 and live == n",
			"Maekawa 1985: 3(K-1), K being (1+(4n-3)**0.5)/2",
		),
		atMost("(3*(4*n-3)**0.5)*starts*repeat", "quorums_plane == 1 and live == n", "Sanders 1987: by the "+
			"rules 6K-3 for each entry, on the average of a run, K being (1+(4n-3)**0.5)/2"),
		atMost(
			"(6*ceil(n**0.5)-6)*repeat", "quorums_grid == 1 and starts == 1 and live == n",
			"Maekawa 1985: 3(K-1), K being at most 2*ceil(n**0.5)-1",
		),
		atMost("(12*ceil(n**0.5)-9)*starts*repeat", "quorums_grid == 1 and live == n", "Sanders 1987: by the "+
			"rules 6K-3 for each entry, on the average of a run, K being at most 2*ceil(n**0.5)-1"),
	},
	Params: params(algorithm.Param{
		Name: quorumsParam, Default: "grid", Words: []string{"grid", "plane"},
		Doc: "the quorum of a process: grid: its row and its column; plane: a line of a projective plane, for n = 3, 7, 13, 21",
	}),
	Tolerates: []algorithm.Tolerance{{
		Faults: algorithm.Down, Most: algorithm.None, Breaks: "a process that asks for its vote meanwhile waits forever",
		Source: "by the rules: no process enters without all votes of its quorum",
	}},
	Mutants: []algorithm.Mutant{
		{
			Name: "no-inquire", Doc: "There is no FAIL, INQUIRE and RELINQUISH: each process keeps its votes, and all wait for each other.",
			Breaks: []string{"no-starvation"}, Shows: "nodes: 4, start: all",
		},
		{
			Name: "maekawa-1985", Doc: "The algorithm as it was printed: a request that was the oldest gets no FAIL when an older one comes.",
			Breaks: []string{"no-starvation"}, Shows: "nodes: 4, start: [4@0, 3@0.1, 2@0.2]",
		},
	},
	Suits:   suitsPlane,
	Example: "nodes: 4, start: all",
	New:     newMaekawa,
}

const quorumsParam = "quorums"

// differences has difference sets by n: each distance modulo n occurs once between their elements, so that any
// two shifted sets have an element in common.
var differences = map[int][]int{3: {0, 1}, 7: {0, 1, 3}, 13: {0, 1, 3, 9}, 21: {0, 1, 4, 14, 16}}

// suitsPlane fails for quorums=plane with a number of processes that has no difference set.
func suitsPlane(v algorithm.Values, c *sim.Config) *algorithm.Unsuited {
	if n := len(c.Members); v.Is(quorumsParam, "plane") && differences[n] == nil {
		return &algorithm.Unsuited{Param: quorumsParam, Reason: fmt.Sprintf("plane with %d processes, expected 3, 7, 13 or 21", n)}
	}
	return nil
}

// maekawa is the protocol.
type maekawa struct {
	section
	plane bool

	// The variables of a member of quorums.
	clock    sim.Var[int64]
	locked   sim.Var[stamp]
	queue    sim.Var[sim.Set[stamp]]
	inquired sim.Var[bool]
	// The variables of a process with a request.
	stamp                sim.Var[stamp]
	votes, failed, asked sim.Var[processSet]

	request                                       sim.Message[asks]
	lockedIs, fail, inquire, relinquish, releases sim.Signal
	noInquire /* mutant */, of1985/* maekawa-1985 */ bool
}

// newMaekawa returns the protocol.
func newMaekawa(v algorithm.Values) *sim.Protocol {
	pr := &sim.Protocol{}
	a := &maekawa{plane: v.Is(quorumsParam, "plane"), noInquire: v.Mutant("no-inquire"), of1985: v.Mutant("maekawa-1985")}
	a.section = newSection(pr, v, rules{a.ask, a.release})
	a.clock = sim.Declare[int64](pr, "clock", "the greatest known number of a request")
	a.locked = sim.Declare[stamp](pr, "locked", "as a member of a quorum: the request that has its vote; (0, none) if none")
	a.queue = sim.Declare[sim.Set[stamp]](pr, "queue", "as a member: the requests that wait for the vote, the oldest first")
	a.inquired = sim.Declare[bool](pr, "inquired", "as a member: it has asked the holder of its vote to give it back")
	a.stamp = sim.Declare[stamp](pr, "stamp", "number and id of the last request")
	a.votes = sim.Declare[processSet](pr, "votes", "the members that have voted for it")
	a.failed = sim.Declare[processSet](pr, "failed", "the members that have an older request, or have got their vote back")
	a.asked = sim.Declare[processSet](pr, "asked", "the members that want their vote back")
	a.request = sim.DeclareMessage[asks](pr, "REQUEST", "asks for a vote, with the number of the request")
	a.lockedIs = pr.Signal("LOCKED", "is the vote of the sender")
	a.fail = pr.Signal("FAIL", "an older request is before that of the receiver")
	a.inquire = pr.Signal("INQUIRE", "asks for the vote back, since there is an older request")
	a.relinquish = pr.Signal("RELINQUISH", "gives the vote back, until it is the turn of the request again")
	a.releases = pr.Signal("RELEASE", "gives the vote back for good: the sender has left")
	a.request.On(a.handleRequest)
	a.lockedIs.On(a.handleLocked)
	a.fail.On(a.handleFail)
	a.inquire.On(a.handleInquire)
	a.relinquish.On(a.handleRelinquish)
	a.releases.On(func(p *sim.Process, _ tracefmt.ProcessID) { a.voteForOldest(p) })
	return pr
}

// quorum returns the quorum of a process, in ascending order.
func (a *maekawa) quorum(p *sim.Process) []tracefmt.ProcessID {
	n, self := int(p.Last()), int(p.ID())-1
	var members []tracefmt.ProcessID
	if a.plane {
		for _, d := range differences[n] {
			members = append(members, tracefmt.ProcessID((self+d)%n+1))
		}
		slices.Sort(members)
		return members
	}
	width := 1
	for width*width < n {
		width++
	}
	for i := range n {
		if i/width == self/width || i%width == self%width {
			members = append(members, tracefmt.ProcessID(i+1))
		}
	}
	return members
}

// ask sends REQUEST with a new number to the quorum of p.
func (a *maekawa) ask(p *sim.Process) {
	a.stamp.Set(p, stamp{sim.Add(p, a.clock, 1), p.ID()})
	a.votes.Clear(p)
	a.failed.Clear(p)
	a.asked.Clear(p)
	for _, q := range a.quorum(p) {
		a.request.SendOrTake(p, q, asks{a.stamp.Get(p).clock})
	}
}

// handleRequest handles REQUEST at a member: it votes for the request, or queues it and asks for its vote back if the
// request is older.
func (a *maekawa) handleRequest(p *sim.Process, from tracefmt.ProcessID, m asks) {
	sim.Raise(p, a.clock, m.clock)
	request := stamp{m.clock, from}
	locked, waiting := a.locked.Get(p), a.queue.Get(p)
	if locked == (stamp{}) {
		a.giveVote(p, request)
		return
	}
	sim.Insert(p, a.queue, request)
	switch first := oldest(waiting); {
	case a.noInquire: // the mutant never asks for a vote back
	case sim.Less(locked, request) || waiting.Len() > 0 && sim.Less(first, request):
		a.fail.SendOrTake(p, from)
	default:
		if waiting.Len() > 0 && sim.Less(first, locked) && !a.of1985 {
			a.fail.SendOrTake(p, first.id) // so far this request had been spared a FAILED
		}
		if !a.inquired.Get(p) {
			a.inquired.Set(p, true)
			a.inquire.SendOrTake(p, locked.id)
		}
	}
}

// oldest returns the oldest request, the zero stamp without any.
func oldest(requests sim.Set[stamp]) (first stamp) {
	if requests.Len() > 0 {
		first = requests.At(0)
	}
	return first
}

// giveVote gives the vote of a member to a request.
func (a *maekawa) giveVote(p *sim.Process, request stamp) {
	a.locked.Set(p, request)
	a.lockedIs.SendOrTake(p, request.id)
}

// voteForOldest gives the free vote of a member to the oldest waiting request.
func (a *maekawa) voteForOldest(p *sim.Process) {
	a.locked.Clear(p)
	a.inquired.Set(p, false)
	if waiting := a.queue.Get(p); waiting.Len() > 0 {
		a.queue.Set(p, waiting.Without(waiting.At(0)))
		a.giveVote(p, waiting.At(0))
	}
}

// handleRelinquish handles RELINQUISH at a member: the request waits again, and the vote goes to the oldest.
func (a *maekawa) handleRelinquish(p *sim.Process, _ tracefmt.ProcessID) {
	sim.Insert(p, a.queue, a.locked.Get(p))
	a.voteForOldest(p)
}

// handleLocked handles LOCKED: p enters when its whole quorum has voted for it.
func (a *maekawa) handleLocked(p *sim.Process, from tracefmt.ProcessID) {
	a.failed.Set(p, a.failed.Get(p).Without(from))
	if sim.Insert(p, a.votes, from).Len() == len(a.quorum(p)) {
		a.enter(p)
	}
}

// handleFail handles FAIL: p gives back the votes that members have asked for.
func (a *maekawa) handleFail(p *sim.Process, from tracefmt.ProcessID) {
	sim.Insert(p, a.failed, from)
	for member := range a.asked.Take(p).Values() {
		a.giveBack(p, member)
	}
}

// handleInquire handles INQUIRE: p gives the vote back if another member has sent FAIL; otherwise it decides with the
// next FAIL. An INQUIRE after the exit has no effect, since the member gets RELEASE.
func (a *maekawa) handleInquire(p *sim.Process, from tracefmt.ProcessID) {
	switch {
	case !a.waits.Get(p) || !a.votes.Get(p).Has(from): // it has the lock, or the vote is back already
	case a.failed.Get(p).Len() > 0:
		a.giveBack(p, from)
	default:
		sim.Insert(p, a.asked, from)
	}
}

// giveBack gives a vote back to a member, by RELINQUISH.
func (a *maekawa) giveBack(p *sim.Process, member tracefmt.ProcessID) {
	a.votes.Set(p, a.votes.Get(p).Without(member))
	sim.Insert(p, a.failed, member)
	a.relinquish.SendOrTake(p, member)
}

func (a *maekawa) release(p *sim.Process) {
	for _, q := range a.quorum(p) {
		a.releases.SendOrTake(p, q)
	}
}
