package complexity

import (
	"math/big"
	"strings"

	"etrace/analyze/spec"
	"etrace/replay"
	"etrace/tracefmt"
)

// ParseOperation reads the unit in which messages are counted: "election", or the syntax of
// [spec.ParseOperation]. The error is one line with the place.
func ParseOperation(source string) (*spec.Operation, error) {
	if strings.TrimSpace(source) == Elections().Name {
		return Elections(), nil
	}
	return spec.ParseOperation(source)
}

// OperationWords explains the syntax of operations, for help texts.
const OperationWords = "    election                            an election\n" + spec.OperationWords

// PerOperation is the cost of one operation.
//
// Moments count the messages from one to the next. Messages before the first moment are the warm-up, and
// messages after the last are the rest. A span has the messages that it caused. The cause of a message is the
// cause of its step. If the step began spontaneously, the cause is the span of the sender at that time. If it
// began with a message or a timer, the cause is that of the message or timer. The cause of a timer is the span
// in which its process was when it set the timer, otherwise the cause of that step. A timer that a timer sets
// again keeps the first cause. Messages without a cause are the warm-up before the first span, and otherwise
// the rest.
type PerOperation struct {
	Operation string `json:"operation"`
	// Count is the number of operations; for moments, the number of pairs of successive ones.
	Count int64 `json:"count"`
	// Min, Mean and Max are over the messages sent by each operation. Mean is an exact fraction. They are nil
	// without operations.
	Min  *int64 `json:"min"`
	Mean *Mean  `json:"mean"`
	Max  *int64 `json:"max"`
	// WarmUp and Rest have the messages of no operation.
	WarmUp Tally `json:"warm_up"`
	Rest   Tally `json:"rest"`
	// Uncertain: the counts cover only the recording. Operations may be missing, and messages may belong to
	// other operations, since facts or their order are not recorded.
	Uncertain bool         `json:"uncertain,omitempty"`
	Each      []OneOfThese `json:"each"`

	found bool   // an operation, or a single moment, was found
	meant string // the probable meaning of the name
}

// OneOfThese is one operation.
type OneOfThese struct {
	// Process is the process of the operation, "" if it has none.
	Process string `json:"process,omitempty"`
	// From and To are its events, Start and End their times in units; To is 0 and End nil for an operation that
	// is open at the end.
	From  tracefmt.Seq `json:"from"`
	To    tracefmt.Seq `json:"to"`
	Start *float64     `json:"start"`
	End   *float64     `json:"end"`
	Tally
}

// Mean is an exact mean.
type Mean struct{ big.Rat }

// MarshalJSON writes a fraction, such as "147/10", or "3".
func (m *Mean) MarshalJSON() ([]byte, error) { return []byte(`"` + m.RatString() + `"`), nil }

// meanOf returns sum/count.
func meanOf(sum, count int64) *Mean {
	m := &Mean{}
	m.SetFrac64(sum, count)
	return m
}

// operations counts the messages of each occurrence of an operation.
type operations struct {
	operation *spec.Operation
	run       *tracefmt.Run
	warmUp    account
	afterLast account
	found     []*operation

	moment  func(s *replay.State, e *tracefmt.Event) bool // nil for spans
	spans   spec.Spans                                    // nil for moments
	started bool                                          // an event was examined
	current []*operation                                  // by process: the open span
	cause   []*operation                                  // by process: the cause of its step
	byTimer []bool                                        // by process: its step began with a timer
	sent    map[tracefmt.MessageID]*operation
	timers  map[timerKey]*operation
	names   seenNames // possible names of operations, until the first is found
}

// timerKey identifies a timer.
type timerKey struct {
	process tracefmt.ProcessID
	name    string
}

// operation is an operation that is still being counted.
type operation struct {
	OneOfThese
	account
	since tracefmt.Seq
}

// newOperations returns the counter for an operation in a run.
func newOperations(run *tracefmt.Run, kind *spec.Operation) *operations {
	o := &operations{operation: kind, run: run, names: seenNames{Elections().Name: true}}
	if kind.Moments != nil {
		o.moment = kind.Moments(run)
		return o
	}
	n := len(run.Members) + 1
	o.spans, o.current, o.cause, o.byTimer = kind.Spans(run), make([]*operation, n), make([]*operation, n),
		make([]bool, n)
	o.sent, o.timers = map[tracefmt.MessageID]*operation{}, map[timerKey]*operation{}
	return o
}

// step takes the next event, which the state has applied: it may begin or end an operation, and it sets the
// cause of the messages that follow.
func (o *operations) step(s *replay.State, e *tracefmt.Event) {
	if len(o.found) == 0 {
		o.names.add(e.Kind.String())
		if e.Kind == tracefmt.Note || e.Kind == tracefmt.Return {
			o.names.add(e.Type)
		}
	}
	if o.moment != nil {
		if o.moment(s, e) {
			o.end(o.last(), e)
			o.begin(e, 0)
		}
		return
	}
	o.setCause(e)
	o.spans.Step(s, e)
	// The first event may find processes in a span already, so it examines all.
	if o.spans.Local() && o.started {
		if e.Process > 0 {
			o.updateSpan(e.Process, e)
		}
	} else {
		for p := range o.run.Members {
			o.updateSpan(tracefmt.ProcessID(p+1), e)
		}
	}
	o.started = true
	if e.Kind == tracefmt.SetTimer {
		o.timers[timerKey{e.Process, e.Type}] = o.causeOfTimer(e.Process)
	}
}

// last returns the latest operation; nil before the first.
func (o *operations) last() *operation {
	if len(o.found) == 0 {
		return nil
	}
	return o.found[len(o.found)-1]
}

// begin begins an operation; p is the process of a span.
func (o *operations) begin(e *tracefmt.Event, p tracefmt.ProcessID) *operation {
	begun := &operation{since: e.Seq}
	begun.Process, begun.From, begun.Start = o.run.ProcessName(p), e.Seq, units(o.run.TimeUnit.Units(e.Time))
	o.found = append(o.found, begun)
	return begun
}

// end ends an operation, unless it is nil.
func (o *operations) end(ended *operation, e *tracefmt.Event) {
	if ended != nil {
		ended.To, ended.End = e.Seq, units(o.run.TimeUnit.Units(e.Time))
	}
}

// causeOfTimer returns the operation that causes a timer which p sets: the open span of p, else the cause of the
// present step. In a step that a timer began, the cause of the step stays.
func (o *operations) causeOfTimer(p tracefmt.ProcessID) *operation {
	if now := o.current[p]; now != nil && !o.byTimer[p] {
		return now
	}
	return o.cause[p]
}

// setCause sets the cause of a step at its beginning: for a receive, the cause of the message; for a timeout, that of
// the timer; for any other input, the open span of the process.
func (o *operations) setCause(e *tracefmt.Event) {
	if e.Process > 0 && endsStep(e.Kind) {
		o.byTimer[e.Process] = e.Kind == tracefmt.Timeout
	}
	switch e.Kind {
	case tracefmt.Receive:
		o.cause[e.Process] = o.sent[e.Message]
	case tracefmt.Timeout:
		o.cause[e.Process] = o.timers[timerKey{e.Process, e.Type}]
	default:
		if e.Process > 0 && endsStep(e.Kind) {
			o.cause[e.Process] = o.current[e.Process]
		}
	}
}

// updateSpan begins or ends the span of p, if an event changes whether p is in one.
func (o *operations) updateSpan(p tracefmt.ProcessID, e *tracefmt.Event) {
	since, span := o.spans.Since(p), o.current[p]
	switch {
	case span != nil && span.since == since:
		return
	case span != nil:
		o.end(span, e)
		o.current[p] = nil
	}
	if since != 0 && (span == nil || span.since != since) {
		span := o.begin(e, p)
		span.since = since
		o.current[p], o.cause[p] = span, span
	}
}

// account implements [book]: it returns the account of the operation that causes a message.
func (o *operations) account(_ *replay.State, e *tracefmt.Event, on link) *account {
	cause := o.last()
	if o.spans != nil {
		cause = o.cause[on.sender]
		o.sent[e.Message] = cause
	}
	switch {
	case cause != nil:
		return &cause.account
	case len(o.found) == 0:
		return &o.warmUp
	}
	return &o.afterLast
}

// report returns the counts of all operations. The last moment opens no operation: the messages after it are
// the rest.
func (o *operations) report(rec *record, measured bool) PerOperation {
	r := PerOperation{
		Operation: o.operation.Name, Each: []OneOfThese{}, found: len(o.found) > 0,
		meant: o.names.nearest(o.operation.Name),
	}
	if last := o.last(); o.moment != nil && last != nil {
		o.afterLast.join(&last.account)
		o.found = o.found[:len(o.found)-1]
	}
	for _, found := range o.found {
		found.Tally = found.account.tally(measured)
		r.Each = append(r.Each, found.OneOfThese)
	}
	r.sum()
	r.WarmUp, r.Rest = o.warmUp.tally(measured), o.afterLast.tally(measured)
	r.Uncertain = o.uncertain(rec)
	return r
}

// causes are the facts that determine which span causes a message: sends, and the kinds of events that begin
// a step.
var causes = kinds(
	tracefmt.Send, tracefmt.Receive, tracefmt.SetTimer, tracefmt.Timeout, tracefmt.Start, tracefmt.Recover,
	tracefmt.Crash, tracefmt.Halt,
	tracefmt.Invoke, tracefmt.Suspect,
)

// kinds returns the facts of these kinds.
func kinds(list ...tracefmt.Kind) []tracefmt.Fact {
	facts := make([]tracefmt.Fact, len(list))
	for i, k := range list {
		facts[i] = tracefmt.Fact{Kind: k}
	}
	return facts
}

// uncertain reports whether operations or messages may be missing, or messages may belong to other operations.
func (o *operations) uncertain(r *record) bool {
	if o.spans == nil {
		return !r.determinesOrder(tracefmt.Fact{Kind: tracefmt.Send}) || o.missing(r)
	}
	return !r.determinesOrder(causes...) || o.missing(r)
}

// missing reports whether a fact that shows operations may be missing. Each of these facts shows the same
// operations, so one complete record is enough.
func (o *operations) missing(r *record) bool {
	recorded, missing := false, false
	for _, fact := range o.operation.Facts {
		some, all := r.missing(fact)
		recorded = recorded || !all
		missing = missing || some && !all
	}
	return !r.coverage.Complete() && (missing || !recorded)
}

// declaredMissing reports whether the run declares the fact as incomplete at some process, and whether it
// declares it as unrecorded at all processes.
func declaredMissing(run *tracefmt.Run, c *tracefmt.Coverage, fact tracefmt.Fact) (some, all bool) {
	all = len(run.Members) > 0
	for p := range run.Members {
		process := tracefmt.ProcessID(p + 1)
		some = some || c.DeclaredMissing(process, fact, 0, 0)
		all = all && c.Declared(process, fact) == tracefmt.None
	}
	return some, all
}

// sum computes Count, Min, Mean and Max from Each.
func (r *PerOperation) sum() {
	sum := int64(0)
	for i := range r.Each {
		sent := r.Each[i].Sent
		sum += sent
		r.Min, r.Max = smaller(r.Min, sent), larger(r.Max, sent)
	}
	r.Count = int64(len(r.Each))
	if r.Count > 0 {
		r.Mean = meanOf(sum, r.Count)
	}
}

// smaller returns the smaller of two numbers; a nil a is no number.
func smaller(a *int64, b int64) *int64 {
	if a == nil || b < *a {
		return &b
	}
	return a
}

// larger returns the larger of two numbers; a nil a is no number.
func larger(a *int64, b int64) *int64 {
	if a == nil || b > *a {
		return &b
	}
	return a
}
