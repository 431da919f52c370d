package election

import (
	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

var ringModifiedAlgorithm = algorithm.Algorithm{
	Name: "ring-modified",
	Doc: `The modified ring election: the result must come back with the winner's id on its list.

The election message collects the ids of all that pass it on. When it returns,
its initiator chooses the greatest and sends a coordinator message round, which
again collects ids. If that returns with the chosen one in its list, the
election is a success; otherwise the initiator starts anew. With one initiator
and no failure that is 2N messages. A process that dies after it has put itself
on the second list is still elected.

The slides leave open when the others adopt the choice. There is no third
message, so they adopt it on the coordinator pass, before success is known:
their variable elected is tentative, and the next attempt overwrites a failed one. The
initiator's own elected is unset until the election succeeds. "Discard initiators with
lower IDs" is read as: an initiator discards the elections of lower initiators
(parameter discard); bystanders do not. How a successor notices a message whose
initiator has died is left open ("how?"); here a process that finds itself on
the list of another's message drops it and starts an election of its own, even
while it has one running (parameter notice). There is no rule for recovery: a
process participates when a message reaches it.`,
	Source:  "Slides, CSE 486/586 Distributed Systems, Leader Election, Algorithm 2: Modified Ring Election",
	Problem: "election",
	Traits:  []string{tracefmt.GreatestWins, tracefmt.NoRecovery, tracefmt.OnRing},
	Needs:   algorithm.Ring,
	Bounds:  ringBounds,
	Params: []algorithm.Param{
		{
			Name: "discard", Default: "on", Words: onOff, Bounded: []string{"on"},
			Doc: "on: an initiator discards the elections of initiators with lower ids; off: all run to the end",
		},
		{
			Name: "notice", Default: "on", Words: onOff,
			Doc: "on: a process that meets a message that has been round without its initiator starts an election; off: it passes it on",
		},
	},
	New: newRingModified,
}

// ballot and choice are the fields of the two messages.
type (
	ballot struct {
		initiator tracefmt.ProcessID
		list      sim.List[tracefmt.ProcessID]
	}
	choice struct {
		initiator, chosen tracefmt.ProcessID
		list              sim.List[tracefmt.ProcessID]
	}
)

// ringModified is the protocol.
type ringModified struct {
	initiating      sim.Var[bool]
	elected         sim.Elected
	election        sim.Message[ballot]
	coordinator     sim.Message[choice]
	discard, notice bool
}

// newRingModified returns the protocol.
func newRingModified(v algorithm.Values) *sim.Protocol {
	pr := &sim.Protocol{}
	r := &ringModified{
		elected:     pr.Elected(),
		initiating:  sim.Declare[bool](pr, "initiating", "true while an election of this process runs"),
		election:    sim.DeclareMessage[ballot](pr, "election", "collects the ids of the live processes"),
		coordinator: sim.DeclareMessage[choice](pr, "coordinator", "announces the choice and collects the ids of the processes that pass it on"),
		discard:     v.On("discard"),
		notice:      v.On("notice"),
	}
	r.election.On(r.handleElection)
	r.coordinator.On(r.handleCoordinator)
	pr.Start, pr.Busy = r.elected.Noticing(r.start), r.initiating.Get
	return pr
}

// start begins an election.
func (r *ringModified) start(p *sim.Process) {
	r.initiating.Set(p, true)
	r.election.SendNext(p, ballot{p.ID(), sim.ListOf(p.ID())})
}

// handleElection handles an election message: the process's own, or that of a lower initiator, of any other, or of a
// crashed one.
func (r *ringModified) handleElection(p *sim.Process, _ tracefmt.ProcessID, m ballot) {
	switch {
	case m.initiator == p.ID():
		r.coordinator.SendNext(p, choice{p.ID(), greatest(m.list), sim.ListOf(p.ID())})
	case r.discard && r.initiating.Get(p) && m.initiator < p.ID():
		// its own election goes on instead
	case !m.list.Contains(p.ID()):
		m.list = m.list.Append(p.ID())
		r.election.SendNext(p, m)
	case r.notice:
		r.start(p) // the message has gone round the ring without its initiator, which is down
	default:
		r.election.SendNext(p, m)
	}
}

// handleCoordinator handles a coordinator message.
func (r *ringModified) handleCoordinator(p *sim.Process, _ tracefmt.ProcessID, m choice) {
	switch {
	case m.initiator == p.ID() && m.list.Contains(m.chosen):
		r.elected.Set(p, m.chosen)
		r.initiating.Set(p, false)
	case m.initiator == p.ID():
		r.elected.Set(p, 0)
		r.start(p)
	case !m.list.Contains(p.ID()):
		r.elected.Set(p, m.chosen)
		r.initiating.Set(p, false) // the own election of p has lost
		m.list = m.list.Append(p.ID())
		r.coordinator.SendNext(p, m)
	case r.notice:
		r.start(p) // the message has gone round the ring without its initiator, which is down
	default:
		r.coordinator.SendNext(p, m)
	}
}
