package network

import (
	"slices"

	"etrace/tracefmt"
)

// Chooser replaces time, if a config has one: it decides what happens next. Messages then take no time and
// arrive in any order that the channels allow. A timer expires only when no message is in flight, the earliest
// first, as if timeouts were long enough; timers due at one instant expire in any order. A round begins as
// timers expire, for all processes together and in their order. The actions of the plan happen in the order of
// their instants, those at 0 before everything else, and each later one at any moment.
//
// A message to a process that is down permanently is lost at once, since its arrival has no effect. Delays, and
// rules that slow messages, have no effect.
type Chooser interface {
	// Choose returns the index of the option that happens next; there are at least two options. An index out
	// of range means the last option.
	Choose(p Point) int
}

// Point is a moment at which the chooser selects the next thing to happen.
type Point struct {
	// Number counts the points of the run, from 0.
	Number int
	// Options are the deliveries, in the order of their sends, or the timers, in the order in which they were armed; the
	// next action is last. The slice is reused for the next point.
	Options []Option
	// Rest is a hash of everything that decides the rest of the run besides the steps of the processes: the
	// progress of actions and counting rules, and the remaining time of timers.
	Rest uint64
}

// Option is a thing that may happen next: a delivery (Message), the expiry of a timer (Timer), or the next
// action.
type Option struct {
	Message, Timer bool
	// Type is the type of the message, or the name of the timer.
	Type string
	// From is the sender of the message. To is the process of the event, 0 for an action of the network.
	From, To tracefmt.ProcessID
}

// ScriptedChoices is a chooser that follows a list of indices, and takes the first option after its end.
type ScriptedChoices []int

// Choose implements [Chooser].
func (s ScriptedChoices) Choose(p Point) int {
	if p.Number < len(s) {
		return s[p.Number]
	}
	return 0
}

// choosing is the state of a network with a chooser.
type choosing struct {
	points  int // the number of points so far
	beyond  []Beyond
	waiting []Item // all scheduled items, in the order of time
	enabled []int  // the indices in waiting of the items that may happen next
	options []Option
}

// Choices returns the number of moments at which the chooser was called.
func (n *Network[P]) Choices() int { return n.choosing.points }

// Beyond is a moment at which the chooser named an option that did not exist.
type Beyond struct {
	Number  int // the number of the [Point]
	Options int // how many there were
}

// Beyond lists the moments at which the chooser named an option that did not exist, so that the last one was
// taken.
func (n *Network[P]) Beyond() []Beyond { return n.choosing.beyond }

// removeChosen removes the item that the chooser selects from the queue, and returns it.
func (n *Network[P]) removeChosen() Item {
	n.choosing.waiting = n.queue.sorted()
	item := n.choosing.waiting[n.chooseIndex()]
	n.queue.remove(func(x Item) bool { return x == item || n.stale(&x) })
	if !item.timed() || item.At < n.now {
		item.At = n.now // only timers advance the clock
	}
	return item
}

// chooseIndex returns the index in waiting of the item that happens next.
func (n *Network[P]) chooseIndex() int {
	c := &n.choosing
	action, forced := n.gatherEnabled()
	switch {
	case forced >= 0:
		return forced
	case action >= 0:
		c.enabled = append(c.enabled, action)
	}
	if len(c.enabled) == 1 {
		return c.enabled[0]
	}
	c.options = c.options[:0]
	for _, i := range c.enabled {
		c.options = append(c.options, n.describeOption(&c.waiting[i]))
	}
	chosen := n.config.Chooser.Choose(Point{Number: c.points, Options: c.options, Rest: n.stateHash()})
	c.points++
	if chosen < 0 || chosen >= len(c.enabled) {
		c.beyond = append(c.beyond, Beyond{c.points - 1, len(c.enabled)})
		chosen = len(c.enabled) - 1
	}
	return c.enabled[chosen]
}

// gatherEnabled finds the items that may happen next: the possible deliveries or, without any, the timers that are due
// first. action is the index of the next action, -1 for none. forced is the index of an item that happens
// without a choice, -1 for none.
func (n *Network[P]) gatherEnabled() (action, forced int) {
	c := &n.choosing
	action = n.earliest(func(x Item) bool { return x.Class == Fault || x.Class == Start })
	round := n.earliest(func(x Item) bool { return x.Class == Round && x.At <= n.now && !n.stale(&x) })
	switch {
	// The actions at 0 come before everything else, except a round that began before them.
	case action >= 0 && c.waiting[action].At == 0 && (round < 0 || c.waiting[action].before(&c.waiting[round])):
		return action, action
	case round >= 0: // the round has begun for other processes, and continues without a choice
		return action, round
	}
	c.enabled = c.enabled[:0]
	for i := range c.waiting {
		x := &c.waiting[i]
		if x.Class != Delivery || !n.atHead(x) {
			continue
		}
		if n.user.Gone(x.Process) { // the message is lost at once, see Chooser
			return action, i
		}
		c.enabled = append(c.enabled, i)
	}
	if len(c.enabled) == 0 {
		n.gatherTimers()
	}
	slices.SortFunc(c.enabled, func(i, j int) int { return compareOrder(c.waiting[i], c.waiting[j]) })
	return action, -1
}

// gatherTimers adds the timers that are due first to the enabled items, or the next process of a round.
func (n *Network[P]) gatherTimers() {
	c := &n.choosing
	live := func(x Item) bool { return x.timed() && !n.stale(&x) }
	first := n.earliest(live)
	if first >= 0 && c.waiting[first].Class == Round {
		c.enabled = append(c.enabled, first)
		return
	}
	for i, x := range c.waiting {
		if live(x) && x.At == c.waiting[first].At {
			c.enabled = append(c.enabled, i)
		}
	}
}

// earliest returns the index in waiting of the first item that fits, -1 if none fits.
func (n *Network[P]) earliest(fits func(Item) bool) int {
	return slices.IndexFunc(n.choosing.waiting, fits)
}

// atHead reports whether message x may be delivered next on its channel: it is the oldest message of the
// channel, or messages may overtake each other.
func (n *Network[P]) atHead(x *Item) bool {
	from := n.flights.at(x.Number).sent.From
	return n.config.Reorder || !slices.ContainsFunc(n.choosing.waiting, func(y Item) bool {
		isEarlier := y.Class == Delivery && y.Order < x.Order
		return isEarlier && y.Process == x.Process && n.flights.at(y.Number).sent.From == from
	})
}

// describeOption describes an item for the chooser.
func (n *Network[P]) describeOption(x *Item) Option {
	switch x.Class {
	case Delivery:
		m := &n.flights.at(x.Number).sent
		return Option{Message: true, Type: m.Type, From: m.From, To: m.To}
	case Timer, Round:
		return Option{Timer: true, Type: n.user.TimerName(*x), To: x.Process}
	}
	return Option{To: x.Process}
}

// stateHash returns the hash for [Point].Rest.
func (n *Network[P]) stateHash() uint64 {
	h := Mix(uint64(n.Pending()))
	for _, k := range n.fates.seen {
		h = Mix(h ^ uint64(k))
	}
	for _, x := range n.choosing.waiting {
		if x.timed() && !n.stale(&x) {
			// A sum, since the hash must not depend on the order of the timers.
			h += Mix(Mix(uint64(x.Process)^Mix(uint64(x.Number))) ^ Mix(uint64(x.At-n.now)))
		}
	}
	return h
}

// Mix is the finalizer of splitmix64: a hash of a number.
func Mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
