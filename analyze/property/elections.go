package property

import (
	"fmt"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// noElection is the reason for properties of the variable elected.
const noElection = "no process has a variable elected"

// atEnd is a monitor that looks at the end of a run only.
type atEnd struct {
	analyze.AtEnd
	check analyze.EndCheck
}

func (*atEnd) Step(*analyze.Result, *replay.State, *tracefmt.Event) {}

// Recur looks at a state of the loop in which the run ends.
func (m *atEnd) Recur(s *replay.State, e *tracefmt.Event) {
	m.AtEnd.Recur(s, replay.ChangesProcess(e.Kind), m.check)
}

func (m *atEnd) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	if !s.HasElected() {
		r.NotApplicable(noElection)
		return
	}
	m.AtEnd.End(r, s, end, m.check)
}

// elected is what p has elected, for an explanation.
func elected(s *replay.State, p tracefmt.ProcessID) string {
	if q := s.Process(p).Elected; q > 0 {
		return s.Run.ProcessName(q)
	}
	value, ok := s.Variable(p, "elected")
	if !ok {
		return "no process"
	}
	return short(value)
}

// wrongChoice says why it is wrong to have elected another than q, the best
// live process, and since which event, 0 for the choice itself.
func wrongChoice(s *replay.State, st *replay.Process, q tracefmt.ProcessID) (string, tracefmt.Seq) {
	best := "the best live process is " + s.Run.ProcessName(q)
	also := "; " + best
	if !s.Run.States(tracefmt.GreatestWins) { // it is not known who is the best
		also = ""
	}
	switch {
	case st.Elected == replay.Nobody:
		return "which is no process of the run" + also, 0
	case !s.Live(st.Elected):
		since := s.Process(st.Elected).Since
		return fmt.Sprintf("which is down since seq %d%s", since, also), since
	case s.Process(q).Since > st.ElectedAt:
		return fmt.Sprintf("but %s, up since seq %d", best, s.Process(q).Since), s.Process(q).Since
	}
	return "but " + best, 0
}

// assigns reports whether an event gives its process a value of elected
// other than none.
func assigns(s *replay.State, e *tracefmt.Event) bool {
	switch e.Kind {
	case tracefmt.State, tracefmt.Start, tracefmt.Recover:
		if e.Process == 0 {
			return false
		}
		p := s.Process(e.Process)
		return p.Elected != 0 && p.ElectedAt == e.Seq
	}
	return false
}

// electedItself reports whether p is live and has elected itself.
func electedItself(s *replay.State, p tracefmt.ProcessID) bool {
	return p != 0 && s.Live(p) && s.Process(p).Elected == p
}

// callsElection reports whether an event shows that somebody wants an election.
func callsElection(k tracefmt.Kind) bool {
	return k == tracefmt.Suspect || k == tracefmt.Recover || k == tracefmt.Send
}
