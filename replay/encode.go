package replay

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"

	"etrace/tracefmt"
)

// Clone returns a copy of the state that shares nothing that changes with it.
func (s *State) Clone() *State {
	c := *s
	c.flights, c.payloads, c.processes, c.pool, c.read = nil, nil, nil, pagePool{}, reading{}
	c.roles = make(map[string]saidRole)
	c.thaw(s.freeze(nil))
	return &c
}

// freeze appends the whole state in few bytes, for thaw to take in again. Of
// a state with a thousand variables the maps take a hundred kilobytes, and
// the bytes ten.
func (s *State) freeze(b []byte) []byte {
	b = appendInts(b, int64(s.Seq), int64(s.Time), int64(len(s.processes)))
	for i := range s.processes {
		p := &s.processes[i]
		b = appendInts(b, int64(p.Status), int64(p.Since), int64(p.Elected), int64(p.ElectedAt), p.Lamport,
			int64(p.Down), int64(p.Role), int64(p.SaidAt), flag(p.speaks), flag(p.stepped), int64(p.stepAt), int64(p.resetAt), flag(p.Inferred), p.Incarnation, int64(p.termAt))
		b = appendTerm(appendTerm(appendTerm(b, p.term), p.saidIn), p.chosenIn)
		b = appendInts(b, int64(p.variables.count))
		for name, value := range p.variables.all() {
			b = appendText(appendText(b, name), value)
		}
		assigned := maps.Collect(p.allAssigned())
		b = appendInts(b, int64(len(assigned)))
		for name, at := range assigned {
			b = appendInts(appendText(b, []byte(name)), int64(at))
		}
		b = appendInts(b, int64(len(p.timers)))
		for name, t := range p.timers {
			b = appendInts(appendText(b, []byte(name)), int64(t.set), int64(t.setAt), int64(t.due), flag(t.known))
		}
	}
	b = appendInts(b, flag(s.hasLeader), flag(s.hasRole), flag(s.hasTerm), int64(len(s.flights)))
	for _, f := range s.flights {
		b = appendInts(b, int64(f.Message), int64(f.From), int64(f.To), int64(f.Sent), int64(f.SentAt))
		b = appendText(appendText(b, []byte(f.Type)), f.payload)
	}
	return b
}

// thaw replaces the state by one that was frozen. What can be counted, it
// counts anew.
func (s *State) thaw(b []byte) {
	r := frozen{b}
	s.Seq, s.Time = tracefmt.Seq(r.int()), tracefmt.Time(r.int())
	s.processes = make([]Process, r.int())
	s.inFlight, s.armed = 0, 0
	for i := range s.processes {
		p := &s.processes[i]
		r.process(p, &s.pool)
		s.armed += len(p.timers)
	}
	s.hasLeader, s.hasRole, s.hasTerm = r.int() == 1, r.int() == 1, r.int() == 1
	n := r.int()
	s.flights = make(map[tracefmt.MessageID]Flight, n)
	for range n {
		f := r.flight()
		s.flights[f.Message] = f
		s.travel(f.To, 1)
	}
}

// frozen reads what freeze wrote.
type frozen struct{ b []byte }

func (r *frozen) int() int64 {
	n, size := binary.Varint(r.b)
	r.b = r.b[size:]
	return n
}

func (r *frozen) text() []byte {
	n, size := binary.Uvarint(r.b)
	text := r.b[size : size+int(n)]
	r.b = r.b[size+int(n):]
	return text
}

func (r *frozen) process(p *Process, pool *pagePool) {
	p.Status, p.Since = Status(r.int()), tracefmt.Seq(r.int())
	p.Elected, p.ElectedAt, p.Lamport = tracefmt.ProcessID(r.int()), tracefmt.Seq(r.int()), r.int()
	p.Down = tracefmt.Seq(r.int())
	p.Role, p.SaidAt, p.speaks, p.stepped = RoleTold(r.int()), tracefmt.Seq(r.int()), r.int() == 1, r.int() == 1
	p.stepAt, p.resetAt = tracefmt.Seq(r.int()), tracefmt.Seq(r.int())
	p.Inferred, p.Incarnation, p.termAt = r.int() == 1, r.int(), tracefmt.Seq(r.int())
	p.term, p.saidIn, p.chosenIn = ParseTerm(r.text()), ParseTerm(r.text()), ParseTerm(r.text())
	for range r.int() {
		p.variables.set(r.text(), r.text(), pool)
	}
	for range r.int() {
		p.tell(r.text(), tracefmt.Seq(r.int()))
	}
	n := r.int()
	if n > 0 {
		p.timers = make(map[string]timer, n)
	}
	for range n {
		name := string(r.text())
		p.timers[name] = timer{set: tracefmt.Seq(r.int()), setAt: tracefmt.Time(r.int()), due: tracefmt.Time(r.int()), known: r.int() == 1}
	}
}

func (r *frozen) flight() Flight {
	f := Flight{
		Message: tracefmt.MessageID(r.int()), From: tracefmt.ProcessID(r.int()), To: tracefmt.ProcessID(r.int()),
		Sent: tracefmt.Seq(r.int()), SentAt: tracefmt.Time(r.int()),
	}
	f.Type, f.payload = string(r.text()), slices.Clone(r.text())
	return f
}

// appendTerm appends a term as its JSON value, nothing for one that is not known.
func appendTerm(b []byte, t Term) []byte {
	if !t.Known() {
		return appendText(b, nil)
	}
	return appendText(b, t.JSON())
}

func appendInts(b []byte, numbers ...int64) []byte {
	for _, n := range numbers {
		b = binary.AppendVarint(b, n)
	}
	return b
}

func flag(set bool) int64 {
	if set {
		return 1
	}
	return 0
}

// Snapshot returns the whole state in one canonical form in which equal bytes
// mean equal states: who runs, the variables of those who do, the messages on
// their way with the time since their send, and the armed timers with the
// time until they are due. Messages stand in the order of their sends, timers
// in that in which they expire, since both decide what happens next at one
// instant. Message ids, seqs and clocks are no part of it, so that a state
// that recurs later in a run gives the same bytes.
func (s *State) Snapshot() []byte { return s.SnapshotLess(nil, 0) }

// SnapshotLess is the snapshot with less subtracted from all counters: equal bytes mean
// states that are equal but for the difference of what is subtracted.
func (s *State) SnapshotLess(counters *Counters, less int64) []byte {
	var b []byte
	for i := range s.processes[1:] {
		p := &s.processes[i+1]
		b = append(b, byte(p.Status))
		if !p.Live() {
			continue // what it remembers is lost
		}
		b = binary.AppendUvarint(b, uint64(p.variables.count))
		for _, name := range p.variables.names() {
			value := counters.Variable(nil, name, p.variables.get(name), less)
			b = appendText(appendText(b, []byte(name)), value)
		}
	}
	b = s.appendTimers(b)
	for _, f := range s.Flights() {
		b = appendText(b, []byte(f.Type))
		b = binary.AppendVarint(b, int64(f.From))
		b = binary.AppendVarint(b, int64(f.To))
		b = binary.AppendVarint(b, int64(s.Time-f.SentAt))
		b = appendText(b, counters.Message(nil, f.Type, f.payload, less))
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

// appendText appends a text after its length, so that no two lists of texts
// give the same bytes.
func appendText(b, text []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}
