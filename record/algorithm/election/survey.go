package election

import (
	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

// survey finds the live processes above a process: it sends ELECTION to all of them, and collects their OKs
// until a timer expires. Nothing stops the timer, since no process knows how many answers to expect.
type survey struct {
	answers  sim.Var[sim.List[tracefmt.ProcessID]]
	election sim.Signal
	ok       sim.Message[named]
	timer    sim.Timer
	timeout  tracefmt.Time
}

// newSurvey declares the messages, variables and the timer.
func newSurvey(pr *sim.Protocol, v algorithm.Values) survey {
	s := survey{
		answers:  sim.Declare[sim.List[tracefmt.ProcessID]](pr, "answers", "the processes that answered its last election", sim.Every),
		election: pr.Signal("ELECTION", "asks a higher process whether it is alive"),
		ok:       sim.DeclareMessage[named](pr, "OK", "the sender is alive"),
		timer:    pr.Timer("answer"),
	}
	s.timeout, _ = v.Time("timeout")
	s.election.On(func(p *sim.Process, from tracefmt.ProcessID) { s.ok.Send(p, from, named{p.ID()}) })
	s.ok.On(s.handleOK)
	pr.Busy = func(p *sim.Process) bool { return p.Armed(s.timer) }
	return s
}

// ask begins a survey.
func (s *survey) ask(p *sim.Process) {
	s.answers.Set(p, sim.List[tracefmt.ProcessID]{})
	for q := p.ID() + 1; q <= p.Last(); q++ {
		s.election.Send(p, q)
	}
	p.SetTimer(s.timer, s.timeout)
}

// handleOK handles OK. An answer after the end of the survey has no effect.
func (s *survey) handleOK(p *sim.Process, _ tracefmt.ProcessID, m named) {
	if answers := s.answers.Get(p); p.Armed(s.timer) && !answers.Contains(m.id) {
		s.answers.Set(p, answers.Append(m.id))
	}
}

// highest returns the highest process that answered, p itself without an answer.
func (s *survey) highest(p *sim.Process) tracefmt.ProcessID {
	return max(greatest(s.answers.Get(p)), p.ID())
}
