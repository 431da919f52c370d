package sim

import "etrace/tracefmt"

// Elected is the variable elected of election algorithms, the coordinator as the process sees it. Every
// assignment to it is recorded. Its methods record the suspicion of a process that notices the failure of its
// coordinator.
type Elected struct{ Var[tracefmt.ProcessID] }

// Elected declares the variable. Its initial value is the coordinator that the config gives as known.
func (pr *Protocol) Elected() Elected {
	e := Elected{Declare[tracefmt.ProcessID](pr, "elected", "the coordinator as this process sees it", Every)}
	pr.elected = &e
	return e
}

// FirstSuspect returns the coordinator whose failure started the run: the highest process that was down at the
// beginning, 0 if no process was.
func (e Elected) FirstSuspect(p *Process) tracefmt.ProcessID {
	p.requireIdentity("asks for the id of its coordinator")
	return p.k.firstDown()
}

// Suspected returns the coordinator that p would suspect if it noticed a failure now: the leader in its
// variable. If it has none, or itself, the result is FirstSuspect, unless that is p itself. 0 means that p knows
// no coordinator.
func (e Elected) Suspected(p *Process) tracefmt.ProcessID {
	p.requireIdentity("asks for the id of its coordinator")
	if q := e.Get(p); q != 0 && q != p.id {
		return q
	}
	if down := p.k.firstDown(); down != p.id {
		return down
	}
	return 0
}

// Notice records the suspicion of the coordinator, as the first step of an election of p.
func (e Elected) Notice(p *Process) {
	switch {
	case p.k.noticed != nil:
		p.Suspect(*p.k.noticed)
	case p.k.Anonymous:
		// The process cannot name a suspect.
		p.Suspect(0)
	default:
		p.Suspect(e.Suspected(p))
	}
}

// Noticing returns the function for a start of an election: Notice, then start.
func (e Elected) Noticing(start func(p *Process)) func(p *Process) {
	return func(p *Process) {
		e.Notice(p)
		start(p)
	}
}
