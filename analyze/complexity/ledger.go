package complexity

import (
	"etrace/replay"
	"etrace/tracefmt"
)

// ledger enters the messages that a [Counter] counts into the books that were asked for. What it
// keeps of a message that is delivered is used for another one. A nil ledger keeps nothing.
type ledger struct {
	state *replay.State
	meter Meter
	books []book
	trail *trail // nil unless the longest chain is asked for

	total weight
	free  []*letter
}

// book divides messages into accounts.
type book interface {
	// account is that of a message of which e is the send, or what shows it.
	account(s *replay.State, e *tracefmt.Event, on link) *account
}

// letter is a message on its way, with the accounts that it is in.
type letter struct {
	in   []*account
	step int32 // of the trail
}

// send enters a message into the books, whose send e is.
func (l *ledger) send(e *tracefmt.Event, on link) *letter {
	if l == nil {
		return nil
	}
	m := l.enter(e, on)
	m.step = l.trail.send(e)
	return m
}

// unsent enters a message of which no send is recorded; e is its arrival or loss.
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
		m.in = append(m.in, a)
	}
	return m
}

// letter returns one that is on its way and in no account.
func (l *ledger) letter() *letter {
	last := len(l.free) - 1
	if last < 0 {
		return &letter{in: make([]*account, 0, len(l.books))}
	}
	m := l.free[last]
	l.free = l.free[:last]
	*m = letter{in: m.in[:0]}
	return m
}

// arrive takes in that the event gives a message another fate than before.
func (l *ledger) arrive(e *tracefmt.Event, m *letter, from, to tracefmt.Fate) {
	if l == nil {
		return
	}
	for _, a := range m.in {
		a.move(from, to)
	}
	if to == tracefmt.Delivered {
		l.trail.receive(e, m.step)
		l.free = append(l.free, m)
	}
}

// shown is an event of a message as far as it shows the send that is not recorded: the payload
// of a loss says why it was lost.
func shown(e *tracefmt.Event) *tracefmt.Event {
	if e.Kind != tracefmt.Lose {
		return e
	}
	send := *e
	send.Payload = nil
	return &send
}
