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

// openMessage is a message that was sent and neither received nor lost.
type openMessage struct {
	seq      tracefmt.Seq
	from, to tracefmt.ProcessID
	at       tracefmt.Time
}

// openMessages is the fold of messages on their way, as they are recorded: also of those to
// processes that are down.
type openMessages struct {
	all map[tracefmt.MessageID]openMessage
	// ended is that of the event at hand, if it is a receive or loss of one.
	ended openMessage
}

func sharedMessages(f *analyze.Folds) *openMessages {
	return analyze.Shared(f, func(*tracefmt.Run) *openMessages { return &openMessages{all: make(map[tracefmt.MessageID]openMessage)} })
}

// Step implements [analyze.Fold].
func (f *openMessages) Step(_ *replay.State, e *tracefmt.Event) {
	f.ended = openMessage{}
	switch e.Kind {
	case tracefmt.Send:
		f.all[e.Message] = openMessage{e.Seq, e.Process, e.Peer, e.Time}
	case tracefmt.Receive, tracefmt.Lose:
		f.ended = f.all[e.Message]
		delete(f.all, e.Message)
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

// End implements [analyze.Monitor]. Where all is told and the run only stopped, a message
// may be in flight.
func (m *undelivered) End(r *analyze.Result, s *replay.State, _ analyze.Ending) {
	ids := slices.SortedFunc(maps.Keys(m.messages.all), func(a, b tracefmt.MessageID) int {
		return cmp.Compare(m.messages.all[a].seq, m.messages.all[b].seq)
	})
	for _, id := range ids {
		sent := m.messages.all[id]
		r.Examined++
		if s.Coverage().Untold(sent.to) {
			continue // it has no log
		}
		excuses := analyze.Untold(s, analyze.Needs(sent.to, sent.seq, 0, arrivalFacts...))
		if excuses == nil && (s.Run.End != tracefmt.Quiescent || !s.Live(sent.to)) {
			continue
		}
		r.ViolateUnless(excuses, func() string {
			return fmt.Sprintf("message %d, which process %s sends to %s at seq %d, is neither received nor lost",
				id, s.Run.ProcessName(sent.from), s.Run.ProcessName(sent.to), sent.seq)
		}, sent.seq)
	}
}

// skewMonitor is the monitor of clock-skew.
type skewMonitor struct {
	messages *openMessages
	delays   tracefmt.Skews[sendAndReceive]
}

type sendAndReceive struct{ sent, received tracefmt.Seq }

func newSkew(*tracefmt.Run) analyze.Monitor { return &skewMonitor{} }

// Follow implements [analyze.Follower].
func (m *skewMonitor) Follow(f *analyze.Folds) { m.messages = sharedMessages(f) }

// Step implements [analyze.Monitor].
func (m *skewMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	sent := m.messages.ended
	if s.Run.TimeUnit == tracefmt.Nanoseconds && e.Kind == tracefmt.Receive && sent.seq != 0 && sent.from != e.Process {
		r.Examined++
		m.delays.Add(sent.from, e.Process, e.Time-sent.at, sendAndReceive{sent.seq, e.Seq})
	}
}

// End implements [analyze.Monitor].
func (m *skewMonitor) End(r *analyze.Result, s *replay.State, _ analyze.Ending) {
	for _, skew := range m.delays.All() {
		r.ViolateUnless(nil, func() string {
			return fmt.Sprintf("the clock of process %s is %s behind that of %s: too early are %d of %s that way",
				s.Run.ProcessName(skew.To), skew.Bounds(), s.Run.ProcessName(skew.From), skew.Early, text.Counted(skew.Count, "message", "messages"))
		}, skew.Worst.sent, skew.Worst.received)
	}
}
