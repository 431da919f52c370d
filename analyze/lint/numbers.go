package lint

import (
	"bytes"
	"fmt"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// The fields that number messages and refer to them, as in the protocol of Maelstrom.
var (
	numberField = []byte("msg_id")
	answerField = []byte("in_reply_to")
)

// numberIn returns the integer in the field of a message.
func numberIn(e *tracefmt.Event, field []byte) (n int64, ok bool) {
	if !bytes.Contains(e.Payload, field) {
		return 0, false
	}
	value, _ := e.Field(string(field))
	return tracefmt.ParseInteger(value)
}

// answers is the monitor of answer-to-nothing. A request may reach the answering process in many ways, so it
// matters only that it was sent.
type answers struct {
	quiet
	sent map[numbered]bool
}

// numbered is a message that a process has sent.
type numbered struct {
	sender tracefmt.ProcessID
	number int64
}

func newAnswers(*tracefmt.Run) analyze.Monitor { return &answers{sent: make(map[numbered]bool)} }

var sendFacts = analyze.Facts("send")

// Step implements [analyze.Monitor]. A received message was sent.
func (m *answers) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if e.Kind != tracefmt.Send && e.Kind != tracefmt.Receive {
		return
	}
	if n, ok := numberIn(e, numberField); ok {
		// A received message was sent, whether or not its send is recorded.
		sender := e.Process
		if e.Kind == tracefmt.Receive {
			sender = e.Peer
		}
		m.sent[numbered{sender, n}] = true
	}
	n, ok := numberIn(e, answerField)
	if !ok || e.Kind != tracefmt.Send {
		return
	}
	if r.Examined++; m.sent[numbered{e.Peer, n}] {
		return
	}
	r.ViolateUnless(analyze.Needs(e.Peer, 0, e.Seq, sendFacts...), func() string {
		return fmt.Sprintf("process %s answers message %d of process %s at seq %d, which has sent none with that %s before",
			s.Run.ProcessName(e.Process), n, s.Run.ProcessName(e.Peer), e.Seq, numberField)
	}, e.Seq)
}

// numbers is the monitor of skipped-numbers.
type numbers struct{ senders []numbering }

// numbering is the sequence of message numbers of a process.
type numbering struct {
	last    int64        // the latest number
	at      tracefmt.Seq // the event with the latest number
	again   bool         // a number did not increase
	skipped int64        // how many numbers were skipped
	// before and after are the events around the first skipped numbers; from and limit are their numbers.
	before, after tracefmt.Seq
	from, limit   int64
}

func newNumbers(run *tracefmt.Run) analyze.Monitor {
	return &numbers{make([]numbering, len(run.Members)+1)}
}

// Step implements [analyze.Monitor].
func (m *numbers) Step(r *analyze.Result, _ *replay.State, e *tracefmt.Event) {
	if e.Kind != tracefmt.Send {
		return
	}
	n, ok := numberIn(e, numberField)
	if !ok {
		return
	}
	r.Examined++
	s := &m.senders[e.Process]
	switch {
	case s.at == 0: // the first number of the sender
	case n <= s.last:
		s.again = true
	case n > s.last+1:
		if s.skipped += n - s.last - 1; s.before == 0 {
			s.before, s.after, s.from, s.limit = s.at, e.Seq, s.last, n
		}
	}
	s.last, s.at = n, e.Seq
}

// End implements [analyze.Monitor]. A process whose numbers do not increase skips none.
func (m *numbers) End(r *analyze.Result, s *replay.State, _ analyze.Ending) {
	for p, n := range m.senders {
		if n.skipped == 0 || n.again {
			continue
		}
		r.ViolateUnless(nil, func() string {
			return fmt.Sprintf("process %s numbers what it sends upwards and leaves out %s, first after %d, where it goes on with %d, expected %d",
				s.Run.ProcessName(tracefmt.ProcessID(p)), text.Counted(n.skipped, "number", "numbers"), n.from,
				n.limit, n.from+1)
		}, n.before, n.after)
	}
}
