package complexity

import (
	"etrace/replay"
	"etrace/tracefmt"
)

// ledger counts each message of a [Counter] in the requested books. It reuses the memory of delivered
// messages. A nil ledger does nothing.
type ledger struct {
	state *replay.State
	meter Meter
	books []book
	trail *trail // nil unless the longest chain is requested

	latencies *latencies // nil unless requested

	total weight             // the weight of all messages
	free  []*messageAccounts // memory of delivered messages
}

// book divides messages into accounts.
type book interface {
	// account returns the account of a message; e is its send, or the event that shows it.
	account(s *replay.State, e *tracefmt.Event, on link) *account
}

// messageAccounts holds the accounts of a message in flight.
type messageAccounts struct {
	accounts []*account
	step     int32 // the message's step in the trail
	sent     begun // the moment of the send, for the latency
}

// send enters a message at its send.
func (l *ledger) send(e *tracefmt.Event, on link) *messageAccounts {
	if l == nil {
		return nil
	}
	m := l.enter(e, on)
	m.step, m.sent = l.trail.send(e), l.latencies.send(e)
	return m
}

// enterUnsent enters a message without a recorded send at its arrival or loss.
func (l *ledger) enterUnsent(e *tracefmt.Event, on link) *messageAccounts {
	if l == nil {
		return nil
	}
	m := l.enter(asSend(e), on)
	m.step, m.sent = l.trail.addUnsent(e), begun{unsent: true}
	return m
}

// enter adds a sent message to its account in each book.
func (l *ledger) enter(e *tracefmt.Event, on link) *messageAccounts {
	m := l.newAccounts()
	w := weigh(l.meter, e)
	l.total.add(w)
	for _, b := range l.books {
		a := b.account(l.state, e, on)
		a.enter(w)
		m.accounts = append(m.accounts, a)
	}
	return m
}

// newAccounts returns an empty list of accounts, in memory of a delivered message if there is some.
func (l *ledger) newAccounts() *messageAccounts {
	last := len(l.free) - 1
	if last < 0 {
		return &messageAccounts{accounts: make([]*account, 0, len(l.books))}
	}
	m := l.free[last]
	l.free = l.free[:last]
	*m = messageAccounts{accounts: m.accounts[:0]}
	return m
}

// arrive changes the fate of a message in its accounts.
func (l *ledger) arrive(e *tracefmt.Event, m *messageAccounts, before, after tracefmt.Fate) {
	if l == nil {
		return
	}
	for _, a := range m.accounts {
		a.move(before, after)
	}
	if after == tracefmt.Delivered {
		l.trail.receive(e, m.step)
		l.latencies.receive(e, m.sent)
		l.free = append(l.free, m)
	}
}

// asSend returns the event as a send. A loss has no payload then, since its payload is the reason of the loss.
func asSend(e *tracefmt.Event) *tracefmt.Event {
	if e.Kind != tracefmt.Lose {
		return e
	}
	send := *e
	send.Payload = nil
	return &send
}
