package interop

import (
	"slices"

	"etrace/tracefmt"
	"etrace/tracefmt/spill"
	"etrace/tracefmt/text"
)

// choice is what several ends of messages have in common: a name that the sender used again in a later life,
// or equal contents without names.
type choice struct {
	named           bool
	sends, receives int       // that are still to come
	first, last     eventID   // receive or send at first; last is the latest send that was
	sent            int       // how many were
	open            []nth     // sends that were and are not received
	lost            []eventID // losses that await their send
	waiting         []hostID  // hosts at a receive that awaits its send
	ends            []eventID // receives that were, the last of them since all sends were received
	since           int
	unsure          bool   // there was a choice since then
	overfull        bool   // a receive had no send of its own
	choices         int    // receives that had one
	pairs           []pair // of a name
}

// nth is a send, and how many equal ones were before it.
type nth struct {
	send eventID
	n    int
}

type pair struct {
	end  eventID
	send nth
}

// chooser joins receives to sends where names leave a choice. It plays the log in its plain
// order, but each host waits where it receives what is not sent yet; so no choice makes a
// cause of what comes after it. Of equal messages without names each receive gets the oldest
// send that is not received yet. Of a name it gets the latest, since the sender's earlier lives
// are over; then the received messages are put in order, so that none overtakes another.
type chooser struct {
	builder  *Builder
	named    map[address]*choice
	nameless map[link]*choice
	needed   bool // other pairs may contradict each other

	next             *spill.List[eventID] // of the same host
	heads            []eventID            // by host, its next step
	due              []int32              // by host, how many of its steps the plain order has come to
	blocked          []bool               // by host
	awaited          map[eventID][]hostID // hosts that wait for an event
	was              []uint64             // a set of events
	ready            []hostID
	ambiguous, again int          // receives that had a choice: of messages without names, and of names
	stuck            [3][]stuckAt // hosts that were blocked, in the order of who goes on if nothing else can
}

// stuckAt is a host that waits before one of its steps.
type stuckAt struct {
	host hostID
	step eventID
}

// The hosts that continue without a send if all hosts wait.
const (
	tooMany = iota // there are more receives than sends
	choosing
	certain
)

func (b *Builder) newChooser() *chooser {
	return &chooser{builder: b, named: make(map[address]*choice), nameless: make(map[link]*choice), awaited: make(map[eventID][]hostID)}
}

// choose joins what is left to be chosen.
func (c *chooser) choose() {
	if len(c.named)+len(c.nameless) == 0 && !c.needed {
		return
	}
	c.line()
	for id := range c.builder.plainOrder() {
		if h := c.builder.at(id).host; h != noHost {
			c.due[h]++
			c.ready = append(c.ready, h)
			c.goOn()
		} else {
			c.happen(id)
			c.goOn()
		}
	}
	for c.release() {
	}
	for _, m := range c.named {
		c.settle(m)
	}
	for _, m := range c.nameless {
		c.settle(m)
	}
}

// line gives each host its steps in their order.
func (c *chooser) line() {
	c.heads, c.due, c.blocked = make([]eventID, len(c.builder.hosts)), make([]int32, len(c.builder.hosts)), make([]bool, len(c.builder.hosts))
	c.was = make([]uint64, c.builder.events.Len()/64+1)
	c.next = spill.NewList[eventID](c.builder.r.store)
	last := make([]eventID, len(c.builder.hosts))
	for i := range c.heads {
		c.heads[i], last[i] = noEvent, noEvent
	}
	follow := func(host hostID, id eventID) {
		if last[host] == noEvent {
			c.heads[host] = id
		} else {
			*c.next.Edit(int(last[host])) = id
		}
		last[host] = id
	}
	steps := make([][]eventID, len(c.builder.hosts))
	for id, e := range c.builder.entries() {
		switch c.next.Add(noEvent); {
		case e.host == noHost:
		case c.builder.numbered:
			steps[e.host] = append(steps[e.host], id)
		default:
			follow(e.host, id)
		}
	}
	for h, events := range steps {
		c.builder.sortByRank(events)
		for _, id := range events {
			follow(hostID(h), id)
		}
	}
}

// goOn lets the hosts that are ready take the steps that are due.
func (c *chooser) goOn() {
	for len(c.ready) > 0 {
		h := c.ready[len(c.ready)-1]
		c.ready = c.ready[:len(c.ready)-1]
		for c.due[h] > 0 && !c.blocked[h] && c.canHappen(c.heads[h]) {
			c.step(h)
		}
	}
}

func (c *chooser) step(h hostID) {
	id := c.heads[h]
	c.heads[h] = *c.next.At(int(id))
	c.due[h]--
	c.happen(id)
}

// happen takes in an event.
func (c *chooser) happen(id eventID) {
	c.was[id/64] |= 1 << (id % 64)
	c.wake(c.awaited[id])
	delete(c.awaited, id)
	if e := c.builder.at(id); e.kind == tracefmt.Send {
		if m := c.choiceOf(e); m != nil {
			c.send(m, id)
		}
	}
}

func (c *chooser) happened(id eventID) bool { return c.was[id/64]&(1<<(id%64)) != 0 }

func (c *chooser) wake(hosts []hostID) {
	for _, h := range hosts {
		c.blocked[h] = false
		c.ready = append(c.ready, h)
	}
}

// await makes the host of a step wait before it.
func (c *chooser) await(id eventID, rank int) bool {
	h := c.builder.at(id).host
	c.blocked[h] = true
	c.stuck[rank] = append(c.stuck[rank], stuckAt{h, id})
	return false
}

// mayHappen reports whether all was that the event needs. Of a receive it chooses the send.
func (c *chooser) canHappen(id eventID) bool {
	e := c.builder.at(id)
	for _, cause := range c.builder.causes(e.links) {
		if !c.happened(cause) {
			c.awaited[cause] = append(c.awaited[cause], e.host)
			return c.await(id, certain)
		}
	}
	if !e.isEnd() {
		return true
	}
	if e.partner != noEvent {
		if e.kind == tracefmt.Receive && !c.happened(e.partner) {
			c.awaited[e.partner] = append(c.awaited[e.partner], e.host)
			return c.await(id, certain)
		}
		return true
	}
	m := c.choiceOf(e)
	if m == nil || c.take(m, id) {
		return true
	}
	if e.kind == tracefmt.Lose { // no step of its host
		m.lost = append(m.lost, id)
		return true
	}
	m.waiting = append(m.waiting, e.host)
	if m.receives > m.sends {
		return c.await(id, tooMany)
	}
	return c.await(id, choosing)
}

// choiceOf returns the choice that an end of a message is part of, nil for none.
func (c *chooser) choiceOf(e *event) *choice {
	switch {
	case e.denied:
		return nil
	case !e.named:
		l, _ := e.link()
		return c.nameless[l]
	case e.kind == tracefmt.Send:
		return c.named[address{e.name, e.peer}]
	}
	if m := c.named[address{e.name, e.host}]; m != nil {
		return m
	}
	return c.named[address{e.name, noHost}]
}

// send takes in a send.
func (c *chooser) send(m *choice, id eventID) {
	m.open = append(m.open, nth{id, m.sent})
	m.sent++
	m.sends--
	m.last = id
	for len(m.lost) > 0 && len(m.open) > 0 {
		c.give(m, m.lost[0])
		m.lost = m.lost[1:]
	}
	waiting := m.waiting
	m.waiting = nil
	c.wake(waiting)
}

// take chooses the send of an end of a message; false if it is to wait for one.
func (c *chooser) take(m *choice, id eventID) bool {
	switch {
	case len(m.open) > 0:
		c.give(m, id)
		return true
	case m.sends > 0 && (m.sent == 0 || !m.named || c.builder.sendsFirst() && m.receives <= m.sends):
		return false
	}
	c.giveNone(m, id)
	return true
}

// give joins an end of a message to a send that was.
func (c *chooser) give(m *choice, id eventID) {
	m.receives--
	m.ends = append(m.ends, id)
	if len(m.open) > 1 {
		m.unsure = true
		m.choices++
	}
	at := 0
	if m.named {
		at = len(m.open) - 1
	}
	send := m.open[at]
	if m.named {
		m.open = m.open[:at]
		m.pairs = append(m.pairs, pair{id, send})
		if c.builder.at(send.send).peer == noHost {
			c.builder.edit(send.send).peer = c.builder.at(id).host
		}
	} else {
		m.open = m.open[1:]
		c.builder.join(id, send.send)
	}
	if len(m.open) == 0 {
		c.mark(m.ends[m.since:], m.unsure)
		m.since, m.unsure = len(m.ends), false
	}
}

// giveNone is for an end of a message when all sends are received. Of a name, it is a duplicate.
func (c *chooser) giveNone(m *choice, id eventID) {
	m.receives--
	m.ends = append(m.ends, id)
	again := m.named && m.sent > 0 && c.builder.at(m.last).peer == c.builder.at(id).host
	if again {
		c.builder.join(id, m.last)
	}
	if m.sent > 1 || m.sent > 0 && (!again || c.builder.sendsFirst()) {
		m.overfull = true
		m.choices++
	}
}

// mark takes in that the pairing of receives was a guess.
func (c *chooser) mark(ends []eventID, unsure bool) {
	if unsure {
		for _, id := range ends {
			c.builder.edit(id).guess = true
		}
	}
}

// release lets one of the hosts that all wait go on, false if none waits.
func (c *chooser) release() bool {
	for rank := range c.stuck {
		for len(c.stuck[rank]) > 0 {
			s := c.stuck[rank][0]
			c.stuck[rank] = c.stuck[rank][1:]
			if !c.blocked[s.host] || c.heads[s.host] != s.step {
				continue
			}
			c.without(s.step, rank)
			c.blocked[s.host] = false
			c.ready = c.ready[:0]
			c.step(s.host)
			c.ready = append(c.ready, s.host)
			c.goOn()
			return true
		}
	}
	return false
}

// without takes from a step what it waits for: a receive that is sent only after it is of
// another message.
func (c *chooser) without(id eventID, rank int) {
	e := c.builder.at(id)
	if rank != certain {
		c.giveNone(c.choiceOf(e), id)
		return
	}
	if send := e.send(); send != noEvent && !e.named {
		c.builder.edit(id).partner = noEvent
		c.builder.edit(send).partner = noEvent
	}
}

// count takes in an end of a message that is still to come.
func (m *choice) count(id eventID, e *event) {
	if e.kind == tracefmt.Send {
		m.sends, m.last = m.sends+1, id
	} else {
		m.receives, m.first = m.receives+1, id
	}
}

// noteChoices reports how many receives had a choice.
func (c *chooser) noteChoices() {
	c.builder.noteAmbiguous(c.ambiguous)
	if c.again > 0 {
		c.builder.Note(
			"%s could belong to more than one send of the same name, in several lives of the sender",
			text.Counted(c.again, "receive", "receives"),
		)
	}
}

// settle completes a choice when all was played.
func (c *chooser) settle(m *choice) {
	at := make(map[hostID][]pair)
	for _, p := range m.pairs {
		host := c.builder.at(p.end).host
		at[host] = append(at[host], p)
	}
	for _, pairs := range at {
		sends := make([]nth, len(pairs))
		for i, p := range pairs {
			sends[i] = p.send
		}
		slices.SortFunc(sends, func(x, y nth) int { return x.n - y.n })
		for i, p := range pairs {
			c.builder.join(p.end, sends[i].send)
		}
	}
	c.mark(m.ends[m.since:], m.unsure)
	c.mark(m.ends, m.overfull)
	if m.named {
		c.again += m.choices
	} else {
		c.ambiguous += m.choices
	}
}
