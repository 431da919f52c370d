package election

import (
	"slices"

	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

var ringModifiedAlgorithm = algorithm.Algorithm{
	Name: "ring-modified",
	Doc: `The modified ring election: the result must come back with the winner's own mark.

The election message collects the ids of all that pass it on. When it returns,
its initiator chooses the greatest and sends a coordinator message round, which
again collects ids. If that returns with the chosen one in its list, the
election is a success; otherwise the initiator starts anew. With one initiator
and no failure that is 2N messages. A process that dies after it has put itself
on the second list is elected all the same.

The slides do not say when the others adopt the choice. There is no third
message, so they adopt it on the coordinator pass, before success is known:
their elected is tentative, and a failed attempt is overwritten by the next. The
initiator holds nobody for elected until it succeeds. "Discard initiators with
lower IDs" is read as: an initiator discards the elections of lower initiators
(parameter discard); bystanders do not. How a successor notices a message whose
initiator has died is left open ("how?"); here a process that finds itself on
the list of another's message drops it and starts an election of its own, even
while it has one running (parameter notice). There is no rule for recovery: a
process takes part when a message passes.`,
	Source:  "Slides, CSE 486/586 Distributed Systems, Leader Election, Algorithm 2: Modified Ring Election",
	Problem: "election",
	Traits:  []string{tracefmt.GreatestWins, tracefmt.NoRecovery, tracefmt.OnRing},
	Bounds:  ringBounds,
	Params: []algorithm.Param{
		{
			Name: "discard", Default: "on", Words: onOff, Bounded: []string{"on"},
			Doc: "on: an initiator discards the elections of initiators with lower ids; off: all run to the end",
		},
		{
			Name: "notice", Default: "on", Words: onOff,
			Doc: "on: who meets a message that has been round without its initiator starts an election; off: it passes it on",
		},
	},
	New: newRingModified,
}

type ringModified struct {
	initiating            sim.Flag
	elected               sim.ProcessVar
	election, coordinator sim.MessageType
	discard, notice       bool
}

func newRingModified(v algorithm.Values) *sim.Protocol {
	pr := &sim.Protocol{}
	r := &ringModified{
		elected:     pr.Elected(),
		initiating:  pr.Flag("initiating", "an election of this process is running"),
		election:    pr.ListMessage("election", "collects the ids of the live processes", "list", sim.ID("initiator")),
		coordinator: pr.ListMessage("coordinator", "tells the choice and collects who heard it", "list", sim.ID("initiator"), sim.ID("chosen")),
		discard:     v.On("discard"),
		notice:      v.On("notice"),
	}
	pr.Start, pr.Busy, pr.Receive = r.start, r.initiating.Get, r.receive
	return pr
}

func (r *ringModified) start(p *sim.Process) {
	r.initiating.Set(p, true)
	p.SendNext(r.election, []tracefmt.ProcessID{p.ID()}, int64(p.ID()))
}

func (r *ringModified) receive(p *sim.Process, m *sim.Message) {
	if m.Type == r.election {
		r.collect(p, m)
	} else {
		r.hear(p, m)
	}
}

// collect handles an election message: of one's own, of a lower initiator, of
// one that is gone, of any other.
func (r *ringModified) collect(p *sim.Process, m *sim.Message) {
	initiator, list := m.ID(0), m.List()
	switch {
	case initiator == p.ID():
		p.SendNext(r.coordinator, []tracefmt.ProcessID{p.ID()}, int64(p.ID()), int64(slices.Max(list)))
	case r.discard && r.initiating.Get(p) && initiator < p.ID():
		// its own election goes on instead
	case slices.Contains(list, p.ID()):
		r.orphan(p, m)
	default:
		p.SendNext(r.election, append(slices.Clip(list), p.ID()), int64(initiator))
	}
}

// hear handles a coordinator message.
func (r *ringModified) hear(p *sim.Process, m *sim.Message) {
	initiator, chosen, list := m.ID(0), m.ID(1), m.List()
	switch {
	case initiator == p.ID() && slices.Contains(list, chosen):
		r.elected.Set(p, chosen)
		r.initiating.Set(p, false)
	case initiator == p.ID():
		r.elected.Set(p, 0)
		r.start(p)
	case slices.Contains(list, p.ID()):
		r.orphan(p, m)
	default:
		r.elected.Set(p, chosen)
		r.initiating.Set(p, false) // an election of its own has lost
		p.SendNext(r.coordinator, append(slices.Clip(list), p.ID()), int64(initiator), int64(chosen))
	}
}

// orphan handles a message that has been round: its initiator is gone.
func (r *ringModified) orphan(p *sim.Process, m *sim.Message) {
	if r.notice {
		r.start(p)
		return
	}
	p.Forward(m)
}
