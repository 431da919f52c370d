package interop

import (
	"fmt"
	"slices"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Findings about messages.
const (
	// ruleSentOnce: a message is sent once to a receiver.
	ruleSentOnce = "sent-once"
	// ruleSameSender: both ends of a message name the same sender.
	ruleSameSender = "same-sender"
)

// link is what both ends of a message that has no name of its own have in
// common.
type link struct {
	from, to            hostID
	typ, content, match string
}

// link returns it for one end; false if the other process is not known.
func (e *event) link() (link, bool) {
	l := link{e.host, e.peer, e.words.typ, e.words.content, e.words.match}
	if e.kind != tracefmt.Send {
		l.from, l.to = l.to, l.from
	}
	return l, l.from != noHost && l.to != noHost
}

// isEnd reports whether the event is the receiving end of a message.
func (e *event) isEnd() bool { return e.kind == tracefmt.Receive || e.kind == tracefmt.Lose }

// address is a message with a name, and its receiver if the send says it.
type address struct {
	message string
	to      hostID
}

// pairByName joins the ends of messages, but for those that vector clocks
// join: by name, or else each receive with the oldest equal send before it.
func (b *Builder) pairByName() {
	sends := b.namedSends()
	open := make(map[link][]eventID)
	joined := b.r.Joined() // a send may be in a later file than its receive
	if joined {
		b.openSends(open)
	}
	ambiguous := 0
	for i := range b.events {
		e, id := &b.events[i], eventID(i)
		switch {
		case e.words.message != "" && e.isEnd():
			b.pairNamed(id, sends)
		case e.words.message != "" || len(e.clock) > 0:
		case e.kind == tracefmt.Send && !joined:
			b.openSend(open, id)
		case e.isEnd():
			l, _ := e.link()
			if queue := open[l]; len(queue) > 0 {
				b.join(id, queue[0])
				open[l] = queue[1:]
				if len(queue) > 1 {
					ambiguous++
				}
			}
		}
	}
	b.noteAmbiguous(ambiguous)
	b.leaveOutLosses()
}

// openSend takes in a send that awaits its receive, if it has no name.
func (b *Builder) openSend(open map[link][]eventID, id eventID) {
	if l, ok := b.events[id].link(); ok {
		open[l] = append(open[l], id)
	}
}

// openSends takes in all of them.
func (b *Builder) openSends(open map[link][]eventID) {
	for i := range b.events {
		if e := &b.events[i]; e.kind == tracefmt.Send && e.words.message == "" && len(e.clock) == 0 {
			b.openSend(open, eventID(i))
		}
	}
}

// leaveOutLosses takes losses out of the steps of processes: the intended
// receiver learns nothing by them. A loss without a send will be a note.
func (b *Builder) leaveOutLosses() {
	for i := range b.hosts {
		h := &b.hosts[i]
		h.events = slices.DeleteFunc(h.events, func(id eventID) bool {
			e := &b.events[id]
			return e.kind == tracefmt.Lose && e.partner != noEvent
		})
	}
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

func (b *Builder) namedSends() *namedSends {
	sends := &namedSends{make(map[address]eventID), make(map[address][]eventID)}
	for i := range b.events {
		e, id := &b.events[i], eventID(i)
		if e.kind != tracefmt.Send || e.words.message == "" {
			continue
		}
		at := address{e.words.message, e.peer}
		first, twice := sends.first[at]
		if !twice {
			sends.first[at] = id
			continue
		}
		last := first
		if more := sends.more[at]; len(more) > 0 {
			last = more[len(more)-1]
		}
		if s := &b.events[last]; s.host == e.host && s.life < e.life {
			sends.more[at] = append(sends.more[at], id)
			continue
		}
		b.Find(ruleSentOnce, int(e.line), "message %s was sent before, at %s", text.Quote(at.message), b.r.lineText(int(b.events[first].line)))
		b.demote(e)
	}
	return sends
}

// sendOf returns the send of a receive: of those of a name, the latest that was before it by
// time or, where the log has no times, by its place; the first if none was.
func (b *Builder) sendOf(receive eventID, at address, sends *namedSends) (send eventID, ok bool) {
	send, ok = sends.first[at]
	for _, id := range sends.more[at] {
		if b.timed && b.events[id].time <= b.events[receive].time || !b.timed && id < receive {
			send = id
		}
	}
	return send, ok
}

// pairNamed joins a receive to the send of its message. The first receive says
// who the receiver is where the send does not.
func (b *Builder) pairNamed(id eventID, sends *namedSends) {
	e := &b.events[id]
	send, ok := b.sendOf(id, address{e.words.message, e.host}, sends)
	if !ok {
		if send, ok = b.sendOf(id, address{e.words.message, noHost}, sends); !ok {
			return
		}
	}
	s := &b.events[send]
	if e.peer != noHost && e.peer != s.host {
		b.Find(ruleSameSender, int(e.line), "message %s comes from %q here, but %q sent it, at %s",
			text.Quote(e.words.message), b.hosts[e.peer].name, b.hosts[s.host].name, b.r.lineText(int(s.line)))
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
	s := &b.events[send]
	open, known := address{s.words.message, noHost}, address{s.words.message, to}
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
	b.events[end].partner = send
	if b.events[send].partner == noEvent {
		b.events[send].partner = end
	}
}

// pairByClock joins the ends that have vector clocks: first each receive with a
// send that is a direct cause, which is certain; then the rest, k-th with k-th,
// with sends that are at least in their past. A message that brings nothing new
// leaves no direct cause.
func (b *Builder) pairByClock() {
	for _, id := range b.order {
		e := &b.events[id]
		if !e.clocked() || e.kind != tracefmt.Receive {
			continue
		}
		for _, parent := range e.parents {
			if s := &b.events[parent]; s.kind == tracefmt.Send && s.clocked() && s.partner == noEvent && sameLink(e, s) {
				b.join(id, parent)
				break
			}
		}
	}
	b.noteAmbiguous(b.pairWithPast())
}

// clocked reports whether the clock decides about an end of a message.
func (e *event) clocked() bool { return len(e.clock) > 0 && e.words.message == "" }

func sameLink(e, s *event) bool {
	one, ok := e.link()
	other, known := s.link()
	return ok && known && one == other
}

// pairWithPast returns the number of receives for which there was a choice.
func (b *Builder) pairWithPast() (ambiguous int) {
	open := make(map[link][]eventID) // by the sender's own clock
	for _, id := range b.order {
		e := &b.events[id]
		if l, ok := e.link(); ok && e.kind == tracefmt.Send && e.clocked() && e.partner == noEvent {
			open[l] = append(open[l], id)
		}
	}
	for _, id := range b.order {
		e := &b.events[id]
		if !e.clocked() || e.kind != tracefmt.Receive || e.partner != noEvent {
			continue
		}
		l, _ := e.link()
		sends := open[l]
		if len(sends) == 0 || !b.knows(id, sends[0]) {
			continue
		}
		if len(sends) > 1 && b.knows(id, sends[1]) {
			ambiguous++
		}
		b.join(id, sends[0])
		open[l] = sends[1:]
	}
	return ambiguous
}

// knows reports whether past is in the past of another event, id.
func (b *Builder) knows(id, past eventID) bool {
	e, p := &b.events[id], &b.events[past]
	return e.clock.at(p.host) >= p.own
}

// isHalf reports whether a receiving end without a send is the end of a message that the
// log half leaves out. It needs a sender who does not deny it; and words alone do not make
// a message where clocks join its ends.
func (e *event) isHalf() bool { return e.peer != noHost && !e.denied && !e.clocked() }

// noteHalves keeps or makes notes of the ends that have no other, and reports these and
// the sends of which the file shows no end.
func (b *Builder) noteHalves() {
	var neverSent, unsent, noReceiver, neverReceived linesOf
	for i := range b.events {
		e := &b.events[i]
		switch {
		case e.isEnd() && e.partner == noEvent && e.isHalf():
			unsent.add(e.line)
			b.lacks(e.peer, tracefmt.Send)
		case e.isEnd() && e.partner == noEvent:
			neverSent.add(e.line)
			b.lacks(e.host, e.kind)
			b.lacks(e.peer, tracefmt.Send)
			b.demote(e)
		case e.kind == tracefmt.Send && e.peer == noHost:
			noReceiver.add(e.line)
			b.lacks(e.host, e.kind)
			b.demote(e)
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
func (b *Builder) demote(e *event) {
	if e.words.text == "" {
		e.words.text = b.inWords(e)
	}
	e.kind, e.words.typ, e.words.content = tracefmt.Note, e.words.label, ""
	e.peer, e.partner = noHost, noEvent
}

// inWords writes an end of a message, such as receive PING from a.
func (b *Builder) inWords(e *event) string {
	words := e.kind.String()
	if e.words.typ != "" {
		words += " " + e.words.typ
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
