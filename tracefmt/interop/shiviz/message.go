package shiviz

import (
	"strings"
	"unicode"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// shivizMessages says which texts are ends of messages: those that begin with
// the verb and name a host of the execution after the last preposition. What
// stands between is the message's content. A text alone makes a send; a
// receive needs a send of the same content in its past as well.
var shivizMessages = []struct {
	kind              tracefmt.Kind
	verb, preposition string
}{
	{tracefmt.Send, "Sending ", " to "},
	{tracefmt.Send, "Sent ", " to "},
	{tracefmt.Receive, "Received ", " from "},
	{tracefmt.Receive, "Receiving ", " from "},
}

// logLevels are what GoVector puts before a text.
var logLevels = []string{"DEBUG ", "INFO ", "WARNING ", "ERROR ", "FATAL "}

// message is one end of a message, as the text of an event tells it.
type message struct {
	kind    tracefmt.Kind
	link    link
	event   eventID
	partner eventID // the other end, noEvent if there is none
}

// link is what both ends of a message have in common.
type link struct {
	from, to hostID
	content  string
}

// pairMessages finds the ends of messages and joins them: first each receive
// with a direct cause, which is certain; then the rest, k-th with k-th, with
// sends that are at least in their past. A message that brings nothing new
// leaves no direct cause.
func (h *history) pairMessages() {
	h.findMessages()
	h.pairWithParents()
	if ambiguous := h.pairWithPast(); ambiguous > 0 {
		h.report.Note("%s could belong to more than one send of the same content, paired in order",
			text.Counted(ambiguous, "receive", "receives"))
	}
}

func (h *history) findMessages() {
	for _, id := range h.order {
		e := &h.events[id]
		kind, content, peer := h.parseMessage(e.text)
		if kind == 0 {
			continue
		}
		at := link{e.host, peer, content}
		if kind == tracefmt.Receive {
			at = link{peer, e.host, content}
		}
		h.messages = append(h.messages, message{kind, at, id, noEvent})
		e.message = int32(len(h.messages))
	}
}

// parseMessage returns kind 0 for a text that is no end of a message.
func (h *history) parseMessage(text string) (kind tracefmt.Kind, content string, peer hostID) {
	for _, level := range logLevels {
		text = strings.TrimPrefix(text, level)
	}
	for _, m := range shivizMessages {
		rest, ok := strings.CutPrefix(text, m.verb)
		i := strings.LastIndex(rest, m.preposition)
		if !ok || i <= 0 {
			continue
		}
		peer, ok := h.hostIndex[strings.TrimSpace(rest[i+len(m.preposition):])]
		if ok && h.hosts[peer].process != 0 {
			return m.kind, strings.TrimSpace(rest[:i]), peer
		}
	}
	return 0, "", 0
}

func (h *history) pairWithParents() {
	for i := range h.messages {
		m := &h.messages[i]
		if m.kind != tracefmt.Receive {
			continue
		}
		for _, parent := range h.events[m.event].parents {
			if s := h.messageOf(parent); s != nil && s.kind == tracefmt.Send && s.link == m.link && s.partner == noEvent {
				m.partner, s.partner = s.event, m.event
				break
			}
		}
	}
}

// pairWithPast returns the number of receives for which there was a choice.
func (h *history) pairWithPast() (ambiguous int) {
	unpaired := make(map[link][]*message) // by the sender's own clock
	for i := range h.messages {
		if m := &h.messages[i]; m.kind == tracefmt.Send && m.partner == noEvent {
			unpaired[m.link] = append(unpaired[m.link], m)
		}
	}
	for i := range h.messages {
		m := &h.messages[i]
		if m.kind != tracefmt.Receive || m.partner != noEvent {
			continue
		}
		sends := unpaired[m.link]
		if len(sends) == 0 || !h.knows(m.event, sends[0].event) {
			continue
		}
		if len(sends) > 1 && h.knows(m.event, sends[1].event) {
			ambiguous++
		}
		m.partner, sends[0].partner = sends[0].event, m.event
		unpaired[m.link] = sends[1:]
	}
	return ambiguous
}

// knows reports whether past is in the past of another event, id.
func (h *history) knows(id, past eventID) bool {
	e, p := &h.events[id], &h.events[past]
	return e.clock.at(p.host) >= p.own
}

// messageOf returns the end of a message that an event is, nil if none.
func (h *history) messageOf(id eventID) *message {
	if n := h.events[id].message; n > 0 {
		return &h.messages[n-1]
	}
	return nil
}

// firstWord returns the word that a text begins with: letters, digits, and
// the signs that names are made of.
func firstWord(text string) string {
	end := strings.IndexFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-.", r)
	})
	if end < 0 {
		return text
	}
	return text[:end]
}
