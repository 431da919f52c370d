package lint

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// openMessage is a message that was sent and neither received nor lost so far.
type openMessage struct {
	seq              tracefmt.Seq
	sender, receiver tracefmt.ProcessID
	at               tracefmt.Time // the time of the send
}

// openMessages is the fold of messages in transit by the record, including messages to crashed processes.
type openMessages struct {
	open map[tracefmt.MessageID]openMessage
	// ended is the message that the current event receives or loses.
	ended openMessage
}

// sharedMessages returns the fold that all monitors of a check share.
func sharedMessages(f *analyze.Folds) *openMessages {
	return analyze.Shared(f, func(*tracefmt.Run) *openMessages {
		return &openMessages{open: make(map[tracefmt.MessageID]openMessage)}
	})
}

// Step implements [analyze.Fold].
func (f *openMessages) Step(_ *replay.State, e *tracefmt.Event) {
	f.ended = openMessage{}
	switch e.Kind {
	case tracefmt.Send:
		f.open[e.Message] = openMessage{e.Seq, e.Process, e.Peer, e.Time}
	case tracefmt.Receive, tracefmt.Lose:
		f.ended = f.open[e.Message]
		delete(f.open, e.Message)
	}
}

// undelivered is the monitor of send-without-receive.
type undelivered struct{ messages *openMessages }

func newUndelivered(*tracefmt.Run) analyze.Monitor { return &undelivered{} }

// Follow implements [analyze.Follower].
func (m *undelivered) Follow(f *analyze.Folds) { m.messages = sharedMessages(f) }

// Step implements [analyze.Monitor].
func (m *undelivered) Step(*analyze.Result, *replay.State, *tracefmt.Event) {}

var arrivalFacts = analyze.Facts("receive", "lose")

// End implements [analyze.Monitor]. In a complete recording of a stopped run, a message may be in transit.
func (m *undelivered) End(r *analyze.Result, s *replay.State, _ analyze.Ending) {
	ids := slices.SortedFunc(maps.Keys(m.messages.open), func(a, b tracefmt.MessageID) int {
		return cmp.Compare(m.messages.open[a].seq, m.messages.open[b].seq)
	})
	for _, id := range ids {
		sent := m.messages.open[id]
		r.Examined++
		if s.Coverage().NothingRecorded(sent.receiver) {
			continue // the receiver has no log
		}
		excuses := analyze.Missing(s, analyze.Needs(sent.receiver, sent.seq, 0, arrivalFacts...))
		if excuses == nil && (s.Run.End != tracefmt.Quiescent || !s.Live(sent.receiver)) {
			continue
		}
		r.ViolateUnless(excuses, func() string {
			return fmt.Sprintf("message %d, which process %s sends to %s at seq %d, is neither received nor lost",
				id, s.Run.ProcessName(sent.sender), s.Run.ProcessName(sent.receiver), sent.seq)
		}, sent.seq)
	}
}

// skewMonitor is the monitor of clock-skew.
type skewMonitor struct {
	messages *openMessages
	delays   tracefmt.Skews[sendAndReceive]
}

// sendAndReceive has the two events of a message.
type sendAndReceive struct{ sent, received tracefmt.Seq }

func newSkew(*tracefmt.Run) analyze.Monitor { return &skewMonitor{} }

// Follow implements [analyze.Follower].
func (m *skewMonitor) Follow(f *analyze.Folds) { m.messages = sharedMessages(f) }

// Step implements [analyze.Monitor].
func (m *skewMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	sent := m.messages.ended
	if s.Run.TimeUnit == tracefmt.Nanoseconds && e.Kind == tracefmt.Receive && sent.seq != 0 &&
		sent.sender != e.Process {
		r.Examined++
		m.delays.Add(sent.sender, e.Process, e.Time-sent.at, sendAndReceive{sent.seq, e.Seq})
	}
}

// End implements [analyze.Monitor].
func (m *skewMonitor) End(r *analyze.Result, s *replay.State, _ analyze.Ending) {
	for _, skew := range m.delays.All() {
		r.ViolateUnless(nil, func() string {
			return fmt.Sprintf("the clock of process %s is %s behind that of %s; too early: %d of %s in this direction",
				s.Run.ProcessName(skew.To), skew.Bounds(), s.Run.ProcessName(skew.From), skew.Early,
				text.Counted(skew.Count, "message", "messages"))
		}, skew.Worst.sent, skew.Worst.received)
	}
}
