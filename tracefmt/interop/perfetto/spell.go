package perfetto

import (
	"encoding/json"
	"strconv"

	"etrace/tracefmt"
)

// Spells are states with a duration: a role, from the variable of that name, and a critical section, from a
// note enter to a note exit. Each is a slice on a track below the track of the process, so that readers see
// when each process led. Spells are not judged here.
const (
	roleSpell = iota
	insideSpell
	spells
)

// spellNames are the names of the tracks of spells, and of the variable for a role.
var spellNames = [spells]string{"role", "inside"}

const (
	enterNote = "enter"
	exitNote  = "exit"
	typeBegin = 1
	typeEnd   = 2
)

// updateSpells ends and begins spells of a process by an event at a time.
func (t *traceWriter) updateSpells(e *tracefmt.Event, at uint64) {
	if e.Process == network {
		return
	}
	switch e.Kind {
	case tracefmt.Crash, tracefmt.Halt:
		t.setSpell(e.Process, roleSpell, "", at)
		t.setSpell(e.Process, insideSpell, "", at)
	case tracefmt.Start, tracefmt.Recover:
		t.setSpell(e.Process, insideSpell, "", at)
		t.setSpell(e.Process, roleSpell, role(e), at)
	case tracefmt.State:
		if _, said := e.Field(spellNames[roleSpell]); said {
			t.setSpell(e.Process, roleSpell, role(e), at)
		}
	case tracefmt.Note:
		switch e.Type {
		case enterNote:
			t.setSpell(e.Process, insideSpell, spellNames[insideSpell], at)
		case exitNote:
			t.setSpell(e.Process, insideSpell, "", at)
		}
	}
}

// role returns the role that an event assigns, with its term if it has one; "" for no role.
func role(e *tracefmt.Event) string {
	value, _ := e.Field(spellNames[roleSpell])
	var name string
	if json.Unmarshal(value, &name) == nil && name != "" && e.Term != 0 {
		name += ", term " + strconv.FormatInt(e.Term, 10)
	}
	return name
}

// setSpell ends the open spell of a sort at a process, and begins one with the name unless this is "".
func (t *traceWriter) setSpell(p tracefmt.ProcessID, kind int, name string, at uint64) {
	was := &t.lasting[p][kind]
	if *was == name {
		return
	}
	track := t.uuid(int(p)) | uint64(kind+1)<<29
	if *was != "" {
		t.packet.slice(typeEnd, track, "", at)
		_, _ = t.Write(t.packet.bytes()) // Flush returns the error
	}
	*was = name
	if name == "" {
		return
	}
	if !t.described[p][kind] {
		t.described[p][kind] = true
		t.packet.describe(track, t.uuid(int(p)), spellNames[kind], 0, int64(kind+1))
		_, _ = t.Write(t.packet.bytes())
	}
	t.packet.slice(typeBegin, track, name, at)
	_, _ = t.Write(t.packet.bytes())
}

// endSpells ends the spells that are open at the end of the run.
func (t *traceWriter) endSpells(at uint64) {
	for p := range t.lasting {
		for kind := range spells {
			t.setSpell(tracefmt.ProcessID(p), kind, "", at)
		}
	}
}

// slice makes the packet of the beginning or the end of a slice.
func (p *packet) slice(kind, track uint64, name string, at uint64) {
	b := appendUint(p.track[:0], eventType, kind)
	b = appendUint(b, eventTrack, track)
	if name != "" {
		b = appendText(b, eventName, name)
	}
	p.track = b
	p.body = appendUint(p.body[:0], packetTimestamp, at)
	p.body = appendUint(p.body, packetSequence, sequenceID)
	p.body = appendMessage(p.body, packetTrackEvent, b)
}
