package diagram

import "etrace/tracefmt"

// condition is how a process stands.
type condition struct {
	down, halted bool
	elected      string
	leader       tracefmt.ProcessID // the process that elected names
	known        bool               // an event of it was seen
	// downFromStart: down since the run began; wasDownFromStart: it was then.
	downFromStart, wasDownFromStart bool
}

// totals count over the whole run, drawn or not.
type totals struct {
	events, sent, received, again, lost, toCrashed int64
	byType                                         []int64 // by type number
	partitions, crashes, recoveries, suspicions    int64
	// downAtStart counts the crashes that merely say who is down when the run
	// begins.
	downAtStart int64
	loop        bool
	seen        bitset
}

// electedVariable is the state variable that names the coordinator.
const electedVariable = "elected"

// count adds the event to the totals.
func (s *story) count(e *tracefmt.Event) {
	t := &s.totals
	switch e.Kind {
	case tracefmt.Send:
		t.sent++
		t.byType[s.typeNumber(e.Type)]++
	case tracefmt.Receive:
		if t.seen.add(int64(e.Message)) {
			t.received++
		} else {
			t.again++
		}
	case tracefmt.Lose:
		t.lost++
		if f, _ := s.loss(e); f == tooLate {
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

// follow keeps the conditions of the processes up to date.
func (s *story) follow(e *tracefmt.Event) {
	if e.Process == 0 {
		return
	}
	c := &s.final[e.Process]
	switch e.Kind {
	case tracefmt.Start:
		c.down = false
		s.followElected(e, c)
		if s.isOpening(e) {
			s.openingElected[e.Process] = c.elected
		}
	case tracefmt.Halt:
		c.halted = true
	case tracefmt.Crash:
		c.down, c.elected, c.leader = true, "", 0
		c.downFromStart = !c.known && s.isOpening(e)
		if c.downFromStart {
			c.wasDownFromStart = true
			s.totals.downAtStart++
		}
	case tracefmt.Recover:
		c.down, c.halted, c.downFromStart = false, false, false
	case tracefmt.State:
		s.followElected(e, c)
	}
	c.known = c.known || e.Kind != tracefmt.Lose
}

func (s *story) followElected(e *tracefmt.Event, c *condition) {
	if value, ok := e.Field(electedVariable); ok {
		c.leader, _ = s.run.ProcessValue(value)
		c.elected = plainValue(value)
	}
}

// isOpening reports whether an event, the first of its process, says how the
// run begins rather than what happens in it.
func (s *story) isOpening(e *tracefmt.Event) bool {
	simulated := s.run.TimeUnit == tracefmt.Delays && e.Time == s.first
	return (e.Kind == tracefmt.Start || e.Kind == tracefmt.Crash) && (s.opening || simulated)
}

// live reports whether the process takes part at the end of the run.
func (c condition) live() bool { return !c.down && !c.halted }

// leader returns the process that every live process holds for elected at
// the end, 0 if there is none.
func (s *story) leader() tracefmt.ProcessID {
	var all tracefmt.ProcessID
	for _, p := range s.order {
		c := s.final[p]
		if !c.live() {
			continue
		}
		if c.leader == 0 || all != 0 && c.leader != all {
			return 0
		}
		all = c.leader
	}
	return all
}

// bitset is a set of small numbers.
type bitset struct{ words []uint64 }

// maxBit bounds the set's memory to 8 MB; greater numbers are never members.
const maxBit = 1 << 26

// add appends the event to the steps.
func (s *story) add(e *tracefmt.Event) {
	st := step{
		seq: e.Seq, time: e.Time, kind: e.Kind, process: e.Process, peer: e.Peer,
		lamport: e.Lamport, cause: e.Cause, typ: s.intern(clean(e.Type, maxLabel)), send: -1,
	}
	st.opening = !s.final[e.Process].known && s.isOpening(e)
	switch e.Kind {
	case tracefmt.Send:
		st.hue, st.text = s.typeNumber(e.Type), s.intern(brief(e))
		s.send[e.Message] = len(s.steps)
	case tracefmt.Receive, tracefmt.Lose:
		s.addArrival(e, &st)
	case tracefmt.State:
		s.addState(e, &st)
	case tracefmt.Partition:
		st.text = partitionText(e.Payload)
	case tracefmt.Note:
		s.addNote(e, &st)
	default:
		st.text = s.intern(brief(e))
	}
	s.steps = append(s.steps, st)
}

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
