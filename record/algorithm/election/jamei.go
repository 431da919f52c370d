package election

import (
	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

var jameiAlgorithm = algorithm.Algorithm{
	Name: "jamei",
	Doc: `The bully variant of Jamei: ask one process after the other, from the highest downwards.

The initiator sends ELECTION to the process with the biggest id. A process that gets an ELECTION
announces itself. If nothing is heard before the timer runs out, the initiator asks the next lower
id, and so on down to itself: then it announces itself. A COORDINATOR stops the timer.

The paper leaves open whether the coordinator that was just found dead is tried
as well (parameter first: it "may be dead such as the coordinator"), whether the
initiator gets a confirmation (ack), and which processes hear the result (announce: lower,
as in the baseline of the paper, the bully algorithm). The dead coordinator is the leader that the initiator knew, else the
highest process that was down at the
start; first=next leaves it out for the whole election. A process that is asked
while it asks others announces itself, and goes on asking until it hears a
COORDINATOR. There is no rule for recovery: elected stays empty until a
COORDINATOR comes.`,
	Source:  comparisonPaper + ", section II, method [6]; Jamei, A Novel Coordinator Selection Algorithm in Distributed Systems, 2011",
	Problem: "election",
	Traits:  []string{tracefmt.AsksUpward, tracefmt.GreatestWins, tracefmt.NoRecovery},
	Needs:   algorithm.CompleteGraph,
	Bounds:  []tracefmt.Bound{inTime("starts * (above + 1 + n-1)", "", "Gajre and Ragha, method [6]: ELECTION downwards, OK, announcement")},
	Params: []algorithm.Param{
		announceParam("lower"),
		timeoutParam,
		{
			Name: "first", Default: "next", Words: []string{"next", "dead"},
			Doc: "the first process to ask: next leaves out the coordinator that was found dead, dead asks it, too",
		},
		{
			Name: "ack", Default: "off", Words: onOff,
			Doc: "on: the asked process confirms with OK before it announces itself",
		},
	},
	New: newJamei,
}

// jamei is the protocol.
type jamei struct {
	announcer
	asked, dead sim.Var[tracefmt.ProcessID]
	election    sim.Signal
	timer       sim.Timer
	timeout     tracefmt.Time
	skip        bool
}

// newJamei returns the protocol.
func newJamei(v algorithm.Values) *sim.Protocol {
	pr := &sim.Protocol{}
	j := &jamei{
		election: pr.Signal("ELECTION", "asks the receiver to take over"),
		timer:    pr.Timer("answer"),
		skip:     v["first"] == "next",
	}
	confirm := func(*sim.Process, tracefmt.ProcessID) {}
	if v.On("ack") {
		ok := pr.Signal("OK", "the sender takes over")
		ok.On(func(p *sim.Process, _ tracefmt.ProcessID) { p.StopTimer(j.timer) })
		confirm = ok.Send
	}
	var coordinator sim.Signal
	j.announcer, coordinator = newSignaller(pr, v)
	j.asked = sim.Declare[tracefmt.ProcessID](pr, "asked", "the process that this process asked last")
	if j.skip {
		j.dead = sim.Declare[tracefmt.ProcessID](pr, "dead", "the coordinator that this process has found dead")
	}
	j.timeout, _ = v.Time("timeout")
	j.election.On(func(p *sim.Process, from tracefmt.ProcessID) {
		confirm(p, from)
		j.win(p)
	})
	coordinator.On(func(p *sim.Process, from tracefmt.ProcessID) {
		p.StopTimer(j.timer)
		j.believe(p, from)
	})
	pr.Start, pr.Timeout = j.elected.Noticing(j.start), j.expire
	pr.Busy = func(p *sim.Process) bool { return p.Armed(j.timer) }
	return pr
}

// start asks the highest process.
func (j *jamei) start(p *sim.Process) {
	if j.skip {
		j.dead.Set(p, j.elected.Suspected(p))
	}
	j.ask(p, p.Last())
}

// ask sends ELECTION to q, or to the next lower process if q is skipped.
func (j *jamei) ask(p *sim.Process, q tracefmt.ProcessID) {
	if j.skip && q == j.dead.Get(p) {
		q--
	}
	if q <= p.ID() {
		j.win(p)
		return
	}
	j.asked.Set(p, q)
	j.election.Send(p, q)
	p.SetTimer(j.timer, j.timeout)
}

// expire handles the timer: p asks the next lower process.
func (j *jamei) expire(p *sim.Process, _ sim.Timer) { j.ask(p, j.asked.Get(p)-1) }
