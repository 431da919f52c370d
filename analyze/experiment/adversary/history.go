package adversary

import (
	"fmt"

	"etrace/tracefmt"
)

// message is one of a history: what it says, and how much its sender had handled when it
// was sent.
type message struct {
	from, to tracefmt.ProcessID
	letter   letter
	after    int // how many messages the sender had handled
}

// history is one run of a model: its messages in the order in which they are sent, and by
// process the numbers of those that it handles, in that order.
type history struct {
	messages []message
	handled  [][]int
}

// longest bounds the messages of a history.
const longest = 50_000

// play returns the run in which every message takes equally long.
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
	for i := 0; i < len(h.messages); i++ {
		if i == longest {
			return nil, fmt.Errorf("a run has more than %d messages, if it ends", longest)
		}
		x := h.messages[i]
		a := m.processes[x.to]
		if a == nil {
			continue
		}
		s, err := a.take(states[x.to], x.from, x.letter)
		if err != nil {
			return nil, err
		}
		states[x.to] = s.state
		h.handled[x.to] = append(h.handled[x.to], i)
		h.send(x.to, s.sent)
	}
	return h, nil
}

func (h *history) send(from tracefmt.ProcessID, sent []emission) {
	for _, e := range sent {
		h.messages = append(h.messages, message{from, e.to, e.letter, len(h.handled[from])})
	}
}
