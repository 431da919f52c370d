package pgo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
)

// message is a message with its send and, if it was received, its receiver.
type message struct {
	name     string
	from     *section
	receiver *process // nil if it was not received
}

// channel is the key of a message, equal at both ends.
type channel struct{ network, index, value string }

// joinMessages joins the reads of the network to the writes. A read gets the oldest message of its value that its clock
// newly knows; otherwise the oldest that its clock knows.
func (t *trace) joinMessages() {
	t.messages = make(map[*element]*message)
	open := make(map[channel][]*message)
	for _, s := range t.order {
		for i := range s.elements {
			e := &s.elements[i]
			if s.aborted || !e.isMessage() || e.Value == nil {
				continue
			}
			at := channel{e.Name.Name, e.index(), *e.Value}
			switch e.Tag {
			case "write":
				m := &message{name: fmt.Sprintf("%s/%d/%d", s.archetype, s.step, i+1), from: s}
				t.messages[e], open[at] = m, append(open[at], m)
			case "read":
				if k := s.chosenMessage(open[at]); k >= 0 {
					t.messages[e] = open[at][k]
					open[at][k].receiver = s.archetype.process
					open[at] = slices.Delete(open[at], k, k+1)
				}
			}
		}
	}
}

// chosenMessage returns the index of the message that the step receives, -1 if it knows none of them.
func (s *section) chosenMessage(from []*message) int {
	first := -1
	for k, m := range from {
		if s.archetype != m.from.archetype && s.clockEntry(m.from.archetype.id) < m.from.step {
			continue
		}
		// The step knows the message, and the step before it did not: it has received the message.
		before := s.before()
		newlyKnown := before == nil || before.clockEntry(m.from.archetype.id) < m.from.step
		if s.archetype != m.from.archetype && newlyKnown {
			return k
		}
		if first < 0 {
			first = k
		}
	}
	return first
}

// end returns the event for one end of a message.
func (t *trace) end(e *element) (entry interop.Entry) {
	m := t.messages[e]
	entry.Kind, entry.Label = tracefmt.Receive, e.Name.Name
	if e.Tag == "write" {
		entry.Kind, entry.Peer = tracefmt.Send, e.index()
		if p := t.readers[e.index()]; p != nil {
			entry.Peer = p.name
		}
		if m != nil && m.receiver != nil {
			entry.Peer = m.receiver.name
		}
	} else if m != nil {
		entry.Peer = m.from.archetype.process.name
	}
	if m != nil {
		entry.Message = m.name
	}
	entry.Type, entry.Fields = contents(e)
	return entry
}

// types are the fields of a record that name the type of a message.
var types = []string{"mtype", "type", "typ", "tag"}

// contents returns the type and the fields of a message: those of a record, otherwise its value as the only
// field.
func contents(e *element) (typ string, fields []interop.Field) {
	value, _ := e.json()
	if !bytes.HasPrefix(value, []byte("{")) {
		return e.Name.Name, []interop.Field{interop.JSON("value", value)}
	}
	for key, field := range tracefmt.Fields(value) {
		var word string
		if typ == "" && slices.Contains(types, string(key)) && json.Unmarshal(field, &word) == nil {
			typ = word
			continue
		}
		fields = append(fields, interop.JSON(string(key), slices.Clone(field)))
	}
	if typ == "" {
		typ = e.Name.Name
	}
	return typ, fields
}
