package story

import "etrace/tracefmt"

// Step is an event that is shown, with its texts made ready. The meaning of a field depends on the
// kind.
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
	// short are the shorter forms of Text of a message, a note or an operation.
	shortForms
	// TypeNumber is that of the message's type, from 1: see Story.Types.
	TypeNumber int
	// Strand numbers the token or candidate on a ring that the message belongs to: see
	// [Story.Strands]. 0 is unknown.
	Strand int
	// Match is the index of the step that sent the message received or lost,
	// -1 if it is not shown; of a send, that of the step that gave it its fate.
	Match int
	// Fate of a message as far as the window goes: of a send, what became of the
	// message, of its arrival or loss, what this is.
	Fate tracefmt.Fate
	// Again: a message is received that has been received before.
	Again bool
	// Later: a message that is in flight when the window ends arrives, or is
	// lost, after it.
	Later bool
	// LeftOut: a message that is in flight as far as is shown arrives, or is lost, in the window, at an event that is
	// left out.
	LeftOut bool
	// Unsure: the message is in flight as far as is recorded, but its arrival may be missing. MayBeLost: only its loss
	// may be missing. Unsent: the send of an arriving message is not recorded.
	Unsure, MayBeLost, Unsent bool
	// Inferred: which of several possible sends is that of the arriving message is inferred, see [tracefmt.GuessKey].
	Inferred bool
	// Elected holds the new value of that variable, if changed.
	Elected string
	// Role holds the new value of that variable, if that is what decides who leads.
	Role string
	// Decided is what the process decides, in consensus and commitment; "" for nothing.
	Decided string
	// Leads: after the step the process leads, see [replay.State.Leads]; rises: and it
	// did not before.
	Leads, rises bool
	// Mark is a word for a step that the system did not log: inferred, stated.
	Mark string
	// Votes: the step changes for whom the process has voted.
	Votes bool
	// Crossed is the event with which a partition began between the ends of a message that is received, while it was under
	// way; 0 for none.
	Crossed tracefmt.Seq
	// Via are the processes that pass on the message of a send unchanged, in this order, see [view.View.Merge].
	Via []Hop
	// Folded: the step replaces repeated steps, see [view.View.Fold].
	Folded bool
	// Opening: the step describes the initial state of the run.
	Opening bool
	// First: the process has no event before.
	First bool
	// Restarted: the step shows that the process, which was down, is up again,
	// though the trace has no start and no recover of it.
	Restarted bool
	// Nobody is true if Elected means that there is no leader, or no known leader.
	Nobody bool
	// log: Text is in a foreign log's own words.
	log bool
	// Loop is where the run repeats from, if this is a [tracefmt.LoopNote].
	Loop tracefmt.Seq
	// Shift is what each round of that loop adds to all counters.
	Shift int64
}

// Ends returns the sender and the receiver of the step's message.
func (st *Step) Ends() (from, to tracefmt.ProcessID) {
	if st.Kind == tracefmt.Send {
		return st.Process, st.Peer
	}
	return st.Peer, st.Process
}

// add appends the event to the steps.
func (s *Story) add(e *tracefmt.Event, strand int) {
	st := Step{
		Seq: e.Seq, Time: e.Time, Kind: e.Kind, Process: e.Process, Peer: e.Peer,
		Lamport: e.Lamport, Cause: e.Cause, Type: s.intern(Clean(e.Type, maxLabel)), Match: -1, Strand: strand,
	}
	st.First, st.Restarted = !s.pasts[e.Process].seen, s.state.ShowsRestart(e)
	st.Opening, st.Mark = st.First && s.isOpening(e), e.Mark()
	_, st.log = s.logWords(e)
	switch e.Kind {
	case tracefmt.Send:
		st.TypeNumber, st.Text, st.Fate = s.typeNumber(e.Type), s.intern(s.payloadText(e)), e.Fate()
		st.shortForms = s.shorten(e)
		s.sends[e.Message] = len(s.Steps)
	case tracefmt.Receive, tracefmt.Lose:
		s.addArrival(e, &st)
	case tracefmt.Partition:
		st.Text = partitionText(e.Payload)
	case tracefmt.Note:
		s.addNote(e, &st)
	case tracefmt.State: // addState describes it, after the state was updated
	default:
		st.Text, st.shortForms = s.intern(s.payloadText(e)), s.shorten(e)
	}
	s.Steps = append(s.Steps, st)
}

// isDrawn reports whether events like this are drawn at all.
func isDrawn(e *tracefmt.Event) bool {
	return e.Kind != tracefmt.SetTimer && e.Kind != tracefmt.CancelTimer && e.Kind.Valid()
}

// markUnseenEnd marks the send of a message whose end is not shown: it is after the window, at a hidden process, or
// omitted.
func (s *Story) markUnseenEnd(e *tracefmt.Event) {
	if e.Kind != tracefmt.Receive && e.Kind != tracefmt.Lose {
		return
	}
	i, ok := s.sends[e.Message]
	if !ok || s.Steps[i].Fate != tracefmt.InFlight {
		return
	}
	inside := s.Options.Inside(e.Seq)
	if inside && e.Kind == tracefmt.Lose && !s.Options.ShowsProcess(e.Process) {
		// The receiver is hidden, but the loss of the message is still shown at the sender.
		s.Steps[i].Fate = e.Fate()
		return
	}
	s.Steps[i].Later, s.Steps[i].LeftOut = true, inside
}

// LossHidden reports whether the step sends a message that is lost in the window on its way to a hidden process.
func (st *Step) LossHidden() bool {
	return st.Kind == tracefmt.Send && st.Match < 0 && (st.Fate == tracefmt.Lost || st.Fate == tracefmt.ReceiverCrashed)
}

// addArrival matches a receive or loss with its send.
func (s *Story) addArrival(e *tracefmt.Event, st *Step) {
	st.TypeNumber, st.Text, st.Fate = s.typeNumber(e.Type), s.intern(s.payloadText(e)), e.Fate()
	st.shortForms, st.Inferred = s.shorten(e), e.GuessedSend()
	switch st.Fate {
	case tracefmt.Lost:
		st.Text = s.intern(lossText(e))
	case tracefmt.ReceiverCrashed:
		st.Text = ""
	}
	i, ok := s.sends[e.Message]
	if ok && st.Fate == tracefmt.Delivered {
		st.Crossed = s.split.crossed(s.Steps[i].Seq, e.Peer, e.Process)
	}
	if !ok {
		st.Unsent = e.Cause == 0 && !s.Complete()
		if st.Unsent && st.Fate == tracefmt.Delivered {
			st.Again, s.unsent[e.Message] = s.unsent[e.Message], true
		}
		return
	}
	st.Match = i
	origin := &s.Steps[i]
	st.Again = st.Fate == tracefmt.Delivered && origin.Fate == tracefmt.Delivered
	if st.Fate > origin.Fate {
		origin.Fate, origin.Match = st.Fate, len(s.Steps)
		origin.Inferred = st.Inferred
	}
}

// lossText returns the reason of a loss in words. It returns "" if the reason is not recorded.
func lossText(e *tracefmt.Event) string {
	value, ok := e.Field("reason")
	switch {
	case !ok:
		return ""
	case value[0] == '"':
		return Clean(unquote(value), maxLabel)
	}
	return plainValue(value)
}

// addNote sets the text of a note. For the note of a loop it reads where the loop begins and how much the counters
// grow.
func (s *Story) addNote(e *tracefmt.Event, st *Step) {
	st.Text = s.intern(s.payloadText(e))
	if e.Type != tracefmt.LoopNote {
		st.shortForms = s.shorten(e)
		return
	}
	if shift, ok := e.Field("shift"); ok {
		st.Shift, _ = tracefmt.ParseInteger(shift)
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
	const limit = 36 // each type has a look of its own
	if n, ok := s.types[typ]; ok {
		return n
	}
	if len(s.Types) == limit {
		return limit
	}
	name := Clean(typ, maxLabel)
	switch {
	case len(s.Types) == limit-1:
		name = "other"
	case name == "":
		name = "message"
	}
	s.Types = append(s.Types, name)
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
