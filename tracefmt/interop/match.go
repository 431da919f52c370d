package interop

import (
	"fmt"
	"iter"

	"etrace/tracefmt"
	"etrace/tracefmt/spill"
	"etrace/tracefmt/text"
)

// Findings about messages.
const (
	// ruleSentOnce: a message is sent once to a receiver.
	ruleSentOnce = "sent-once"
	// ruleSameSender: both ends of a message name the same sender.
	ruleSameSender = "same-sender"
)

// endBytes is about the number of bytes of memory that an end of a message takes while the ends are paired.
const endBytes, leastMemory = 256, 1 << 20

// link is the key of a message without a name: sender, receiver, and the digest of its type and content.
type link struct {
	from, receiver hostID
	name           digest
}

// messageKey returns the key of the message for one of its ends; false if the other process is unknown.
func (e *event) messageKey() (link, bool) {
	l := link{e.host, e.peer, e.name}
	if e.kind != tracefmt.Send {
		l.from, l.receiver = l.receiver, l.from
	}
	return l, l.from != noHost && l.receiver != noHost
}

// isEnd reports whether the event is the receiving end of a message.
func (e *event) isEnd() bool { return e.kind == tracefmt.Receive || e.kind == tracefmt.Lose }

// address is a message with a name, and its receiver if the send names it.
type address struct {
	message  digest
	receiver hostID
}

// pairByName joins the ends of messages that vector clocks do not join. Ends with a name belong together if
// their names are equal. A receive without a name gets the oldest equal send before it.
func (b *Builder) pairByName() {
	if groups := b.ends * endBytes / max(b.r.settings.Memory, leastMemory); groups > 0 && b.pairInGroups(4*groups) {
		return
	}
	c := b.newChooser()
	for _, ends := range b.partsOfEnds() {
		c.pair(ends)
	}
	c.chooseAll()
	c.noteChoices()
}

// partsOfEnds divides the ends of messages into parts, so that the pairing of one part fits into memory. Ends
// that may belong to one message have the same digest, and so are in the same part.
func (b *Builder) partsOfEnds() []*ends {
	parts := make([]*ends, 1+b.ends*endBytes/max(b.r.settings.Memory, leastMemory))
	for i := range parts {
		parts[i] = &ends{b, spill.NewList[eventID](b.r.store)}
	}
	for id, e := range b.entries() {
		if e.kind == tracefmt.Send || e.isEnd() {
			parts[e.name[0]%uint64(len(parts))].ids.Add(id)
		}
	}
	return parts
}

// ends are sends and receiving ends of messages: one of the parts into which partsOfEnds divides all of them.
type ends struct {
	builder *Builder
	ids     *spill.List[eventID]
}

// events yields the ends with their events, in the order in which they were added.
func (n *ends) events() iter.Seq2[eventID, *event] {
	return func(yield func(eventID, *event) bool) {
		for i := range n.ids.Len() {
			if id := *n.ids.At(i); !yield(id, n.builder.at(id)) {
				return
			}
		}
	}
}

// pair joins the certain pairs of a part. It leaves ends with several possible partners to chooseAll.
func (c *chooser) pair(ends *ends) {
	sends := c.namedSends(ends)
	halves := make(map[half]eventID)
	open := make(map[link]*ambiguity)
	late := c.builder.sendsMayFollow()
	for id, e := range ends.events() {
		switch {
		case e.named && e.isEnd():
			c.pairNamed(id, sends)
			if e := c.builder.at(id); e.isHalf() && c.ambiguityOf(e) == nil {
				c.builder.groupHalf(id, halves)
			}
		case e.named || e.clock.len() > 0: // a send with a name is paired by its receive, an end with a clock by pairByClock
		default:
			if m := ambiguityIn(open, e); m != nil && late {
				m.countEnd(id, e)
			} else if m != nil {
				c.inOrderOfFile(m, id, e)
			}
		}
	}
	for l, m := range open {
		switch {
		case !late:
			c.finish(m)
		case m.sendsLeft == 1 && m.receivesLeft == 1:
			c.builder.join(m.first, m.last)
			c.needed = true // the receive may be before the send, in spite of the content
		case m.sendsLeft > 0 && m.receivesLeft > 0:
			c.nameless[l] = m
		}
	}
}

// ambiguityIn returns the group of an end of a message without a name: all ends with equal sender, receiver and
// content. It returns nil if the other process is unknown.
func ambiguityIn(open map[link]*ambiguity, e *event) *ambiguity {
	l, ok := e.messageKey()
	if !ok {
		return nil
	}
	m := open[l]
	if m == nil {
		m = new(ambiguity)
		open[l] = m
	}
	return m
}

// inOrderOfFile adds an end of a message without a name, in a file where each send is before its receive: a send
// stays open, and a receive is paired at once.
func (c *chooser) inOrderOfFile(m *ambiguity, id eventID, e *event) {
	switch {
	case e.kind == tracefmt.Send:
		c.addSend(m, id)
	case len(m.open) > 0:
		c.pairSend(m, id)
	default:
		c.leaveWithoutSend(m, id)
	}
}

// half is the key of a named message without a send: its name, its receiver and its sender.
type half struct {
	address
	from hostID
}

// groupHalf registers an end of a named message without a send. All such ends with the same receiver and sender
// belong to one message.
func (b *Builder) groupHalf(id eventID, halves map[half]eventID) {
	e := b.at(id)
	at := half{address{e.name, e.host}, e.peer}
	if _, ok := halves[at]; !ok {
		halves[at] = id
	}
	b.edit(id).first = halves[at]
}

// isStep reports whether the event is a step of its process. A loss is no step, because the intended receiver does
// not observe it. A loss without a send will become a note, which is a step.
func (e *event) isStep() bool {
	return e.host != noHost && (e.kind != tracefmt.Lose || e.partner == noEvent)
}

// noteAmbiguous reports the number of receives without a name that could belong to more than one send.
func (b *Builder) noteAmbiguous(n int) {
	if n > 0 {
		b.Note("%s could belong to more than one send of the same content, paired in order", text.Counted(n, "receive", "receives"))
	}
}

// namedSends returns the first send of each name. A name with further sends becomes an ambiguity if each of
// these is in a later life of the sender, which numbers its messages from the start again. Any other repeated
// send is a finding and becomes a note.
func (c *chooser) namedSends(ends *ends) map[address]eventID {
	sends := make(map[address]eventID)
	for id, e := range ends.events() {
		if e.kind != tracefmt.Send || !e.named {
			continue
		}
		at := address{e.name, e.peer}
		first, twice := sends[at]
		if !twice {
			sends[at] = id
			continue
		}
		m, last := c.named[at], first
		if m != nil {
			last = m.last
		}
		if s := c.builder.at(last); s.host == e.host && s.life < e.life {
			if m == nil {
				m = &ambiguity{named: true, first: first, sendsLeft: 1}
				c.named[at] = m
			}
			m.sendsLeft, m.last = m.sendsLeft+1, id
			continue
		}
		c.builder.Find(
			ruleSentOnce, int(e.line), "message %s was sent before, at %s",
			text.Quote(c.builder.wordsOf(e).message), c.builder.r.lineText(int(c.builder.at(first).line)),
		)
		c.builder.demoteToNote(id)
	}
	return sends
}

// pairNamed joins a receive to the send of its message, or leaves the choice of the send to the chooser. If
// the send names no receiver, the first receive determines it.
func (c *chooser) pairNamed(id eventID, sends map[address]eventID) {
	e := c.builder.edit(id)
	send, ok := sends[address{e.name, e.host}]
	if !ok {
		send, ok = sends[address{e.name, noHost}]
		if !ok {
			return
		}
	}
	s := c.builder.at(send)
	if e.peer != noHost && e.peer != s.host {
		c.builder.Find(ruleSameSender, int(e.line), "message %s comes from %q here, but %q sent it, at %s",
			text.Quote(c.builder.wordsOf(e).message), c.builder.hosts[e.peer].name, c.builder.hosts[s.host].name, c.builder.r.lineText(int(s.line)))
		e.denied = true
		return
	}
	e.peer = s.host
	if m := c.named[address{s.name, s.peer}]; m != nil {
		m.receivesLeft++
		return
	}
	if s.peer == noHost {
		c.builder.edit(send).peer = e.host
		delete(sends, address{s.name, noHost})
		sends[address{s.name, e.host}] = send
	}
	c.builder.join(id, send)
}

// join makes an end of a message and its send partners. A send keeps its first partner.
func (b *Builder) join(end, send eventID) {
	b.edit(end).partner = send
	if s := b.edit(send); s.partner == noEvent {
		s.partner = end
	}
}

// pairByClock joins the ends that have vector clocks: first each receive with a
// send that is a direct cause, which is certain; then the rest, k-th with k-th,
// with sends that are at least in their past. A message that brings nothing new
// leaves no direct cause.
func (b *Builder) pairByClock() {
	if len(b.memory) == 0 {
		return
	}
	for id, e := range b.inOrder() {
		if !e.clocked() || e.kind != tracefmt.Receive {
			continue
		}
		for _, parent := range b.causes(e.parents) {
			if s := b.at(parent); s.kind == tracefmt.Send && s.clocked() && s.partner == noEvent && sameLink(e, s) {
				b.join(id, parent)
				break
			}
		}
	}
	b.noteAmbiguous(b.pairWithPast())
}

// clocked reports whether the clock decides about an end of a message.
func (e *event) clocked() bool { return e.clock.len() > 0 && !e.named }

// sameLink reports whether two ends agree in sender, receiver and content.
func sameLink(e, s *event) bool {
	x, ok := e.messageKey()
	y, known := s.messageKey()
	return ok && known && x == y
}

// pairWithPast joins the ends that pairByClock leaves: the k-th receive of a link with the k-th send in its
// past. It returns the number of receives with several possible sends.
func (b *Builder) pairWithPast() (ambiguous int) {
	open := make(map[link][]eventID) // by the sender's own clock
	for id, e := range b.inOrder() {
		if l, ok := e.messageKey(); ok && e.kind == tracefmt.Send && e.clocked() && e.partner == noEvent {
			open[l] = append(open[l], id)
		}
	}
	for id, e := range b.inOrder() {
		if !e.clocked() || e.kind != tracefmt.Receive || e.partner != noEvent {
			continue
		}
		l, _ := e.messageKey()
		sends := open[l]
		if len(sends) == 0 || !b.knows(e, sends[0]) {
			continue
		}
		if len(sends) > 1 && b.knows(e, sends[1]) {
			ambiguous++
		}
		b.join(id, sends[0])
		open[l] = sends[1:]
	}
	return ambiguous
}

// knows reports whether past is in the past of another event, e.
func (b *Builder) knows(e *event, past eventID) bool {
	p := b.at(past)
	return b.clockOf(e).at(p.host) >= p.tick
}

// isHalf reports whether the event is a receiving end whose send the log lacks. The sender must be known and
// must not deny the message. An end with a vector clock and without a name is no half: there the clocks decide.
func (e *event) isHalf() bool {
	return e.isEnd() && e.partner == noEvent && e.peer != noHost && !e.denied && !e.clocked()
}

// noteHalves keeps the ends without a partner or turns them into notes. It reports these, and the sends
// without a recorded end.
func (b *Builder) noteHalves() {
	var neverSent, unsent, contradicted, noReceiver, neverReceived linesOf
	for id, e := range b.entries() {
		switch {
		// Sends that are declared complete cannot be missing: the contradiction is reported, and the declaration kept.
		case e.isHalf() && e.kind == tracefmt.Receive && b.allDeclared(e.peer, tracefmt.Send):
			contradicted.add(e.line)
		case e.isHalf():
			unsent.add(e.line)
			b.missKind(e.peer, tracefmt.Send)
		case e.isEnd() && e.partner == noEvent:
			neverSent.add(e.line)
			b.missKind(e.host, e.kind)
			b.missKind(e.peer, tracefmt.Send)
			b.demoteToNote(id)
		case e.kind == tracefmt.Send && e.peer == noHost:
			noReceiver.add(e.line)
			b.missKind(e.host, e.kind)
			b.demoteToNote(id)
		case e.kind == tracefmt.Send && e.partner == noEvent:
			neverReceived.add(e.line)
		}
	}
	if unsent.count > 0 {
		b.addUnsentHoles()
	}
	b.noteLines(
		unsent, "receive has no send in the file, so not all sends of its sender are recorded",
		"receives have no send in the file, so not all sends of their senders are recorded",
	)
	b.noteLines(
		contradicted, "receive has no send in the file, though the sends of its sender are declared complete",
		"receives have no send in the file, though the sends of their senders are declared complete",
	)
	b.noteLines(
		neverSent, "receive has no send in the file, it is kept as a note",
		"receives have no send in the file, they are kept as notes",
	)
	b.noteLines(noReceiver, "send names no receiver, it is kept as a note", "sends name no receiver, they are kept as notes")
	b.noteLines(neverReceived, "message is not received in the file", "messages are not received in the file")
}

// demoteToNote turns an end of a message into a note. It keeps the log's words, or writes the attributes of the
// entry.
func (b *Builder) demoteToNote(id eventID) {
	e := b.edit(id)
	w := b.wordsOf(e)
	if w.text == "" {
		w.text = b.inWords(e, w.typ)
	}
	w.typ, w.content = w.label, ""
	if !e.inferred {
		b.kinds[e.kind]--
		b.kinds[tracefmt.Note]++
	}
	e.words = b.storeWords(&w)
	e.kind, e.peer, e.partner = tracefmt.Note, noHost, noEvent
}

// inWords writes an end of a message, such as receive PING from a.
func (b *Builder) inWords(e *event, typ string) string {
	words := e.kind.String()
	if typ != "" {
		words += " " + typ
	}
	if e.peer == noHost {
		return words
	}
	preposition := "from"
	if e.kind == tracefmt.Send {
		preposition = "to"
	}
	return fmt.Sprintf("%s %s %s", words, preposition, b.hosts[e.peer].name)
}
