package sim

import (
	"fmt"
	"slices"

	"etrace/record"
	"etrace/record/sim/network"
	"etrace/tracefmt"
)

// Host runs a protocol without a network. It takes inputs of processes as events of a trace, and returns what
// each process does. Processes, protocol and records are those of the simulator. Sent messages stay
// undelivered, and timers expire when the trace has their expiry.
type Host struct {
	k *kernel
	// states are interned by their keys; see supposed.go.
	states map[string]*State
	key    []byte
}

// NewHost returns a host of the processes of a config. All that happens goes to sink; times, seqs, message ids
// and clocks in it have no meaning. The host uses protocol, members, attribute, anonymity, the processes down
// at the start, the coordinator, edges, ring repair, and the seed for draws; it ignores the rest of the
// config.
func NewHost(c Config, sink tracefmt.Writer) (*Host, error) {
	c = Config{
		Protocol: c.Protocol, Members: c.Members, Attribute: c.Attribute, Anonymous: c.Anonymous,
		Down: c.Down, Coordinator: c.Coordinator, Edges: c.Edges, NoRingRepair: c.NoRingRepair,
		Config: network.Config{Seed: c.Seed},
	}
	if err := c.validate(); err != nil {
		return nil, err
	}
	h := &Host{k: newKernel(c, sink)}
	h.k.loop.enabled = false
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
	tracefmt.Invoke:  {false, (*Host).invoke},
}

// roundInput is the beginning of a round.
var roundInput = input{false, (*Host).round}

// inputOf returns what kind of input an event is, if it is one.
func (h *Host) inputOf(e *tracefmt.Event) (input, bool) {
	if e.Kind == tracefmt.Note {
		return roundInput, e.Type == RoundNote && h.k.protocol.Round != nil
	}
	handler, ok := inputs[e.Kind]
	return handler, ok
}

// IsInput reports whether an event happens to a process; all others it makes
// itself.
func (h *Host) IsInput(e *tracefmt.Event) bool {
	_, ok := h.inputOf(e)
	return ok
}

// Makes reports whether the processes of the protocol make such notes, or
// return from such operations, so that they are no commentary of the trace.
func (h *Host) Makes(kind tracefmt.Kind, label string) bool {
	pr := h.k.protocol
	switch kind {
	case tracefmt.Note:
		return slices.ContainsFunc(pr.notes, func(n *noteSpec) bool { return n.name == label })
	case tracefmt.Invoke, tracefmt.Return:
		_, err := pr.operation(label)
		return err == nil
	}
	return false
}

// Step applies an input. The sink gets the input, as the protocol would record it, and all that the process
// then does. The error describes what the protocol does not know, such as the type of the message; the state
// of the process is undefined after an error.
func (h *Host) Step(e *tracefmt.Event) error {
	handler, ok := h.inputOf(e)
	if !ok {
		return fmt.Errorf("a process makes a %s itself, it does not happen to it", e.Kind)
	}
	return h.step(e, handler)
}

// Begin starts the process, for an event without an input: a trace does not record starts themselves, only
// their effects. The sink gets what the process then does, nothing where a start has no effect; the caller
// compares that with the event. The suspect is taken from the event, not from the protocol.
func (h *Host) Begin(e *tracefmt.Event) error { return h.step(e, input{take: (*Host).begin}) }

func (h *Host) step(e *tracefmt.Event, handler input) (err error) {
	if e.Process < 1 || int(e.Process) >= len(h.k.processes) {
		return fmt.Errorf("process number %d, but there are %d processes", e.Process, len(h.k.processes)-1)
	}
	p := &h.k.processes[e.Process]
	if !p.up && !handler.down {
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
	h.k.net.Jump(e.Time)
	if err := handler.take(h, p, e); err != nil {
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
// some do forever when they are alone on a ring.
const mostLocal = 1000

// mostLocalSupposed is the same for a step that is only supposed: there one is often alone.
const mostLocalSupposed = 16

// settle ends a step: messages of the process to itself are applied, what it
// sends to others and the timers that it sets are left to the trace.
func (h *Host) settle(p *Process) {
	k := h.k
	p.flush()
	limit := mostLocal
	if k.supposed != nil {
		limit = mostLocalSupposed
	}
	for range limit {
		if len(k.local) == 0 {
			break
		}
		k.step()
	}
	if k.supposed != nil {
		k.supposed.Unsettled = len(k.local) > 0
	}
	h.forget()
}

func (h *Host) forget() {
	h.k.local, h.k.noticed = h.k.local[:0], nil
	for i := range h.k.arenas {
		h.k.arenas[i].empty()
	}
	h.k.net.Jump(h.k.net.Now())
}

func (h *Host) start(p *Process, _ *tracefmt.Event) error {
	if !p.up {
		p.up = true
		h.k.initialize(p)
	}
	h.k.rec.Local(h.k.net.Now(), tracefmt.Start, p.id, 0, "", p.variables())
	h.k.wake(p)
	return nil
}

// Wakes reports whether processes do something by themselves when they begin.
func (h *Host) Wakes() bool { return h.k.protocol.Wake != nil }

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
	m, err := h.k.parcel(e.Peer, p.id, e.Type, e.Payload)
	if err != nil {
		return err
	}
	h.k.rec.Receive(h.k.net.Now(), record.Sent{
		Message: e.Message, Seq: e.Cause, From: e.Peer, To: p.id, Type: e.Type, Term: e.Term,
	}, h.k.written(m))
	h.k.handle(p, m)
	return nil
}

func (h *Host) invoke(p *Process, e *tracefmt.Event) error {
	return h.k.invoke(p, e.Type, e.Payload)
}

func (h *Host) expire(p *Process, e *tracefmt.Event) error {
	t, err := h.k.protocol.timer(e.Type)
	switch {
	case err != nil:
		return err
	case !p.Armed(t):
		return fmt.Errorf("the timer %s is not armed", e.Type)
	}
	h.k.expire(p, t)
	return nil
}

// begin is a start. A process that notices that the coordinator is gone while an
// election of its own runs ignores that.
func (h *Host) begin(p *Process, e *tracefmt.Event) error {
	if e.Kind == tracefmt.Suspect {
		h.k.noticed = &e.Peer
	}
	if !h.k.start(p) && h.k.protocol.elected != nil && e.Kind == tracefmt.Suspect {
		p.Suspect(e.Peer)
	}
	return nil
}
