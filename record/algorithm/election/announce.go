package election

import (
	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

// comparisonPaper is the source of several algorithms: it compares the bully algorithm, four variants of it, and
// its own proposal.
const comparisonPaper = "Gajre and Ragha, Optimized Bully Election Method for Selection of Coordinator Process " +
	"and Recovery of Crashed Process"

// announcer is the common part of the bully algorithms: the coordinator that a process sees, and its
// announcement to others.
type announcer struct {
	elected sim.Elected
	role    sim.Var[role]
	// sendTo sends q the message that announces the winner.
	sendTo func(p *sim.Process, q, winner tracefmt.ProcessID)

	receivers string                                          // the value of the parameter announce
	live      func(p *sim.Process, q tracefmt.ProcessID) bool // whether q gets the announcement of p, for the value live
}

// newAnnouncer declares elected and role; the caller sets sendTo. By default live uses the true states of processes,
// which only the simulator knows.
func newAnnouncer(pr *sim.Protocol, v algorithm.Values) announcer {
	return announcer{elected: pr.Elected(), role: declareRole(pr), receivers: v["announce"], live: (*sim.Process).Up}
}

// newSignaller returns an announcer whose winners send COORDINATOR without fields. The receiver believes the
// sender.
func newSignaller(pr *sim.Protocol, v algorithm.Values) (announcer, sim.Signal) {
	a := newAnnouncer(pr, v)
	coordinator := pr.Signal("COORDINATOR", "announces the new coordinator")
	a.sendTo = func(p *sim.Process, q, _ tracefmt.ProcessID) { coordinator.Send(p, q) }
	coordinator.On(a.believe)
	return a, coordinator
}

// believe makes q the coordinator of p.
func (a *announcer) believe(p *sim.Process, q tracefmt.ProcessID) {
	a.elected.Set(p, q)
	if q == p.ID() {
		a.role.Set(p, leader)
	} else {
		a.role.Set(p, follower)
	}
}

// announce makes winner the coordinator of p, and sends the announcement to others.
func (a *announcer) announce(p *sim.Process, winner tracefmt.ProcessID) {
	a.believe(p, winner)
	for q := tracefmt.ProcessID(1); q <= p.Last(); q++ {
		if q != p.ID() && a.hears(p, winner, q) {
			a.sendTo(p, q, winner)
		}
	}
}

// win announces p itself as the winner.
func (a *announcer) win(p *sim.Process) { a.announce(p, p.ID()) }

// hears reports whether p sends the announcement of the winner to q. A winner that another process announces
// gets it, too.
func (a *announcer) hears(p *sim.Process, winner, q tracefmt.ProcessID) bool {
	switch a.receivers {
	case "lower":
		return q <= winner
	case "live":
		return a.live(p, q)
	}
	return true
}
