package interop

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"etrace/tracefmt"
)

// emitter turns the events of a Builder into events of the run.
type emitter struct {
	builder  *Builder
	messages int32 // the number of messages so far
	edges    int64 // the number of direct causes in other processes so far
	latest   tracefmt.Time
	payload  []byte
	out      tracefmt.Event
	order    *orderWriter // gets the events without their texts; nil for none
}

// emit writes the run to the sink of the import.
func (b *Builder) emit() error {
	if !b.timed && b.run.TimeUnit == "" {
		b.run.TimeUnit = tracefmt.Logical
	}
	b.run.TimeUnit = cmp.Or(b.run.TimeUnit, tracefmt.Nanoseconds)
	b.run.End = tracefmt.Open
	b.numberProcesses()
	b.declare()
	passage, err := b.r.pass(&b.run, b.RunReport)
	if err != nil {
		return b.r.Errorf(0, "%w", err)
	}
	em := emitter{builder: b, order: b.r.order()}
	inferred := inferredCrashes{open: make(map[hostID]int)}
	for id, e := range b.inOrder() {
		inferred.addEvent(e)
		if err := passage.Write(em.event(id, e)); err != nil {
			return b.r.Errorf(int(b.at(id).line), "%w", err)
		}
	}
	if err := b.r.store.Err(); err != nil {
		return b.r.Errorf(0, "%w", err)
	}
	b.Edges = em.edges // events name one cause, but may have several
	if err := passage.Finish(b.End); err != nil {
		return err
	}
	b.noteInferredCrashes(inferred.crashes, passage.replaced)
	return nil
}

// inferredCrashes collects the crashes that were inferred from a later start of the same process.
type inferredCrashes struct {
	crashes []inferredCrash
	open    map[hostID]int // by process, the index of the inference whose start comes next
}

// inferredCrash is a crash that a later start of the same process implies.
type inferredCrash struct {
	seq      tracefmt.Seq
	host     hostID
	lastLine int // the line of the last entry before the crash
	restart  int // the line of the start
}

// addEvent adds the next event of a run.
func (g *inferredCrashes) addEvent(e *event) {
	if i, ok := g.open[e.host]; ok {
		g.crashes[i].restart = int(e.line)
		delete(g.open, e.host)
	}
	if e.inferred {
		g.open[e.host] = len(g.crashes)
		g.crashes = append(g.crashes, inferredCrash{seq: tracefmt.Seq(e.seq), host: e.host, lastLine: int(e.line)})
	}
}

// noteInferredCrashes reports the inferred crashes, except crashes that the user has stated.
func (b *Builder) noteInferredCrashes(crashes []inferredCrash, replaced []tracefmt.Seq) {
	for _, g := range crashes {
		if _, stated := slices.BinarySearch(replaced, g.seq); !stated {
			b.Note("the crash of %s is inferred from its start at %s; it may have crashed at any moment after its last "+
				"line, %s; --crashed %[1]s@TIME states it",
				b.hosts[g.host].name, b.r.Place(g.restart), b.r.Place(g.lastLine))
		}
	}
}

// numberProcesses numbers the hosts that are members: first the members of the description, then the others by
// first entry or by name.
func (b *Builder) numberProcesses() {
	declared := make(map[string]bool, len(b.run.Members))
	for i := range b.run.Members {
		m := &b.run.Members[i]
		declared[m.Name] = true
		m.Position = cmp.Or(m.Position, i+1)
		if id, ok := b.hostIndex[m.Name]; ok {
			b.hosts[id].process = tracefmt.ProcessID(i + 1)
			if m.Attributes == nil {
				m.Attributes = b.hosts[id].attributes()
			}
		}
	}
	var candidates []*host
	for i := range b.hosts {
		if h := b.hosts[i]; h.member && !declared[h.name] {
			candidates = append(candidates, h)
		}
	}
	slices.SortStableFunc(candidates, func(x, y *host) int {
		if !b.FirstSeen {
			return compareNames(x.name, y.name)
		}
		return compareFirstEntries(x.process, y.process)
	})
	b.run.Members = slices.Grow(b.run.Members, len(candidates))
	for _, h := range candidates {
		h.process = tracefmt.ProcessID(len(b.run.Members) + 1)
		b.run.Members = append(b.run.Members, tracefmt.Member{
			Name: h.name, Position: int(h.process), Attributes: h.attributes(),
		})
	}
}

// attributes returns the attributes of a member with the host's role, nil without a role.
func (h *host) attributes() []byte {
	if h.role == "" {
		return nil
	}
	return append(tracefmt.AppendString([]byte(`{"role":`), h.role), '}')
}

// compareFirstEntries orders processes by their first entries, which number them from 1. Processes without an entry
// have the number 0 and come last.
func compareFirstEntries(x, y tracefmt.ProcessID) int {
	if x == 0 || y == 0 {
		return cmp.Compare(y, x) // descending, so that 0 comes last
	}
	return cmp.Compare(x, y)
}

// compareNames orders names with their numbers compared by value: n2 comes before n10.
func compareNames(x, y string) int {
	left, right := x, y // what is left to compare
	for left != "" && right != "" {
		m, n := leadingDigits(left), leadingDigits(right)
		if m == 0 || n == 0 {
			if left[0] != right[0] {
				return cmp.Compare(left[0], right[0])
			}
			left, right = left[1:], right[1:]
			continue
		}
		// Numbers without leading zeros compare by their lengths first.
		a, b := strings.TrimLeft(left[:m], "0"), strings.TrimLeft(right[:n], "0")
		if order := cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)); order != 0 {
			return order
		}
		left, right = left[m:], right[n:]
	}
	return cmp.Or(cmp.Compare(len(left), len(right)), cmp.Compare(x, y))
}

// leadingDigits returns the number of digits at the beginning.
func leadingDigits(s string) int { return len(s) - len(strings.TrimLeft(s, "0123456789")) }

// process returns the number of a host in the run, 0 for noHost.
func (b *Builder) process(id hostID) tracefmt.ProcessID {
	if id == noHost {
		return 0
	}
	return b.hosts[id].process
}

// event returns the finished event. It shares memory with the next one.
func (em *emitter) event(id eventID, e *event) *tracefmt.Event {
	out, causes := em.place(id, e)
	if em.order != nil {
		em.order.add(em.builder, e, out, causes)
		return out
	}
	w := em.builder.wordsOf(e)
	out.Type = w.typ
	from := em.builder.source(e)
	em.payload = appendPayload(em.payload[:0], &w, causes, &from)
	out.Payload = payloadOf(em.payload, e.kind)
	return out
}

// payloadOf returns a payload. If the payload is empty, and the kind needs none, it returns nil.
func payloadOf(written []byte, kind tracefmt.Kind) []byte {
	if len(written) == len("{}") && kind.Info().Payload != tracefmt.Required {
		return nil
	}
	return written
}

// place returns the event without type and payload, and the causes for the payload. The event is valid until the next call.
func (em *emitter) place(id eventID, e *event) (out *tracefmt.Event, causes []tracefmt.Seq) {
	out = &em.out
	*out = tracefmt.Event{
		Seq: tracefmt.Seq(e.seq), Kind: e.kind, Process: em.builder.process(e.host), Peer: em.builder.process(e.peer),
		Lamport: e.lamport, Term: e.term, Time: em.time(e),
	}
	causes = em.seqsOf(e)
	switch {
	case e.kind == tracefmt.Send:
		out.Message = em.number(id)
	case e.isEnd() && e.partner != noEvent:
		out.Message, out.Cause = em.number(e.partner), em.builder.seqOf(e.partner)
		causes = slices.DeleteFunc(causes, func(s tracefmt.Seq) bool { return s == out.Cause })
	// A duplicate without a recorded send shares the number of the first receive.
	case e.isEnd() && e.first != noEvent:
		out.Message = em.number(e.first)
	case e.isEnd():
		out.Message = em.number(id)
	}
	// An event has one cause in its column; the payload takes the others.
	if out.Cause == 0 && len(causes) > 0 && e.kind.Info().Cause != tracefmt.Absent {
		out.Cause, causes = causes[0], causes[1:]
	}
	return out, causes
}

// source is the part of an event's payload that is neither a text of its entry nor a cause.
type source struct {
	origin  tracefmt.Origin
	placed  bool   // it has a line
	half    bool   // only this end of the message is logged
	guessed bool   // the send was chosen among several
	clock   []byte // the vector clock as JSON, nil for none
}

// source returns the source of an event.
func (b *Builder) source(e *event) source {
	s := source{origin: b.r.origin(int(e.line)), placed: e.line > 0, half: e.named && e.isHalf(), guessed: e.guess}
	if e.clock.len() > 0 {
		s.clock = b.appendClock(nil, b.clockOf(e))
	}
	return s
}

// number returns the number of the message that begins with an event: its send or, without one, its first
// receiving end. The first call for a message numbers it.
func (em *emitter) number(id eventID) tracefmt.MessageID {
	e := em.builder.at(id)
	if e.message == 0 {
		em.messages++
		e = em.builder.edit(id)
		e.message = em.messages
	}
	return tracefmt.MessageID(e.message)
}

// time returns the time of the entry. Without one the time is logical, one unit for a tick of the Lamport
// clock.
func (em *emitter) time(e *event) tracefmt.Time {
	switch {
	case em.builder.run.TimeUnit != tracefmt.Logical:
		return e.time
	case e.host != noHost:
		em.latest = tracefmt.Time(e.lamport) * tracefmt.Unit
	}
	return em.latest
}

// seqsOf returns the seqs of the direct causes, the latest first: the event most likely waited for this cause.
func (em *emitter) seqsOf(e *event) []tracefmt.Seq {
	parents := em.builder.causes(e.parents)
	em.edges += int64(len(parents))
	// A message without a clock adds an edge between two processes, unless it is listed as a parent.
	send := e.send()
	fromOther := send != noEvent && em.builder.at(send).host != e.host
	if fromOther && !e.clocked() && !slices.Contains(parents, send) {
		em.edges++
	}
	if len(parents) == 0 {
		return nil
	}
	seqs := make([]tracefmt.Seq, len(parents))
	for i, parent := range parents {
		seqs[i] = em.builder.seqOf(parent)
	}
	slices.SortFunc(seqs, func(a, b tracefmt.Seq) int { return cmp.Compare(b, a) })
	return seqs
}

// appendPayload writes the payload. The attributes of a message, equal at both its ends, are at the top, and so are
// variables, arguments and results. The line of an event is under "log", and "causes" has the direct causes beside
// [tracefmt.Event.Cause]:
//
//	{"content":"ACK(1)",                       sends and receives
//	 "n":1,                                    the other fields
//	 "causes":[4,9],                           seqs, if there are more than one
//	 "log":{"text":"Sending ACK(1) to node0",  the log's own words
//	        "file":"n1.log",                   as it was named
//	        "line":12,                         the first line of the entry
//	        "message":"m-9",                   the log's name of a message of which only this end is logged
//	        "guess":true,                      the send was chosen among several
//	        "fields":{"date":"…"},             the other fields of the line
//	        "clock":{"node0":2,"node1":2}}}    entries that are not zero
func appendPayload(b []byte, w *words, causes []tracefmt.Seq, from *source) []byte {
	b = append(b, '{')
	if w.content != "" {
		b = append(b, `"`+tracefmt.ContentKey+`":`...)
		b = append(tracefmt.AppendString(b, w.content), ',')
	}
	if len(w.fields) > 0 {
		b = append(append(b, w.fields...), ',')
	}
	if len(causes) > 0 {
		b = append(b, `"`+tracefmt.CausesKey+`":[`...)
		for _, seq := range causes {
			b = append(strconv.AppendInt(b, int64(seq), 10), ',')
		}
		b[len(b)-1] = ']'
		b = append(b, ',')
	}
	if from.placed || from.guessed || w.text != "" || len(w.extra) > 0 || from.clock != nil {
		b = append(appendLog(b, w, from), ',')
	}
	if len(b) == 1 {
		return append(b, '}')
	}
	b[len(b)-1] = '}'
	return b
}

// appendLog appends the object under "log", see appendPayload.
func appendLog(b []byte, w *words, s *source) []byte {
	b = append(b, `"`+tracefmt.LogKey+`":{"text":`...)
	b = tracefmt.AppendString(b, w.text)
	from := s.origin
	if from.File != "" {
		b = append(b, `,"file":`...)
		b = tracefmt.AppendString(b, from.File)
	}
	if from.Line > 0 {
		b = append(b, `,"line":`...)
		b = strconv.AppendInt(b, from.Line, 10)
	}
	if s.half {
		b = append(b, `,"message":`...)
		b = tracefmt.AppendString(b, w.message)
	}
	if s.guessed {
		b = append(b, `,"`+tracefmt.GuessKey+`":true`...)
	}
	if len(w.extra) > 0 {
		b = append(append(append(b, `,"`+tracefmt.LogFieldsKey+`":{`...), w.extra...), '}')
	}
	if s.clock != nil {
		b = append(append(b, `,"clock":`...), s.clock...)
	}
	return append(b, '}')
}
