package conform

import (
	"encoding/binary"
	"slices"
	"strconv"

	"etrace/tracefmt"
)

// messageClass is a class of messages that may arrive at a process: same sender, type and fields.
type messageClass struct {
	// receive is the receipt of such a message.
	receive tracefmt.Event
	number  int32
	// sent is the number of such messages in flight, as far as recorded. If unlimited, the number sent is
	// unknown and unbounded.
	sent      int32
	unlimited bool
	// kept is the pass of compact that last kept the class.
	kept int64
}

// inbox holds the messages that a process may receive without a recorded receipt.
type inbox struct {
	// classes are in the order of their sends, and may be listed more than once. known finds them by contents.
	classes []*messageClass
	known   map[string]*messageClass
	// stale is true if some classes may be listed twice, or have arrived. passes counts the calls of compact
	// that removed such classes.
	stale  bool
	passes int64
}

// taken counts, by class, the messages that a process has received without a recorded receipt. It is
// immutable, since many nodes share it.
type taken []takenClass

// takenClass is the count of one class.
type takenClass struct{ messageClass, count int32 }

// within reports whether every count is at most that of the other.
func (t taken) within(larger taken) bool {
	for _, x := range t {
		if larger.count(x.messageClass) < x.count {
			return false
		}
	}
	return true
}

// count returns the number of messages of a class.
func (t taken) count(messageClass int32) int32 {
	for _, x := range t {
		if x.messageClass == messageClass {
			return x.count
		}
	}
	return 0
}

// plus returns a copy with one more message of a class.
func (t taken) plus(messageClass int32) taken {
	i, found := slices.BinarySearchFunc(t, messageClass,
		func(x takenClass, n int32) int { return int(x.messageClass - n) })
	if found {
		more := slices.Clone(t)
		more[i].count++
		return more
	}
	return slices.Insert(slices.Clone(t), i, takenClass{messageClass, 1})
}

// messageClass returns the class of a message to t, and adds it if it is new.
func (s *search) messageClass(
	t *track, from tracefmt.ProcessID, typ string, payload []byte,
) (l *messageClass, added bool) {
	key := append(binary.AppendVarint(s.key[:0], int64(from)), typ...)
	key = append(append(key, 0), payload...)
	s.key = key
	if l := t.inbox.known[string(key)]; l != nil {
		return l, false
	}
	if t.inbox.known == nil {
		t.inbox.known = map[string]*messageClass{}
	}
	l = &messageClass{number: int32(len(t.inbox.known))}
	l.receive = *(&tracefmt.Event{
		Kind: tracefmt.Receive, Process: t.p, Peer: from, Type: typ,
		Payload: payload,
	}).Clone()
	l.unlimited = s.contents.duplicates || s.contents.incomplete(from, tracefmt.Send)
	t.inbox.known[string(key)] = l
	t.inbox.classes = append(t.inbox.classes, l)
	return l, true
}

// noteHiddenSend adds a message, which a process may have sent without a recorded send, to the inbox of its
// receiver.
func (s *search) noteHiddenSend(t *track, o *output) {
	receiver := o.event.Peer
	if int(receiver) >= len(s.tracks) || receiver < 1 || !s.receivesHidden[receiver] {
		return
	}
	s.messageClass(&s.tracks[receiver], t.p, o.event.Type, o.event.Payload)
}

// updateInbox updates the inbox of the receiver by a recorded send, receipt or loss.
func (s *search) updateInbox(e *tracefmt.Event) {
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
	l, added := s.messageClass(t, from, e.Type, payload)
	t.inbox.stale = true
	switch {
	case l.unlimited: // the number of its messages does not matter
	case e.Kind == tracefmt.Send:
		l.sent++
		if !added {
			t.inbox.classes = append(t.inbox.classes, l)
		}
		if s.contents.losses {
			s.lost[e.Message] = slices.Clone(e.Payload)
		}
	default:
		l.sent--
		delete(s.lost, e.Message)
	}
}

// compact removes classes that are listed twice or have no message in flight.
func (b *inbox) compact() {
	if !b.stale {
		return
	}
	b.stale = false
	b.passes++
	b.classes = slices.DeleteFunc(b.classes, func(l *messageClass) bool {
		gone := l.kept == b.passes || !l.unlimited && l.sent <= 0
		l.kept = b.passes
		return gone
	})
}

// offer assumes that node i receives, unrecorded, each message of the inbox that it has not been offered. It
// adds the nodes after the receipts, and reports whether there was anything to offer.
func (s *search) offer(t *track, i int) (offered bool) {
	for ; int(t.nodes[i].offered) < len(t.inbox.classes); offered = true {
		n := t.nodes[i]
		t.nodes[i].offered++
		l := t.inbox.classes[n.offered]
		if !l.unlimited {
			if n.taken.count(l.number) >= l.sent {
				continue
			}
		}
		s.setContext(t, true)
		for _, r := range s.steps.outcomes(n.state, &l.receive, false) {
			// A receipt that changes nothing would only add an equal node.
			if r.err != nil || r.out == nil || r.state == n.state && r.out.next == nil {
				// A receipt that changes nothing explains nothing.
				continue
			}
			next := n
			next.state, next.pending = r.state, r.out.next
			next.tally[tracefmt.Receive]++
			if !l.unlimited {
				next.taken = n.taken.plus(l.number)
			}
			s.push(t, next, n.point, &l.receive)
		}
		if s.budgetSpent() {
			return true
		}
	}
	return offered
}

// roundEvent returns the note that begins a round at p.
func roundEvent(p tracefmt.ProcessID, number int64) *tracefmt.Event {
	return &tracefmt.Event{Kind: tracefmt.Note, Process: p, Type: "round", Payload: []byte(`{"number":` + strconv.FormatInt(number, 10) + `}`)}
}
