package network

import (
	"etrace/record"
	"etrace/tracefmt"
)

// Network is virtual time and the messages in flight, with payloads of type P. It is not safe for concurrent
// use.
type Network[P any] struct {
	config *Config
	user   User

	now     tracefmt.Time
	queue   queue
	current Item // the item of the last call of Next
	order   uint64
	flights flights[P]
	planned int // the number of actions of the plan that have not happened

	fates    fates
	choosing choosing
}

// User is the interface of the user of a network.
type User interface {
	// Armed reports whether the timer, or the round of a process, is still valid: it was neither stopped nor armed again
	// since.
	Armed(timer Item) bool
	// TimerName returns the name of a timer, for a chooser.
	TimerName(timer Item) string
	// Gone reports whether a process is down, and no scheduled item can make it recover.
	Gone(p tracefmt.ProcessID) bool
}

// New returns a network between processes 1 to n. The config must be valid.
func New[P any](c Config, n int, user User) Network[P] {
	var made Network[P]
	made.Restart(&c, n, user)
	return made
}

// Restart begins again, as a network that was just made does, with the memory of this
// one. The config must not change any more.
func (n *Network[P]) Restart(c *Config, processes int, user User) {
	n.flights.clear()
	n.fates.restart(c, processes)
	n.queue.clear()
	*n = Network[P]{config: c, user: user, queue: n.queue, flights: n.flights, fates: n.fates}
}

// Now returns the instant of the last event.
func (n *Network[P]) Now() tracefmt.Time { return n.now }

// Advance moves the clock to an instant before which nothing is scheduled, for a user with its own clock.
func (n *Network[P]) Advance(instant tracefmt.Time) { n.now = max(n.now, instant) }

// Jump empties the queue and sets the clock, for a user that follows a recorded run.
func (n *Network[P]) Jump(now tracefmt.Time) {
	n.now = now
	n.queue.clear()
	n.flights.clear()
}

// roundShift leaves 40 bits for the order, so that the rounds of one instant are ordered by process first.
const roundShift = 40

// Schedule adds an item: the expiry of a timer, the round of a process, or an action of the plan. It returns the
// order of the item.
func (n *Network[P]) Schedule(at tracefmt.Time, class Class, p tracefmt.ProcessID, number int64) uint64 {
	if class == Fault || class == Start {
		n.planned++
	}
	n.order++
	order := n.order
	if class == Round {
		order += uint64(p) << roundShift
	}
	n.queue.push(Item{At: at, Order: order, Number: number, Process: p, Class: class})
	return order
}

// Send decides the fate of a message, from the recorder's description of its send. It returns the number of
// copies in flight, two for a duplicated message, or the reason why the message is lost.
func (n *Network[P]) Send(sent *record.Sent, payload *P) (copies int, lost string) {
	f := n.fates.decide(sent)
	if n.fates.edits > 0 {
		f = n.fates.applyEdits(sent, f)
	}
	if f.lost != "" {
		return 0, f.lost
	}
	n.dispatch(sent, payload, f.delay)
	if f.copy < 0 {
		return 1, ""
	}
	n.dispatch(sent, payload, f.copy)
	return 2, ""
}

// dispatch puts one copy of a message in flight.
func (n *Network[P]) dispatch(sent *record.Sent, payload *P, delay tracefmt.Time) {
	at := n.now + delay
	if n.fates.lastArrival != nil {
		at = n.fates.arrivalTime(sent, at)
	}
	f, place := n.flights.allot()
	f.at = n.now
	f.sent = *sent // two assignments, since one of the whole struct would copy everything twice
	f.payload = *payload
	n.order++
	n.queue.push(Item{At: at, Order: n.order, Number: place, Process: sent.To, Class: Delivery})
}

// More reports whether anything can happen. It drops timers that are no longer armed.
func (n *Network[P]) More() bool {
	for n.queue.len() > 0 {
		top := n.queue.top()
		if !top.timed() || n.user.Armed(*top) {
			return true
		}
		n.queue.drop()
	}
	return false
}

// NextAt returns the instant of the next item. There must be [Network.More].
func (n *Network[P]) NextAt() tracefmt.Time { return n.queue.top().At }

// Next removes the next item from the queue, moves the clock to it, and returns it. There must be
// [Network.More]. The item is valid until the next call.
func (n *Network[P]) Next() *Item {
	item := &n.current
	if n.config.Chooser != nil {
		*item = n.removeChosen()
	} else {
		*item = *n.queue.top()
		n.queue.drop()
	}
	n.now = item.At
	if item.Class == Fault || item.Class == Start {
		n.planned--
	}
	return item
}

// Take returns the send and the payload of a delivery that [Network.Next] has returned. They are valid until the
// next Send.
func (n *Network[P]) Take(delivery *Item) (*record.Sent, *P) {
	n.flights.release(delivery.Number)
	return n.Look(delivery)
}

// Split begins a partition: until it is healed, no message crosses between the groups. Processes in no group
// form one further group. Several partitions with different ids may be active at a time.
func (n *Network[P]) Split(id int, groups [][]tracefmt.ProcessID) { n.fates.split(id, groups) }

// Unmet returns the indices of the rules that have matched no message so far.
func (n *Network[P]) Unmet() (rules []int) { return indicesOfFalse(n.fates.met) }

// Unedited returns the indices of the edits whose message has not been sent so far.
func (n *Network[P]) Unedited() (edits []int) { return indicesOfFalse(n.fates.edited) }

// indicesOfFalse returns the indices of the values that are false.
func indicesOfFalse(values []bool) (indices []int) {
	for i, set := range values {
		if !set {
			indices = append(indices, i)
		}
	}
	return indices
}

// Heal ends a partition.
func (n *Network[P]) Heal(id int) { delete(n.fates.partitions, id) }

// Pending returns the number of actions and edits that have not happened. While it is not 0, a recurring state
// proves nothing.
func (n *Network[P]) Pending() int { return n.planned + n.fates.edits }

// Len returns the number of scheduled items, including stopped timers.
func (n *Network[P]) Len() int { return n.queue.len() }

// Waiting calls do for each scheduled item in order, without stopped timers. do must neither send nor schedule.
func (n *Network[P]) Waiting(do func(item *Item)) {
	waiting := n.queue.sorted()
	for i := range waiting {
		if item := &waiting[i]; !n.stale(item) {
			do(item)
		}
	}
}

// Expects reports whether some scheduled item fits.
func (n *Network[P]) Expects(fits func(Item) bool) bool {
	return n.queue.contains(func(item Item) bool { return !n.stale(&item) && fits(item) })
}

// Look returns the send and the payload of a scheduled delivery.
func (n *Network[P]) Look(delivery *Item) (*record.Sent, *P) {
	f := n.flights.at(delivery.Number)
	return &f.sent, &f.payload
}

// SentAt returns the time of the send of a scheduled delivery.
func (n *Network[P]) SentAt(delivery *Item) tracefmt.Time { return n.flights.at(delivery.Number).at }

// Counted returns, for each rule that counts messages, the number of messages that matched it.
func (n *Network[P]) Counted() []int { return n.fates.seen }

// stale reports whether x is a timer or a round that was stopped or armed again.
func (n *Network[P]) stale(x *Item) bool { return x.timed() && !n.user.Armed(*x) }
