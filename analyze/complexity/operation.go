package complexity

import (
	"math/big"
	"strings"

	"etrace/analyze/spec"
	"etrace/replay"
	"etrace/tracefmt"
)

// ParseOperation reads the unit by which messages are counted: "election", or what
// [spec.ParseOperation] reads. The error is one line, with the place.
func ParseOperation(source string) (*spec.Operation, error) {
	if strings.TrimSpace(source) == Elections().Name {
		return Elections(), nil
	}
	return spec.ParseOperation(source)
}

// OperationWords explains what an operation may be, for help texts.
const OperationWords = `election; ` + spec.OperationWords

// PerOperation is what one operation costs.
//
// Of moments, it is what is sent from one to the next; what is sent before the first is the
// warm-up, and after the last the rest. Of spans, a message belongs to the one that caused it: the
// span in which its sender was when the step of the send began, if it began by itself, or that of
// the message that it had received, or of the timer that it had set. A timer is of the span in which its process
// was when it set it, and else of what caused that step; what a timer sets again stays with the first. What is caused by none is
// warm-up before the first one, and else the rest.
type PerOperation struct {
	Operation string `json:"operation"`
	// Count is how many there are: of moments, how many pairs of one and the next.
	Count int64 `json:"count"`
	// Min and Max are of the messages sent, and Mean is their exact fraction; nil for no operation.
	Min  *int64 `json:"min"`
	Mean *Mean  `json:"mean"`
	Max  *int64 `json:"max"`
	// WarmUp and Rest are what belongs to no operation.
	WarmUp Tally `json:"warm_up"`
	Rest   Tally `json:"rest"`
	// Uncertain: what is counted is what is recorded. Operations may be missing, and messages may
	// belong to another one, since the run does not tell all that shows it, or in which order it happened.
	Uncertain bool         `json:"uncertain,omitempty"`
	Each      []OneOfThese `json:"each"`

	found bool   // there was one, or a moment that is one
	meant string // what its name is probably meant for
}

// OneOfThese is one operation.
type OneOfThese struct {
	// Process at which it is, "" where it is at none.
	Process string `json:"process,omitempty"`
	// From and To are its events, Start and End their times in units; To is 0 and End nil
	// for one that goes on at the end.
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

func meanOf(sum, count int64) *Mean {
	m := &Mean{}
	m.SetFrac64(sum, count)
	return m
}

// operations count by an operation.
type operations struct {
	of     *spec.Operation
	run    *tracefmt.Run
	warmUp account
	rest   account
	all    []*operation

	moment  func(s *replay.State, e *tracefmt.Event) bool
	spans   spec.Spans
	looked  bool         // an event was looked at
	current []*operation // by process: the span that is going on
	cause   []*operation // by process: what its step belongs to
	rung    []bool       // by process: a timer began its step
	sent    map[tracefmt.MessageID]*operation
	timers  map[timerOf]*operation
	names   seenNames // by which operations can be named, as long as there is none
}

type timerOf struct {
	process tracefmt.ProcessID
	name    string
}

// operation is one, in the making.
type operation struct {
	OneOfThese
	account
	since tracefmt.Seq
}

func newOperations(run *tracefmt.Run, of *spec.Operation) *operations {
	o := &operations{of: of, run: run, names: seenNames{Elections().Name: true}}
	if of.Moments != nil {
		o.moment = of.Moments(run)
		return o
	}
	n := len(run.Members) + 1
	o.spans, o.current, o.cause, o.rung = of.Spans(run), make([]*operation, n), make([]*operation, n), make([]bool, n)
	o.sent, o.timers = map[tracefmt.MessageID]*operation{}, map[timerOf]*operation{}
	return o
}

// step takes in the next event, after the state did.
func (o *operations) step(s *replay.State, e *tracefmt.Event) {
	if len(o.all) == 0 {
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
	o.follow(e)
	o.spans.Step(s, e)
	if o.spans.Local() && o.looked {
		if e.Process > 0 {
			o.look(e.Process, e)
		}
	} else {
		for p := range o.run.Members {
			o.look(tracefmt.ProcessID(p+1), e)
		}
	}
	o.looked = true
	if e.Kind == tracefmt.SetTimer {
		o.timers[timerOf{e.Process, e.Type}] = o.setting(e.Process)
	}
}

func (o *operations) last() *operation {
	if len(o.all) == 0 {
		return nil
	}
	return o.all[len(o.all)-1]
}

// begin begins an operation, of p if it is a span.
func (o *operations) begin(e *tracefmt.Event, p tracefmt.ProcessID) *operation {
	one := &operation{since: e.Seq}
	one.Process, one.From, one.Start = o.run.ProcessName(p), e.Seq, units(o.run.TimeUnit.Units(e.Time))
	o.all = append(o.all, one)
	return one
}

// end ends an operation, unless it is nil.
func (o *operations) end(one *operation, e *tracefmt.Event) {
	if one != nil {
		one.To, one.End = e.Seq, units(o.run.TimeUnit.Units(e.Time))
	}
}

// setting is the operation to which a timer belongs that p sets: the span in which p is, but for one that is set again
// when a timer rings, and else what caused the step.
func (o *operations) setting(p tracefmt.ProcessID) *operation {
	if now := o.current[p]; now != nil && !o.rung[p] {
		return now
	}
	return o.cause[p]
}

// follow takes in by what a process begins a step.
func (o *operations) follow(e *tracefmt.Event) {
	if e.Process > 0 && endsStep(e.Kind) {
		o.rung[e.Process] = e.Kind == tracefmt.Timeout
	}
	switch e.Kind {
	case tracefmt.Receive:
		o.cause[e.Process] = o.sent[e.Message]
	case tracefmt.Timeout:
		o.cause[e.Process] = o.timers[timerOf{e.Process, e.Type}]
	default:
		if e.Process > 0 && endsStep(e.Kind) {
			o.cause[e.Process] = o.current[e.Process]
		}
	}
}

// look takes in whether a span has begun or ended at p.
func (o *operations) look(p tracefmt.ProcessID, e *tracefmt.Event) {
	since, now := o.spans.Since(p), o.current[p]
	switch {
	case now != nil && now.since == since:
		return
	case now != nil:
		o.end(now, e)
		o.current[p] = nil
	}
	if since != 0 && (now == nil || now.since != since) {
		now := o.begin(e, p)
		now.since = since
		o.current[p], o.cause[p] = now, now
	}
}

// account implements [book].
func (o *operations) account(_ *replay.State, e *tracefmt.Event, on link) *account {
	one := o.last()
	if o.spans != nil {
		one = o.cause[on.from]
		o.sent[e.Message] = one
	}
	switch {
	case one != nil:
		return &one.account
	case len(o.all) == 0:
		return &o.warmUp
	}
	return &o.rest
}

// report is what the operations come to.
func (o *operations) report(rec *record, measured bool) PerOperation {
	r := PerOperation{Operation: o.of.Name, Each: []OneOfThese{}, found: len(o.all) > 0, meant: o.names.meant(o.of.Name)}
	if last := o.last(); o.moment != nil && last != nil {
		o.rest.join(&last.account)
		o.all = o.all[:len(o.all)-1]
	}
	for _, one := range o.all {
		one.Tally = one.account.tally(measured)
		r.Each = append(r.Each, one.OneOfThese)
	}
	r.sum()
	r.WarmUp, r.Rest = o.warmUp.tally(measured), o.rest.tally(measured)
	r.Uncertain = o.uncertain(rec)
	return r
}

// causes are the facts on which it rests which span causes a message: what is sent, and by what a step begins.
var causes = kinds(
	tracefmt.Send, tracefmt.Receive, tracefmt.SetTimer, tracefmt.Timeout, tracefmt.Start, tracefmt.Recover, tracefmt.Crash, tracefmt.Halt,
	tracefmt.Invoke, tracefmt.Suspect,
)

func kinds(list ...tracefmt.Kind) []tracefmt.Fact {
	facts := make([]tracefmt.Fact, len(list))
	for i, k := range list {
		facts[i] = tracefmt.Fact{Kind: k}
	}
	return facts
}

// uncertain reports whether operations, or messages of them, may be missing or be those of others.
func (o *operations) uncertain(r *record) bool {
	if o.spans == nil {
		return !r.settles(tracefmt.Fact{Kind: tracefmt.Send}) || o.missing(r)
	}
	return !r.settles(causes...) || o.missing(r)
}

// missing reports whether one of the facts that show operations may be missing.
// Where the record tells of some of these facts, the others are another way to show the same.
func (o *operations) missing(r *record) bool {
	told, missing := false, false
	for _, fact := range o.of.Facts {
		some, none := r.missing(fact)
		told = told || !none
		missing = missing || some && !none
	}
	return !r.coverage.Complete() && (missing || !told)
}

// saidOfAll reports whether the run says that the fact may be missing of some process, and
// whether it tells of no process when it happens.
func saidOfAll(run *tracefmt.Run, c *tracefmt.Coverage, fact tracefmt.Fact) (some, none bool) {
	none = len(run.Members) > 0
	for p := range run.Members {
		process := tracefmt.ProcessID(p + 1)
		some = some || c.SaidMissing(process, fact, 0, 0)
		none = none && c.Said(process, fact) == tracefmt.None
	}
	return some, none
}

// sum computes what the operations have in common.
func (r *PerOperation) sum() {
	sum := int64(0)
	for i := range r.Each {
		sent := r.Each[i].Sent
		sum += sent
		r.Min, r.Max = least(r.Min, sent), most(r.Max, sent)
	}
	if r.Count = int64(len(r.Each)); r.Count > 0 {
		r.Mean = meanOf(sum, r.Count)
	}
}

func least(a *int64, b int64) *int64 {
	if a == nil || b < *a {
		return &b
	}
	return a
}

func most(a *int64, b int64) *int64 {
	if a == nil || b > *a {
		return &b
	}
	return a
}
