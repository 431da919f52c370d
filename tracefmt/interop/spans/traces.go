package spans

import (
	"cmp"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/text"
)

// traces collects the spans of all files.
type traces struct {
	r       *interop.Reading
	spans   []*span
	sources map[*source]bool // the sources of all spans
}

func newTraces(r *interop.Reading) *traces { return &traces{r: r, sources: make(map[*source]bool)} }

// eachDocument calls read for each document of each file.
func (t *traces) eachDocument(read func(d *document) error) error {
	for more := true; more; more = t.r.Next() {
		d, err := newDocument(t.r)
		if err != nil {
			return err
		}
		known := len(t.spans)
		if err := d.each(func() error { return read(d) }); err != nil {
			return err
		}
		if t.r.Joined() && len(t.spans) == known {
			t.r.Note("%s has no spans", t.r.Name())
		}
	}
	return nil
}

// add adds a span.
func (t *traces) add(s *span) error {
	switch {
	case s.id.span == "":
		return fmt.Errorf("a span without an id")
	case len(t.spans) == maxSpans:
		return fmt.Errorf("there are more than %d spans, the most that this format reads", maxSpans)
	}
	t.spans = append(t.spans, s)
	t.sources[s.source] = true
	return nil
}

// addRuns makes one run of all spans, or a run of each trace.
func (t *traces) addRuns() error {
	t.nameProcesses()
	if t.r.Value(runScope.Name) == "all" {
		newRun(t.r, "", t.spans).add()
		return nil
	}
	byTrace := make(map[string][]*span)
	var order []string
	for _, s := range t.spans {
		if byTrace[s.trace] == nil {
			order = append(order, s.trace)
		}
		byTrace[s.trace] = append(byTrace[s.trace], s)
	}
	for _, trace := range order {
		newRun(t.r, trace, byTrace[trace]).add()
	}
	return nil
}

// nameProcesses adds the instance to the name of each service that has several instances.
func (t *traces) nameProcesses() {
	instances := make(map[string]string)
	several := make(map[string]bool)
	for s := range t.sources {
		if s.service == "" {
			s.service = "unknown"
		}
		if first, ok := instances[s.service]; ok && first != s.instance {
			several[s.service] = true
		}
		instances[s.service] = s.instance
	}
	for s := range t.sources {
		if several[s.service] {
			s.service += "/" + s.instance
		}
	}
}

// spansRun makes the events of the spans of a run.
type spansRun struct {
	*interop.Builder
	spans     []*span
	byID      map[id]*span
	services  map[string]bool
	receivers map[*span][]string // by sending span, the services that receive its message
	missing   int                // references to spans that are not in the file
}

// newRun begins a run of spans. It finds the messages between them.
func newRun(r *interop.Reading, name string, spans []*span) *spansRun {
	b := &spansRun{
		Builder: r.Build(tracefmt.Run{Name: name, TimeUnit: tracefmt.Nanoseconds}), spans: spans, byID: make(map[id]*span),
		services: make(map[string]bool), receivers: make(map[*span][]string),
	}
	b.Collected = true // each service has stamped its own spans
	for _, s := range spans {
		if first := b.byID[s.id]; first != nil {
			b.Find(
				"unique-spans", int(s.line), "the span %s occurs before, at %s; references are to that one",
				text.Quote(s.span), r.Place(int(first.line)),
			)
			continue
		}
		b.byID[s.id] = s
	}
	for _, s := range spans {
		b.services[s.service] = true
		for _, link := range b.messages(s) {
			if !slices.Contains(b.receivers[link], s.service) {
				b.receivers[link] = append(b.receivers[link], s.service)
			}
		}
	}
	for _, s := range spans {
		// A producer without a consumer span names its receiver by attributes.
		isUnmatched := s.written == nil && s.role == producer && len(b.receivers[s]) == 0
		if peer := destination(s); isUnmatched && b.services[peer] && peer != "" {
			b.receivers[s] = []string{peer}
		}
	}
	return b
}

// destination returns the receiving service that a span names.
func destination(s *span) string {
	for _, key := range []string{"peer.service", "messaging.destination.name", "server.address"} {
		if peer := attribute(s.attributes, key); peer != "" {
			return peer
		}
	}
	return ""
}

// messages returns the spans whose messages a span receives: a server span receives from client spans, and a consumer
// span from producer spans. Spans that etrace wrote have their messages in attributes instead.
func (b *spansRun) messages(s *span) (from []*span) {
	sender, receives := map[role]role{server: client, consumer: producer}[s.role]
	if !receives || s.written != nil {
		return nil
	}
	for _, ref := range s.refs {
		origin := b.byID[ref]
		if origin == nil || origin == s || origin.written != nil || origin.role != sender {
			continue
		}
		if !slices.Contains(from, origin) {
			from = append(from, origin)
		}
	}
	return from
}

// add adds the events of all spans in order. Of a span, event -1 is its start, and the event after the last is its
// end.
func (b *spansRun) add() {
	for s, event := range b.sorted() {
		switch {
		case s.written != nil && event < 0:
			b.addWritten(s)
		case s.written != nil: // an event of etrace is a span without duration: its start is its end
		case event < 0:
			b.addStart(s)
		case int(event) == len(s.events):
			b.addEnd(s)
		default:
			b.addEvent(s, &s.events[event])
		}
	}
	sampled := slices.ContainsFunc(b.spans, func(s *span) bool { return s.sampled })
	if b.missing > 0 {
		b.Note(
			"%s to spans that are not in the file, so that it has some of them only",
			text.Counted(b.missing, "reference is", "references are"),
		)
	}
	if sampled {
		b.Note("the traces were sampled, so that the file has some of the spans only")
	}
	if b.missing > 0 || sampled {
		b.Completeness = &tracefmt.Completeness{Levels: tracefmt.Levels{Kinds: make(map[string]tracefmt.Level)}}
		for _, k := range []tracefmt.Kind{tracefmt.Send, tracefmt.Receive, tracefmt.State, tracefmt.Note} {
			b.Completeness.Kinds[k.String()] = tracefmt.Some
		}
	}
}

func (i id) key() string { return i.trace + "/" + i.span }

// addWritten adds the event of a span that etrace wrote. Its parent, the previous event of its process, is no
// cause, since the order of the process implies it.
func (b *spansRun) addWritten(s *span) {
	e := interop.Entry{
		Line: int(s.line), Text: s.name, Kind: tracefmt.Note, Type: s.name, Process: s.service,
		Time: s.start.time(), Extra: s.attributes,
	}
	if s.written.network {
		e.Process = ""
	}
	if b.byID[s.id] == s {
		e.Key = s.key()
	}
	if s.written.isMessageEnd() {
		e.Kind, e.Type, e.Peer, e.Message = s.written.kind, s.written.typ, s.written.peer, s.trace+" message "+s.written.message
	}
	for _, ref := range s.refs {
		switch target := b.byID[ref]; {
		case target == nil:
			b.missing++
		case target.service != s.service && !s.isEndOf(target):
			e.After = append(e.After, ref.key())
		}
	}
	b.Add(e)
}

// isEndOf reports whether a span that etrace wrote is the receive or loss of the message that another one sends.
func (s *span) isEndOf(parent *span) bool {
	sends := parent.written != nil && parent.written.kind == tracefmt.Send
	return sends && s.written.isMessageEnd() && parent.trace == s.trace && parent.written.message == s.written.message
}

// addStart adds the receives and sends at the start of a span. A span without messages starts with a note.
func (b *spansRun) addStart(s *span) {
	e := interop.Entry{Line: int(s.line), Text: "start " + s.name, Process: s.service, Time: s.start.time(), Extra: s.attributes}
	from := b.messages(s)
	for _, ref := range s.refs {
		switch target := b.byID[ref]; {
		case target == nil:
			b.missing++
		case target.service != s.service && !slices.Contains(from, target):
			e.After = append(e.After, ref.key())
		}
	}
	if b.byID[s.id] == s {
		e.Key = s.key()
	}
	for _, origin := range from {
		b.addMessageEnd(&e, tracefmt.Receive, origin, origin.service, s.service)
	}
	for _, receiver := range b.receivers[s] {
		b.addMessageEnd(&e, tracefmt.Send, s, receiver, receiver)
	}
	if len(from)+len(b.receivers[s]) == 0 {
		e.Kind, e.Type = tracefmt.Note, s.name
		b.Add(e)
	}
}

// addMessageEnd adds one end of a message of a span. The first event of a span bears its key.
func (b *spansRun) addMessageEnd(e *interop.Entry, kind tracefmt.Kind, origin *span, peer, peerName string) {
	e.Kind, e.Peer, e.Type, e.Message = kind, peer, origin.name, origin.key()+" to "+peerName
	b.Add(*e)
	e.Key, e.After = "", nil
}

// addEnd adds the note at the end of a span.
func (b *spansRun) addEnd(s *span) {
	e := interop.Entry{
		Line: int(s.line), Text: "end " + s.name, Kind: tracefmt.Note, Type: "end", Process: s.service,
		Time: s.end.time(), Fields: []interop.Field{interop.Text("span", s.name)},
	}
	if s.failed != "" {
		e.Fields = append(e.Fields, interop.Text("status", strings.TrimSpace(s.failed)))
	}
	b.Add(e)
}

// rolesTaken matches events of spans that name the new role of their process.
var rolesTaken = regexp.MustCompile(`(?i)^(?:became|becomes|become|is now|now) (?:the )?(leader|candidate|follower|` +
	`primary|secondary|backup)$`)

// addEvent adds an event of a span: a note, or a state event if it names the new role of its process.
func (b *spansRun) addEvent(s *span, h *happening) {
	e := interop.Entry{
		Line: int(s.line), Text: h.name, Kind: tracefmt.Note, Type: h.name, Process: s.service, Time: h.time.time(),
		Fields: h.attributes,
	}
	if taken := rolesTaken.FindStringSubmatch(h.name); taken != nil {
		e.Kind, e.Type = tracefmt.State, ""
		e.Fields = []interop.Field{interop.Text("role", strings.ToLower(taken[1]))}
		for _, a := range h.attributes {
			if a.Key == "term" || strings.HasSuffix(a.Key, ".term") {
				e.Fields = append(e.Fields, interop.JSON("term", a.Value))
			}
		}
		e.Extra = h.attributes
	}
	b.Add(e)
}

// point is a moment of a span: its start (event -1), one of its events by index, or its end. span is its index
// in the run.
type point struct{ span, event int32 }

// sorted yields the points of all spans in order: a span starts after the spans that it refers to; otherwise the
// earliest point is first. In a cycle of references the first span of the file does not wait.
func (b *spansRun) sorted() iter.Seq2[*span, int32] {
	return func(yield func(*span, int32) bool) {
		o := newOrder(b)
		for i := range b.spans {
			if o.waits[i] == 0 {
				o.begin(int32(i))
			}
		}
		for next := 0; ; {
			for len(o.ready) > 0 {
				if p := o.next(); !yield(b.spans[p.span], p.event) {
					return
				}
			}
			for next < len(b.spans) && o.begun[next] {
				next++
			}
			if next == len(b.spans) {
				return
			}
			s := b.spans[next]
			b.Find("no-cycle", int(s.line), "spans refer to each other in a circle, by way of %s", text.Quote(s.span))
			s.refs = nil
			o.begin(int32(next))
		}
	}
}

// order sorts the points of spans.
type order struct {
	spans    []*span
	ready    []point           // a heap, the earliest first
	waits    []int32           // by index of a span, the number of its references that have not started
	begun    []bool            // by index of a span
	children map[*span][]int32 // the indices of the spans that refer to a span
}

// newOrder returns the order before the first point. It sorts the events of each span by time.
func newOrder(b *spansRun) *order {
	n := len(b.spans)
	o := &order{spans: b.spans, ready: make([]point, 0, n), waits: make([]int32, n), begun: make([]bool, n), children: make(map[*span][]int32)}
	for i, s := range b.spans {
		slices.SortStableFunc(s.events, func(x, y happening) int { return cmp.Compare(x.time, y.time) })
		for _, ref := range s.refs {
			if cause := b.byID[ref]; cause != nil && cause != s {
				o.waits[i]++
				o.children[cause] = append(o.children[cause], int32(i))
			}
		}
	}
	return o
}

// begin makes the start of a span ready.
func (o *order) begin(place int32) {
	if !o.begun[place] {
		o.begun[place] = true
		o.push(point{place, -1})
	}
}

// next removes the earliest ready point, and makes the points ready that wait only for it.
func (o *order) next() point {
	p := o.pop()
	s := o.spans[p.span]
	if p.event < 0 {
		for _, child := range o.children[s] {
			o.waits[child]--
			if o.waits[child] == 0 {
				o.begin(child)
			}
		}
	}
	if int(p.event) < len(s.events) {
		o.push(point{p.span, p.event + 1})
	}
	return p
}

// time returns the time of a point.
func (o *order) time(p point) moment {
	switch s := o.spans[p.span]; {
	case p.event < 0:
		return s.start
	case int(p.event) < len(s.events):
		return s.events[p.event].time
	default:
		return s.end
	}
}

// before reports whether the point at place i of the heap is before that at place j.
func (o *order) before(i, j int) bool {
	x, y := o.ready[i], o.ready[j]
	return cmp.Or(cmp.Compare(o.time(x), o.time(y)), cmp.Compare(x.span, y.span)) < 0
}

// push adds a point to the heap. [container/heap] would allocate an interface for each.
func (o *order) push(p point) {
	o.ready = append(o.ready, p)
	for i := len(o.ready) - 1; i > 0; {
		parent := (i - 1) / 2
		if !o.before(i, parent) {
			break
		}
		o.ready[i], o.ready[parent] = o.ready[parent], o.ready[i]
		i = parent
	}
}

// pop removes the earliest point from the heap.
func (o *order) pop() point {
	first, last := o.ready[0], len(o.ready)-1
	o.ready[0] = o.ready[last]
	o.ready = o.ready[:last]
	for i := 0; ; {
		earliest := i
		for child := 2*i + 1; child <= 2*i+2 && child < last; child++ {
			if o.before(child, earliest) {
				earliest = child
			}
		}
		if earliest == i {
			return first
		}
		o.ready[i], o.ready[earliest] = o.ready[earliest], o.ready[i]
		i = earliest
	}
}
