package election

import (
	"slices"

	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

// survey finds out who is alive above a process: ELECTION goes to all of them,
// and their OKs are collected until the timer runs out. Nothing stops the
// timer, since nobody knows how many answers to expect.
type survey struct {
	answers      sim.Processes
	election, ok sim.MessageType
	timer        sim.Timer
	timeout      tracefmt.Time
}

func newSurvey(pr *sim.Protocol, v algorithm.Values) survey {
	s := survey{
		answers:  pr.Processes("answers", "who has answered the last election of this process"),
		election: pr.Message("ELECTION", "asks a higher process whether it is alive"),
		ok:       pr.Message("OK", "the sender is alive", sim.ID("id")),
		timer:    pr.Timer("answer"),
	}
	s.timeout, _ = v.Time("timeout")
	pr.Busy = func(p *sim.Process) bool { return p.Armed(s.timer) }
	return s
}

// ask begins a survey.
func (s *survey) ask(p *sim.Process) {
	s.answers.Set(p, nil)
	for q := p.ID() + 1; q <= p.Last(); q++ {
		p.Send(q, s.election)
	}
	p.SetTimer(s.timer, s.timeout)
}

// receive takes an ELECTION, which it answers, or an OK. An OK that comes when
// the survey is over changes nothing.
func (s *survey) receive(p *sim.Process, m *sim.Message) {
	answers := s.answers.Get(p)
	switch {
	case m.Type == s.election:
		p.Send(m.From, s.ok, int64(p.ID()))
	case p.Armed(s.timer) && !slices.Contains(answers, m.ID(0)):
		s.answers.Set(p, append(slices.Clip(answers), m.ID(0)))
	}
}

// highest returns the highest process that answered, p itself if none did.
func (s *survey) highest(p *sim.Process) tracefmt.ProcessID {
	return slices.Max(append(slices.Clip(s.answers.Get(p)), p.ID()))
}
