package conform

import (
	"encoding/binary"
	"slices"
	"strconv"

	"etrace/tracefmt"
)

// letter is a class of messages that may arrive at a process: same sender, type and fields.
type letter struct {
	receive tracefmt.Event
	number  int32
	// sent is the number of such messages in flight, as far as recorded. If unlimited, the number sent is
	// unknown and unbounded.
	sent      int32
	unlimited bool
	// kept is the pass of compact in which the letter was last kept.
	kept int64
}

// inbox holds what a process may receive without a recorded receipt.
type inbox struct {
	// letters are in the order of their sends; a letter may be listed more than once.
	letters []*letter
	known   map[string]*letter
	// stale: some letters may be listed twice, or have arrived. passes counts the calls of compact that
	// removed such letters.
	stale  bool
	passes int64
}

// taken counts, by letter number, the messages that a process has received without a recorded receipt. It is
// immutable.
type taken []takenLetter

type takenLetter struct{ letter, count int32 }

// within reports whether every count is at most that of the other.
func (t taken) within(larger taken) bool {
	for _, x := range t {
		if larger.count(x.letter) < x.count {
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

// plus returns a copy with one more message of a letter.
func (t taken) plus(letter int32) taken {
	i, found := slices.BinarySearchFunc(t, letter, func(x takenLetter, n int32) int { return int(x.letter - n) })
	if found {
		more := slices.Clone(t)
		more[i].count++
		return more
	}
	return slices.Insert(slices.Clone(t), i, takenLetter{letter, 1})
}

// letter returns the letter of a message to t, and adds it if it is new.
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

// hear adds the letter of a message that a process may have sent without a recorded send.
func (s *search) hear(t *track, o *output) {
	receiver := o.event.Peer
	if int(receiver) >= len(s.tracks) || receiver < 1 || !s.receivesHidden[receiver] {
		return
	}
	s.letter(&s.tracks[receiver], t.p, o.event.Type, o.event.Payload)
}

// post updates the inbox by a recorded send, receipt or loss.
func (s *search) post(e *tracefmt.Event) {
	receiver, from := e.Process, e.Peer
	if e.Kind == tracefmt.Send {
		receiver, from = from, receiver
	}
	if receiver < 1 || !s.receivesHidden[receiver] {
		return
	}
	t := &s.tracks[receiver]
	payload := e.Payload
	// The payload of a loss is its reason; that of the message is in its send.
	if e.Kind == tracefmt.Lose {
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

// compact removes letters that are listed twice or have arrived.
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

// offer assumes the receipt of each letter that node i has not yet been offered, and reports whether there was
// any.
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
			if r.err != nil || r.out == nil || r.state == n.state && r.out.next == nil {
				// A receipt that changes nothing explains nothing.
				continue
			}
			next := n
			next.state, next.pending = r.state, r.out.next
			next.tally[tracefmt.Receive]++
			if !l.unlimited {
				next.took = n.took.plus(l.number)
			}
			s.push(t, next, n.point, &l.receive)
		}
		if s.spent() {
			return true
		}
	}
	return offered
}

// roundEvent returns the note that begins a round at p.
func roundEvent(p tracefmt.ProcessID, number int64) *tracefmt.Event {
	return &tracefmt.Event{Kind: tracefmt.Note, Process: p, Type: "round", Payload: []byte(`{"number":` + strconv.FormatInt(number, 10) + `}`)}
}
