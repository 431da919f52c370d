package interop

import (
	"slices"

	"etrace/tracefmt"
	"etrace/tracefmt/spill"
	"etrace/tracefmt/text"
)

// choice is a group of sends and receives that could belong together: equal messages without names, or messages with
// a name that the sender used again in a later life. The chooser finds the send of each receive.
type choice struct {
	named bool
	// sends and receives are the numbers of those events that the replay has not reached yet.
	sends, receives int
	// first is the last counted receive or loss. last is the latest counted or replayed send.
	first, last eventID
	// sent is the number of replayed sends.
	sent int
	// open are the replayed sends that are not received yet.
	open []nth
	// lost are losses that wait for their send.
	lost []eventID
	// waiting are the hosts that stopped at a receive because its send has not been replayed.
	waiting []hostID
	// ends are the replayed receives and losses. Those from the place since on were replayed after the last moment at
	// which every send was received.
	ends  []eventID
	since int
	// unsure is set if a receive since then had a choice.
	unsure bool
	// overfull is set if there was a receive without a send of its own.
	overfull bool
	// choices is the number of receives for which there was more than one send.
	choices int
	// pairs are the chosen pairs, of a group with a name.
	pairs []pair
}

// nth is a send, with the number of equal sends before it.
type nth struct {
	send eventID
	n    int
}

// pair is a receive with the send that was chosen for it.
type pair struct {
	end  eventID
	send nth
}

// chooser joins receives to sends where several pairs are possible. It replays the log in its plain order, but a host
// stops before a receive until its send is replayed. So no choice makes an event a cause of an earlier one. Among
// equal messages without names, a receive gets the oldest send that is not received yet. Among messages of one name
// it gets the latest, since the sender's earlier lives are over. Then the received messages are put in order, so that
// none overtakes another.
type chooser struct {
	builder  *Builder
	named    map[address]*choice
	nameless map[link]*choice
	needed   bool // other pairs may contradict each other

	next  *spill.List[eventID] // of the same host
	heads []eventID            // by host, its next step
	// due has, by host, how many of its steps the plain order has reached but the replay has not taken.
	due     []int32
	blocked []bool               // by host
	awaited map[eventID][]hostID // hosts that wait for an event
	// replayed is the set of replayed events.
	replayed []uint64
	ready    []hostID
	// ambiguous counts receives with a choice among messages without names, and again those with a choice among
	// messages of one name.
	ambiguous, again int
	// stuck are the hosts that were stopped, in the order in which they continue if nothing else can.
	stuck [3][]stuckAt
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

// newChooser returns a chooser for the events of the log.
func (b *Builder) newChooser() *chooser {
	return &chooser{builder: b, named: make(map[address]*choice), nameless: make(map[link]*choice), awaited: make(map[eventID][]hostID)}
}

// choose replays the log, and joins the receives that are not joined yet.
func (c *chooser) choose() {
	if len(c.named)+len(c.nameless) == 0 && !c.needed {
		return
	}
	c.line()
	for id := range c.builder.plainOrder() {
		if h := c.builder.at(id).host; h != noHost {
			c.due[h]++
			c.ready = append(c.ready, h)
			c.advance()
		} else {
			c.happen(id)
			c.advance()
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

// line gives each host the list of its steps, in their order.
func (c *chooser) line() {
	c.heads, c.due, c.blocked = make([]eventID, len(c.builder.hosts)), make([]int32, len(c.builder.hosts)), make([]bool, len(c.builder.hosts))
	c.replayed = make([]uint64, c.builder.events.Len()/64+1)
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

// advance replays the due steps of all hosts that are not stopped.
func (c *chooser) advance() {
	for len(c.ready) > 0 {
		h := c.ready[len(c.ready)-1]
		c.ready = c.ready[:len(c.ready)-1]
		for c.due[h] > 0 && !c.blocked[h] && c.canHappen(c.heads[h]) {
			c.step(h)
		}
	}
}

// step replays the next step of a host.
func (c *chooser) step(h hostID) {
	id := c.heads[h]
	c.heads[h] = *c.next.At(int(id))
	c.due[h]--
	c.happen(id)
}

// happen records that an event was replayed, and wakes the hosts that waited for it.
func (c *chooser) happen(id eventID) {
	c.replayed[id/64] |= 1 << (id % 64)
	c.wake(c.awaited[id])
	delete(c.awaited, id)
	if e := c.builder.at(id); e.kind == tracefmt.Send {
		if m := c.choiceOf(e); m != nil {
			c.send(m, id)
		}
	}
}

// happened reports whether an event was replayed.
func (c *chooser) happened(id eventID) bool { return c.replayed[id/64]&(1<<(id%64)) != 0 }

// wake lets hosts that were stopped continue.
func (c *chooser) wake(hosts []hostID) {
	for _, h := range hosts {
		c.blocked[h] = false
		c.ready = append(c.ready, h)
	}
}

// await stops the host of a step before it. rank is the place of the step in the order of release.
func (c *chooser) await(id eventID, rank int) bool {
	h := c.builder.at(id).host
	c.blocked[h] = true
	c.stuck[rank] = append(c.stuck[rank], stuckAt{h, id})
	return false
}

// canHappen reports whether the event can be replayed: all events on which it depends were. For a receive it chooses
// the send.
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

// choiceOf returns the group of the event, nil if its partner is certain.
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

// send adds a replayed send to its group.
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

// take chooses the send of a receive or loss. It returns false if the host must wait for the send.
func (c *chooser) take(m *choice, id eventID) bool {
	switch {
	case len(m.open) > 0:
		c.give(m, id)
		return true
	case m.sends > 0 && (m.sent == 0 || !m.named || c.builder.sendsFirst() && m.receives <= m.sends):
		return false
	}
	c.endUnsent(m, id)
	return true
}

// give joins a receive or loss to a send of the group.
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

// endUnsent handles a receive or loss for which its group has no send left. If its message has a name and was sent to
// this host, it is a duplicate.
func (c *chooser) endUnsent(m *choice, id eventID) {
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

// mark marks the pairing of these receives as a guess if it is unsure.
func (c *chooser) mark(ends []eventID, unsure bool) {
	if unsure {
		for _, id := range ends {
			c.builder.edit(id).guess = true
		}
	}
}

// release lets one host continue when all hosts wait. It returns false if none waits.
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
			c.advance()
			return true
		}
	}
	return false
}

// without replays a stopped step without the send that it waits for. The send depends on the step itself, so it
// belongs to another message.
func (c *chooser) without(id eventID, rank int) {
	e := c.builder.at(id)
	if rank != certain {
		c.endUnsent(c.choiceOf(e), id)
		return
	}
	if send := e.send(); send != noEvent && !e.named {
		c.builder.edit(id).partner = noEvent
		c.builder.edit(send).partner = noEvent
	}
}

// count adds an event of the group that is still to be replayed.
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

// settle completes a group after the replay.
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
