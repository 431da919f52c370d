package diagram

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"etrace/tracefmt"
)

// story is what the diagrams draw: the events of the window, matched with one
// another, and the totals of the whole run.
type story struct {
	run *tracefmt.Run
	// order holds the processes in ring order; column is its inverse.
	order  []tracefmt.ProcessID
	column []int // by ProcessID
	steps  []step
	totals totals
	// before and after are the processes' conditions at the borders of the
	// window; final is that at the end of the run. By ProcessID.
	before, after, final []condition
	// hidden counts the events of the window beyond MaxEvents.
	hidden  int64
	options Options
	// first is the time of the run's first event; opening is true while
	// nothing has happened but processes starting, or being found down.
	first   tracefmt.Time
	opening bool
	// openingElected is what the processes know when they start. By ProcessID.
	openingElected []string
	// cut is, by ProcessID, the process's last event in the cut to be drawn.
	cut []tracefmt.Seq

	types   map[string]int // message types, numbered from 1 by first occurrence
	names   []string       // types in that order
	strings map[string]string
	send    map[tracefmt.MessageID]int // index of the send in steps
}

// step is an event that is drawn, with its texts made ready. What a field
// means depends on the kind.
type step struct {
	seq     tracefmt.Seq
	time    tracefmt.Time
	kind    tracefmt.Kind
	process tracefmt.ProcessID
	peer    tracefmt.ProcessID
	lamport int64
	cause   tracefmt.Seq
	// typ and text are the event's type and payload, as drawn.
	typ, text string
	// hue is the number of the message type.
	hue int
	// send is the index of the step that sent the message received or lost,
	// -1 if it is not drawn; of a send, that of its first delivery or loss.
	send int
	// fate of a send and of the arrival of a message.
	fate fate
	// elected holds the new value of that variable, if changed.
	elected string
	// self: elected names the process itself.
	self bool
	// opening: the step says how the run begins.
	opening bool
	// loop is where the run repeats from, if this is a [tracefmt.LoopNote].
	loop tracefmt.Seq
}

// fate is what became of a message.
type fate uint8

const (
	inFlight  fate = iota
	delivered      // received
	again          // received once more
	dropped        // lost on its way: dropped, partitioned, or unsaid
	tooLate        // lost because the receiver is down
	elsewhere      // received or lost after the window
)

// read goes through the recording once.
func read(ctx context.Context, rec tracefmt.Recording, o Options) (*story, error) {
	s := newStory(rec.Run(), o)
	for e, err := range rec.Events(1) {
		if err != nil {
			return nil, err
		}
		if s.totals.events++; s.totals.events&0xfff == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err := s.take(e); err != nil {
			return nil, err
		}
	}
	if s.after == nil {
		s.after = slices.Clone(s.final)
	}
	if s.before == nil {
		s.before = slices.Clone(s.final)
	}
	return s, ctx.Err()
}

func newStory(run *tracefmt.Run, o Options) *story {
	n := len(run.Members)
	o = o.resolve()
	s := &story{
		run: run, options: o, column: make([]int, n+1), final: make([]condition, n+1), openingElected: make([]string, n+1), cut: make([]tracefmt.Seq, n+1),
		opening: true, types: make(map[string]int), strings: make(map[string]string), send: make(map[tracefmt.MessageID]int),
	}
	s.totals.byType = []int64{0}
	for p := range run.Members {
		s.order = append(s.order, tracefmt.ProcessID(p+1))
	}
	slices.SortStableFunc(s.order, func(a, b tracefmt.ProcessID) int {
		return cmp.Compare(run.Members[a-1].Position, run.Members[b-1].Position)
	})
	for i, p := range s.order {
		s.column[p] = i
	}
	return s
}

func (s *story) take(e *tracefmt.Event) error {
	if int(e.Process) >= len(s.final) || int(e.Peer) >= len(s.final) || e.Process < 0 || e.Peer < 0 {
		return fmt.Errorf("seq %d: process number out of range, the run has %d processes", e.Seq, len(s.final)-1)
	}
	if s.totals.events == 1 {
		s.first = e.Time
	}
	if _, last := slices.BinarySearch(s.options.Cut, e.Seq); last {
		s.cut[e.Process] = e.Seq
	}
	s.opening = s.opening && (e.Kind == tracefmt.Start || e.Kind == tracefmt.Crash)
	inside := e.Seq >= s.options.From && (s.options.To == 0 || e.Seq <= s.options.To)
	if inside && s.before == nil {
		s.before = slices.Clone(s.final)
	}
	if inside && shown(e) {
		switch {
		case s.options.sparse() && !s.options.lit(e.Seq):
			s.hidden++
			s.settle(e)
		case len(s.steps) >= s.options.MaxEvents:
			s.hidden++
			inside = false
		default:
			s.add(e)
		}
	}
	if !inside && s.before != nil {
		if s.after == nil {
			s.after = slices.Clone(s.final)
		}
		s.settle(e)
	}
	s.count(e)
	s.follow(e)
	return nil
}

// shown reports whether events like this are drawn at all.
func shown(e *tracefmt.Event) bool {
	return e.Kind != tracefmt.SetTimer && e.Kind != tracefmt.CancelTimer && e.Kind.Valid()
}

// settle notes what becomes, after the window, of a message sent in it.
func (s *story) settle(e *tracefmt.Event) {
	if e.Kind != tracefmt.Receive && e.Kind != tracefmt.Lose {
		return
	}
	if i, ok := s.send[e.Message]; ok && s.steps[i].fate == inFlight {
		s.steps[i].fate = elsewhere
	}
}

// addArrival matches a receive or loss with its send.
func (s *story) addArrival(e *tracefmt.Event, st *step) {
	st.hue, st.text = s.typeNumber(e.Type), s.intern(brief(e))
	if e.Kind == tracefmt.Receive {
		st.fate = delivered
	} else {
		st.fate, st.text = s.loss(e)
		st.text = s.intern(st.text)
	}
	i, ok := s.send[e.Message]
	if !ok {
		return
	}
	st.send = i
	origin := &s.steps[i]
	switch {
	case origin.fate != inFlight && e.Kind == tracefmt.Receive:
		st.fate = again
	case origin.fate == inFlight:
		origin.fate, origin.send = st.fate, len(s.steps)
	}
}

// loss returns in what way a message was lost, and the reason in words.
func (s *story) loss(e *tracefmt.Event) (fate, string) {
	reason := ""
	if value, ok := e.Field("reason"); ok {
		reason = plainReason(value)
	}
	if reason == reasonCrashed || reason == "" && s.final[e.Process].down {
		return tooLate, ""
	}
	return dropped, reason
}

// reasonCrashed is the reason of a loss that happens at the receiver.
const reasonCrashed = "receiver crashed"

func plainReason(value []byte) string {
	if value[0] == '"' {
		return clean(unquote(value), maxLabel)
	}
	return plainValue(value)
}

// addState splits the changes into the one that matters most in an election
// and all others.
func (s *story) addState(e *tracefmt.Event, st *step) {
	var others []byte
	for key, value := range tracefmt.Fields(e.Payload) {
		if string(key) == electedVariable {
			leader, _ := s.run.ProcessValue(value)
			st.elected, st.self = s.intern(plainValue(value)), leader == e.Process
			continue
		}
		if len(others) > 120 {
			continue
		}
		if len(others) > 0 {
			others = append(others, ", "...)
		}
		others = append(others, clean(string(key), maxName)...)
		others = append(others, " = "...)
		others = append(others, plainValue(value)...)
	}
	st.text = s.intern(clean(string(others), maxLabel))
}

func (s *story) addNote(e *tracefmt.Event, st *step) {
	st.text = s.intern(brief(e))
	if e.Type != tracefmt.LoopNote {
		return
	}
	if value, ok := e.Field("from"); ok {
		for _, c := range value {
			if c < '0' || c > '9' || st.loop > 1<<50 {
				return
			}
			st.loop = st.loop*10 + tracefmt.Seq(c-'0')
		}
	}
}

// partitionText writes {"groups":[["1","2"],["3"]]} as "1,2 | 3".
func partitionText(payload []byte) string {
	var groups [][]byte
	for _, value := range tracefmt.Fields(payload) {
		if value[0] != '[' {
			continue
		}
		inner := bytes.TrimSuffix(bytes.TrimPrefix(value, []byte("[")), []byte("]"))
		for len(inner) > 0 && len(groups) < 12 {
			end := bytes.IndexByte(inner, ']')
			if inner[0] != '[' || end < 0 {
				break
			}
			groups = append(groups, inner[:end+1])
			inner = bytes.TrimPrefix(inner[end+1:], []byte(","))
		}
		break
	}
	if len(groups) == 0 {
		return values(payload)
	}
	text := ""
	for i, g := range groups {
		if i > 0 {
			text += "  |  "
		}
		text += listValue(g)
	}
	return clean(text, 2*maxLabel)
}

// typeNumber returns the number of a message type. Types beyond a sensible
// number share the last one.
func (s *story) typeNumber(typ string) int {
	const most = 40
	if n, ok := s.types[typ]; ok {
		return n
	}
	if len(s.names) == most {
		return most
	}
	name := clean(typ, maxLabel)
	switch {
	case len(s.names) == most-1:
		name = "other"
	case name == "":
		name = "message"
	}
	s.names = append(s.names, name)
	s.totals.byType = append(s.totals.byType, 0)
	s.types[typ] = len(s.names)
	return len(s.names)
}

// hueOf returns the hue of a message type.
func hueOf(number int) int { return 1 + (number-1)%(len(Hues)-1) }

// intern returns a string equal to text that is kept only once.
func (s *story) intern(text string) string {
	if text == "" {
		return ""
	}
	if t, ok := s.strings[text]; ok {
		return t
	}
	s.strings[text] = text
	return text
}

// name returns the name of a process as drawn.
func (s *story) name(p tracefmt.ProcessID) string {
	if name := clean(s.run.ProcessName(p), maxName); name != "" {
		return name
	}
	return "?"
}

// find returns the index of the step with that seq, or false.
func (s *story) find(seq tracefmt.Seq) (int, bool) {
	return slices.BinarySearchFunc(s.steps, seq, func(st step, seq tracefmt.Seq) int { return cmp.Compare(st.seq, seq) })
}
