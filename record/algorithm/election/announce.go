package election

import (
	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

// comparisonPaper compares the baseline, four variants of it, and its own proposal.
const comparisonPaper = "Gajre and Ragha, Optimized Bully Election Method for Selection of Coordinator Process " +
	"and Recovery of Crashed Process"

// announcer is the common part of the bully algorithms: a process believes in a coordinator, and a message
// announces it to others.
type announcer struct {
	elected sim.Elected
	role    sim.Var[role]
	// sendTo sends q the message that announces the winner.
	sendTo func(p *sim.Process, q, winner tracefmt.ProcessID)

	// to is the parameter announce, and live what its value live means.
	receivers string
	live      func(p *sim.Process, q tracefmt.ProcessID) bool
}

// newAnnouncer declares elected and role; the caller sets sendTo. live uses the true states of processes, which
// only the simulator knows.
func newAnnouncer(pr *sim.Protocol, v algorithm.Values) announcer {
	return announcer{elected: pr.Elected(), role: declareRole(pr), receivers: v["announce"], live: (*sim.Process).Up}
}

// newSignaller is an announcer whose winners send COORDINATOR without any field,
// and are believed.
func newSignaller(pr *sim.Protocol, v algorithm.Values) (announcer, sim.Signal) {
	a := newAnnouncer(pr, v)
	coordinator := pr.Signal("COORDINATOR", "announces the new coordinator")
	a.sendTo = func(p *sim.Process, q, _ tracefmt.ProcessID) { coordinator.Send(p, q) }
	coordinator.On(a.believe)
	return a, coordinator
}

// believe makes q the coordinator that p sees.
func (a *announcer) believe(p *sim.Process, q tracefmt.ProcessID) {
	a.elected.Set(p, q)
	if q == p.ID() {
		a.role.Set(p, leader)
	} else {
		a.role.Set(p, follower)
	}
}

// announce makes winner the coordinator of p, and announces it to others.
func (a *announcer) announce(p *sim.Process, winner tracefmt.ProcessID) {
	a.believe(p, winner)
	for q := tracefmt.ProcessID(1); q <= p.Last(); q++ {
		if q != p.ID() && a.hears(p, winner, q) {
			a.sendTo(p, q, winner)
		}
	}
}

// win announces the process itself.
func (a *announcer) win(p *sim.Process) { a.announce(p, p.ID()) }

// hears reports whether p announces the winner to q. A winner that has not announced itself gets the message,
// too.
func (a *announcer) hears(p *sim.Process, winner, q tracefmt.ProcessID) bool {
	switch a.receivers {
	case "lower":
		return q <= winner
	case "live":
		return a.live(p, q)
	}
	return true
}
