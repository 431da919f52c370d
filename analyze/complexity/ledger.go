package complexity

import (
	"etrace/replay"
	"etrace/tracefmt"
)

// ledger follows the messages of a run as a [Counter] does, and enters each into the books
// that were asked for. What it keeps of a message that is delivered is used for another one.
type ledger struct {
	state *replay.State
	meter Meter
	books []book
	trail *trail // nil unless the longest chain is asked for

	total  weight
	open   openMessages[*letter] // sent and not received, though a copy may be lost
	free   []*letter
	unsent map[tracefmt.MessageID]bool // arrived or lost without a recorded send
}

// book divides messages into accounts.
type book interface {
	// account is that of a message of which e is the send, or what shows it.
	account(s *replay.State, e *tracefmt.Event, on link) *account
}

// letter is a message on its way, with the accounts that it is in.
type letter struct {
	fate tracefmt.Fate
	in   []*account
	step int32 // of the trail
}

func newLedger(state *replay.State, meter Meter) *ledger {
	return &ledger{state: state, meter: meter}
}

// write takes in the next event, after the state did.
func (l *ledger) write(e *tracefmt.Event) {
	switch e.Kind {
	case tracefmt.Send:
		l.send(e, link{e.Process, e.Peer}).step = l.trail.send(e)
	case tracefmt.Receive, tracefmt.Lose:
		l.arrive(e)
	}
}

// send enters a message into the books.
func (l *ledger) send(e *tracefmt.Event, on link) *letter {
	m := l.letter()
	w := weigh(l.meter, e)
	l.total.add(w)
	for _, b := range l.books {
		a := b.account(l.state, e, on)
		a.enter(w)
		m.in = append(m.in, a)
	}
	l.open.put(e.Message, m)
	return m
}

// letter returns one that is on its way and in no account.
func (l *ledger) letter() *letter {
	last := len(l.free) - 1
	if last < 0 {
		return &letter{fate: tracefmt.InFlight, in: make([]*account, 0, len(l.books))}
	}
	m := l.free[last]
	l.free = l.free[:last]
	*m = letter{fate: tracefmt.InFlight, in: m.in[:0]}
	return m
}

// arrive takes in what becomes of a message, as [Counter] does: of several copies the greatest
// fate counts. Where the run does not tell everything, what arrives was sent.
func (l *ledger) arrive(e *tracefmt.Event) {
	m, ok := l.open.get(e.Message)
	if !ok {
		if e.Cause != 0 || l.state.Coverage().Complete() || l.unsent[e.Message] {
			return
		}
		if l.unsent == nil {
			l.unsent = make(map[tracefmt.MessageID]bool)
		}
		l.unsent[e.Message] = true
		m = l.send(l.shown(e), link{e.Peer, e.Process})
		m.step = l.trail.unsent(e)
	}
	fate := max(m.fate, e.Fate())
	for _, a := range m.in {
		a.move(m.fate, fate)
	}
	if m.fate = fate; fate == tracefmt.Delivered {
		l.open.remove(e.Message)
		l.trail.receive(e, m.step)
		l.free = append(l.free, m)
	}
}

// shown is an event of a message as far as it shows the send that is not recorded: the payload
// of a loss says why it was lost.
func (l *ledger) shown(e *tracefmt.Event) *tracefmt.Event {
	if e.Kind != tracefmt.Lose {
		return e
	}
	send := *e
	send.Payload = nil
	return &send
}
