package election

import (
	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

var ringAlgorithm = algorithm.Algorithm{
	Name: "ring",
	Doc: `The ring election that collects the list of members.

A process that notices that the coordinator is gone sends ELECTION with its own
number to its successor; successors that are down are skipped. Each process
adds its number and passes the message on. A process that finds its own number in the list turns the
message into COORDINATOR: the members are the list, the coordinator is its greatest number, and the
message goes round once more until its launcher removes it.

Messages of several initiators run independently, no process suppresses anything;
the COORDINATOR that arrives last decides. The texts are silent on a launcher
that dies (its message is never removed) and on a listed member that dies. A
process that recovers participates when a message reaches it.`,
	Source:  "Lecture notes, Distributed Systems - Theory 12, A Ring Algorithm; short notes, Election Algorithms, Ring Algorithm",
	Problem: "election",
	Traits:  []string{tracefmt.GreatestWins, tracefmt.NoRecovery, tracefmt.OnRing},
	Needs:   algorithm.Ring,
	Bounds:  ringBounds,
	Params: []algorithm.Param{{
		Name: "convert", Default: "own-number", Words: []string{"own-number", "initiator"},
		Doc: "the process that turns ELECTION into COORDINATOR: any process with its own number in the list (the rule of both " +
			"texts), or only the process that heads the list",
	}},
	New: newRing,
}

// collected and launched are the fields of the two messages.
type (
	collected struct{ list sim.List[tracefmt.ProcessID] }
	launched  struct {
		launcher tracefmt.ProcessID
		list     sim.List[tracefmt.ProcessID]
	}
)

// ring is the protocol.
type ring struct {
	elected       sim.Elected
	members       sim.Var[sim.List[tracefmt.ProcessID]]
	election      sim.Message[collected]
	coordinator   sim.Message[launched]
	initiatorOnly bool
}

// newRing returns the protocol.
func newRing(v algorithm.Values) *sim.Protocol {
	pr := &sim.Protocol{}
	r := &ring{
		elected:       pr.Elected(),
		members:       sim.Declare[sim.List[tracefmt.ProcessID]](pr, "members", "the processes on the ring", sim.Every),
		election:      sim.DeclareMessage[collected](pr, "ELECTION", "collects the numbers of the live processes"),
		coordinator:   sim.DeclareMessage[launched](pr, "COORDINATOR", "lists the members; the greatest is coordinator"),
		initiatorOnly: v["convert"] == "initiator",
	}
	r.election.On(r.handleElection)
	r.coordinator.On(r.handleCoordinator)
	pr.Start = r.elected.Noticing(r.start)
	return pr
}

// start sends a list with the own id.
func (r *ring) start(p *sim.Process) {
	r.election.SendNext(p, collected{sim.ListOf(p.ID())})
}

// handleElection handles election: p adds its id, or, if the list has been round, announces the result.
func (r *ring) handleElection(p *sim.Process, _ tracefmt.ProcessID, m collected) {
	switch {
	case !m.list.Contains(p.ID()):
		r.election.SendNext(p, collected{m.list.Append(p.ID())})
	case r.initiatorOnly && m.list.At(0) != p.ID():
		r.election.SendNext(p, m)
	default:
		r.decide(p, m.list)
		r.coordinator.SendNext(p, launched{p.ID(), m.list})
	}
}

// handleCoordinator handles coordinator: p elects the greatest id of the list, and forwards the message.
func (r *ring) handleCoordinator(p *sim.Process, _ tracefmt.ProcessID, m launched) {
	if m.launcher == p.ID() {
		return // the result has gone round the ring
	}
	r.decide(p, m.list)
	r.coordinator.SendNext(p, m)
}

// decide elects the greatest id of a list.
func (r *ring) decide(p *sim.Process, list sim.List[tracefmt.ProcessID]) {
	r.members.Set(p, list)
	r.elected.Set(p, greatest(list))
}

// greatest returns the greatest process of a list, 0 of an empty one.
func greatest(list sim.List[tracefmt.ProcessID]) (best tracefmt.ProcessID) {
	for p := range list.Values() {
		best = max(best, p)
	}
	return best
}
