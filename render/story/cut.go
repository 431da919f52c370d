package story

import (
	"slices"

	"etrace/tracefmt"
)

// Cut is a prefix of the events of each process. It holds, by process, the seq of the last event in
// the cut: 0 for an empty prefix, Nowhere if the cut does not contain the process. The prefix of a
// process beyond its length is empty. The empty slice means no cut. Where the run declares its basic
// messages, only these count for consistency.
type Cut []tracefmt.Seq

// Nowhere marks a process that the cut does not contain: for instance, its state is not yet recorded
// in a snapshot.
const Nowhere tracefmt.Seq = -1

// Last returns the seq of the last event of a process in the cut: 0 for an empty prefix, or Nowhere.
func (c Cut) Last(p tracefmt.ProcessID) tracefmt.Seq {
	if int(p) < len(c) {
		return c[p]
	}
	return 0
}

// events returns the last event of each process in the cut.
func (c Cut) events() []tracefmt.Seq {
	return slices.DeleteFunc(slices.Sorted(slices.Values(c)), func(seq tracefmt.Seq) bool { return seq <= 0 })
}

// end returns the greatest seq in the cut.
func (c Cut) end() tracefmt.Seq {
	if len(c) == 0 {
		return 0
	}
	return slices.Max(c)
}

// cutCheck decides whether a cut is consistent: each event in it must have its causes in it.
type cutCheck struct {
	Cut
	beyond     map[tracefmt.Seq]bool // events before the end of the cut that are not in it
	impossible bool                  // an event in the cut has a cause beyond
	basic      []string              // the types of the messages that matter, none for all
}

// newCutCheck returns a check before the first event.
func newCutCheck(c Cut, run *tracefmt.Run) cutCheck {
	return cutCheck{Cut: c, beyond: make(map[tracefmt.Seq]bool), basic: run.Basic}
}

// addEvent takes the next event of the run.
func (c *cutCheck) addEvent(e *tracefmt.Event) {
	if e.Seq > c.end() || e.Process == 0 || e.Kind == tracefmt.Lose {
		return
	}
	switch last := c.Last(e.Process); {
	case last == Nowhere:
	// An event beyond the cut has effects beyond it: a later event within the cut that names it
	// makes the cut impossible.
	case e.Seq > last:
		c.beyond[e.Seq] = true
	// Only basic messages count if the run lists their types.
	case len(c.beyond) > 0 && (e.Kind != tracefmt.Receive || len(c.basic) == 0 || slices.Contains(c.basic, e.Type)):
		for cause := range e.Causes() {
			c.impossible = c.impossible || c.beyond[cause]
		}
	}
}

// CutText describes the cut: consistent, inconsistent or undecided.
func (s *Story) CutText() string {
	text := "consistent cut"
	switch {
	case s.cut.impossible:
		text = "in" + text
	case slices.Contains(s.Options.Cut, Nowhere):
		text = "cut, not of all processes"
	case !s.Complete():
		text = "cut, consistent as far as is recorded"
	}
	switch len(s.cut.basic) {
	case 0:
	case 1:
		text += " for " + TypeText(s.cut.basic[0])
	default:
		text += " for the basic messages"
	}
	return text
}

// Crossing is how a message crosses the cut.
type Crossing uint8

// The ways in which messages cross a cut. A message that is lost is in no channel.
const (
	NoCrossing Crossing = iota
	// InChannel: it is sent in the cut and not received in it.
	InChannel
	// Backward: it is received in the cut, and not sent in it.
	Backward
)

// Crossing returns how the message of a step crosses the cut. The step is an arrival, or a send
// without an arrival.
func (s *Story) Crossing(i int) Crossing {
	st := &s.Steps[i]
	from, to := st.Ends()
	sent, received := st.Seq, st.Seq
	switch {
	case len(s.cut.basic) > 0 && !slices.ContainsFunc(s.cut.basic, func(typ string) bool { return TypeText(typ) == st.Type }):
		return NoCrossing
	case len(s.Options.Cut) == 0 || st.Fate == tracefmt.Lost || st.Fate == tracefmt.ReceiverCrashed || st.Unsent || st.Unsure:
		return NoCrossing
	case st.Kind != tracefmt.Send && st.Match < 0 && st.Cause == 0:
		return NoCrossing
	case st.Kind != tracefmt.Send && st.Match < 0:
		sent = st.Cause
	case st.Kind != tracefmt.Send:
		sent = s.Steps[st.Match].Seq
	case st.Later && s.Options.Cut.end() > s.Steps[len(s.Steps)-1].Seq:
		return NoCrossing // it arrives after what is shown, in the cut or not
	default:
		received = s.Options.Cut.end() + 1
	}
	lastSent, lastReceived := s.Options.Cut.Last(from), s.Options.Cut.Last(to)
	switch inside := sent <= lastSent; {
	case lastSent == Nowhere || lastReceived == Nowhere || inside == (received <= lastReceived):
		return NoCrossing
	case inside:
		return InChannel
	}
	return Backward
}
