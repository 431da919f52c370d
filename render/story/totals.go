package story

import "etrace/tracefmt"

// totals count over the whole run, drawn or not.
type totals struct {
	events, sent, received, again, lost, toCrashed int64
	byType                                         []int64 // by type number
	partitions, crashes, recoveries, suspicions    int64
	// downAtStart counts the crashes that merely say who is down when the run
	// begins.
	downAtStart int64
	loop        bool
	unsent      int64 // received without a recorded send, of a run that may have such
	seen        bitset
}

// Loops reports whether the run says that it repeats forever.
func (s *Story) Loops() bool { return s.totals.loop }

// count adds the event to the totals, and to those of the window if it is inside.
func (s *Story) count(e *tracefmt.Event, inside bool) {
	if e.Kind == tracefmt.Receive && e.Cause == 0 && !s.complete() {
		s.totals.unsent++
		if inside {
			s.window.unsent++
		}
	}
	number := 0
	if e.Kind == tracefmt.Send {
		number = s.typeNumber(e.Type)
	}
	s.totals.count(e, number)
	if inside {
		s.window.count(e, number)
	}
}

// count adds the event, of a message of that type number if it is a send.
func (t *totals) count(e *tracefmt.Event, number int) {
	switch e.Kind {
	case tracefmt.Send:
		t.sent++
		for len(t.byType) <= number {
			t.byType = append(t.byType, 0)
		}
		t.byType[number]++
	case tracefmt.Receive:
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
