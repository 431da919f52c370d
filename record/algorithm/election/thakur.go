package election

import (
	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

var thakurAlgorithm = algorithm.Algorithm{
	Name: "thakur",
	Doc: `The bully variant of Thakur et al.: the initiator announces the highest that answers.

The initiator sends ELECTION to every higher process and collects their OKs
until its timer runs out. Then it takes the highest that answered, itself if
none did, and sends COORDINATOR with that id; the winner learns from it that it
has won. Who answers starts nothing.

The highest of all ids announces itself at once when it recovers. Any other
process that recovers sends QUERY and believes each ANSWER that names a
coordinator. The paper tells this twice: section II asks P2 and P3, read here
as the two next higher ids, section III and figure 5 ask all higher ones
(parameter query).

The result goes to all others (announce); lower means here the ids below the
winner, and the winner. The text is silent on a winner that dies meanwhile, and
on a query that nobody answers with a coordinator: elected stays empty. It
excepts nobody from waiting: also the highest of all ids, when it notices
something, announces itself only when its timer has run out.`,
	Source:  comparisonPaper + ", section II, method [5], section III and figure 5; Thakur et al., A New Approach of Bully Election Algorithm for Distributed Computing, 2011",
	Problem: "election",
	Traits:  []string{tracefmt.Answers, tracefmt.AsksUpward, tracefmt.GreatestWins},
	Bounds:  []tracefmt.Bound{inTime("starts * (2*above + n-1)", "", "Gajre and Ragha, method [5]: ELECTION and OK, announcement")},
	Params: []algorithm.Param{
		announceParam("all"),
		timeoutParam,
		{
			Name: "query", Default: "higher", Words: []string{"higher", "two"},
			Doc: "whom a process that recovers asks for the coordinator: every higher id, or the two next higher ids",
		},
	},
	New: newThakur,
}

type thakur struct {
	survey
	announcer
	query, answer sim.MessageType
	two           bool
}

func newThakur(v algorithm.Values) *sim.Protocol {
	pr := &sim.Protocol{}
	t := &thakur{
		survey:    newSurvey(pr, v),
		announcer: newAnnouncer(pr, v, sim.ID("id")),
		query:     pr.Message("QUERY", "asks for the coordinator"),
		answer:    pr.Message("ANSWER", "names the coordinator that the sender sees", sim.ID("id")),
		two:       v["query"] == "two",
	}
	pr.Start, pr.Recover, pr.Receive, pr.Timeout = t.ask, t.recover, t.receive, t.expire
	return pr
}

func (t *thakur) receive(p *sim.Process, m *sim.Message) {
	switch m.Type {
	case t.coordinator:
		t.believe(p, m.ID(0))
	case t.query:
		p.Send(m.From, t.answer, int64(t.elected.Get(p)))
	case t.answer:
		if q := m.ID(0); q != 0 {
			t.believe(p, q)
		}
	default:
		t.survey.receive(p, m)
	}
}

func (t *thakur) expire(p *sim.Process, _ sim.Timer) { t.tell(p, t.highest(p)) }

func (t *thakur) tell(p *sim.Process, winner tracefmt.ProcessID) {
	t.announce(p, winner, int64(winner))
}

func (t *thakur) recover(p *sim.Process) {
	if p.ID() == p.Last() {
		t.tell(p, p.ID())
		return
	}
	last := p.Last()
	if t.two {
		last = min(last, p.ID()+2)
	}
	for q := p.ID() + 1; q <= last; q++ {
		p.Send(q, t.query)
	}
}
