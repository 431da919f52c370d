package replay

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"
)

// Snapshot returns the whole state in one canonical form in which equal bytes
// mean equal states: who runs, the variables of those who do, the messages on
// their way with the time since their send, and the armed timers with the
// time until they are due. Messages stand in the order of their sends, timers
// in that in which they expire, since both decide what happens next at one
// instant. Message ids, seqs and clocks are no part of it, so that a state
// that recurs later in a run gives the same bytes.
func (s *State) Snapshot() []byte {
	var b []byte
	for i := range s.processes[1:] {
		p := &s.processes[i+1]
		b = append(b, byte(p.Status))
		if !p.Live() {
			continue // what it remembers is lost
		}
		b = binary.AppendUvarint(b, uint64(len(p.variables)))
		for _, name := range slices.Sorted(maps.Keys(p.variables)) {
			b = appendText(appendText(b, []byte(name)), *p.variables[name])
		}
	}
	b = s.appendTimers(b)
	for _, f := range s.Flights() {
		b = appendText(b, []byte(f.Type))
		b = binary.AppendVarint(b, int64(f.From))
		b = binary.AppendVarint(b, int64(f.To))
		b = binary.AppendVarint(b, int64(s.Time-f.SentAt))
		b = appendText(b, f.payload)
	}
	return b
}

func (s *State) appendTimers(b []byte) []byte {
	type armed struct {
		process int
		name    string
		timer
	}
	var all []armed
	for i := range s.processes {
		for name, t := range s.processes[i].timers {
			all = append(all, armed{i, name, t})
		}
	}
	slices.SortFunc(all, func(x, y armed) int { return cmp.Or(cmp.Compare(x.due, y.due), cmp.Compare(x.set, y.set)) })
	b = binary.AppendUvarint(b, uint64(len(all)))
	for _, t := range all {
		b = binary.AppendUvarint(b, uint64(t.process))
		b = appendText(b, []byte(t.name))
		if t.known {
			b = binary.AppendVarint(append(b, 'd'), int64(t.due-s.Time))
		} else {
			b = binary.AppendVarint(append(b, 's'), int64(s.Time-t.setAt))
		}
	}
	return b
}

// appendText appends a text behind its length, so that no two lists of texts
// give the same bytes.
func appendText(b, text []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}
