package sim

import "etrace/tracefmt"

// Elected is the variable elected of election algorithms, the coordinator as
// the process sees it, and what goes with it: noticing that the coordinator is
// gone. Every assignment to it is recorded.
type Elected struct{ Var[tracefmt.ProcessID] }

// Elected declares the variable. Its initial value is the coordinator that the config gives as known.
func (pr *Protocol) Elected() Elected {
	e := Elected{Declare[tracefmt.ProcessID](pr, "elected", "the coordinator as this process sees it", Every)}
	pr.elected = &e
	return e
}

// FirstSuspect returns the coordinator whose failure started the run: the
// highest process that was down when the run began, 0 if none was.
func (e Elected) FirstSuspect(p *Process) tracefmt.ProcessID {
	p.anonymous("asks for the id of its coordinator")
	return p.k.firstDown()
}

// Suspected returns the coordinator that p would suspect if it noticed a failure now: the leader that it believes in.
// If it believes in none, or in itself, that is the FirstSuspect, unless that is p itself. 0 means that it
// knows of none.
func (e Elected) Suspected(p *Process) tracefmt.ProcessID {
	p.anonymous("asks for the id of its coordinator")
	if q := e.Get(p); q != 0 && q != p.id {
		return q
	}
	if down := p.k.firstDown(); down != p.id {
		return down
	}
	return 0
}

// Notice records that p notices that its coordinator is gone, as the first
// thing that it does in an election.
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

// Noticing returns the start of an election that begins because p notices that
// its coordinator is gone.
func (e Elected) Noticing(start func(p *Process)) func(p *Process) {
	return func(p *Process) {
		e.Notice(p)
		start(p)
	}
}
