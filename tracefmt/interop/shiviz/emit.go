package shiviz

import (
	"slices"
	"strconv"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
)

// maxLabel bounds the types that are made of texts, in bytes: a trace keeps
// types in a dictionary, which is no place for prose.
const maxLabel = 64

// emitter turns a history into the events of a run.
type emitter struct {
	*history
	seqs     []tracefmt.Seq // by eventID
	messages int64          // sent so far
	ids      []tracefmt.MessageID
	buf      []byte
}

// emit hands the history over as a run.
func (h *history) emit(to *interop.Passage) error {
	em := emitter{history: h, seqs: make([]tracefmt.Seq, len(h.events)), ids: make([]tracefmt.MessageID, len(h.events))}
	for i, id := range h.order {
		em.seqs[id] = tracefmt.Seq(i + 1)
	}
	edges := int64(0)
	for _, id := range h.order {
		edges += int64(len(h.events[id].parents))
		if err := to.Write(em.event(id)); err != nil {
			return err
		}
	}
	to.Edges = edges // events name one cause, but may have several
	return to.Finish(tracefmt.Stopped)
}

// event returns the event, which shares memory with the next.
func (em *emitter) event(id eventID) *tracefmt.Event {
	e := &em.events[id]
	out := &tracefmt.Event{
		Seq: em.seqs[id], Time: tracefmt.Time(e.lamport) * tracefmt.Unit, Kind: tracefmt.Note,
		Process: em.hosts[e.host].process, Lamport: e.lamport,
	}
	causes := em.causes(e)
	content := ""
	if m := em.messageOf(id); m != nil && (m.kind == tracefmt.Send || m.partner != noEvent) {
		content = m.link.content
		causes = em.asMessage(out, m, causes)
	} else if word := firstWord(e.text); word == e.text && len(word) <= maxLabel {
		out.Type = word
	}
	if out.Cause == 0 && len(causes) > 0 {
		out.Cause, causes = causes[0], causes[1:]
	}
	em.buf = em.appendPayload(em.buf[:0], e, content, causes)
	out.Payload = em.buf
	return out
}

// causes returns the seqs of the direct causes, the latest first: it is the
// one that the event most likely waited for.
func (em *emitter) causes(e *logEvent) []tracefmt.Seq {
	if len(e.parents) == 0 {
		return nil
	}
	causes := make([]tracefmt.Seq, len(e.parents))
	for i, parent := range e.parents {
		causes[i] = em.seqs[parent]
	}
	slices.SortFunc(causes, func(a, b tracefmt.Seq) int { return int(b - a) })
	return causes
}

// asMessage makes a send or a receive of the event, and returns the causes
// that are left.
func (em *emitter) asMessage(out *tracefmt.Event, m *message, causes []tracefmt.Seq) []tracefmt.Seq {
	out.Kind, out.Type = m.kind, messageType(m.link.content)
	if m.kind == tracefmt.Send {
		em.messages++
		em.ids[m.event] = tracefmt.MessageID(em.messages)
		out.Peer, out.Message = em.hosts[m.link.to].process, em.ids[m.event]
		return causes
	}
	out.Peer, out.Message, out.Cause = em.hosts[m.link.from].process, em.ids[m.partner], em.seqs[m.partner]
	return slices.DeleteFunc(causes, func(s tracefmt.Seq) bool { return s == out.Cause })
}

// messageType is the word that a content begins with: SLDeliver of
// SLDeliver(DataMessage(1,Message1)).
func messageType(content string) string {
	if word := firstWord(content); word != "" && len(word) <= maxLabel {
		return word
	}
	return "message"
}

// appendPayload writes the payload as described at shiviz.
func (em *emitter) appendPayload(b []byte, e *logEvent, content string, causes []tracefmt.Seq) []byte {
	b = append(b, '{')
	if content != "" {
		b = append(b, `"`+tracefmt.ContentKey+`":`...)
		b = append(tracefmt.AppendString(b, content), ',')
	}
	if len(causes) > 0 {
		b = append(b, `"`+tracefmt.CausesKey+`":[`...)
		for _, seq := range causes {
			b = append(strconv.AppendInt(b, int64(seq), 10), ',')
		}
		b[len(b)-1] = ']'
		b = append(b, ',')
	}
	b = append(b, `"`+tracefmt.LogKey+`":{"text":`...)
	b = tracefmt.AppendString(b, e.text)
	b = append(b, `,"line":`...)
	b = strconv.AppendInt(b, int64(e.line), 10)
	b = em.appendFields(b, e)
	b = append(b, `,"clock":`...)
	b = em.appendClock(b, e.clock)
	return append(b, '}', '}')
}

func (em *emitter) appendFields(b []byte, e *logEvent) []byte {
	if len(e.fields) == 0 {
		return b
	}
	b = append(b, `,"fields":{`...)
	for i, f := range em.log.pattern.fields {
		if i > 0 {
			b = append(b, ',')
		}
		b = tracefmt.AppendString(b, f.name)
		b = append(b, ':')
		b = tracefmt.AppendString(b, e.fields[i])
	}
	return append(b, '}')
}
