package sim

import (
	"fmt"
	"slices"

	"etrace/tracefmt"
)

// Chooser takes the place of time where a config has one: it decides what
// happens next. Messages then take no time and arrive in any order that the
// channels allow. A timer expires only when no message is on its way, the
// earliest first: timeouts are long enough. Those that are due at one instant
// come in any order. The actions of the config come in the order of their
// instants, those at 0 before everything else, and each later one at any moment.
//
// A message to a process that is down for good is lost at once, since nobody
// can tell when. Delays, and rules that slow messages, have no effect.
type Chooser interface {
	// Choose returns the index of the option that happens next; there are at
	// least two. An index out of range stands for the last.
	Choose(p Point) int
}

// Point is a moment at which several things may happen next.
type Point struct {
	// Number counts the points of the run, from 0.
	Number int
	// Options in the order in which the messages were sent and the timers set;
	// the next action stands last. The slice is used again for the next point.
	Options []Option
	// Untold is a hash of what decides the rest of the run beside what the
	// processes did: how far the actions and the counting rules have come, and
	// how long the timers still run.
	Untold uint64
}

// Option is one thing that may happen next: a delivery (Message), the expiry
// of a timer (Timer), or else the next action.
type Option struct {
	Message, Timer bool
	// Type of the message, or name of the timer.
	Type string
	// From is the sender of the message, To where the event happens, 0 for an
	// action of the network.
	From, To tracefmt.ProcessID
}

// Script is a chooser that takes the options of a list, and the first behind
// its end.
type Script []int

// Choose implements [Chooser].
func (s Script) Choose(p Point) int {
	if p.Number < len(s) {
		return s[p.Number]
	}
	return 0
}

// choosing is what the kernel needs beside the config's Chooser.
type choosing struct {
	points  int
	enabled []int // places in the queue
	options []Option
}

// validateChooser refuses what a chooser leaves without a meaning.
func (c *Config) validateChooser() error {
	if c.Chooser == nil {
		return nil
	}
	for _, meaningless := range []struct {
		what  string
		given bool
	}{
		{"loss by chance", c.Loss > 0},
		{"duplicates by chance", c.Duplicate > 0},
		{"a last instant", c.Until > 0},
		{"edits", len(c.Edits) > 0 || slices.ContainsFunc(c.Actions, func(a Action) bool { return a.After > 0 })},
	} {
		if meaningless.given {
			return fmt.Errorf("%s cannot be had where the order is chosen and time stands still", meaningless.what)
		}
	}
	return nil
}

// chosen takes from the queue what the chooser has happen next.
func (k *kernel) chosen() item {
	i := k.choose()
	it := k.queue[i]
	if it.class != timerClass || it.at < k.now {
		it.at = k.now // the clock goes on for timers only
	}
	k.queue = slices.DeleteFunc(slices.Delete(k.queue, i, i+1), func(x item) bool { return k.stale(&x) })
	slices.SortFunc(k.queue, func(x, y item) int { // a sorted slice is a heap
		if x.before(&y) {
			return -1
		}
		return 1
	})
	return it
}

// stale reports whether x is a timer that was stopped or restarted.
func (k *kernel) stale(x *item) bool {
	return x.class == timerClass && k.processes[x.a].timer(x.timer()).order != x.order
}

// choose returns the place in the queue of what happens next.
func (k *kernel) choose() int {
	c := &k.choosing
	action, forced := k.gather()
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
		c.options = append(c.options, k.option(&k.queue[i]))
	}
	k.loop = lasso{enabled: k.loop.enabled} // a loop is proved only where nothing is to be chosen
	chosen := k.Chooser.Choose(Point{Number: c.points, Options: c.options, Untold: k.untold()})
	c.points++
	if chosen < 0 || chosen >= len(c.enabled) {
		chosen = len(c.enabled) - 1
	}
	return c.enabled[chosen]
}

// gather finds the deliveries that are possible, or else the timers that are
// due first, and the next action; -1 for none. What is forced comes at once.
func (k *kernel) gather() (action, forced int) {
	c := &k.choosing
	action = k.earliest(func(x *item) bool { return x.class == faultClass || x.class == startClass })
	if action >= 0 && k.queue[action].at == 0 {
		return action, action
	}
	c.enabled = c.enabled[:0]
	for i := range k.queue {
		x := &k.queue[i]
		if x.class != deliveryClass || !k.atHead(x) {
			continue
		}
		if k.downForGood(k.flights[x.a].message.to) {
			return action, i
		}
		c.enabled = append(c.enabled, i)
	}
	if len(c.enabled) == 0 {
		k.gatherTimers()
	}
	slices.SortFunc(c.enabled, func(i, j int) int {
		if k.queue[i].order < k.queue[j].order {
			return -1
		}
		return 1
	})
	return action, -1
}

func (k *kernel) gatherTimers() {
	live := func(x *item) bool { return x.class == timerClass && !k.stale(x) }
	first := k.earliest(live)
	for i := range k.queue {
		if x := &k.queue[i]; live(x) && x.at == k.queue[first].at {
			k.choosing.enabled = append(k.choosing.enabled, i)
		}
	}
}

// earliest returns the place of the first item, in the order of the clock, of
// those that fit; -1 if none does.
func (k *kernel) earliest(fits func(*item) bool) int {
	first := -1
	for i := range k.queue {
		if fits(&k.queue[i]) && (first < 0 || k.queue[i].before(&k.queue[first])) {
			first = i
		}
	}
	return first
}

// atHead reports whether no message of the channel was sent before x, or
// messages may overtake each other.
func (k *kernel) atHead(x *item) bool {
	m := &k.flights[x.a].message
	return k.Reorder || !slices.ContainsFunc(k.queue, func(y item) bool {
		if y.class != deliveryClass || y.order >= x.order {
			return false
		}
		o := &k.flights[y.a].message
		return o.From == m.From && o.to == m.to
	})
}

// downForGood reports whether p is down and no action brings it back.
func (k *kernel) downForGood(p tracefmt.ProcessID) bool {
	return !k.processes[p].up && !slices.ContainsFunc(k.queue, func(x item) bool {
		return x.class == faultClass && k.Actions[x.a].Kind == RecoverProcess && k.Actions[x.a].Process == p
	})
}

func (k *kernel) option(x *item) Option {
	switch x.class {
	case deliveryClass:
		m := &k.flights[x.a].message
		return Option{Message: true, Type: k.protocol.messages[m.Type].name, From: m.From, To: m.to}
	case timerClass:
		return Option{Timer: true, Type: k.protocol.timerName(x.timer()), To: tracefmt.ProcessID(x.a)}
	}
	return Option{To: k.Actions[x.a].Process}
}

func (k *kernel) untold() uint64 {
	h := mix(uint64(k.pending))
	for _, n := range k.seen {
		h = mix(h ^ uint64(n))
	}
	for i := range k.queue {
		if x := &k.queue[i]; x.class == timerClass && !k.stale(x) {
			h += mix(hashTimer(tracefmt.ProcessID(x.a), x.timer()) ^ mix(uint64(x.at-k.now)))
		}
	}
	return h
}
