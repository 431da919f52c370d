package adversary

import (
	"fmt"

	"etrace/tracefmt"
)

// message is a message of a history: its ends, its content, and the progress of its sender when it was sent.
type message struct {
	sender, receiver tracefmt.ProcessID
	contentID        contentID
	after            int // the number of messages that the sender had handled
}

// history is one run of a model: its messages in the order of sending and, by process, the messages that it
// handles, in order.
type history struct {
	messages []message
	handled  [][]int
}

// maxMessages is the limit for the messages of a history.
const maxMessages = 50_000

// play returns the run in which every message takes equally long. It fails for a run of more than
// maxMessages.
func (m *model) play() (*history, error) {
	h := &history{handled: make([][]int, len(m.processes))}
	states := make([]int32, len(m.processes))
	for p, a := range m.processes {
		if a != nil {
			states[p] = a.first.state
		}
	}
	for _, p := range m.w.family.starts {
		if a := m.processes[p]; a != nil {
			h.send(p, a.first.sent)
		}
	}
	// Equal times deliver the messages in the order of their sends, so the list is also the queue.
	for i := 0; i < len(h.messages); i++ {
		if i == maxMessages {
			return nil, fmt.Errorf("a run has more than %d messages, if it ends", maxMessages)
		}
		x := h.messages[i]
		a := m.processes[x.receiver]
		if a == nil {
			continue
		}
		s, err := a.react(states[x.receiver], x.sender, x.contentID)
		if err != nil {
			return nil, err
		}
		states[x.receiver] = s.state
		h.handled[x.receiver] = append(h.handled[x.receiver], i)
		h.send(x.receiver, s.sent)
	}
	return h, nil
}

// send appends messages to the history.
func (h *history) send(from tracefmt.ProcessID, sent []emission) {
	for _, e := range sent {
		h.messages = append(h.messages, message{from, e.receiver, e.contentID, len(h.handled[from])})
	}
}
