package replay

import (
	"cmp"
	"encoding/binary"
	"iter"
	"maps"
	"slices"

	"etrace/tracefmt"
)

// Clone returns an independent copy of the state.
func (s *State) Clone() *State {
	c := *s
	c.flights, c.arrived, c.processes, c.pool, c.read = nil, nil, nil, pagePool{}, parsedPayload{}
	c.roles = make(map[string]classifiedRole)
	c.thaw(s.freeze())
	return &c
}

// frozen is a state in few bytes. The maps of a state with a thousand variables take a hundred kilobytes, and
// the bytes ten. The state's knowledge about the recording is small and copied.
type frozen struct {
	bytes      []byte
	coverage   *tracefmt.Coverage
	vocabulary *Vocabulary
	inferred   []Inferred
}

// freeze returns the whole state for thaw.
func (s *State) freeze() frozen {
	c := codec{}
	s.fields(&c)
	c.bytes = slices.Clip(c.bytes)
	return c.frozen
}

// thaw replaces the state by a frozen one. It recomputes all counts.
func (s *State) thaw(f frozen) { s.fields(&codec{frozen: f, reads: true}) }

// fields passes every field that events change through the codec, which writes or reads it. The other fields
// follow from the run, or are memory for later events.
func (s *State) fields(c *codec) {
	number(c, &s.Seq)
	number(c, &s.Time)
	for _, f := range []*bool{&s.restarted, &s.nextLife, &s.hasLeader, &s.hasRole, &s.hasTerm, &s.finished} {
		c.flag(f)
	}
	c.text(&s.oddRole)
	reference(c, &s.coverage, &c.coverage, (*tracefmt.Coverage).Clone)
	reference(c, &s.vocabulary, &c.vocabulary, (*Vocabulary).clone)
	reference(c, &s.inferred, &c.inferred, slices.Clip)

	n := len(s.processes)
	if number(c, &n); c.reads {
		s.processes, s.flights = make([]Process, n), make(map[tracefmt.MessageID]*Flight)
		s.inFlight, s.armed = 0, 0
	}
	for i := range s.processes {
		p := &s.processes[i]
		p.fields(c, &s.pool)
		if c.reads {
			s.armed += len(p.timers)
		}
	}
	pairs(c, len(s.flights), maps.All(s.flights), func(id *tracefmt.MessageID, f **Flight) {
		number(c, id)
		if c.reads {
			*f = &Flight{}
		}
		(*f).fields(c)
	}, func(id tracefmt.MessageID, f *Flight) {
		s.flights[id] = f
		s.countFlight(f.To, 1)
	})
}

// fields passes the fields of a process. It leaves out inbound, which is counted with the messages.
func (p *Process) fields(c *codec, pool *pagePool) {
	number(c, &p.Status)
	number(c, &p.Elected)
	number(c, &p.Role)
	for _, f := range []*tracefmt.Seq{&p.Since, &p.ElectedAt, &p.Down, &p.LeadingAt, &p.stepAt, &p.resetAt, &p.termAt} {
		number(c, f)
	}
	for _, f := range []*int64{&p.Lamport, &p.Incarnation, &p.resets} {
		number(c, f)
	}
	for _, f := range []*bool{&p.assignedElection, &p.stepped, &p.Inferred} {
		c.flag(f)
	}
	for _, f := range []*Term{&p.term, &p.leadingIn, &p.chosenIn} {
		c.term(f)
	}
	pairs(c, p.variables.count, p.variables.entries(), func(name, value *[]byte) {
		c.raw(name)
		c.raw(value)
	}, func(name, value []byte) { p.variables.set(name, value, pool) })
	assigned := maps.Collect(p.allAssigned())
	pairs(c, len(assigned), maps.All(assigned), func(name *string, last *assignment) {
		c.text(name)
		number(c, &last.at)
		c.flag(&last.shown)
	}, func(name string, last assignment) { p.note([]byte(name), last.at).shown = last.shown })
	pairs(c, len(p.timers), maps.All(p.timers), func(name *string, t *timer) {
		c.text(name)
		number(c, &t.set)
		number(c, &t.setAt)
		number(c, &t.due)
		c.flag(&t.known)
	}, func(name string, t timer) {
		if p.timers == nil {
			p.timers = make(map[string]timer)
		}
		p.timers[name] = t
	})
}

// fields passes the fields of a message in flight.
func (f *Flight) fields(c *codec) {
	number(c, &f.Message)
	number(c, &f.From)
	number(c, &f.To)
	number(c, &f.Sent)
	number(c, &f.SentAt)
	c.text(&f.Type)
	if c.raw(&f.payload); c.reads {
		f.payload = slices.Clone(f.payload)
	}
}

// codec writes fields into frozen bytes, one after the other, or reads them back in the same order. One
// function per type lists its fields for both directions.
type codec struct {
	frozen
	// reads is true to read. Each "pass" of a value writes the value, or replaces it by the value read.
	reads bool
}

// number passes a number.
func number[N ~int | ~int32 | ~int64 | ~uint8](c *codec, x *N) {
	if !c.reads {
		c.bytes = binary.AppendVarint(c.bytes, int64(*x))
		return
	}
	n, size := binary.Varint(c.bytes)
	*x, c.bytes = N(n), c.bytes[size:]
}

// flag passes a truth value.
func (c *codec) flag(x *bool) {
	n := flag(*x)
	number(c, &n)
	*x = n == 1
}

// raw passes bytes; what it reads is a part of the frozen state.
func (c *codec) raw(x *[]byte) {
	if !c.reads {
		c.bytes = appendText(c.bytes, *x)
		return
	}
	n, size := binary.Uvarint(c.bytes)
	end := size + int(n)
	*x, c.bytes = c.bytes[size:end:end], c.bytes[end:]
}

// text passes a string.
func (c *codec) text(x *string) {
	b := []byte(*x)
	c.raw(&b)
	*x = string(b)
}

// term passes a term as its JSON value; empty if it is unknown.
func (c *codec) term(x *Term) {
	var b []byte
	if x.Known() {
		b = x.JSON()
	}
	if c.raw(&b); c.reads {
		*x = ParseTerm(b)
	}
}

// pairs passes the n entries of a map: fields passes the key and value of one entry, put stores an entry that
// was read.
func pairs[K, V any](c *codec, n int, entries iter.Seq2[K, V], fields func(*K, *V), put func(K, V)) {
	number(c, &n)
	if !c.reads {
		for k, v := range entries {
			fields(&k, &v)
		}
		return
	}
	for range n {
		var k K
		var v V
		fields(&k, &v)
		put(k, v)
	}
}

// reference passes a value that is kept as a copy outside the bytes.
func reference[T any](c *codec, x, kept *T, clone func(T) T) {
	if c.reads {
		*x = clone(*kept)
	} else {
		*kept = clone(*x)
	}
}

// flag returns 1 for true, 0 for false.
func flag(set bool) int64 {
	if set {
		return 1
	}
	return 0
}

// Snapshot returns the whole state in a canonical form: equal bytes mean equal states. It has the status of
// each process, the variables of running ones, the messages in flight with the time since their send, and the
// armed timers with the time until they are due. Messages are in the order of their sends, timers in the order
// of expiry, since both decide what happens next at one instant. Message ids, seqs and clocks are left out, so
// a state that recurs later in a run gives the same bytes.
func (s *State) Snapshot() []byte { return s.SnapshotLess(nil, 0) }

// SnapshotLess is the snapshot with less subtracted from all counters: equal bytes mean states that are equal
// except for that difference.
func (s *State) SnapshotLess(counters *Counters, less int64) []byte {
	var b []byte
	for i := range s.processes[1:] {
		p := &s.processes[i+1]
		b = append(b, byte(p.Status))
		if !p.Live() {
			// The memory of a process that is down is lost.
			continue
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

// appendTimers appends the armed timers of all processes in the order of expiry, each with the time until it
// is due; if that is unknown, with the time since it was set.
func (s *State) appendTimers(b []byte) []byte {
	type armed struct {
		process int
		name    string
		timer
	}
	var timers []armed
	for i := range s.processes {
		for name, t := range s.processes[i].timers {
			timers = append(timers, armed{i, name, t})
		}
	}
	slices.SortFunc(timers, func(x, y armed) int {
		return cmp.Or(cmp.Compare(x.due, y.due), cmp.Compare(x.set, y.set))
	})
	b = binary.AppendUvarint(b, uint64(len(timers)))
	for _, t := range timers {
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
