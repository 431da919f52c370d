package broadcast

import (
	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

var reliableAlgorithm = algorithm.Algorithm{
	Name: "reliable-broadcast",
	Doc: `Eager reliable broadcast: a process that delivers a message forwards it to all others, so all correct processes deliver it, or none.

A process that starts delivers its next message and sends DATA(m, sender) to all others. A process
that gets the first copy of a message delivers it and sends DATA of it to all others, too, also back
to where it came from: n(n-1) messages for each broadcast. With back=off a copy does not go back to
the process that it came from: (n-1)^2 messages.

So what a correct process has delivered reaches all correct processes, even if the sender crashes
in the middle of its sends. This needs channels that lose nothing between processes that stay up. The
algorithm is not uniform: a sender delivers before any other process has the message. If the sender
crashes and its copies are lost, no other process ever delivers it (broadcast-uniform-agreement).
The order of messages is arbitrary.

In the source, crashed processes stay down. Here the delivered messages and the number of broadcasts
are on stable storage. So a process that recovers delivers no message twice, and numbers its messages
without repetition. It misses the messages that arrived while it was down.`,
	Source:  "Cachin, Guerraoui, Rodrigues, Reliable and Secure Distributed Programming, 2011, 3.3, algorithm 3.3",
	Problem: tracefmt.Broadcast,
	Traits:  []string{tracefmt.NoRecovery},
	Needs:   algorithm.CompleteGraph,
	Bounds: []tracefmt.Bound{
		exactly("(n-1)*(n-1)*starts", "back_off == 1 and live == n", "by the rules: one DATA from the sender to "+
			"each other, and from each of these to all but itself and one"),
		exactly("live*(n-1)*starts", "back_off == 0", "Cachin, Guerraoui, Rodrigues 2011: one DATA from each live process to each other"),
	},
	Params: []algorithm.Param{{
		Name: "back", Default: "on", Words: []string{"on", "off"},
		Doc: "off: a message is not passed on to the process that it came from",
	}},
	Tolerates: []algorithm.Tolerance{{
		Faults: algorithm.Crashes, Most: algorithm.All, Source: "Cachin, Guerraoui, Rodrigues 2011, 3.3: the processes may crash, however many",
	}},
	Mutants: []algorithm.Mutant{
		{
			Name: "best-effort", Doc: "no process forwards a message, so only some processes have it if its sender crashes",
			Breaks: []string{agreement, "broadcast-uniform-agreement"}, Shows: "nodes: 4, start: 1, drop: ['DATA:1>3', 'DATA:1>4'], crash: 1@0.5",
		},
		{
			Name: "every-copy", Doc: "a process delivers each copy of a message",
			Breaks: []string{"broadcast-no-duplication"}, Shows: "nodes: 3, start: 1",
		},
		{
			Name: "forgets-own", Doc: "the sender does not deliver its own message",
			Breaks: []string{"broadcast-validity", agreement}, Shows: "nodes: 3, start: 1",
		},
	},
	New: newReliable,
}

// reliable is the protocol.
type reliable struct {
	notes
	number    sim.Var[int64]
	delivered sim.Var[sim.Set[string]]
	data      sim.Message[delivery]

	back                              bool
	bestEffort, everyCopy, forgetsOwn bool // mutants
}

// newReliable returns the protocol.
func newReliable(v algorithm.Values) *sim.Protocol {
	pr := &sim.Protocol{}
	r := &reliable{
		notes:     declareNotes(pr),
		number:    declareNumber(pr),
		delivered: sim.Declare[sim.Set[string]](pr, "delivered", "the messages that it has delivered", sim.Stable),
		data:      sim.DeclareMessage[delivery](pr, "DATA", "the sender has broadcast m"),

		back:       v.On("back"),
		bestEffort: v.Mutant("best-effort"), everyCopy: v.Mutant("every-copy"), forgetsOwn: v.Mutant("forgets-own"),
	}
	pr.Start = func(p *sim.Process) { r.deliverAndForward(p, p.ID(), r.announce(p, sim.Add(p, r.number, 1))) }
	r.data.On(func(p *sim.Process, from tracefmt.ProcessID, d delivery) {
		switch known := r.delivered.Get(p).Has(d.m); {
		case !known:
			r.deliverAndForward(p, from, d)
		case r.everyCopy:
			r.deliver.Record(p, d)
		}
	})
	return pr
}

// deliverAndForward delivers a message that came from a process, and forwards it.
func (r *reliable) deliverAndForward(p *sim.Process, from tracefmt.ProcessID, d delivery) {
	sim.Insert(p, r.delivered, d.m)
	local := from == p.ID()
	if !local || !r.forgetsOwn {
		r.deliver.Record(p, d)
	}
	if !local && r.bestEffort {
		return
	}
	for _, q := range p.Neighbours() {
		if r.back || q != from {
			r.data.Send(p, q, d)
		}
	}
}
