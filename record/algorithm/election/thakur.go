package election

import (
	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

var thakurAlgorithm = algorithm.Algorithm{
	Name: "thakur",
	Doc: `The bully variant of Thakur et al.: the initiator announces the highest process that
answers.

The initiator sends ELECTION to every higher process and collects their OKs
until its timer runs out. Then it takes the highest that answered, itself if
none did, and sends COORDINATOR with that id; the winner learns from it that it
has won. A process that answers starts nothing.

The highest of all ids announces itself at once when it recovers. Any other
process that recovers sends QUERY and believes each ANSWER that names a
coordinator. The paper describes this twice: section II asks P2 and P3, read here
as the two next higher ids, section III and figure 5 ask all higher ones
(parameter query).

The result goes to all others (announce); lower means here the ids below the winner, and
the winner. The paper does not mention a winner that crashes meanwhile, nor a query
without an answer that names a coordinator: then elected stays empty. Every process waits:
even the highest id, when it notices the failure, announces itself only after its timer
has expired.`,
	Source: comparisonPaper + ", section II, method [5], section III and figure 5; Thakur et al., A New " +
		"Approach of Bully Election Algorithm for Distributed Computing, 2011",
	Problem: "election",
	Traits:  []string{tracefmt.Answers, tracefmt.AsksUpward, tracefmt.GreatestWins},
	Needs:   algorithm.CompleteGraph,
	Bounds:  []tracefmt.Bound{inTime("starts * (2*above + n-1)", "", "Gajre and Ragha, method [5]: ELECTION and OK, announcement")},
	Params: []algorithm.Param{
		announceParam("all"),
		timeoutParam,
		{
			Name: "query", Default: "higher", Words: []string{"higher", "two"},
			Doc: "the processes that a recovering process asks for the coordinator: every higher id, or the two next higher ids",
		},
	},
	New: newThakur,
}

// thakur is the protocol.
type thakur struct {
	survey
	announcer
	query  sim.Signal
	answer sim.Message[named]
	two    bool
}

// newThakur returns the protocol.
func newThakur(v algorithm.Values) *sim.Protocol {
	pr := &sim.Protocol{}
	t := &thakur{survey: newSurvey(pr, v), announcer: newAnnouncer(pr, v), two: v["query"] == "two"}
	coordinator := sim.DeclareMessage[named](pr, "COORDINATOR", "announces the new coordinator")
	t.query = pr.Signal("QUERY", "asks for the coordinator")
	t.answer = sim.DeclareMessage[named](pr, "ANSWER", "the coordinator that the sender knows")

	t.sendTo = func(p *sim.Process, q, winner tracefmt.ProcessID) { coordinator.Send(p, q, named{winner}) }
	coordinator.On(func(p *sim.Process, _ tracefmt.ProcessID, m named) { t.believe(p, m.id) })
	t.query.On(func(p *sim.Process, from tracefmt.ProcessID) { t.answer.Send(p, from, named{t.elected.Get(p)}) })
	t.answer.On(func(p *sim.Process, _ tracefmt.ProcessID, m named) {
		if m.id != 0 {
			t.believe(p, m.id)
		}
	})
	pr.Start, pr.Recover, pr.Timeout = t.elected.Noticing(t.ask), t.recover, t.expire
	return pr
}

func (t *thakur) expire(p *sim.Process, _ sim.Timer) { t.announce(p, t.highest(p)) }

// recover asks higher processes for the coordinator; the highest process wins at once.
func (t *thakur) recover(p *sim.Process) {
	if p.ID() == p.Last() {
		t.win(p)
		return
	}
	last := p.Last()
	if t.two {
		last = min(last, p.ID()+2)
	}
	for q := p.ID() + 1; q <= last; q++ {
		t.query.Send(p, q)
	}
}
