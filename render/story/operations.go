package story

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"etrace/tracefmt"
)

// Outcome is how an operation ended, as far as its client knows.
type Outcome uint8

// The outcomes of operations. An operation whose end is not known may take effect at any later time, or never.
const (
	Unended Outcome = iota
	Succeeded
	Failed
)

// Operation is an operation of a client.
type Operation struct {
	Process tracefmt.ProcessID
	// Object names the object of the operation, "" if that has no name.
	Object string
	// Text is the operation with its arguments and its result, fit to be drawn: "read → 7".
	Text string
	// Invoke and Return are the indices of the steps with which it begins and ends, -1 if these are not shown.
	Invoke, Return int
	Outcome        Outcome
	// Later: the operation returns after the window. Its outcome is then Unended, and its text has no result.
	Later bool
	// Wrong: the result shows a violation.
	Wrong bool
	// Point is its place in an order of the operations on the object that explains all results, from 1; 0 if none is known.
	Point int

	invoked, returned tracefmt.Seq
	shown             bool
	// visible: only the window can hide the invocation. spans: the operation is open when the window begins.
	visible, spans bool
}

// operations joins invocations with returns.
type operations struct {
	open map[operationKey]*Operation
	list []*Operation
	// endless are those before the window whose return does not name the outcome, or is missing.
	endless []*Operation
	// violated has the objects of violations in the whole run, each with the name of its violation.
	violated map[string]string
}

// operationKey identifies the open operation of an invocation or return: by its id, else by its process.
type operationKey struct {
	process tracefmt.ProcessID
	id      string
}

// keyOfOperation returns the key of an event's operation.
func keyOfOperation(e *tracefmt.Event) operationKey {
	if id, ok := e.Field("op"); ok {
		return operationKey{id: string(tracefmt.Canonical(id))}
	}
	return operationKey{process: e.Process}
}

// followOperation takes an event; isShown is set if it is a step of the story. It returns the object of the operation
// that begins or ends.
func (s *Story) followOperation(e *tracefmt.Event, isShown bool) (object string) {
	if !s.Options.Operations && !s.Options.Overview || e.Kind != tracefmt.Invoke && e.Kind != tracefmt.Return {
		return ""
	}
	o := &s.operations
	if o.open == nil {
		o.open, o.violated = make(map[operationKey]*Operation), make(map[string]string)
	}
	key := keyOfOperation(e)
	op := o.open[key]
	if e.Kind == tracefmt.Invoke {
		if op != nil && s.Before == nil {
			o.endless = append(o.endless, op)
		}
		op = &Operation{Process: e.Process, Text: Clean(e.Type, maxLabel) + s.arguments(e), invoked: e.Seq}
		op.visible = s.Options.Shows(e) && !s.Options.leavesOut(e)
		if name, _ := e.Field("key"); len(name) > 0 {
			op.Object = s.intern(s.value(name))
		}
		op.Point = s.Options.Order[e.Seq]
		o.open[key] = op
		o.show(op, isShown)
		return op.Object
	}
	if op == nil {
		op = &Operation{Process: e.Process, Text: Clean(e.Type, maxLabel)}
	}
	delete(o.open, key)
	violations := s.Options.Violations[e.Seq]
	if len(violations) > 0 && (!s.Options.Frame || s.Options.Inside(e.Seq)) {
		o.violated[op.Object] = violations[0]
	}
	o.show(op, isShown)
	outcome, _ := e.Field("outcome")
	if !isShown {
		op.Later = true
		if string(outcome) == `"unknown"` && s.Before == nil {
			op.Later = false
			o.endless = append(o.endless, op)
		}
		return op.Object
	}
	op.Wrong = len(violations) > 0
	// The client does not know the end of an operation with an unknown outcome.
	switch string(outcome) {
	case `"unknown"`:
		return op.Object
	case `"fail"`:
		op.Outcome = Failed
	default:
		op.Outcome = Succeeded
		if result, ok := e.Field("value"); ok && string(result) != "true" {
			op.Text += " → " + cmp.Or(s.value(result), `""`)
		}
	}
	op.returned = e.Seq
	return op.Object
}

// show lists an operation with a shown event.
func (o *operations) show(op *Operation, isShown bool) {
	if isShown && !op.shown {
		op.shown = true
		o.list = append(o.list, op)
	}
}

// openWindow lists the operations that are open when the window begins.
func (o *operations) openWindow() {
	for _, op := range slices.AppendSeq(o.endless, maps.Values(o.open)) {
		op.spans = op.visible
		o.show(op, op.visible)
	}
}

// arguments returns the arguments of an operation as text: " 1, 2".
func (s *Story) arguments(e *tracefmt.Event) string {
	var list []string
	for key, value := range tracefmt.Fields(e.Payload) {
		switch string(key) {
		case "op", "key", tracefmt.CausesKey, tracefmt.LogKey:
			continue
		}
		if len(list) == mostNamed {
			list = append(list, "…")
			break
		}
		list = append(list, cmp.Or(s.value(value), `""`))
	}
	if list == nil {
		return ""
	}
	return " " + strings.Join(list, ", ")
}

// Operations lists the operations that are open at a moment of the window, in the order in which they begin.
func (s *Story) Operations() []Operation {
	var list []Operation
	for _, o := range s.operations.list {
		op := *o
		op.Invoke, op.Return = s.stepOf(op.invoked), s.stepOf(op.returned)
		if op.Invoke >= 0 || op.Return >= 0 || op.spans {
			list = append(list, op)
		}
	}
	slices.SortStableFunc(list, func(a, b Operation) int { return cmp.Compare(a.invoked, b.invoked) })
	return list
}

// ViolationOf names the violation of an object by the results of its operations, anywhere in the run. It is false for none.
func (s *Story) ViolationOf(object string) (name string, violated bool) {
	name, violated = s.operations.violated[object]
	return name, violated
}

// leaveOutObjects leaves out the operations on objects without a violation.
func (s *Story) leaveOutObjects() {
	if !s.Options.Violated || len(s.operations.violated) == 0 {
		return
	}
	drop := make([]bool, len(s.Steps))
	fine := make(map[string]bool)
	s.operations.list = slices.DeleteFunc(s.operations.list, func(op *Operation) bool {
		if _, violated := s.ViolationOf(op.Object); violated {
			return false
		}
		fine[op.Object] = true
		for _, seq := range [...]tracefmt.Seq{op.invoked, op.returned} {
			if i := s.stepOf(seq); i >= 0 {
				drop[i] = true
			}
		}
		return true
	})
	s.Others = len(fine)
	s.removeSteps(drop)
}

// stepOf returns the index of the step with a seq, -1 if it is not shown.
func (s *Story) stepOf(seq tracefmt.Seq) int {
	if i, ok := s.Find(seq); ok { // no step has the seq 0
		return i
	}
	return -1
}

// operationsText counts the operations that are shown.
func (s *Story) operationsText() string {
	var failed, unended int64
	list := s.Operations()
	for i := range list {
		switch {
		case list[i].Outcome == Failed:
			failed++
		case list[i].Outcome == Unended && !list[i].Later:
			unended++
		}
	}
	text := Plural(int64(len(list)), "operation")
	if failed > 0 {
		text += ", " + Group(failed) + " failed"
	}
	if unended > 0 {
		text += ", " + Group(unended) + " without a known end"
	}
	return text
}
