package story

import "etrace/tracefmt"

// totals counts events and messages over the whole run or over a window, whether they are drawn or not.
type totals struct {
	events, sent, received, again, lost, toCrashed int64
	byType                                         []int64 // by type number
	partitions, crashes, recoveries, suspicions    int64
	// downAtStart counts the crashes that only mark processes as down at the start of the run.
	downAtStart int64
	loop        bool
	unsent      int64 // the part of sent that was received or lost without a recorded send
	unsure      int64 // the part of sent whose end is not recorded, and may be missing
	lostBefore  int64 // lost in the window, sent before; not part of lost
	mayBeLost   int64 // the part of sent that was not received, if losses may be missing
	seen        bitset
	messages    bitset // the ids of the messages in sent
}

// Loops reports whether the run ends in a proven loop.
func (s *Story) Loops() bool { return s.totals.loop }

// count adds the event to the totals. It adds an event that is shown to the totals of the window, and the end of a
// message, shown or not, with which the window counts the message.
func (s *Story) count(e *tracefmt.Event, isShown bool) {
	number, unsent := 0, s.isUnsent(e)
	if e.Kind == tracefmt.Send || unsent {
		number = s.typeNumber(e.Type)
	}
	if unsent {
		s.totals.addUnrecordedSend(e, number)
		if isShown {
			s.window.addUnrecordedSend(e, number)
		}
	}
	s.totals.count(e, number)
	// A message has its end at the receiver, which may be hidden while the sender is shown, and the reverse.
	ends := e.Kind == tracefmt.Receive || e.Kind == tracefmt.Lose
	switch {
	case !ends && isShown, ends && s.window.messages.has(int64(e.Message)) && s.Options.Inside(e.Seq):
		s.window.count(e, number)
	case e.Kind == tracefmt.Lose && isShown && s.Options.ShowsProcess(e.Peer) && e.Cause > 0 && e.Cause < s.Options.From:
		// The message was sent before the window and is lost in it.
		s.window.lostBefore++
	}
}

// isUnsent reports whether the event is the end of a message without a recorded send.
func (s *Story) isUnsent(e *tracefmt.Event) bool {
	return (e.Kind == tracefmt.Receive || e.Kind == tracefmt.Lose) && e.Cause == 0 && !s.Complete()
}

// addUnrecordedSend counts a message that was sent, since it arrived or was lost.
func (t *totals) addUnrecordedSend(e *tracefmt.Event, number int) {
	if t.messages.add(int64(e.Message)) {
		t.unsent++
		t.addSend(number)
	}
}

// addSend counts a message of a type.
func (t *totals) addSend(number int) {
	t.sent++
	for len(t.byType) <= number {
		t.byType = append(t.byType, 0)
	}
	t.byType[number]++
}

// count adds the event, of a message of that type number if it is a send.
func (t *totals) count(e *tracefmt.Event, number int) {
	switch e.Kind {
	case tracefmt.Send:
		t.messages.add(int64(e.Message))
		t.addSend(number)
	case tracefmt.Receive:
		// Only the first receive is an arrival, each further one is a duplicate.
		if t.seen.add(int64(e.Message)) {
			t.received++
		} else {
			t.again++
		}
	case tracefmt.Lose:
		t.lost++
		if e.Fate() == tracefmt.ReceiverCrashed {
			t.toCrashed++
		}
	case tracefmt.Crash:
		t.crashes++
	case tracefmt.Recover:
		t.recoveries++
	case tracefmt.Suspect:
		t.suspicions++
	case tracefmt.Partition:
		t.partitions++
	case tracefmt.Note:
		t.loop = t.loop || e.Type == tracefmt.LoopNote
	}
}

// bitset is a set of small numbers.
type bitset struct{ words []uint64 }

// maxBit bounds the set's memory to 8 MB; greater numbers are never members.
const maxBit = 1 << 26

// add adds n and reports whether it is new.
func (b *bitset) add(n int64) bool {
	if n < 0 || n >= maxBit {
		return true
	}
	for int(n>>6) >= len(b.words) {
		b.words = append(b.words, make([]uint64, max(64, len(b.words)))...)
	}
	word, bit := &b.words[n>>6], uint64(1)<<(n&63)
	fresh := *word&bit == 0
	*word |= bit
	return fresh
}

// has reports whether n was added.
func (b *bitset) has(n int64) bool {
	return n >= 0 && int(n>>6) < len(b.words) && b.words[n>>6]&(1<<(n&63)) != 0
}
