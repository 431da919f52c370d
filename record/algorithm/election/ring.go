package election

import (
	"slices"

	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

var ringAlgorithm = algorithm.Algorithm{
	Name: "ring",
	Doc: `The ring election that collects the list of members.

A process that notices that the coordinator is gone sends ELECTION with its own
number to its successor; successors that are down are passed over. Everybody
adds its number and passes the message on. Who finds its own number in the
list turns the message into COORDINATOR: the members are the list, the
coordinator is its greatest number, and the message goes round once more until
its launcher removes it.

Messages of several initiators run independently, nobody suppresses anything;
the COORDINATOR that arrives last decides. The texts are silent on a launcher
that dies (its message is never removed) and on a listed member that dies. A
process that recovers takes part when a message passes.`,
	Source:  "Lecture notes, Distributed Systems - Theory 12, A Ring Algorithm; short notes, Election Algorithms, Ring Algorithm",
	Problem: "election",
	Traits:  []string{tracefmt.GreatestWins, tracefmt.NoRecovery, tracefmt.OnRing},
	Bounds:  ringBounds,
	Params: []algorithm.Param{{
		Name: "convert", Default: "own-number", Words: []string{"own-number", "initiator"},
		Doc: "who turns ELECTION into COORDINATOR: whoever finds its own number in the list (the rule of both texts), or only the process that heads the list",
	}},
	New: newRing,
}

type ring struct {
	elected               sim.ProcessVar
	members               sim.Processes
	election, coordinator sim.MessageType
	initiatorOnly         bool
}

func newRing(v algorithm.Values) *sim.Protocol {
	pr := &sim.Protocol{}
	r := &ring{
		elected:       pr.Elected(),
		members:       pr.Processes("members", "who is on the ring"),
		election:      pr.ListMessage("ELECTION", "collects the numbers of the live processes", "list"),
		coordinator:   pr.ListMessage("COORDINATOR", "tells the members; the greatest is coordinator", "list", sim.ID("launcher")),
		initiatorOnly: v["convert"] == "initiator",
	}
	pr.Start, pr.Receive = r.start, r.receive
	return pr
}

func (r *ring) start(p *sim.Process) {
	p.SendNext(r.election, []tracefmt.ProcessID{p.ID()})
}

func (r *ring) receive(p *sim.Process, m *sim.Message) {
	list := m.List()
	if m.Type == r.coordinator {
		r.adopt(p, m)
		return
	}
	switch {
	case !slices.Contains(list, p.ID()):
		p.SendNext(r.election, append(slices.Clip(list), p.ID()))
	case r.initiatorOnly && list[0] != p.ID():
		p.SendNext(r.election, list)
	default:
		r.decide(p, list)
		p.SendNext(r.coordinator, list, int64(p.ID()))
	}
}

func (r *ring) adopt(p *sim.Process, m *sim.Message) {
	launcher := m.ID(0)
	if launcher == p.ID() {
		return // it has been round
	}
	r.decide(p, m.List())
	p.SendNext(r.coordinator, m.List(), int64(launcher))
}

func (r *ring) decide(p *sim.Process, list []tracefmt.ProcessID) {
	r.members.Set(p, list)
	r.elected.Set(p, slices.Max(list))
}
