package property_test

import (
	"bytes"
	"slices"
	"strconv"

	"etrace/tracefmt"
)

// course is the part of a run's state that determines the next events: the rules that drawn
// runs and completions keep. A process that is down does nothing, recovers only after a crash, and
// starts as the first thing it does or, instead of recovering, after a crash; a message arrives
// once, after it was sent, and is lost only if it has not arrived; a timer expires or is stopped
// while it is armed; who has invoked an operation waits for its return.
type course struct {
	processes [4]place
	messages  []message
	armed     []tracefmt.Event // by process and type
}

type place struct {
	down, stepped bool
	halted        bool
	inside        bool   // it has entered a critical section, and noted no exit
	operation     string // that was invoked, and has not returned
}

type message struct {
	tracefmt.Event
	settled bool
}

func (w *course) clone() *course {
	c := *w
	c.messages, c.armed = slices.Clone(w.messages), slices.Clone(w.armed)
	return &c
}

// after returns the course after an event, nil if that does not keep the rules.
func (w *course) after(e *tracefmt.Event) *course {
	if !w.keeps(e) {
		return nil
	}
	next := w.clone()
	next.step(e)
	return next
}

// step takes in an event.
func (w *course) step(e *tracefmt.Event) {
	p := &w.processes[e.Process]
	switch e.Kind {
	case tracefmt.Crash, tracefmt.Halt:
		p.down, p.halted, p.operation = true, e.Kind == tracefmt.Halt, ""
		w.armed = slices.DeleteFunc(w.armed, func(t tracefmt.Event) bool { return t.Process == e.Process })
	case tracefmt.Recover, tracefmt.Start:
		p.down = false
	case tracefmt.Send:
		w.messages = append(w.messages, message{*e, false})
	case tracefmt.Receive, tracefmt.Lose:
		// Drawn courses may receive what was never sent: nothing is settled then.
		if i := w.flight(e); i >= 0 {
			w.messages[i].settled = true
		}
	case tracefmt.SetTimer:
		if w.timer(e) < 0 {
			w.armed = append(w.armed, *e)
		}
	case tracefmt.CancelTimer, tracefmt.Timeout:
		if i := w.timer(e); i >= 0 {
			w.armed = slices.Delete(w.armed, i, i+1)
		}
	case tracefmt.Note:
		p.inside = e.Type == "enter" || p.inside && e.Type != "exit"
	case tracefmt.Invoke:
		p.operation = e.Type
	case tracefmt.Return:
		p.operation = ""
	}
	if e.Kind != tracefmt.Lose {
		p.stepped = true
	}
}

// keeps reports whether an event that comes next keeps the rules.
func (w *course) keeps(e *tracefmt.Event) bool {
	p := &w.processes[e.Process]
	switch e.Kind {
	case tracefmt.Start:
		return !p.stepped || p.down && !p.halted
	case tracefmt.Recover:
		return p.down && !p.halted
	case tracefmt.Lose:
		return w.flight(e) >= 0
	}
	// A process that is down takes no other step.
	if p.down {
		return false
	}
	switch e.Kind {
	case tracefmt.Receive:
		return w.flight(e) >= 0
	case tracefmt.CancelTimer, tracefmt.Timeout:
		return w.timer(e) >= 0
	case tracefmt.Invoke:
		return p.operation == ""
	case tracefmt.Return:
		return p.operation == e.Type
	}
	return true
}

// flight returns which message it is that arrives or is lost, -1 for none on its way.
func (w *course) flight(e *tracefmt.Event) int {
	return slices.IndexFunc(w.messages, func(m message) bool {
		return m.Message == e.Message && m.Peer == e.Process && m.Process == e.Peer && !m.settled
	})
}

func (w *course) timer(e *tracefmt.Event) int {
	return slices.IndexFunc(w.armed, func(t tracefmt.Event) bool { return t.Process == e.Process && t.Type == e.Type })
}

// began are the events that may happen at p, one of n, whatever happened before.
func began(steps []happening, n int, p tracefmt.ProcessID) (list []tracefmt.Event) {
	for _, s := range steps {
		for _, payload := range s.payloads() {
			e := tracefmt.Event{Kind: s.kind, Process: p, Type: s.typ, Payload: payload}
			if term, contents, self := bytes.Cut(payload, []byte("@")); self {
				e.Term, _ = strconv.ParseInt(string(term), 10, 64)
				e.Payload = contents
			}
			switch s.kind {
			case tracefmt.Send, tracefmt.Suspect, tracefmt.Trust:
				for q := range tracefmt.ProcessID(n) {
					e.Peer = q + 1
					if e.Peer != p {
						list = append(list, e)
					}
				}
			default:
				list = append(list, e)
			}
		}
	}
	return list
}

// follows yields what may happen next at p because of what happened: arrivals and losses of
// messages, and ends of timers.
func (w *course) follows(p tracefmt.ProcessID, yield func(e *tracefmt.Event)) {
	for i := range w.messages {
		if m := &w.messages[i]; m.Peer == p && !m.settled {
			arrival := tracefmt.Event{Kind: tracefmt.Receive, Process: p, Peer: m.Process, Type: m.Type, Message: m.Message, Payload: m.Payload}
			yield(&arrival)
			arrival.Kind, arrival.Payload = tracefmt.Lose, nil
			yield(&arrival)
		}
	}
	for _, t := range w.armed {
		if t.Process == p {
			yield(&tracefmt.Event{Kind: tracefmt.Timeout, Process: p, Type: t.Type})
			yield(&tracefmt.Event{Kind: tracefmt.CancelTimer, Process: p, Type: t.Type})
		}
	}
}
