package shiviz

import (
	"strings"
	"unicode"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
)

// maxLabel bounds the types that are made of texts, in bytes: a trace keeps
// types in a dictionary, which is no place for prose.
const maxLabel = 64

// shivizMessages recognises the texts of ends of messages: they begin with the verb and name a host of the
// execution after the last preposition. The text between is the message's content. A text alone makes a send.
// A receive needs a send of the same content in its past as well.
var shivizMessages = []struct {
	kind              tracefmt.Kind
	verb, preposition string
}{
	{tracefmt.Send, "Sending ", " to "},
	{tracefmt.Send, "Sent ", " to "},
	{tracefmt.Receive, "Received ", " from "},
	{tracefmt.Receive, "Receiving ", " from "},
}

// logLevels are the levels that GoVector puts before a text.
var logLevels = []string{"DEBUG ", "INFO ", "WARNING ", "ERROR ", "FATAL "}

// parseText sets the kind of the event by its text.
func (x *execution) parseText(e *interop.Entry) {
	e.Kind = tracefmt.Note
	if word := firstWord(e.Text); word == e.Text && len(word) <= maxLabel {
		e.Type, e.Label = word, word
	}
	if kind, content, peer := x.parseMessage(e.Text); kind != 0 {
		e.Kind, e.Peer, e.Content, e.Type = kind, peer, content, messageType(content)
	}
}

// parseMessage splits the text of an end of a message into its content and the peer. kind is 0 for another text.
func (x *execution) parseMessage(text string) (kind tracefmt.Kind, content, peer string) {
	for _, level := range logLevels {
		text = strings.TrimPrefix(text, level)
	}
	for _, m := range shivizMessages {
		tail, ok := strings.CutPrefix(text, m.verb)
		i := strings.LastIndex(tail, m.preposition)
		if !ok || i <= 0 {
			continue
		}
		peer := strings.TrimSpace(tail[i+len(m.preposition):])
		if x.hosts[peer] {
			return m.kind, strings.TrimSpace(tail[:i]), peer
		}
	}
	return 0, "", ""
}

// messageType returns the first word of a content as the type of the message: SLDeliver for
// SLDeliver(DataMessage(1,Message1)).
func messageType(content string) string {
	if word := firstWord(content); word != "" && len(word) <= maxLabel {
		return word
	}
	return "message"
}

// firstWord returns the word at the beginning of a text: letters, digits, and signs that occur in names.
func firstWord(text string) string {
	end := strings.IndexFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-.", r)
	})
	if end < 0 {
		return text
	}
	return text[:end]
}
