package adversary

import (
	"fmt"
	"slices"

	"etrace/tracefmt"
)

// walk goes through the points of a process.
type walk struct {
	*proof
	points
	p tracefmt.ProcessID
	a *automaton
	// needed says by incoming stream and message how many of each incoming stream must
	// have been handled before.
	needed [][][]byte
	queue  []string
}

// through goes through all points. It reports whether to begin anew, since a stream turned
// out to be relevant.
func (w *walk) through() (anew bool, err error) {
	w.all, w.answers = map[string]*point{}, make([][]emission, len(w.in[w.p]))
	sent, err := w.sends(w.p, make([]int32, len(w.out[w.p])), w.a.first.sent)
	if err != nil {
		return false, err
	}
	begin := string(make([]byte, len(w.in[w.p])))
	w.all[begin] = &point{w.a.first.state, sent}
	w.queue = append(w.queue, begin)
	for len(w.queue) > 0 {
		at := w.queue[0]
		w.queue = w.queue[1:]
		for i, s := range w.in[w.p] {
			if w.relevant[s] {
				err = w.advance(at, i)
			} else {
				anew, err = w.pass(at, i)
			}
			if anew || err != nil {
				return anew, err
			}
		}
	}
	return false, nil
}

// advance handles the next message of a stream.
func (w *walk) advance(at string, i int) error {
	s := &w.streams[w.in[w.p][i]]
	next := int(at[i])
	if next == len(s.messages) || !w.met(at, w.needed[i][next]) {
		return nil
	}
	from := w.all[at]
	step, err := w.a.take(from.state, s.from, w.h.messages[s.messages[next]].letter)
	if err != nil {
		return err
	}
	sent, err := w.sends(w.p, from.sent, step.sent)
	if err != nil {
		return err
	}
	to := []byte(at)
	to[i]++
	known := w.all[string(to)]
	switch {
	case known == nil && len(w.all) == mostPoints:
		return fmt.Errorf("process %s may be in more than %d situations", w.name(w.p), mostPoints)
	case known == nil:
		w.all[string(to)] = &point{step.state, sent}
		w.queue = append(w.queue, string(to))
	case known.state != step.state || !slices.Equal(known.sent, sent):
		return fmt.Errorf("what process %s does depends on the order in which messages arrive", w.name(w.p))
	}
	return nil
}

// pass handles a message of a stream that decides nothing, so far, wherever one may
// arrive. It reports whether the stream is relevant after all.
func (w *walk) pass(at string, i int) (relevant bool, err error) {
	number := w.in[w.p][i]
	if !w.arrives(at, i) {
		return false, nil
	}
	from := w.all[at]
	s := &w.streams[number]
	step, err := w.a.take(from.state, s.from, s.letter)
	switch {
	case err != nil:
		return false, err
	case step.state == from.state && w.answers[i] == nil:
		w.answers[i] = append([]emission{}, step.sent...) // not nil
	case step.state != from.state || !sameSent(w.answers[i], step.sent):
		w.relevant[number] = true
	}
	return w.relevant[number], nil
}

// arrives reports whether at a point any message of a stream that is not counted may be
// the next one: not all of them are needed by what was handled, and one has what it needs.
func (w *walk) arrives(at string, i int) bool {
	handled := 0
	for k := range w.in[w.p] {
		if at[k] > 0 {
			handled = max(handled, int(w.needed[k][at[k]-1][i]))
		}
	}
	for next := handled; next < len(w.needed[i]); next++ {
		if w.met(at, w.needed[i][next]) {
			return true
		}
	}
	return false
}

// met reports whether a point has what is needed of the relevant streams.
func (w *walk) met(at string, needed []byte) bool {
	for k, n := range needed {
		if w.relevant[w.in[w.p][k]] && at[k] < n {
			return false
		}
	}
	return true
}

// sameSent reports whether two answers are the same messages, in any order.
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

func count(sent []emission, e emission) (n int) {
	for _, x := range sent {
		if x == e {
			n++
		}
	}
	return n
}
