package sim

import (
	"fmt"
	"slices"

	"etrace/record"
	"etrace/record/sim/network"
	"etrace/tracefmt"
)

// Host runs a protocol without a network. Its inputs are events of processes in a trace, and it returns the
// events by which the protocol answers. Processes, protocol and records are those of the simulator. Sent
// messages stay undelivered, and timers expire when the trace has their expiry.
type Host struct {
	k *kernel
	// states are interned by their keys; see assumptions.go.
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

// input is the effect of a kind of event that happens to a process.
type input struct {
	down bool // it can happen to a process that is down
	take func(h *Host, p *Process, e *tracefmt.Event) error
}

// inputs has the effects by kind of event.
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

// inputOf returns the effect of an event; false if the event is no input, but made by the process.
func (h *Host) inputOf(e *tracefmt.Event) (input, bool) {
	if e.Kind == tracefmt.Note {
		return roundInput, e.Type == RoundNote && h.k.protocol.Round != nil
	}
	handler, ok := inputs[e.Kind]
	return handler, ok
}

// IsInput reports whether an event happens to a process. A process makes all other events itself.
func (h *Host) IsInput(e *tracefmt.Event) bool {
	_, ok := h.inputOf(e)
	return ok
}

// Makes reports whether processes of the protocol record notes with the label, or returns of the operation.
// Other such events of a trace are comments.
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

// Step applies an input. The sink gets the input as the protocol would record it, and then the events that the
// process makes. Step fails for an input that the protocol does not know, such as a message of an unknown type;
// then the state of the process is undefined.
func (h *Host) Step(e *tracefmt.Event) error {
	handler, ok := h.inputOf(e)
	if !ok {
		return fmt.Errorf("a process makes a %s itself, it does not happen to it", e.Kind)
	}
	return h.step(e, handler)
}

// Begin starts the process, for an event of a trace that has no input: a trace does not record starts
// themselves, only their effects. The sink gets the events that the process then makes, none if a start has no
// effect; the caller compares them with the event. The suspect of a suspicion is taken from the event instead of
// the protocol.
func (h *Host) Begin(e *tracefmt.Event) error { return h.step(e, input{take: (*Host).startProtocol}) }

// step applies an input at its process. A panic of the protocol is an error.
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
			h.dropMessages()
			err = fmt.Errorf("the algorithm cannot take this %s: %v", e.Kind, r)
		}
	}()
	h.k.net.Jump(e.Time)
	if err := handler.take(h, p, e); err != nil {
		return err
	}
	h.handleOwnMessages(p)
	if m := h.k.mistake; m != nil {
		h.k.mistake = nil
		return fmt.Errorf("the algorithm cannot take this %s: %s", e.Kind, m.Reason)
	}
	return h.k.rec.Err()
}

// Switch makes the processes follow another protocol, which must have the same declarations.
func (h *Host) Switch(protocol *Protocol) { h.k.protocol = protocol }

// maxOwnMessages bounds the messages of a process to itself in a step: on a ring without other live processes some
// algorithms send these forever.
const maxOwnMessages = 1000

// maxAssumedMessages is the same bound for a step with assumptions, in which processes without other live ones are
// common.
const maxAssumedMessages = 16

// handleOwnMessages ends a step: it applies the messages of the process to itself. Messages to others and armed timers wait
// for events of the trace.
func (h *Host) handleOwnMessages(p *Process) {
	k := h.k
	p.flush()
	limit := maxOwnMessages
	if k.assumed != nil {
		limit = maxAssumedMessages
	}
	for range limit {
		if len(k.local) == 0 {
			break
		}
		k.step()
	}
	if k.assumed != nil {
		k.assumed.Unsettled = len(k.local) > 0
	}
	h.dropMessages()
}

// dropMessages drops the messages of an interrupted step.
func (h *Host) dropMessages() {
	h.k.local, h.k.noticed = h.k.local[:0], nil
	for i := range h.k.arenas {
		h.k.arenas[i].empty()
	}
	h.k.net.Jump(h.k.net.Now())
}

// start applies the start of a process.
func (h *Host) start(p *Process, _ *tracefmt.Event) error {
	if !p.up {
		p.up = true
		h.k.initialize(p)
	}
	h.k.rec.Local(h.k.net.Now(), tracefmt.Start, p.id, 0, "", p.variables())
	h.k.wake(p)
	return nil
}

// Wakes reports whether processes take a step when they begin, without any other input.
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

// receive applies the receive of a message.
func (h *Host) receive(p *Process, e *tracefmt.Event) error {
	m, err := h.k.parcel(e.Peer, p.id, e.Type, e.Payload)
	if err != nil {
		return err
	}
	sent := record.Sent{Message: e.Message, Seq: e.Cause, From: e.Peer, To: p.id, Type: e.Type, Term: e.Term}
	h.k.rec.Receive(h.k.net.Now(), sent, h.k.encodeMessage(m))
	h.k.handle(p, m)
	return nil
}

func (h *Host) invoke(p *Process, e *tracefmt.Event) error {
	return h.k.invoke(p, e.Type, e.Payload)
}

// expire applies the expiry of a timer. It fails if the timer is not armed.
func (h *Host) expire(p *Process, e *tracefmt.Event) error {
	t, err := h.k.protocol.timer(e.Type)
	switch {
	case err != nil:
		return err
	case !p.Armed(t):
		return fmt.Errorf("the timer %s is not armed", e.Type)
	}
	h.k.expireTimer(p, t)
	return nil
}

// startProtocol applies a start by [Protocol.Start]. A process whose own election is running only records the suspicion.
func (h *Host) startProtocol(p *Process, e *tracefmt.Event) error {
	if e.Kind == tracefmt.Suspect {
		h.k.noticed = &e.Peer
	}
	if !h.k.start(p) && h.k.protocol.elected != nil && e.Kind == tracefmt.Suspect {
		p.Suspect(e.Peer)
	}
	return nil
}
