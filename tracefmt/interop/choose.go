package interop

import (
	"slices"

	"etrace/tracefmt"
	"etrace/tracefmt/spill"
	"etrace/tracefmt/text"
)

// ambiguity is a group of sends and receives with several possible pairings: a sender used a message name again
// in a later life, or messages without names have equal contents. The chooser decides the pairing.
type ambiguity struct {
	named        bool
	sendsLeft    int            // sends that the chooser has not reached
	receivesLeft int            // receives that the chooser has not reached
	first, last  eventID        // the first receive, or the first send of a name; the latest send so far
	sentCount    int            // sends so far
	open         []numberedSend // sends so far without a receive
	lost         []eventID      // losses so far without a send
	waiting      []hostID       // hosts that are blocked at a receive until a send comes
	ends         []eventID      // receives so far
	since        int            // the number of ends when open was last empty
	severalOpen  bool           // true if a receive since then had several open sends
	lacksSend    bool           // some receive had no open send
	choices      int            // receives with several sends, or with none
	pairs        []pair         // the pairs of a name, which finish joins
}

// numberedSend is a send, and the number of sends of its ambiguity before it.
type numberedSend struct {
	send   eventID
	number int
}

// pair is the receiving end of a message, and the send that the chooser gave to it.
type pair struct {
	end  eventID
	send numberedSend
}

// chooser pairs receives with sends in all ambiguities. It replays the log in its plain order, and blocks a host
// at a receive whose message is not sent yet. So no pairing makes an event a cause of an earlier one. A receive of
// messages without names gets the oldest open send. A receive of a name gets the latest send, since the earlier lives
// of the sender are over. At the end the pairs of a name at each host are sorted, so that no message overtakes
// another one.
type chooser struct {
	builder  *Builder
	named    map[address]*ambiguity
	nameless map[link]*ambiguity
	needed   bool // some certain pair has its receive before its send, so a replay must find contradictions

	next  *spill.List[eventID] // by event, the next step of its host
	heads []eventID            // by host, its next step
	// due has, by host, the number of steps that the plain order has reached and the host has not taken.
	due                               []int32
	blocked                           []bool               // by host
	awaited                           map[eventID][]hostID // hosts that are blocked until an event was applied
	done                              []uint64             // the set of applied events, a bit for each
	ready                             []hostID             // hosts that may be able to take a step
	ambiguousContents, ambiguousNames int                  // receives with a choice: of messages without names, and of names
	// stuck has the blocked hosts by rank (tooMany, choosing, certain). releaseOne tries low ranks first.
	stuck [3][]stuckAt
}

// stuckAt is a host that is blocked before one of its steps.
type stuckAt struct {
	host hostID
	step eventID
}

// The ranks of blocked hosts. If all hosts are blocked, one of the lowest rank continues without the event that it
// waits for.
const (
	tooMany  = iota // at a receive of an ambiguity with more receives than sends
	choosing        // at another receive of an ambiguity
	certain         // before a step whose cause or send is known
)

func (b *Builder) newChooser() *chooser {
	return &chooser{
		builder: b, named: make(map[address]*ambiguity), nameless: make(map[link]*ambiguity), awaited: make(map[eventID][]hostID),
	}
}

// chooseAll pairs the receives of all ambiguities by a replay of the log. Each host takes its steps in their order,
// as far as the plain order has reached and as far as it need not wait. At the end, hosts that wait for each other
// are released one by one, so the replay ends.
func (c *chooser) chooseAll() {
	if len(c.named)+len(c.nameless) == 0 && !c.needed {
		return
	}
	c.queueSteps()
	for id := range c.builder.plainOrder() {
		if h := c.builder.at(id).host; h != noHost {
			c.due[h]++
			c.ready = append(c.ready, h)
		} else {
			c.apply(id)
		}
		c.advance()
	}
	for c.releaseOne() { // the loop ends, since each call takes at least one step
	}
	for _, m := range c.named {
		c.finish(m)
	}
	for _, m := range c.nameless {
		c.finish(m)
	}
}

// queueSteps links the steps of each host in their order, by heads and next.
func (c *chooser) queueSteps() {
	c.heads, c.due, c.blocked = make([]eventID, len(c.builder.hosts)), make([]int32, len(c.builder.hosts)), make([]bool, len(c.builder.hosts))
	c.done = make([]uint64, c.builder.events.Len()/64+1)
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
		c.next.Add(noEvent)
		switch {
		case e.host == noHost: // an event of no process
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

// advance takes the due steps of the ready hosts, until each of these hosts is blocked or has no due step.
func (c *chooser) advance() {
	for len(c.ready) > 0 {
		h := c.ready[len(c.ready)-1]
		c.ready = c.ready[:len(c.ready)-1]
		for c.due[h] > 0 && !c.blocked[h] && c.canHappen(c.heads[h]) {
			c.step(h)
		}
	}
}

// step takes the next step of a host.
func (c *chooser) step(h hostID) {
	id := c.heads[h]
	c.heads[h] = *c.next.At(int(id))
	c.due[h]--
	c.apply(id)
}

// apply marks an event as done. It wakes the hosts that wait for the event, and opens the event if it is a send
// of an ambiguity.
func (c *chooser) apply(id eventID) {
	c.done[id/64] |= 1 << (id % 64)
	c.wake(c.awaited[id])
	delete(c.awaited, id)
	if e := c.builder.at(id); e.kind == tracefmt.Send {
		if m := c.ambiguityOf(e); m != nil {
			c.addSend(m, id)
		}
	}
}

func (c *chooser) applied(id eventID) bool { return c.done[id/64]&(1<<(id%64)) != 0 }

// wake makes blocked hosts ready.
func (c *chooser) wake(hosts []hostID) {
	for _, h := range hosts {
		c.blocked[h] = false
		c.ready = append(c.ready, h)
	}
}

// block blocks the host of a step before that step, and returns false.
func (c *chooser) block(id eventID, rank int) bool {
	h := c.builder.at(id).host
	c.blocked[h] = true
	c.stuck[rank] = append(c.stuck[rank], stuckAt{h, id})
	return false
}

// canHappen reports whether all causes of an event were applied. If not, it blocks the host. For a receive of an
// ambiguity it also chooses the send.
func (c *chooser) canHappen(id eventID) bool {
	e := c.builder.at(id)
	for _, cause := range c.builder.causes(e.links) {
		if !c.applied(cause) {
			c.awaited[cause] = append(c.awaited[cause], e.host)
			return c.block(id, certain)
		}
	}
	if !e.isEnd() {
		return true
	}
	if e.partner != noEvent {
		if e.kind == tracefmt.Receive && !c.applied(e.partner) {
			c.awaited[e.partner] = append(c.awaited[e.partner], e.host)
			return c.block(id, certain)
		}
		return true
	}
	m := c.ambiguityOf(e)
	if m == nil || c.chooseSend(m, id) {
		return true
		// No send is open, but one may still come.
	}
	if e.kind == tracefmt.Lose { // a loss is no step of its host, so the host need not wait
		m.lost = append(m.lost, id)
		return true
	}
	m.waiting = append(m.waiting, e.host)
	if m.receivesLeft > m.sendsLeft {
		return c.block(id, tooMany)
	}
	return c.block(id, choosing)
}

// ambiguityOf returns the ambiguity that an end of a message belongs to, nil if its pairing is certain.
func (c *chooser) ambiguityOf(e *event) *ambiguity {
	switch {
	case e.denied:
		return nil
	case !e.named:
		l, _ := e.messageKey()
		return c.nameless[l]
	case e.kind == tracefmt.Send:
		return c.named[address{e.name, e.peer}]
	}
	if m := c.named[address{e.name, e.host}]; m != nil {
		return m
	}
	return c.named[address{e.name, noHost}]
}

// addSend opens a send. It pairs the send with a loss that came before, and wakes the hosts that wait for a
// send.
func (c *chooser) addSend(m *ambiguity, id eventID) {
	m.open = append(m.open, numberedSend{id, m.sentCount})
	m.sentCount++
	m.sendsLeft--
	m.last = id
	for len(m.lost) > 0 && len(m.open) > 0 {
		c.pairSend(m, m.lost[0])
		m.lost = m.lost[1:]
	}
	waiting := m.waiting
	m.waiting = nil
	c.wake(waiting)
}

// chooseSend pairs an end of a message with an open send, or leaves it without a send. It returns false if the end
// has to wait for a later send.
func (c *chooser) chooseSend(m *ambiguity, id eventID) bool {
	if len(m.open) > 0 {
		c.pairSend(m, id)
		return true
	}
	if m.sendsLeft > 0 {
		// A receive without a name, or before the first send of its name, needs a later send. Another receive of a name may
		// be a duplicate: it waits only if a send may be in a later line, and enough sends are left for all receives.
		sendsSuffice := m.receivesLeft <= m.sendsLeft
		if m.sentCount == 0 || !m.named || c.builder.sendsMayFollow() && sendsSuffice {
			return false
		}
	}
	c.leaveWithoutSend(m, id)
	return true
}

// pairSend pairs an end of a message with an open send: the latest one of a name, otherwise the oldest.
func (c *chooser) pairSend(m *ambiguity, id eventID) {
	m.receivesLeft--
	m.ends = append(m.ends, id)
	if len(m.open) > 1 {
		m.severalOpen = true
		m.choices++
	}
	if m.named {
		send := m.open[len(m.open)-1]
		m.open = m.open[:len(m.open)-1]
		m.pairs = append(m.pairs, pair{id, send}) // finish joins them
		if c.builder.at(send.send).peer == noHost {
			c.builder.edit(send.send).peer = c.builder.at(id).host
		}
	} else {
		c.builder.join(id, m.open[0].send)
		m.open = m.open[1:]
	}
	if len(m.open) == 0 {
		// No earlier send can belong to a later end, so the guesses up to here are final.
		c.markGuesses(m.ends[m.since:], m.severalOpen)
		m.since, m.severalOpen = len(m.ends), false
	}
}

// leaveWithoutSend handles an end of a message that has no open send. An end of a name at the receiver of the
// latest send is a duplicate of that message.
func (c *chooser) leaveWithoutSend(m *ambiguity, id eventID) {
	m.receivesLeft--
	m.ends = append(m.ends, id)
	isDuplicate := m.named && m.sentCount > 0 && c.builder.at(m.last).peer == c.builder.at(id).host
	if isDuplicate {
		c.builder.join(id, m.last)
	}
	// Only the duplicate of a single send is certain, and only if each send precedes its receives in the file.
	if m.sentCount > 1 || m.sentCount > 0 && (!isDuplicate || c.builder.sendsMayFollow()) {
		m.lacksSend = true
		m.choices++
	}
}

// markGuesses marks the pairs of the receives as guesses if guessed is true.
func (c *chooser) markGuesses(ends []eventID, guessed bool) {
	if guessed {
		for _, id := range ends {
			c.builder.edit(id).guess = true
		}
	}
}

// releaseOne lets one blocked host continue when all hosts wait. It returns false if no host is blocked.
func (c *chooser) releaseOne() bool {
	for rank := range c.stuck {
		for len(c.stuck[rank]) > 0 {
			s := c.stuck[rank][0]
			c.stuck[rank] = c.stuck[rank][1:]
			if !c.blocked[s.host] || c.heads[s.host] != s.step {
				continue
			}
			c.stopWaiting(s.step, rank)
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

// stopWaiting drops the send that a blocked step waits for. A message that can only be sent after this receive
// is another message.
func (c *chooser) stopWaiting(id eventID, rank int) {
	e := c.builder.at(id)
	if rank != certain {
		c.leaveWithoutSend(c.ambiguityOf(e), id)
		return
	}
	if send := e.send(); send != noEvent && !e.named {
		c.builder.edit(id).partner = noEvent
		c.builder.edit(send).partner = noEvent
	}
}

// countEnd counts an end of a message that the replay has not reached.
func (m *ambiguity) countEnd(id eventID, e *event) {
	if e.kind == tracefmt.Send {
		m.sendsLeft, m.last = m.sendsLeft+1, id
	} else {
		m.receivesLeft, m.first = m.receivesLeft+1, id
	}
}

// noteChoices reports the number of receives with several possible sends.
func (c *chooser) noteChoices() {
	c.builder.noteAmbiguous(c.ambiguousContents)
	if c.ambiguousNames > 0 {
		c.builder.Note(
			"%s could belong to more than one send of the same name, in several lives of the sender",
			text.Counted(c.ambiguousNames, "receive", "receives"),
		)
	}
}

// finish joins the pairs of a name, in the order of their sends at each host, and marks the guesses. It is
// called after the replay.
func (c *chooser) finish(m *ambiguity) {
	byHost := make(map[hostID][]pair)
	for _, p := range m.pairs {
		host := c.builder.at(p.end).host
		byHost[host] = append(byHost[host], p)
	}
	for _, pairs := range byHost {
		sends := make([]numberedSend, len(pairs))
		for i, p := range pairs {
			sends[i] = p.send
		}
		slices.SortFunc(sends, func(x, y numberedSend) int { return x.number - y.number })
		for i, p := range pairs {
			c.builder.join(p.end, sends[i].send)
		}
	}
	c.markGuesses(m.ends[m.since:], m.severalOpen)
	c.markGuesses(m.ends, m.lacksSend)
	if m.named {
		c.ambiguousNames += m.choices
	} else {
		c.ambiguousContents += m.choices
	}
}
