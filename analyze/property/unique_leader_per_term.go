package property

import (
	"fmt"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

var uniqueLeaderPerTerm = analyze.Property{
	Name: "unique-leader-per-term",
	Kind: analyze.Safety,
	Doc: `In one term at most one process leads.

A process says that it leads with an event that assigns its role, or elected =
itself; what is in effect after the event decides: one whose role is follower does
not lead, whatever elected says. Every such event counts, that of a start or a
recovery included, and those of processes that have crashed since: a term belongs
to its first leader for good. The term is that of the event, else the variable term
of the process. Where no process tells a term, the property is not applicable;
where terms are recorded and no process leads, it is vacuous.`,
	Needs:  "state events that assign role or elected and name a term",
	Source: raftPaper + ", figure 3: election safety",
	New: func(*tracefmt.Run) analyze.Monitor {
		return &uniqueLeaderMonitor{leaders: make(map[tracefmt.Number]termLeader)}
	},
}

// termLeader is the first leader of a term.
type termLeader struct {
	process tracefmt.ProcessID
	at      tracefmt.Seq
}

type uniqueLeaderMonitor struct {
	leaders  map[tracefmt.Number]termLeader
	toldTerm bool
}

func (m *uniqueLeaderMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if !tellsVariables(e.Kind) {
		return
	}
	term, told := termNow(s, e.Process)
	m.toldTerm = m.toldTerm || told
	if !saysThatItLeads(s, e) {
		return
	}
	if !told {
		r.Undecided(func() string {
			return fmt.Sprintf("process %s leads at seq %d in a term that is not told", s.Run.ProcessName(e.Process), e.Seq)
		})
		return
	}
	r.Examined++
	first, ok := m.leaders[term]
	switch {
	case !ok && roomFor(r, len(m.leaders)+1, "terms"):
		m.leaders[term] = termLeader{e.Process, e.Seq}
	case ok && first.process != e.Process:
		r.Violate(func() string {
			return fmt.Sprintf("process %s leads in term %v at seq %d, in which process %s leads since seq %d",
				s.Run.ProcessName(e.Process), term, e.Seq, s.Run.ProcessName(first.process), first.at)
		}, first.at, e.Seq)
	}
}

func (m *uniqueLeaderMonitor) End(r *analyze.Result, s *replay.State, _ analyze.Ending) {
	switch {
	case !s.TellsLeader():
		r.NotApplicable(noRaftLeader)
	case !m.toldTerm:
		r.NotApplicable(noTerm)
	}
}

const noTerm = "no process tells a term"

// termNow is the term of a process, of any size.
func termNow(s *replay.State, p tracefmt.ProcessID) (term tracefmt.Number, told bool) {
	if n, ok := s.Term(p); ok {
		return tracefmt.WholeNumber(n), true
	}
	value, _ := s.Variable(p, "term")
	return tracefmt.ParseNumber(value)
}

// saysThatItLeads reports whether a process leads and the event is one in which it
// says so: where it only tells another term it may be stepping down.
func saysThatItLeads(s *replay.State, e *tracefmt.Event) bool {
	if !tellsVariables(e.Kind) || !s.Leads(e.Process) {
		return false
	}
	if _, ok := e.Field("role"); ok {
		return true
	}
	elected, ok := e.Field("elected")
	return ok && s.Named(elected) == e.Process
}
