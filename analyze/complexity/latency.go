package complexity

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"etrace/tracefmt"
)

// Latencies are how long the messages and the operations of a run take. All times are in units.
type Latencies struct {
	// Unit is the unit of times: delays, or s for seconds.
	Unit string `json:"unit"`
	// Messages are from the send to the first receive. Messages that were not received have no latency.
	Messages Latency `json:"messages"`
	// Operations are from the invocation to the return. Operations that are open at the end, or that return an
	// unknown outcome, have no latency.
	Operations Latency `json:"operations"`
}

// Latency has the latencies of messages or operations.
type Latency struct {
	// NotKnown is the reason why the run shows no latencies, "" otherwise.
	NotKnown string `json:"not_known,omitempty"`
	Percentiles
	// Open counts the messages that were not received, or operations without a known end. Unmatched counts the
	// receives without a recorded send, or returns without an invocation.
	Open      int64 `json:"open"`
	Unmatched int64 `json:"unmatched"`
	// BetweenClocks counts received messages whose sender and receiver have different clocks. Backwards counts
	// messages or operations that end before their beginning by the clocks. Both lack a latency.
	BetweenClocks int64 `json:"between_clocks,omitempty"`
	Backwards     int64 `json:"backwards,omitempty"`
	// OneLine counts messages or operations whose beginning and end are one line of a log. They lack a latency, too.
	OneLine int64 `json:"one_line,omitempty"`
	// Inferred counts the messages whose send was matched by inference. Their latencies are in ByType only, since one
	// wrong match can be the maximum.
	Inferred int64 `json:"inferred,omitempty"`
	// Uncertain: events may be missing or matched wrongly, so that the figures are those of the recording only.
	Uncertain bool `json:"uncertain,omitempty"`
	// ByType has the latencies of each type of messages or operations. Failed operations and messages that were matched
	// by inference are apart.
	ByType []TypeLatency `json:"by_type"`
	// OverTime has the latencies of what begins in each stretch of the run.
	OverTime []StretchLatency `json:"over_time"`

	found bool // the run has messages or operations
}

// Percentiles summarize latencies by nearest rank: p90 is the smallest latency that at least 90 % of the
// latencies do not exceed. All are nil without latencies.
type Percentiles struct {
	Count int64    `json:"count"`
	P50   *float64 `json:"p50"`
	P90   *float64 `json:"p90"`
	P99   *float64 `json:"p99"`
	Max   *float64 `json:"max"`
	// Rounded: there are more than 1,000 different latencies; p50, p90 and p99 have three digits.
	Rounded bool `json:"rounded,omitempty"`
}

// TypeLatency has the latencies of a type.
type TypeLatency struct {
	Type   string `json:"type"`
	Failed bool   `json:"failed,omitempty"`
	// Inferred: the sends of these messages were matched by inference.
	Inferred bool `json:"inferred,omitempty"`
	Percentiles
}

// StretchLatency has the latencies of what begins in a stretch of the run: at or after Start, before End.
type StretchLatency struct {
	Start float64 `json:"start"`
	End   float64 `json:"end"`
	Percentiles

	start, end tracefmt.Time // exactly, from the origin of the stretches on
}

// latencies measures latencies. Its memory grows with the messages and operations that are open at one time and
// with the number of types, and not with the number of events. A nil latencies does nothing.
type latencies struct {
	run                  *tracefmt.Run
	clocks               []int // by process; nil if all processes have one clock
	messages, operations durations
	open                 map[operationKey]begun
	first, last          tracefmt.Time
	started              bool
}

// operationKey identifies an open operation: by its id, otherwise by its process.
type operationKey struct {
	process tracefmt.ProcessID
	id      string
}

// begun is the beginning of a message or an operation.
type begun struct {
	typ    string
	at     tracefmt.Time
	from   tracefmt.ProcessID
	line   tracefmt.Origin
	unsent bool // the beginning is not recorded
}

// durations collects latencies of messages or of operations.
type durations struct {
	begun, unmatched, betweenClocks, backwards, oneLine, inferred int64
	total                                                         histogram
	types                                                         map[typeKey]*histogram
	over                                                          overTime
}

// typeKey identifies the latencies of a type. The outcome is that of failed operations, inferred for messages that were
// matched by inference, otherwise "".
type typeKey struct{ name, outcome string }

// failed is the outcome of a failed operation, as in the field outcome.
const failed, inferred = `"fail"`, "inferred"

// compare orders types by name; failed operations and inferred messages are after the others.
func (k typeKey) compare(l typeKey) int {
	return cmp.Or(cmp.Compare(k.name, l.name), cmp.Compare(k.outcome, l.outcome))
}

// newLatencies returns the latencies of a run without events.
func newLatencies(run *tracefmt.Run) *latencies {
	l := &latencies{run: run, open: make(map[operationKey]begun)}
	if run.Completeness != nil && run.Completeness.Clocks != nil {
		l.clocks = run.Completeness.Clocks.Groups(run)
	}
	return l
}

// step takes the next event: an invocation begins an operation, a return ends it.
func (l *latencies) step(e *tracefmt.Event) {
	if l == nil {
		return
	}
	if !l.started {
		l.started, l.first = true, e.Time
	}
	l.last = e.Time
	if e.Kind != tracefmt.Invoke && e.Kind != tracefmt.Return {
		return
	}
	// A process without ids of operations has one open operation at a time.
	key := operationKey{process: e.Process}
	if id, ok := e.Field("op"); ok {
		key = operationKey{id: string(tracefmt.Canonical(id))}
	}
	if e.Kind == tracefmt.Invoke {
		l.operations.begun++
		l.open[key] = begin(e)
		return
	}
	invoked, ok := l.open[key]
	delete(l.open, key)
	outcome, _ := e.Field("outcome")
	switch {
	case !ok:
		l.operations.unmatched++
	case string(outcome) == failed:
		l.add(&l.operations, invoked, e, failed)
	case string(outcome) != `"unknown"`:
		l.add(&l.operations, invoked, e, "")
	}
}

// send returns the beginning of a message.
func (l *latencies) send(e *tracefmt.Event) begun {
	if l == nil {
		return begun{}
	}
	l.messages.begun++
	return begin(e)
}

// begin returns the beginning that an event is.
func begin(e *tracefmt.Event) begun {
	return begun{typ: e.Type, at: e.Time, from: e.Process, line: e.Origin()}
}

// receive takes the first receive of a message.
func (l *latencies) receive(e *tracefmt.Event, sent begun) {
	switch {
	case l == nil:
	case sent.unsent:
		l.messages.unmatched++
	case l.run.Source != tracefmt.Simulated && e.GuessedSend():
		l.add(&l.messages, sent, e, inferred)
	default:
		l.add(&l.messages, sent, e, "")
	}
}

// add adds the latency of what an event ends. The difference of two clocks is no latency.
func (l *latencies) add(d *durations, from begun, e *tracefmt.Event, outcome string) {
	took := difference(l.run.TimeUnit.Units(e.Time), l.run.TimeUnit.Units(from.at))
	switch {
	case l.clocks != nil && l.clocks[from.from] != l.clocks[e.Process]:
		d.betweenClocks++
		return
	case took < 0:
		d.backwards++
		return
	case !from.line.IsZero() && from.line == e.Origin():
		d.oneLine++
		return
	}
	key := typeKey{from.typ, outcome}
	h := d.types[key]
	if h == nil {
		if d.types == nil {
			d.types = make(map[typeKey]*histogram)
		}
		h = &histogram{}
		d.types[key] = h
	}
	h.add(took, 1)
	// One wrongly matched message could be the maximum, so inferred matches are not in the total.
	if outcome == inferred {
		d.inferred++
		return
	}
	d.total.add(took, 1)
	d.over.add(difference(from.at, l.origin()), took)
}

// origin is the time from which the stretches count: times of day count from the first event.
func (l *latencies) origin() tracefmt.Time {
	if timeOfDay(l.run, l.first) {
		return l.first
	}
	return 0
}

// difference returns the difference of two times. A difference without room in 64 bits is the least or the greatest
// time.
func difference(a, b tracefmt.Time) tracefmt.Time {
	switch d := a - b; {
	case b > 0 && d > a:
		return math.MinInt64
	case b < 0 && d < a:
		return math.MaxInt64
	default:
		return d
	}
}

// report returns the latencies; r describes the gaps of the record.
func (l *latencies) report(r *record) *Latencies {
	if l == nil {
		return nil
	}
	isMissing := func(kinds ...tracefmt.Kind) bool {
		return slices.ContainsFunc(kinds, func(k tracefmt.Kind) bool {
			some, _ := r.missingKind(k)
			return some
		})
	}
	reported := &Latencies{Unit: timeWords[l.run.TimeUnit][1]}
	reported.Messages, reported.Operations = l.summary(&l.messages), l.summary(&l.operations)
	reported.Messages.Uncertain = r.inferred || isMissing(tracefmt.Send, tracefmt.Receive)
	reported.Operations.Uncertain = isMissing(tracefmt.Invoke, tracefmt.Return)
	// A message that arrives before it was sent shows that the clocks differ, so the other latencies are wrong, too.
	if back := l.messages.backwards; back > 0 && reported.Messages.NotKnown == "" {
		reported.Messages.dropFigures("the clocks of the processes contradict each other")
	}
	return reported
}

// summary returns the latencies of messages or of operations.
func (l *latencies) summary(d *durations) Latency {
	s := Latency{
		Percentiles: summarized(&d.total), Unmatched: d.unmatched,
		BetweenClocks: d.betweenClocks, Backwards: d.backwards, OneLine: d.oneLine, Inferred: d.inferred,
		Open:   d.begun - d.total.count - d.betweenClocks - d.backwards - d.oneLine - d.inferred,
		ByType: []TypeLatency{}, OverTime: []StretchLatency{},
		found: d.begun+d.unmatched > 0,
	}
	for _, key := range slices.SortedFunc(maps.Keys(d.types), typeKey.compare) {
		s.ByType = append(s.ByType, TypeLatency{
			key.name, key.outcome == failed, key.outcome == inferred,
			summarized(d.types[key]),
		})
	}
	for _, number := range slices.Sorted(maps.Keys(d.over.stretches)) {
		t := StretchLatency{
			start: d.over.begin(number), end: d.over.begin(number + 1),
			Percentiles: summarized(d.over.stretches[number]),
		}
		t.Start, t.End = *units(difference(t.start, -l.origin())), *units(difference(t.end, -l.origin()))
		s.OverTime = append(s.OverTime, t)
	}
	switch {
	case l.run.TimeUnit == tracefmt.Logical && s.found:
		s.dropFigures("the run has no clock")
	case l.run.Source != tracefmt.Simulated && l.first == l.last && d.total.count+d.inferred > 0:
		s.dropFigures("the events have no times")
	}
	return s
}

// dropFigures removes the latencies for a reason.
func (s *Latency) dropFigures(reason string) {
	s.NotKnown, s.Percentiles, s.ByType, s.OverTime = reason, Percentiles{}, []TypeLatency{}, []StretchLatency{}
}

// summarized returns the percentiles of a histogram.
func summarized(h *histogram) Percentiles {
	p := Percentiles{Count: h.count, Rounded: h.rounded}
	if h.count > 0 {
		q := h.percentiles(50, 90, 99)
		p.P50, p.P90, p.P99, p.Max = units(q[0]), units(q[1]), units(q[2]), units(h.max)
	}
	return p
}
