package complexity

import (
	"etrace/replay"
	"etrace/tracefmt"
)

// ledger enters the messages of a [Counter] into the requested books. It reuses the memory of delivered
// messages. A nil ledger does nothing.
type ledger struct {
	state *replay.State
	meter Meter
	books []book
	trail *trail // nil unless the longest chain is requested

	total weight
	free  []*letter
}

// book divides messages into accounts.
type book interface {
	// account returns the account of a message; e is its send, or the event that shows it.
	account(s *replay.State, e *tracefmt.Event, on link) *account
}

// letter is a message in transit, with its accounts.
type letter struct {
	accounts []*account
	step     int32 // of the trail
}

// send enters a message at its send.
func (l *ledger) send(e *tracefmt.Event, on link) *letter {
	if l == nil {
		return nil
	}
	m := l.enter(e, on)
	m.step = l.trail.send(e)
	return m
}

// unsent enters a message without a recorded send at its arrival or loss.
func (l *ledger) unsent(e *tracefmt.Event, on link) *letter {
	if l == nil {
		return nil
	}
	m := l.enter(shown(e), on)
	m.step = l.trail.unsent(e)
	return m
}

func (l *ledger) enter(e *tracefmt.Event, on link) *letter {
	m := l.letter()
	w := weigh(l.meter, e)
	l.total.add(w)
	for _, b := range l.books {
		a := b.account(l.state, e, on)
		a.enter(w)
		m.accounts = append(m.accounts, a)
	}
	return m
}

// letter returns an empty letter.
func (l *ledger) letter() *letter {
	last := len(l.free) - 1
	if last < 0 {
		return &letter{accounts: make([]*account, 0, len(l.books))}
	}
	m := l.free[last]
	l.free = l.free[:last]
	*m = letter{accounts: m.accounts[:0]}
	return m
}

// arrive moves a message to another fate.
func (l *ledger) arrive(e *tracefmt.Event, m *letter, before, after tracefmt.Fate) {
	if l == nil {
		return
	}
	for _, a := range m.accounts {
		a.move(before, after)
	}
	if after == tracefmt.Delivered {
		l.trail.receive(e, m.step)
		l.free = append(l.free, m)
	}
}

// shown returns the part of an event that shows an unrecorded send: the payload of a loss is the reason of the
// loss, and not of the message.
func shown(e *tracefmt.Event) *tracefmt.Event {
	if e.Kind != tracefmt.Lose {
		return e
	}
	send := *e
	send.Payload = nil
	return &send
}
