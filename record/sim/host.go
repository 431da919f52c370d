package sim

import (
	"fmt"

	"etrace/record"
	"etrace/tracefmt"
)

// Host runs a protocol without a network: it is told what happens to each
// process, as the events of a trace say it, and answers with what the process
// does. Processes, protocol and records are those of the simulator; only what
// is sent stays undelivered, and timers expire when the trace says so.
type Host struct {
	k *kernel
	decoder
}

// NewHost returns a host of the processes of a config. What happens to them and
// what they do goes to sink; times, seqs, message ids and clocks mean nothing
// there. Of the config count protocol, members, who is down at the start, the
// coordinator, edges, and ring repair.
func NewHost(c Config, sink tracefmt.Writer) (*Host, error) {
	c = Config{
		Protocol: c.Protocol, Members: c.Members, Down: c.Down, Coordinator: c.Coordinator, Edges: c.Edges, NoRingRepair: c.NoRingRepair,
	}
	if err := c.validate(); err != nil {
		return nil, err
	}
	h := &Host{k: newKernel(c, sink), decoder: newDecoder(&c)}
	for i := range h.k.processes[1:] {
		if p := &h.k.processes[i+1]; p.up {
			h.k.initialize(p)
		}
	}
	return h, nil
}

// input is a kind of event that happens to a process.
type input struct {
	// down: it also happens to a process that is down.
	down bool
	take func(h *Host, p *Process, e *tracefmt.Event) error
}

var inputs = map[tracefmt.Kind]input{
	tracefmt.Start:   {true, (*Host).start},
	tracefmt.Crash:   {true, (*Host).crash},
	tracefmt.Recover: {true, (*Host).recover},
	tracefmt.Receive: {false, (*Host).receive},
	tracefmt.Timeout: {false, (*Host).expire},
	tracefmt.Suspect: {false, (*Host).notice},
}

// roundInput is the beginning of a round.
var roundInput = input{false, (*Host).round}

// inputOf returns what kind of input an event is, if it is one.
func (h *Host) inputOf(e *tracefmt.Event) (input, bool) {
	if e.Kind == tracefmt.Note {
		return roundInput, e.Type == RoundNote && h.k.protocol.Round != nil
	}
	in, ok := inputs[e.Kind]
	return in, ok
}

// IsInput reports whether an event happens to a process; all others it makes
// itself. A suspicion happens to it, but in the middle of a step, where
// it tells that a successor on the ring is passed over.
func (h *Host) IsInput(e *tracefmt.Event) bool {
	_, ok := h.inputOf(e)
	return ok
}

// Step lets an input happen: the sink gets it, as the protocol would have it
// recorded, and all that the process then does. The error says what the
// protocol does not know about it, such as the type of the message. What the
// process would do from then on is not known.
func (h *Host) Step(e *tracefmt.Event) (err error) {
	in, ok := h.inputOf(e)
	switch {
	case e.Process < 1 || int(e.Process) >= len(h.k.processes):
		return fmt.Errorf("process number %d, but there are %d processes", e.Process, len(h.k.processes)-1)
	case !ok:
		return fmt.Errorf("a process makes a %s itself, it does not happen to it", e.Kind)
	}
	p := &h.k.processes[e.Process]
	if !p.up && !in.down {
		return fmt.Errorf("the process is down")
	}
	// A protocol relies on its own messages being as it sends them. In a trace
	// they need not be, and no trace may end the program.
	defer func() {
		if r := recover(); r != nil {
			h.forget()
			err = fmt.Errorf("the algorithm cannot take this %s: %v", e.Kind, r)
		}
	}()
	h.k.net.Restart(e.Time)
	if err := in.take(h, p, e); err != nil {
		return err
	}
	h.settle(p)
	if m := h.k.mistake; m != nil {
		h.k.mistake = nil
		return fmt.Errorf("the algorithm cannot take this %s: %s", e.Kind, m.Reason)
	}
	return h.k.rec.Err()
}

// Switch lets the processes go by another protocol from now on, which declares
// the same as the one before.
func (h *Host) Switch(protocol *Protocol) { h.k.protocol = protocol }

// mostLocal bounds how often a process passes a message to itself in a step:
// some do for ever when they are alone on a ring.
const mostLocal = 1000

// settle ends a step: what the process sends to itself is applied, what it
// sends to others and the timers that it sets are left to the trace.
func (h *Host) settle(p *Process) {
	k := h.k
	p.flush()
	for range mostLocal {
		if len(k.local) == 0 {
			break
		}
		k.step()
	}
	h.forget()
}

func (h *Host) forget() {
	h.k.local = h.k.local[:0]
	h.k.net.Restart(h.k.net.Now())
}

func (h *Host) start(p *Process, _ *tracefmt.Event) error {
	if !p.up {
		p.up = true
		h.k.initialize(p)
	}
	h.k.rec.Local(h.k.net.Now(), tracefmt.Start, p.id, 0, "", p.variables())
	return nil
}

func (h *Host) crash(p *Process, _ *tracefmt.Event) error {
	h.k.crash(p)
	return nil
}

func (h *Host) recover(p *Process, _ *tracefmt.Event) error {
	p.disarmAll()
	h.k.recover(p)
	return nil
}

func (h *Host) receive(p *Process, e *tracefmt.Event) error {
	m, err := h.message(e)
	if err != nil {
		return err
	}
	h.k.current = m
	h.k.rec.Receive(h.k.net.Now(), record.Sent{
		Message: e.Message, Seq: e.Cause, From: e.Peer, To: p.id, Type: e.Type,
	}, h.k.payload(&h.k.current))
	h.k.protocol.Receive(p, &h.k.current)
	return nil
}

func (h *Host) expire(p *Process, e *tracefmt.Event) error {
	t, err := h.timer(e.Type)
	switch {
	case err != nil:
		return err
	case !p.Armed(t):
		return fmt.Errorf("the timer %s is not armed", e.Type)
	}
	h.k.expire(p, t)
	return nil
}

// notice is a start: the process notices that the coordinator is gone, whoever
// the trace says that is. While an election of its own runs, it ignores that.
func (h *Host) notice(p *Process, e *tracefmt.Event) error {
	p.Suspect(e.Peer)
	if !h.k.busy(p) {
		h.k.protocol.Start(p)
	}
	return nil
}
