package complexity

import (
	"slices"

	"etrace/tracefmt"
)

// Hop is a message of the longest chain: its send and its receive, which precedes the next send of the chain at
// the same process.
type Hop struct {
	Type string `json:"type"`
	From string `json:"from"`
	To   string `json:"to"`
	// Sent and Received are the seqs; Sent is 0 if the send is not recorded.
	Sent     tracefmt.Seq `json:"sent"`
	Received tracefmt.Seq `json:"received"`
	// SentAt and ReceivedAt are in units; SentAt is nil if the send is not recorded.
	SentAt     *float64 `json:"sent_at"`
	ReceivedAt *float64 `json:"received_at"`
}

// trail finds the longest chain of delivered messages: it stores for each message the one before it in the
// longest chain that ends with it. Of chains of equal length, the first complete one counts. A nil trail does
// nothing.
type trail struct {
	run     *tracefmt.Run
	steps   []step  // numbered from 1; 0 means no step
	longest []int32 // by process: the step that ends the longest chain there
	last    int32   // the step that ends the longest chain of the run
}

// step is a message in a chain.
type step struct {
	previous       int32 // the previous step
	depth          int32
	link           link
	typ            string
	sent, received tracefmt.Seq
	sentAt, at     tracefmt.Time
}

// newTrail returns the trail of a run without messages.
func newTrail(run *tracefmt.Run) *trail {
	return &trail{run: run, steps: make([]step, 1), longest: make([]int32, len(run.Members)+1)}
}

// send adds a send, and returns its step.
func (t *trail) send(e *tracefmt.Event) int32 {
	if t == nil {
		return 0
	}
	before := t.longest[e.Process]
	return t.add(step{
		previous: before, depth: t.steps[before].depth + 1, link: link{
			e.Process,
			e.Peer,
		}, typ: e.Type, sent: e.Seq, sentAt: e.Time,
	})
}

// addUnsent adds the arrival of a message without a recorded send: its chain has at least length 1.
func (t *trail) addUnsent(e *tracefmt.Event) int32 {
	if t == nil {
		return 0
	}
	return t.add(step{depth: 1, link: link{e.Peer, e.Process}, typ: e.Type})
}

// add adds a message to the chains, and returns its step.
func (t *trail) add(s step) int32 {
	t.steps = append(t.steps, s)
	return int32(len(t.steps) - 1)
}

// receive notes that the message of a step is delivered.
func (t *trail) receive(e *tracefmt.Event, i int32) {
	if t == nil {
		return
	}
	s := &t.steps[i]
	s.received, s.at = e.Seq, e.Time
	if s.depth > t.steps[t.longest[e.Process]].depth {
		t.longest[e.Process] = i
	}
	if s.depth > t.steps[t.last].depth {
		t.last = i
	}
}

// hops returns the longest chain, the first message first; empty if no message was delivered, nil for a nil
// trail.
func (t *trail) hops() []Hop {
	if t == nil {
		return nil
	}
	hops := []Hop{}
	for i := t.last; i != 0; i = t.steps[i].previous {
		hops = append(hops, t.reportedHop(&t.steps[i]))
	}
	slices.Reverse(hops)
	return hops
}

// reportedHop returns a step for the report.
func (t *trail) reportedHop(s *step) Hop {
	h := Hop{
		Type: s.typ, From: t.run.ProcessName(s.link.sender), To: t.run.ProcessName(s.link.receiver), Sent: s.sent,
		Received:   s.received,
		ReceivedAt: units(t.run.TimeUnit.Units(s.at)),
	}
	if s.sent != 0 {
		h.SentAt = units(t.run.TimeUnit.Units(s.sentAt))
	}
	return h
}
