package pgo

import (
	"encoding/json"
	"fmt"
	"strconv"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
)

// emit adds the events of a step.
func (t *trace) emit(s *section) {
	t.addGap(s)
	entries := t.happenings(s)
	p := s.archetype.process
	for i := range entries {
		e := &entries[i]
		e.Line, e.Text, e.Time, e.Process = s.line, s.label, s.time, p.name
		p.events++
		if t.clocked {
			e.Clock = append(t.clock(s), interop.Tick{Process: p.name, Count: p.events})
		} else if i == 0 {
			for _, cause := range t.newlyKnownSteps(s) {
				e.After = append(e.After, cause.key())
			}
		}
	}
	s.last = p.events
	entries[len(entries)-1].Key = s.key()
	for _, e := range entries {
		t.Add(e)
	}
}

// key returns the key of the last event of the step.
func (s *section) key() string { return fmt.Sprintf("%s/%d", s.archetype, s.step) }

// clock returns the clock of a step. The log's clock counts steps; the result counts events.
func (t *trace) clock(s *section) (ticks []interop.Tick) {
	for _, k := range s.clock {
		if cause := t.latest(k); cause != nil && cause.last > 0 {
			ticks = append(ticks, interop.Tick{Process: cause.archetype.process.name, Count: cause.last})
		}
	}
	return ticks
}

// happenings returns the events of a step: its receives, the note of the step, its variables, its sends.
func (t *trace) happenings(s *section) (entries []interop.Entry) {
	step := interop.Entry{Kind: tracefmt.Note, Type: s.label}
	step.Extra = []interop.Field{interop.Int("step", s.step), interop.Text("start", s.began)}
	if s.aborted {
		step.Type = "abort"
		return []interop.Entry{step}
	}
	var sends, notes []interop.Entry
	state := interop.Entry{Kind: tracefmt.State}
	for i := range s.elements {
		switch e := &s.elements[i]; {
		case e.isMessage() && e.Tag == "write":
			sends = append(sends, t.end(e))
		case e.isMessage() && e.Tag == "read":
			entries = append(entries, t.end(e))
		case e.Tag != "write" || e.Name.Name == ".pc": // a read, or the program counter
		case e.OldValue == nil: // a channel, or a resource outside the program
			if value, ok := e.json(); ok {
				step.Fields = append(step.Fields, interop.JSON(s.name(e), value))
			}
		case e.Name.Name == "hasLock":
			notes = append(notes, lock(e))
		default:
			state.Fields = append(state.Fields, t.assign(s, e)...)
		}
	}
	entries = append(append(entries, step), notes...)
	if len(state.Fields) > 0 {
		entries = append(entries, state)
	}
	return append(entries, sends...)
}

// lock returns an entry for a lock that the process acquires or releases.
func lock(e *element) interop.Entry {
	if e.Value != nil && *e.Value == "TRUE" {
		return interop.Entry{Kind: tracefmt.Note, Type: "enter"}
	}
	return interop.Entry{Kind: tracefmt.Note, Type: "exit"}
}

// name returns the name of a variable, unique among those of its process.
func (s *section) name(e *element) string {
	switch p := s.archetype.process; {
	case len(e.Indices) == 1 && p.index == e.Indices[0]:
		return e.Name.Name
	case len(e.Indices) > 0:
		name := ""
		for _, index := range e.Indices {
			name += index + "."
		}
		return name + e.Name.Name
	case p.joined:
		return s.archetype.name + "." + e.Name.Name
	}
	return e.Name.Name
}

// variables maps variables of Raft to etrace's names.
var variables = map[string]string{
	"state": "role", "currentTerm": "term", "votedFor": "votedFor", "leader": "elected", "commitIndex": "commit",
}

// assign returns the fields of a state event for a variable that a step writes.
func (t *trace) assign(s *section, e *element) []interop.Field {
	name := s.name(e)
	value, ok := e.json()
	if !ok {
		return nil
	}
	// Variables of a server of Raft are maps indexed by the server.
	ofServer := t.raft && len(e.Indices) > 0 && name == e.Name.Name
	switch known := variables[name]; {
	case ofServer && name == "log":
		return s.archetype.process.entries(value)
	case ofServer && (known == "votedFor" || known == "elected"):
		return []interop.Field{interop.JSON(known, t.named(value))}
	case ofServer && known != "":
		name = known
	}
	return []interop.Field{interop.JSON(name, value)}
}

// named returns the JSON name of the process with an index, null if no process has it.
func (t *trace) named(index []byte) []byte {
	if p := t.readers[string(index)]; p != nil {
		return tracefmt.AppendString(nil, p.name)
	}
	return []byte("null")
}

// entries returns the entries of a log that have changed.
func (p *process) entries(value []byte) (fields []interop.Field) {
	var log []json.RawMessage
	if json.Unmarshal(value, &log) != nil {
		return nil
	}
	for i, entry := range log {
		if i >= len(p.log) || p.log[i] != string(entry) {
			fields = append(fields, interop.JSON(item(i), entry))
		}
	}
	for i := len(log); i < len(p.log); i++ {
		fields = append(fields, interop.JSON(item(i), []byte("null")))
	}
	p.log = p.log[:0]
	for _, entry := range log {
		p.log = append(p.log, string(entry))
	}
	return fields
}

// item returns the variable of a log entry, counted from 0.
func item(i int) string { return "log[" + strconv.Itoa(i+1) + "]" }

// addGap declares a gap if steps before this one are missing.
func (t *trace) addGap(s *section) {
	before := int64(0)
	if b := s.before(); b != nil {
		before = b.step
	}
	if n := s.step - before - 1; n > 0 {
		t.Find(
			"own-sequence", s.line, "the own clock of %s goes from %d to %d, expected %d; steps are missing",
			s.archetype, before, s.step, before+1,
		)
		t.Gap(s.archetype.process.name, n)
	}
}

// addFinalGaps declares the steps that clocks name after the last steps of the files.
func (t *trace) addFinalGaps() {
	for _, a := range t.sorted {
		if last := a.sections[len(a.sections)-1].step; a.known > last {
			t.Note("clocks know of %d steps of %s, the file ends with step %d", a.known, a.id, last)
			t.Gap(a.process.name, a.known-last)
		}
	}
	for _, absent := range t.archetypesWithoutSteps() {
		t.Note("clocks know of %s, of which there is no file", absent)
	}
}
