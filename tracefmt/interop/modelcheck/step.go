package modelcheck

import (
	"slices"
	"strconv"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
)

// findActor determines the process that takes the step: the only process among the parameters of the action or,
// without one, the only process that changes.
func (s *step) findActor() {
	var named []string
	for _, p := range s.parameters {
		if name := p.plain(); s.now.processes[name] != nil && !slices.Contains(named, name) {
			named = append(named, name)
		}
	}
	if len(named) != 1 {
		named = s.changes.processes()
	}
	if len(named) == 1 {
		s.actor = named[0]
	}
}

// emit adds the events of the step.
func (s *step) emit(first bool) {
	shared := s.changes[""]
	if !first && s.action == "" && len(s.changes)+len(s.sent)+len(s.disappeared) == 0 {
		s.stutters++
		return
	}
	crashes := slices.Contains(s.meaning.crash, s.action) && s.actor != ""
	recovers := slices.Contains(s.meaning.recover, s.action) && s.actor != ""
	if recovers {
		s.restart(crashes)
	}
	if s.action != "" && !first || len(shared) > 0 {
		s.addNote(shared)
	}
	// Receives come before the changes that they cause, and sends after these.
	for _, m := range s.disappeared {
		s.addEnd(m)
	}
	for _, name := range s.changes.processes() {
		kind := tracefmt.State
		if first || s.steps[name] == 0 {
			kind = tracefmt.Start
		}
		s.steps[name]++
		s.Add(interop.Entry{Line: s.line, Text: s.title(), Kind: kind, Process: name, Fields: s.changes[name], After: s.noteCause(name)})
	}
	for _, m := range s.sent {
		e := s.entry(m, tracefmt.Send)
		e.Process = s.sender(m)
		if e.Process == "" {
			s.Find("has-sender", s.line, "a message appears, and nothing says who sends it: %s", interop.Shorten(m.value.json()))
			continue
		}
		e.Peer, e.After = s.receiver(m), s.noteCause(e.Process)
		s.Add(e)
	}
	if crashes && !recovers {
		s.Add(interop.Entry{Line: s.line, Text: s.title(), Kind: tracefmt.Crash, Process: s.actor})
	}
}

// restart adds the recovery of the acting process with its variables; if crashes is true, also a crash before
// it.
func (s *step) restart(crashes bool) {
	if crashes {
		s.Add(interop.Entry{Line: s.line, Text: s.title(), Kind: tracefmt.Crash, Process: s.actor})
	}
	values := s.now.processes[s.actor].since(nil)
	s.Add(interop.Entry{Line: s.line, Text: s.title(), Kind: tracefmt.Recover, Process: s.actor, Fields: values})
	delete(s.changes, s.actor)
}

// addNote adds the note of the action, with the changed variables of no process. The note is a cause of the events
// of other processes in the step.
func (s *step) addNote(fields []interop.Field) {
	e := interop.Entry{Line: s.line, Text: s.title(), Kind: tracefmt.Note, Process: s.actor, Type: s.action, Fields: fields}
	if e.Type == "" {
		e.Type = "step"
	}
	for _, p := range s.parameters {
		if p.name != "" {
			e.Extra = append(e.Extra, interop.JSON(p.name, []byte(p.json())))
		}
	}
	if s.actor != "" {
		s.causeKeys++
		s.noteKey = strconv.Itoa(s.causeKeys)
		e.Key = s.noteKey
	}
	s.Add(e)
}

// noteCause returns the key of the action's note. It is the cause of the events of the action at other processes than the actor;
// the result is nil for the actor, or without a note.
func (s *step) noteCause(process string) []string {
	if s.noteKey == "" || process == s.actor {
		return nil
	}
	return []string{s.noteKey}
}

// addEnd adds the receive or loss of a message that disappeared. If neither is certain it only counts the
// message.
func (s *step) addEnd(m message) {
	kind, known := s.fate(m)
	if !known {
		s.undecided++
		return
	}
	e := s.entry(m, kind)
	e.Process, e.Peer = s.receiver(m), s.inFlight.senders[m.id]
	s.Add(e)
}

// fate decides whether a message that disappeared was received or lost. The list of actions that lose messages
// decides. Without such a list the message was received if its receiver changes or sends something in the step.
func (s *step) fate(m message) (kind tracefmt.Kind, known bool) {
	receiver, lost := s.receiver(m), s.meaning.network.lost
	switch {
	case receiver == "" || s.inFlight.senders[m.id] == "":
		return 0, false
	case slices.Contains(lost, s.action):
		return tracefmt.Lose, true
	case s.action != "" && len(lost) > 0:
		return tracefmt.Receive, true
	}
	acts := len(s.changes[receiver]) > 0 || slices.ContainsFunc(s.sent, func(x message) bool { return s.sender(x) == receiver })
	return tracefmt.Receive, acts
}

// entry returns the event of one end of a message, with the fields of the message.
func (s *step) entry(m message, kind tracefmt.Kind) interop.Entry {
	n := s.meaning.network
	e := interop.Entry{Line: s.line, Text: s.title(), Kind: kind, Message: m.id}
	if m.value.kind == atom {
		e.Type = m.value.plain()
		return e
	}
	for _, f := range entries(&m.value) {
		switch f.name {
		case n.typ:
			e.Type = f.plain()
		case n.from, n.to: // the ends of the message, read before
		default:
			e.Fields = append(e.Fields, interop.JSON(f.name, []byte(f.json())))
		}
	}
	return e
}

// sender returns the sender of a message: its field or, without one, the acting process.
func (s *step) sender(m message) string {
	if from, ok := s.inFlight.senders[m.id]; ok {
		return from
	}
	from := fieldText(m, s.meaning.network.from)
	if from == "" {
		from = s.actor
	}
	s.inFlight.senders[m.id] = from
	return from
}

// receiver returns the receiver of a message: its field or inbox, else the only process that
// changes when it disappears.
func (s *step) receiver(m message) string {
	if owner := s.owners[m.id]; owner != "" {
		return owner
	}
	receiver := fieldText(m, s.meaning.network.to)
	disappeared := slices.ContainsFunc(s.disappeared, func(g message) bool { return g.id == m.id })
	if receiver != "" || !disappeared {
		return receiver
	}
	if changed := s.changes.processes(); len(changed) == 1 {
		return changed[0]
	}
	return ""
}

// fieldText returns the text of a field of a message, "" without the field.
func fieldText(m message, field string) string {
	for _, f := range entries(&m.value) {
		if f.name == field && field != "" {
			return f.plain()
		}
	}
	return ""
}
