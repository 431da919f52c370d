package election

import (
	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

var leLannAlgorithm = algorithm.Algorithm{
	Name: "le-lann",
	Doc: `The ring election of Le Lann: every id goes round the ring, and every process sees all ids.

A process that starts sends candidate(its id) clockwise. A process that receives the id of another
adds it to its list and passes it on; nothing is suppressed. When its own id returns, a process has
seen the ids of all competing processes, because channels are FIFO: each of them sent its own id before
it passed this one on. It elects the greatest of them and is passive, and with no further message
all have decided alike. If all N processes compete, that takes N*N messages: N ids, N hops each.

So elected-pass is off by default. With join=relay only starters compete, and the other processes
learn the result only with elected-pass=on.

` + contestDoc,
	Source:  "Le Lann, Distributed Systems - Towards a Formal Approach, IFIP Congress 77, pp. 155-160",
	Problem: "election",
	Traits:  []string{tracefmt.GreatestWins, tracefmt.NoRecovery, tracefmt.OnRing},
	Needs:   algorithm.Ring,
	Bounds: []tracefmt.Bound{
		// Each of live ids makes live hops. To begin an election costs nothing, and
		// there is no announcement.
		without(exactly("live**2", "starts == live and live > 1", "Le Lann 1977: n*n candidate messages when all compete"), "elected"),
		without(atMost("live**2", "", "Le Lann 1977: n*n candidate messages"), "elected"),
	},
	Params: []algorithm.Param{
		contestParams[0],
		{
			Name: "elected-pass", Default: "off", Words: onOff,
			Doc: "on: the winner sends elected round the ring, for the processes that do not compete",
		},
	},
	New: newLeLann,
}

// leLann is the protocol.
type leLann struct {
	*contest
	seen      sim.Var[sim.Set[tracefmt.ProcessID]]
	candidate sim.Message[named]
}

// newLeLann returns the protocol.
func newLeLann(v algorithm.Values) *sim.Protocol {
	pr := &sim.Protocol{}
	l := &leLann{
		contest: newContest(pr, v),
		seen: sim.Declare[sim.Set[tracefmt.ProcessID]](pr, "seen", "the ids that compete, its own among "+
			"them, as far as the process has met them"),
		candidate: sim.DeclareMessage[named](pr, "candidate", "carries the id of a process that competes round the ring"),
	}
	l.announced(pr)
	l.contest.compete = l.send
	l.candidate.On(l.handleCandidate)
	return pr
}

// send sends the own id to the successor.
func (l *leLann) send(p *sim.Process) {
	l.seen.Set(p, sim.SetOf(p.ID()))
	l.candidate.SendNext(p, named{p.ID()})
}

// handleCandidate handles a candidate: p notes and forwards the id of another process; its own id ends the election.
func (l *leLann) handleCandidate(p *sim.Process, _ tracefmt.ProcessID, m named) {
	l.wakeOrRelay(p)
	competes := l.standing.Get(p) == active
	switch {
	case m.id != p.ID():
		if competes {
			sim.Insert(p, l.seen, m.id)
		}
		l.candidate.SendNext(p, m)
	case competes:
		l.decide(p)
	}
}

// decide ends the election for p, whose own id has been round: the greatest id that it has seen wins.
func (l *leLann) decide(p *sim.Process) {
	l.standing.Set(p, passive)
	seen := l.seen.Get(p)
	winner := seen.At(seen.Len() - 1)
	if winner == p.ID() {
		l.win(p)
		return
	}
	l.role.Set(p, follower)
	l.elected.Set(p, winner)
}
