package election

import (
	"slices"

	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

var franklinAlgorithm = algorithm.Algorithm{
	Name: "franklin",
	Doc: `The ring election of Franklin: in each round only the local maxima go on.

In a round, an active process sends its id in both directions, and waits for the ids of
the next active processes on both sides. If one of them is greater than its own, the
process becomes passive. If both are its own, it is the only active process and is
elected. Otherwise it begins the next round. A passive process passes all messages on. Of
two neighbours at most one stays active, so each round at least halves the active
processes: O(n log n) messages.

The messages of a side wait in a queue, since one side may be a round ahead. A process that becomes
passive first passes on what waits in its queues. This needs FIFO channels (reorder is an
experiment). Each message carries its direction, since in a ring of two both neighbours are the
same process. With join=relay the greatest of the starters is elected.

` + contestDoc,
	Source:  "Franklin, CACM 25(5), 1982",
	Problem: "election",
	Traits:  []string{tracefmt.GreatestWins, tracefmt.NoRecovery},
	Needs:   algorithm.Ring,
	Bounds: []tracefmt.Bound{
		// A round is 2*live messages, however many are active. There are at most
		// floor(log2(live)) rounds of several, one of the last, and then elected.
		atMost("2*live*floor(log2(live)) + 3*live", "",
			"Franklin 1982: 2n*floor(log2 n) + 3n, the announcement among them, whoever starts"),
		without(atMost("2*live*floor(log2(live)) + 2*live", "", "the same without the announcement"), "elected"),
	},
	Params: slices.Clone(contestParams),
	New:    newFranklin,
}

// round has the fields of the message round.
type round struct {
	id  tracefmt.ProcessID
	way way
}

// franklin is the protocol.
type franklin struct {
	*contest
	// queues hold the ids that wait, by the direction of their messages.
	queues [2]sim.Var[sim.List[tracefmt.ProcessID]]
	round  sim.Message[round]
}

// newFranklin returns the protocol.
func newFranklin(v algorithm.Values) *sim.Protocol {
	pr := &sim.Protocol{}
	f := &franklin{contest: newContest(pr, v)}
	f.queues[clockwise] = sim.Declare[sim.List[tracefmt.ProcessID]](
		pr, "clockwise", "the ids that came clockwise, from the predecessor, and wait",
	)
	f.queues[counterclockwise] = sim.Declare[sim.List[tracefmt.ProcessID]](
		pr, "counterclockwise", "the ids that came counterclockwise, from the successor, and wait",
	)
	f.round = sim.DeclareMessage[round](pr, "round", "the id of an active process, for the next active process")
	f.announced(pr)
	f.compete = f.send
	f.round.On(f.handleID)
	return pr
}

// send sends the own id to both neighbours, for a round.
func (f *franklin) send(p *sim.Process) {
	f.round.SendBoth(p, round{p.ID(), clockwise}, round{p.ID(), counterclockwise})
}

// handleID handles a message: an active process queues it, any other forwards it.
func (f *franklin) handleID(p *sim.Process, _ tracefmt.ProcessID, m round) {
	f.wakeOrRelay(p)
	switch {
	case f.competes(p):
		sim.Append(p, f.queues[m.way], m.id)
		f.compare(p)
	case f.standing.Get(p) == passive:
		sendOn(p, f.round, m.way, m)
	}
}

// compare ends each round for which a message from both sides is queued.
func (f *franklin) compare(p *sim.Process) {
	for f.competes(p) && f.queues[clockwise].Get(p).Len() > 0 && f.queues[counterclockwise].Get(p).Len() > 0 {
		x, y := f.first(p, clockwise), f.first(p, counterclockwise)
		switch {
		case x == p.ID() && y == p.ID():
			f.win(p)
		case x > p.ID() || y > p.ID():
			f.retire(p)
		default:
			f.send(p)
		}
	}
}

// first removes and returns the first id of a queue.
func (f *franklin) first(p *sim.Process, w way) tracefmt.ProcessID {
	queue := f.queues[w].Get(p)
	f.queues[w].Set(p, queue.From(1))
	return queue.At(0)
}

// retire makes a process passive, and forwards the queued messages.
func (f *franklin) retire(p *sim.Process) {
	f.standing.Set(p, passive)
	for w, queue := range f.queues {
		for id := range queue.Take(p).Values() {
			sendOn(p, f.round, way(w), round{id, way(w)})
		}
	}
}
