package rerun

import (
	"encoding/binary"
	"slices"
	"strconv"

	"etrace/tracefmt"
)

// letter is what may arrive at a process: messages with the same sender, type and fields.
type letter struct {
	receive tracefmt.Event
	number  int32
	// sent is how many of them are on their way, as far as that is recorded; unlimited: so
	// many were sent, or arrive, as one likes to suppose.
	sent      int32
	unlimited bool
	// kept is the last time that it was kept in the inbox.
	kept int64
}

// inbox holds what a process may receive without that being recorded.
type inbox struct {
	letters []*letter // in the order in which they were sent; some more than once
	known   map[string]*letter
	// stale: some may be there twice, or have arrived. passes counts how often these were
	// forgotten.
	stale  bool
	passes int64
}

// taken says how many of which letters a process has received unrecorded, in the order of
// their numbers. It does not change.
type taken []takenLetter

type takenLetter struct{ letter, count int32 }

// within reports whether others were taken, too.
func (t taken) within(others taken) bool {
	for _, x := range t {
		if others.count(x.letter) < x.count {
			return false
		}
	}
	return true
}

func (t taken) count(letter int32) int32 {
	for _, x := range t {
		if x.letter == letter {
			return x.count
		}
	}
	return 0
}

// with returns what is taken with one more.
func (t taken) with(letter int32) taken {
	i, found := slices.BinarySearchFunc(t, letter, func(x takenLetter, n int32) int { return int(x.letter - n) })
	if found {
		more := slices.Clone(t)
		more[i].count++
		return more
	}
	return slices.Insert(slices.Clone(t), i, takenLetter{letter, 1})
}

// letter returns that of a message to t.
func (s *search) letter(t *track, from tracefmt.ProcessID, typ string, payload []byte) (l *letter, added bool) {
	key := append(binary.AppendVarint(s.key[:0], int64(from)), typ...)
	key = append(append(key, 0), payload...)
	s.key = key
	if l := t.inbox.known[string(key)]; l != nil {
		return l, false
	}
	if t.inbox.known == nil {
		t.inbox.known = map[string]*letter{}
	}
	l = &letter{number: int32(len(t.inbox.known))}
	l.receive = *(&tracefmt.Event{Kind: tracefmt.Receive, Process: t.p, Peer: from, Type: typ, Payload: payload}).Clone()
	l.unlimited = s.contents.duplicates || s.contents.ever(from, tracefmt.Send)
	t.inbox.known[string(key)] = l
	t.inbox.letters = append(t.inbox.letters, l)
	return l, true
}

// hear takes in that a process may have sent a message unrecorded.
func (s *search) hear(t *track, o *output) {
	to := o.event.Peer
	if int(to) >= len(s.tracks) || to < 1 || !s.receivesHidden[to] {
		return
	}
	s.letter(&s.tracks[to], t.p, o.event.Type, o.event.Payload)
}

// post takes in what the recording shows of a message: its send, receipt or loss.
func (s *search) post(e *tracefmt.Event) {
	to, from := e.Process, e.Peer
	if e.Kind == tracefmt.Send {
		to, from = from, to
	}
	if to < 1 || !s.receivesHidden[to] {
		return
	}
	t := &s.tracks[to]
	payload := e.Payload
	if e.Kind == tracefmt.Lose { // its payload is the reason
		sent, ok := s.lost[e.Message]
		if !ok {
			return
		}
		payload = sent
	}
	l, added := s.letter(t, from, e.Type, payload)
	t.inbox.stale = true
	switch {
	case l.unlimited:
	case e.Kind == tracefmt.Send:
		l.sent++
		if !added {
			t.inbox.letters = append(t.inbox.letters, l)
		}
		if s.contents.losses {
			s.lost[e.Message] = slices.Clone(e.Payload)
		}
	default:
		l.sent--
		delete(s.lost, e.Message)
	}
}

// compact forgets what stands in the inbox twice, or has arrived.
func (b *inbox) compact() {
	if !b.stale {
		return
	}
	b.stale = false
	b.passes++
	b.letters = slices.DeleteFunc(b.letters, func(l *letter) bool {
		gone := l.kept == b.passes || !l.unlimited && l.sent <= 0
		l.kept = b.passes
		return gone
	})
}

// offer supposes that a process receives what it has not been offered in the i-th node,
// and reports whether there was any such thing.
func (s *search) offer(t *track, i int) (offered bool) {
	for ; int(t.nodes[i].offered) < len(t.inbox.letters); offered = true {
		n := t.nodes[i]
		t.nodes[i].offered++
		l := t.inbox.letters[n.offered]
		if !l.unlimited {
			if n.took.count(l.number) >= l.sent {
				continue
			}
		}
		s.see(t, true)
		for _, r := range s.steps.take(n.state, &l.receive, false) {
			if r.err != nil || r.out == nil || r.to == n.state && r.out.next == nil {
				continue // it makes no difference
			}
			next := n
			next.state, next.rest = r.to, r.out.next
			next.tally[tracefmt.Receive]++
			if !l.unlimited {
				next.took = n.took.with(l.number)
			}
			s.push(t, next, n.point, &l.receive)
		}
		if s.spent() {
			return true
		}
	}
	return offered
}

// roundEvent is the beginning of a round at p.
func roundEvent(p tracefmt.ProcessID, number int64) *tracefmt.Event {
	return &tracefmt.Event{Kind: tracefmt.Note, Process: p, Type: "round", Payload: []byte(`{"number":` + strconv.FormatInt(number, 10) + `}`)}
}
