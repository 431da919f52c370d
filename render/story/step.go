package story

import "etrace/tracefmt"

// Step is an event that is shown, with its texts made ready. What a field
// means depends on the kind.
type Step struct {
	Seq     tracefmt.Seq
	Time    tracefmt.Time
	Kind    tracefmt.Kind
	Process tracefmt.ProcessID
	Peer    tracefmt.ProcessID
	Lamport int64
	Cause   tracefmt.Seq
	// Type and Text are the event's type and payload, fit to be drawn.
	Type, Text string
	// TypeNumber is that of the message's type, from 1: see Story.Types.
	TypeNumber int
	// Match is the index of the step that sent the message received or lost,
	// -1 if it is not shown; of a send, that of its first delivery or loss.
	Match int
	// Fate of a send and of the arrival of a message.
	Fate Fate
	// Elected holds the new value of that variable, if changed.
	Elected string
	// Self: Elected names the process itself.
	Self bool
	// Opening: the step says how the run begins.
	Opening bool
	// Loop is where the run repeats from, if this is a [tracefmt.LoopNote].
	Loop tracefmt.Seq
}

// Fate is what became of a message.
type Fate uint8

// The fates of messages.
const (
	InFlight  Fate = iota
	Delivered      // received
	Again          // received once more
	Dropped        // lost on its way: dropped, partitioned, or unsaid
	TooLate        // lost because the receiver is down
	Elsewhere      // received or lost after the window
)

// add appends the event to the steps.
func (s *Story) add(e *tracefmt.Event) {
	st := Step{
		Seq: e.Seq, Time: e.Time, Kind: e.Kind, Process: e.Process, Peer: e.Peer,
		Lamport: e.Lamport, Cause: e.Cause, Type: s.intern(Clean(e.Type, maxLabel)), Match: -1,
	}
	st.Opening = !s.final[e.Process].known && s.isOpening(e)
	switch e.Kind {
	case tracefmt.Send:
		st.TypeNumber, st.Text = s.typeNumber(e.Type), s.intern(brief(e))
		s.sends[e.Message] = len(s.Steps)
	case tracefmt.Receive, tracefmt.Lose:
		s.addArrival(e, &st)
	case tracefmt.State:
		s.addState(e, &st)
	case tracefmt.Partition:
		st.Text = partitionText(e.Payload)
	case tracefmt.Note:
		s.addNote(e, &st)
	default:
		st.Text = s.intern(brief(e))
	}
	s.Steps = append(s.Steps, st)
}

// shown reports whether events like this are drawn at all.
func shown(e *tracefmt.Event) bool {
	return e.Kind != tracefmt.SetTimer && e.Kind != tracefmt.CancelTimer && e.Kind.Valid()
}

// settle notes what becomes, after the window, of a message sent in it.
func (s *Story) settle(e *tracefmt.Event) {
	if e.Kind != tracefmt.Receive && e.Kind != tracefmt.Lose {
		return
	}
	if i, ok := s.sends[e.Message]; ok && s.Steps[i].Fate == InFlight {
		s.Steps[i].Fate = Elsewhere
	}
}

// addArrival matches a receive or loss with its send.
func (s *Story) addArrival(e *tracefmt.Event, st *Step) {
	st.TypeNumber, st.Text = s.typeNumber(e.Type), s.intern(brief(e))
	if e.Kind == tracefmt.Receive {
		st.Fate = Delivered
	} else {
		st.Fate, st.Text = s.loss(e)
		st.Text = s.intern(st.Text)
	}
	i, ok := s.sends[e.Message]
	if !ok {
		return
	}
	st.Match = i
	origin := &s.Steps[i]
	switch {
	case origin.Fate != InFlight && e.Kind == tracefmt.Receive:
		st.Fate = Again
	case origin.Fate == InFlight:
		origin.Fate, origin.Match = st.Fate, len(s.Steps)
	}
}

// loss returns in what way a message was lost, and the reason in words.
func (s *Story) loss(e *tracefmt.Event) (Fate, string) {
	reason := ""
	if value, ok := e.Field("reason"); ok {
		reason = plainReason(value)
	}
	if reason == reasonCrashed || reason == "" && s.final[e.Process].Down {
		return TooLate, ""
	}
	return Dropped, reason
}

// reasonCrashed is the reason of a loss that happens at the receiver.
const reasonCrashed = "receiver crashed"

func plainReason(value []byte) string {
	if value[0] == '"' {
		return Clean(unquote(value), maxLabel)
	}
	return plainValue(value)
}

// addState splits the changes into the one that matters most in an election
// and all others.
func (s *Story) addState(e *tracefmt.Event, st *Step) {
	var others []byte
	for key, value := range tracefmt.Fields(e.Payload) {
		if string(key) == Elected {
			leader, _ := s.Run.ProcessValue(value)
			st.Elected, st.Self = s.intern(plainValue(value)), leader == e.Process
			continue
		}
		if len(others) > 120 {
			continue
		}
		if len(others) > 0 {
			others = append(others, ", "...)
		}
		others = append(others, Clean(string(key), maxName)...)
		others = append(others, " = "...)
		others = append(others, plainValue(value)...)
	}
	st.Text = s.intern(Clean(string(others), maxLabel))
}

func (s *Story) addNote(e *tracefmt.Event, st *Step) {
	st.Text = s.intern(brief(e))
	if e.Type != tracefmt.LoopNote {
		return
	}
	if value, ok := e.Field("from"); ok {
		for _, c := range value {
			if c < '0' || c > '9' || st.Loop > 1<<50 {
				return
			}
			st.Loop = st.Loop*10 + tracefmt.Seq(c-'0')
		}
	}
}

// typeNumber returns the number of a message type. Types beyond a sensible
// number share the last one.
func (s *Story) typeNumber(typ string) int {
	const most = 40
	if n, ok := s.types[typ]; ok {
		return n
	}
	if len(s.Types) == most {
		return most
	}
	name := Clean(typ, maxLabel)
	switch {
	case len(s.Types) == most-1:
		name = "other"
	case name == "":
		name = "message"
	}
	s.Types = append(s.Types, name)
	s.totals.byType = append(s.totals.byType, 0)
	s.types[typ] = len(s.Types)
	return len(s.Types)
}

// intern returns a string equal to text that is kept only once.
func (s *Story) intern(text string) string {
	if text == "" {
		return ""
	}
	if t, ok := s.strings[text]; ok {
		return t
	}
	s.strings[text] = text
	return text
}
