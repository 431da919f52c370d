package interop

import (
	"fmt"
	"iter"
	"slices"

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

// endBytes is about how many bytes of memory an end of a message takes while those that belong
// together are found.
const endBytes, leastMemory = 64, 1 << 20

// link is what both ends of a message that has no name of its own have in
// common.
type link struct {
	from, to hostID
	name     digest
}

// link returns it for one end; false if the other process is not known.
func (e *event) link() (link, bool) {
	l := link{e.host, e.peer, e.name}
	if e.kind != tracefmt.Send {
		l.from, l.to = l.to, l.from
	}
	return l, l.from != noHost && l.to != noHost
}

// isEnd reports whether the event is the receiving end of a message.
func (e *event) isEnd() bool { return e.kind == tracefmt.Receive || e.kind == tracefmt.Lose }

// address is a message with a name, and its receiver if the send says it.
type address struct {
	message digest
	to      hostID
}

// pairByName joins the ends of messages, but for those that vector clocks
// join: by name, or else each receive with the oldest equal send before it.
func (b *Builder) pairByName() {
	ambiguous := 0
	for _, ends := range b.partsOfEnds() {
		ambiguous += b.pair(ends)
	}
	b.noteAmbiguous(ambiguous)
}

// partsOfEnds are the ends of messages as they were added, in parts: what may belong to one
// message is in one of them.
func (b *Builder) partsOfEnds() []*ends {
	parts := make([]*ends, 1+b.ends*endBytes/max(b.r.settings.Memory, leastMemory))
	for i := range parts {
		parts[i] = &ends{b, spill.NewList[eventID](b.r.store)}
	}
	for id, e := range b.all() {
		if e.kind == tracefmt.Send || e.isEnd() {
			parts[e.name[0]%uint64(len(parts))].ids.Add(id)
		}
	}
	return parts
}

// ends are some of the ends of messages.
type ends struct {
	*Builder
	ids *spill.List[eventID]
}

func (n *ends) all() iter.Seq2[eventID, *event] {
	return func(yield func(eventID, *event) bool) {
		for i := range n.ids.Len() {
			if id := *n.ids.At(i); !yield(id, n.at(id)) {
				return
			}
		}
	}
}

// pair joins ends, and returns the number of those for which there was a choice.
func (b *Builder) pair(ends *ends) (ambiguous int) {
	sends := b.namedSends(ends)
	halves := make(map[address]eventID)
	open := make(map[link][]eventID)
	late := b.sendsFirst()
	if late {
		b.openSends(open, ends)
	}
	for id, e := range ends.all() {
		switch {
		case e.named && e.isEnd():
			if b.pairNamed(id, sends); b.at(id).isHalf() {
				b.groupHalf(id, halves)
			}
		case e.named || e.clock.len() > 0:
		case e.kind == tracefmt.Send && !late:
			b.openSend(open, id)
		case e.isEnd():
			l, _ := e.link()
			queue := open[l]
			if len(queue) > 1 {
				ambiguous++
				open[l] = queue[1:]
			} else {
				delete(open, l)
			}
			if len(queue) > 0 {
				b.join(id, queue[0])
			}
		}
	}
	return ambiguous
}

// groupHalf takes in an end of a message with a name of which there is no send: all of them
// at one process are of one message.
func (b *Builder) groupHalf(id eventID, halves map[address]eventID) {
	at := address{b.at(id).name, b.at(id).host}
	if _, ok := halves[at]; !ok {
		halves[at] = id
	}
	b.edit(id).first = halves[at]
}

// openSend takes in a send that awaits its receive, if it has no name.
func (b *Builder) openSend(open map[link][]eventID, id eventID) {
	if l, ok := b.at(id).link(); ok {
		open[l] = append(open[l], id)
	}
}

// openSends takes in all of them.
func (b *Builder) openSends(open map[link][]eventID, ends *ends) {
	for id, e := range ends.all() {
		if e.kind == tracefmt.Send && !e.named && e.clock.len() == 0 {
			b.openSend(open, id)
		}
	}
}

// isStep reports whether the event is a step of its process. A loss is not: the intended
// receiver learns nothing by it. A loss without a send will be a note.
func (e *event) isStep() bool {
	return e.host != noHost && (e.kind != tracefmt.Lose || e.partner == noEvent)
}

func (b *Builder) noteAmbiguous(n int) {
	if n > 0 {
		b.Note("%s could belong to more than one send of the same content, paired in order", text.Counted(n, "receive", "receives"))
	}
}

// namedSends are the sends of messages with a name.
type namedSends struct {
	first map[address]eventID
	// more are sends of a name after the first, each in a later life of the sender: it numbers
	// its messages from the start again.
	more map[address][]eventID
}

func (b *Builder) namedSends(ends *ends) *namedSends {
	sends := &namedSends{make(map[address]eventID), make(map[address][]eventID)}
	for id, e := range ends.all() {
		if e.kind != tracefmt.Send || !e.named {
			continue
		}
		at := address{e.name, e.peer}
		first, twice := sends.first[at]
		if !twice {
			sends.first[at] = id
			continue
		}
		last := first
		if more := sends.more[at]; len(more) > 0 {
			last = more[len(more)-1]
		}
		if s := b.at(last); s.host == e.host && s.life < e.life {
			sends.more[at] = append(sends.more[at], id)
			continue
		}
		b.Find(ruleSentOnce, int(e.line), "message %s was sent before, at %s", text.Quote(b.wordsOf(e).message), b.r.lineText(int(b.at(first).line)))
		b.demote(id)
	}
	return sends
}

// sendOf returns the send of a receive: of those of a name, the latest that was before it by
// time or, where the log has no times, by its place; the first if none was.
func (b *Builder) sendOf(receive eventID, at address, sends *namedSends) (send eventID, ok bool) {
	send, ok = sends.first[at]
	for _, id := range sends.more[at] {
		if b.timed && b.at(id).time <= b.at(receive).time || !b.timed && id < receive {
			send = id
		}
	}
	return send, ok
}

// pairNamed joins a receive to the send of its message. The first receive says
// who the receiver is where the send does not.
func (b *Builder) pairNamed(id eventID, sends *namedSends) {
	e := b.edit(id)
	send, ok := b.sendOf(id, address{e.name, e.host}, sends)
	if !ok {
		if send, ok = b.sendOf(id, address{e.name, noHost}, sends); !ok {
			return
		}
	}
	s := b.at(send)
	if e.peer != noHost && e.peer != s.host {
		b.Find(ruleSameSender, int(e.line), "message %s comes from %q here, but %q sent it, at %s",
			text.Quote(b.wordsOf(e).message), b.hosts[e.peer].name, b.hosts[s.host].name, b.r.lineText(int(s.line)))
		e.denied = true
		return
	}
	if s.peer == noHost {
		b.address(send, e.host, sends)
	}
	e.peer = s.host
	b.join(id, send)
}

// address says to whom a send is that did not.
func (b *Builder) address(send eventID, to hostID, sends *namedSends) {
	s := b.edit(send)
	open, known := address{s.name, noHost}, address{s.name, to}
	s.peer = to
	if sends.first[open] == send {
		delete(sends.first, open)
		if more := sends.more[open]; len(more) > 0 {
			sends.first[open], sends.more[open] = more[0], more[1:]
		}
	} else {
		sends.more[open] = slices.DeleteFunc(sends.more[open], func(id eventID) bool { return id == send })
	}
	if _, taken := sends.first[known]; taken {
		sends.more[known] = append(sends.more[known], send)
	} else {
		sends.first[known] = send
	}
}

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

func sameLink(e, s *event) bool {
	one, ok := e.link()
	other, known := s.link()
	return ok && known && one == other
}

// pairWithPast returns the number of receives for which there was a choice.
func (b *Builder) pairWithPast() (ambiguous int) {
	open := make(map[link][]eventID) // by the sender's own clock
	for id, e := range b.inOrder() {
		if l, ok := e.link(); ok && e.kind == tracefmt.Send && e.clocked() && e.partner == noEvent {
			open[l] = append(open[l], id)
		}
	}
	for id, e := range b.inOrder() {
		if !e.clocked() || e.kind != tracefmt.Receive || e.partner != noEvent {
			continue
		}
		l, _ := e.link()
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
	return b.clockOf(e).at(p.host) >= p.own
}

// isHalf reports whether the event is the receiving end of a message that the log half leaves
// out. It needs a sender who does not deny it; and words alone do not make
// a message where clocks join its ends.
func (e *event) isHalf() bool {
	return e.isEnd() && e.partner == noEvent && e.peer != noHost && !e.denied && !e.clocked()
}

// noteHalves keeps or makes notes of the ends that have no other, and reports these and
// the sends of which the file shows no end.
func (b *Builder) noteHalves() {
	var neverSent, unsent, noReceiver, neverReceived linesOf
	for id, e := range b.all() {
		switch {
		case e.isHalf():
			unsent.add(e.line)
			b.lacks(e.peer, tracefmt.Send)
		case e.isEnd() && e.partner == noEvent:
			neverSent.add(e.line)
			b.lacks(e.host, e.kind)
			b.lacks(e.peer, tracefmt.Send)
			b.demote(id)
		case e.kind == tracefmt.Send && e.peer == noHost:
			noReceiver.add(e.line)
			b.lacks(e.host, e.kind)
			b.demote(id)
		case e.kind == tracefmt.Send && e.partner == noEvent:
			neverReceived.add(e.line)
		}
	}
	b.noteLines(unsent, "receive has no send in the file, so not all sends of its sender are told", "receives have no send in the file, so not all sends of their senders are told")
	b.noteLines(neverSent, "receive has no send in the file, it is kept as a note", "receives have no send in the file, they are kept as notes")
	b.noteLines(noReceiver, "send names no receiver, it is kept as a note", "sends name no receiver, they are kept as notes")
	b.noteLines(neverReceived, "message is not received in the file", "messages are not received in the file")
}

// demote makes a note of an end of a message. The log's words stay, or are made
// of what the entry says.
func (b *Builder) demote(id eventID) {
	e := b.edit(id)
	w := b.wordsOf(e)
	if w.text == "" {
		w.text = b.inWords(e, w.typ)
	}
	w.typ, w.content = w.label, ""
	if !e.stated {
		b.kinds[e.kind]--
		b.kinds[tracefmt.Note]++
	}
	e.words = b.keepWords(&w)
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
