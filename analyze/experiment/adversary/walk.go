package adversary

import (
	"fmt"
	"slices"

	"etrace/tracefmt"
)

// walk visits the points of a process, each reached by one message from an earlier point.
type walk struct {
	*proof
	points
	p tracefmt.ProcessID
	a *automaton
	// needed has, by incoming stream and message, how many messages of each incoming stream must be handled
	// before.
	needed [][][]byte
	queue  []string
}

// explore visits all points. restart is true if a stream turned out to be relevant, so that the walk must begin
// again.
func (w *walk) explore() (restart bool, err error) {
	w.known, w.answers = map[string]*point{}, make([][]emission, len(w.inward[w.p]))
	sent, err := w.sends(w.p, make([]int32, len(w.outward[w.p])), w.a.first.sent)
	if err != nil {
		return false, err
	}
	begin := string(make([]byte, len(w.inward[w.p])))
	w.known[begin] = &point{w.a.first.state, sent}
	w.queue = append(w.queue, begin)
	for len(w.queue) > 0 {
		point := w.queue[0]
		w.queue = w.queue[1:]
		for i, s := range w.inward[w.p] {
			if w.relevant[s] {
				err = w.advance(point, i)
			} else {
				restart, err = w.passIrrelevant(point, i)
			}
			if restart || err != nil {
				return restart, err
			}
		}
	}
	return false, nil
}

// advance handles the next message of the i-th incoming stream at a point. It fails if the process then
// behaves otherwise than on another path to the same point.
func (w *walk) advance(at string, i int) error {
	s := &w.streams[w.inward[w.p][i]]
	next := int(at[i])
	if next == len(s.messages) || !w.includesNeeds(at, w.needed[i][next]) {
		return nil
	}
	from := w.known[at]
	step, err := w.a.react(from.state, s.sender, w.h.messages[s.messages[next]].contentID)
	if err != nil {
		return err
	}
	sent, err := w.sends(w.p, from.sent, step.sent)
	if err != nil {
		return err
	}
	reached := []byte(at)
	reached[i]++
	former := w.known[string(reached)]
	switch {
	case former == nil && len(w.known) == maxPoints:
		return fmt.Errorf("process %s may be in more than %d situations", w.name(w.p), maxPoints)
	case former == nil:
		w.known[string(reached)] = &point{step.state, sent}
		w.queue = append(w.queue, string(reached))
	// Two orders of the same messages must leave the process in one state, or the proof fails.
	case former.state != step.state || !slices.Equal(former.sent, sent):
		return fmt.Errorf("what process %s does depends on the order in which messages arrive", w.name(w.p))
	}
	return nil
}

// passIrrelevant handles a message of an irrelevant stream, at a point where one may arrive. It reports whether the
// stream turned out to be relevant.
func (w *walk) passIrrelevant(at string, i int) (relevant bool, err error) {
	number := w.inward[w.p][i]
	if !w.arrives(at, i) {
		return false, nil
	}
	from := w.known[at]
	s := &w.streams[number]
	step, err := w.a.react(from.state, s.sender, s.contentID)
	switch {
	case err != nil:
		return false, err
	case step.state == from.state && w.answers[i] == nil:
		w.answers[i] = append([]emission{}, step.sent...) // not nil, also without messages
	case step.state != from.state || !sameSent(w.answers[i], step.sent):
		w.relevant[number] = true
	}
	return w.relevant[number], nil
}

// arrives reports whether some message of an uncounted stream may arrive at a point: the handled messages do
// not need all messages of the stream, and the needs of one of the others are met.
func (w *walk) arrives(at string, i int) bool {
	handled := 0
	for k := range w.inward[w.p] {
		if at[k] > 0 {
			handled = max(handled, int(w.needed[k][at[k]-1][i]))
		}
	}
	for next := handled; next < len(w.needed[i]); next++ {
		if w.includesNeeds(at, w.needed[i][next]) {
			return true
		}
	}
	return false
}

// includesNeeds reports whether a point includes the needed messages of the relevant streams.
func (w *walk) includesNeeds(at string, needed []byte) bool {
	for k, n := range needed {
		if w.relevant[w.inward[w.p][k]] && at[k] < n {
			return false
		}
	}
	return true
}

// sameSent reports whether two answers have the same messages, in any order.
func sameSent(a, b []emission) bool {
	if len(a) != len(b) {
		return false
	}
	for _, e := range a {
		if count(a, e) != count(b, e) {
			return false
		}
	}
	return true
}

// count returns how often a message occurs.
func count(sent []emission, e emission) (n int) {
	for _, x := range sent {
		if x == e {
			n++
		}
	}
	return n
}
