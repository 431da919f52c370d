package record

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"strconv"
	"time"

	"etrace/tracefmt"
)

// Process is a process of the run. Its methods record its events.
type Process struct {
	*member
	until context.Context // ends with the incarnation; nil for a process without incarnations
}

// Until returns the process for one incarnation: calls after the end of ctx record nothing. So the goroutines of
// a process that was killed leave no events.
func (p *Process) Until(ctx context.Context) *Process {
	if p == nil {
		return nil
	}
	return &Process{p.member, ctx}
}

// String returns the name of the process in quotes.
func (p *Process) String() string {
	if p == nil {
		return "no process"
	}
	return strconv.Quote(p.name)
}

// record records an event without a message.
func (p *Process) record(kind tracefmt.Kind, typ, peer string, fields []slog.Attr) {
	if p == nil {
		return
	}
	payload, err := p.live.lock(kind, fields)
	defer p.live.mu.Unlock()
	if !p.hasEnded() {
		p.add(&tracefmt.Event{Kind: kind, Type: typ}, peer, payload, err)
	}
}

// hasEnded reports whether the incarnation of the process has ended.
func (p *Process) hasEnded() bool { return p.until != nil && p.until.Err() != nil }

// Start records that the process starts, with these variables.
func (p *Process) Start(variables ...slog.Attr) { p.record(tracefmt.Start, "", "", variables) }

// Halt records that the process ends normally.
func (p *Process) Halt() { p.record(tracefmt.Halt, "", "", nil) }

// Crash records that the process stops without warning.
func (p *Process) Crash() { p.record(tracefmt.Crash, "", "", nil) }

// Recover records that the process restarts after a crash, with these variables; all others are lost.
func (p *Process) Recover(variables ...slog.Attr) { p.record(tracefmt.Recover, "", "", variables) }

// State records that variables change. A nil value clears a variable.
func (p *Process) State(variables ...slog.Attr) { p.record(tracefmt.State, "", "", variables) }

// SetTimer records that a timer is armed, and that it expires after a duration.
func (p *Process) SetTimer(name string, after time.Duration) {
	if p == nil {
		return
	}
	p.live.mu.Lock()
	defer p.live.mu.Unlock()
	if p.hasEnded() {
		return
	}
	if after < 0 {
		p.live.fail(fmt.Errorf("timer %q of %s expires after %v, expected no time before 0", name, p.name, after))
	}
	due := int64(p.live.now()) + min(int64(after), math.MaxInt64/2)
	p.add(&tracefmt.Event{Kind: tracefmt.SetTimer, Type: name}, "", fmt.Appendf(nil, `{"due":%d}`, due), nil)
}

// CancelTimer records that a timer is stopped.
func (p *Process) CancelTimer(name string) { p.record(tracefmt.CancelTimer, name, "", nil) }

// Timeout records that a timer expires.
func (p *Process) Timeout(name string) { p.record(tracefmt.Timeout, name, "", nil) }

// Suspect records that the failure detector of the process suspects another process.
func (p *Process) Suspect(peer string) { p.record(tracefmt.Suspect, "", peer, nil) }

// Trust records that the failure detector of the process withdraws a suspicion.
func (p *Process) Trust(peer string) { p.record(tracefmt.Trust, "", peer, nil) }

// Invoke records that a client begins an operation, with its arguments; docs/vocabulary.md lists them.
func (p *Process) Invoke(operation string, arguments ...slog.Attr) {
	p.record(tracefmt.Invoke, operation, "", arguments)
}

// Return records that an operation ends, with its results.
func (p *Process) Return(operation string, results ...slog.Attr) {
	p.record(tracefmt.Return, operation, "", results)
}

// Note records anything else.
func (p *Process) Note(label string, fields ...slog.Attr) { p.record(tracefmt.Note, label, "", fields) }

// SetTerm sets the term, or epoch, of the process from now on; 0 means no term.
func (p *Process) SetTerm(term int64) {
	if p == nil {
		return
	}
	p.live.mu.Lock()
	defer p.live.mu.Unlock()
	if term < 0 {
		p.live.fail(fmt.Errorf("term %d of %s, expected none below 0", term, p.name))
		return
	}
	p.term = term
}

// Send records that the process sends a message, and returns the stamp that travels with it.
func (p *Process) Send(target, typ string, fields ...slog.Attr) Stamp {
	if p == nil {
		return Stamp{}
	}
	r := p.live
	payload, err := r.lock(tracefmt.Send, fields)
	defer r.mu.Unlock()
	if p.hasEnded() {
		return Stamp{void: true}
	}
	e := tracefmt.Event{Kind: tracefmt.Send, Type: typ, Message: r.messages + 1}
	receiver, ok := p.add(&e, target, payload, err)
	if !ok {
		return Stamp{}
	}
	r.messages++
	return Stamp{From: p.name, To: receiver.name, Type: typ, number: int64(e.Message), seq: e.Seq, lamport: e.Lamport, term: e.Term}
}

// Receive records that a message with this stamp arrives at the process.
func (p *Process) Receive(s Stamp, fields ...slog.Attr) {
	if p != nil && !s.void {
		p.live.fate(p, tracefmt.Receive, s, fields)
	}
}

// ReceiveFrom records that a message arrives that carries no stamp.
func (p *Process) ReceiveFrom(peer, typ string, fields ...slog.Attr) {
	p.Receive(Stamp{From: peer, Type: typ}, fields...)
}
