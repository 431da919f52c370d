package history

import (
	"time"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
)

// entry is an entry of a history: the beginning or the end of an operation.
type entry struct {
	line    int
	text    string
	process string
	// fault is true for an event of the environment instead of a client.
	fault bool
	// typ is "" for a value that is not an entry.
	typ       string
	operation string // the name of the operation
	key       *form
	value     form
	failed    bool // the entry has an error
	time      time.Time
	extra     []interop.Field // other keys of the entry
}

// The sorts of entries, by :type.
const (
	invokes = "invoke"
	done    = "ok"
	undone  = "fail"
	unsure  = "info"
)

var sorts = []string{invokes, done, undone, unsure}

// operations are the operations that the properties know: their problem, the arguments that their value holds,
// and whether they have a result.
var operations = map[string]struct {
	problem   string
	arguments []string
	hasResult bool
}{
	"read":    {problem: tracefmt.Register, hasResult: true},
	"write":   {problem: tracefmt.Register, arguments: []string{"value"}},
	"cas":     {problem: tracefmt.Register, arguments: []string{"old", "new"}},
	"get":     {problem: tracefmt.KeyValue, hasResult: true},
	"put":     {problem: tracefmt.KeyValue, arguments: []string{"value"}},
	"append":  {problem: tracefmt.KeyValue, arguments: []string{"value"}},
	"acquire": {problem: tracefmt.Lock},
	"release": {problem: tracefmt.Lock},
}

// convention decides what the notation of a history leaves open.
type convention struct {
	// empty is true if a read of nil means that the register is empty. Otherwise the read value is unknown.
	empty bool
	// refused is true if a failed cas found another value. Otherwise a failed cas had no effect, like any failed
	// operation.
	refused bool
	doc     string
}

// conventions maps names to conventions. A history that is correct by the other convention is correct by that of
// Knossos.
var conventions = map[string]convention{
	"knossos":   {doc: "a read of nil may have found anything, and an operation that fails had no effect"},
	"porcupine": {empty: true, refused: true, doc: "a read of nil found the register empty, and a cas that fails another value"},
}

// conventionOption is the user's choice of a convention.
var conventionOption = interop.Option{
	Name: "convention", Arg: "WHOSE", Choices: []string{"knossos", "porcupine"}, Default: "knossos",
	Doc: "WHOSE convention for nil and failed cas: knossos, porcupine",
}

// history collects the facts of all entries of a file. It keeps their texts, which are read again to make
// events.
type history struct {
	r        *interop.Reading
	parse    func(line int, text string) entry
	entries  *interop.Kept
	ignored  interop.RunReport // counts the values that are no entries
	problem  string            // the problem of the last operation
	mixed    bool              // the operations are not all of one problem
	paired   bool              // some value must be a pair of key and value
	unpaired bool              // some value is no such pair
}

func newHistory(r *interop.Reading, parse func(line int, text string) entry) *history {
	return &history{r: r, parse: parse, entries: r.Keep()}
}

// add registers an entry, or a value that is not an entry.
func (h *history) add(e *entry) {
	if e.typ == "" {
		h.ignored.Skip(e.line, e.text)
		return
	}
	h.entries.Add(e.line, e.text)
	if e.fault {
		return
	}
	problem := operations[e.operation].problem
	h.mixed = h.mixed || problem == "" || h.problem != "" && problem != h.problem
	h.problem = problem
	switch e.isKeyed() {
	case always:
		h.paired = true
	case never:
		h.unpaired = true
	}
}

// addRun makes a run of the history.
func (h *history) addRun() *interop.Builder {
	whose := h.r.Value(conventionOption.Name)
	c := conventions[whose]
	if h.mixed {
		h.problem = ""
	}
	b := h.r.Build(tracefmt.Run{Problem: h.problem})
	b.Skipped = h.ignored.Skipped
	b.Note("by the convention of %s: %s (--convention)", whose, c.doc)
	keyed := h.paired && !h.unpaired
	if keyed {
		b.Note("each value is a key and a value: each key is an object of its own")
	}
	m := eventMaker{Builder: b, convention: c, open: make(map[string]invocation)}
	for line, text := range h.entries.All() {
		e := h.parse(line, text)
		if keyed {
			e.splitKey()
		}
		m.add(&e)
	}
	return b
}

// keyEvidence is the evidence of an entry on whether values are pairs of key and value.
type keyEvidence uint8

const (
	perhaps keyEvidence = iota
	always
	never
)

// isKeyed returns whether the value of an operation is a pair of key and value, as in Jepsen's tests of many
// registers at a time. There the invocation of a read has the key and nil, and a cas has a pair inside the pair.
func (e *entry) isKeyed() keyEvidence {
	switch {
	case e.key != nil || operations[e.operation].problem != tracefmt.Register:
		return never
	case !e.value.isPair():
		return never
	case e.operation == "cas" && e.value.items()[1].isPair(), e.operation == "read" && e.value.items()[1].isNil():
		return always
	case e.operation == "cas", e.operation == "read" && e.typ == invokes:
		return never
	}
	return perhaps
}

func (f form) isPair() bool { return f.sort() == sequence && len(f.items()) == 2 }

// splitKey moves the key out of the value of the entry.
func (e *entry) splitKey() {
	if !e.fault {
		e.key, e.value = &e.value.items()[0], e.value.items()[1]
	}
}

// eventMaker turns entries into events.
type eventMaker struct {
	*interop.Builder
	convention
	open map[string]invocation // by process, its invocation without an end
	gaps int                   // the number of gaps declared by notInvoked
}

// invocation is the beginning of an operation.
type invocation struct {
	operation string
	line      int
}

// mostGaps bounds the gaps that notInvoked declares.
const mostGaps = 10_000

// declareMissingInvocation declares a gap before an end without an invocation. After many of these, invocations of the process are
// declared as recorded in part.
func (h *eventMaker) declareMissingInvocation(process string) {
	if h.gaps < mostGaps {
		h.gaps++
		h.Gap(process, 0)
		return
	}
	h.InPart(process, tracefmt.Fact{Kind: tracefmt.Invoke})
}

// add adds the event of an entry: an invoke, a return, or a note of a fault. It reports ends without a
// beginning, and operations of one process that overlap.
func (h *eventMaker) add(e *entry) {
	event := interop.Entry{Line: e.line, Text: e.text, Process: e.process, Type: e.operation, Time: e.time, Extra: e.extra}
	switch {
	case e.fault:
		event.Process, event.Kind, event.Fields = "", tracefmt.Note, e.field(nil, "value")
	case e.typ == invokes:
		if before, open := h.open[e.process]; open {
			h.Find(
				"one-at-a-time", e.line, "process %s invokes %s, but its %s of line %d has not ended",
				e.process, e.operation, before.operation, before.line,
			)
		}
		h.open[e.process] = invocation{e.operation, e.line}
		event.Kind, event.Fields = tracefmt.Invoke, e.arguments()
	default:
		if _, open := h.open[e.process]; !open {
			h.Find("invoked-before", e.line, "the %s of process %s ends, but it has invoked none", e.operation, e.process)
			h.declareMissingInvocation(e.process)
		}
		delete(h.open, e.process)
		event.Kind, event.Fields = tracefmt.Return, h.result(e)
	}
	h.Add(event)
}

// field adds a field with the value, if it is not nil.
func (e *entry) field(fields []interop.Field, key string) []interop.Field {
	if e.value.isNil() {
		return fields
	}
	return append(fields, interop.JSON(key, e.value.json()))
}

// arguments returns the arguments of an operation that begins. A read may come with its later result, which is
// left out.
func (e *entry) arguments() []interop.Field {
	var fields []interop.Field
	if e.key != nil {
		fields = append(fields, interop.JSON("key", e.key.json()))
	}
	operation, known := operations[e.operation]
	switch {
	case !known, len(operation.arguments) == 2 && !e.value.isPair():
		return e.field(fields, "value")
	case len(operation.arguments) == 1:
		return append(fields, interop.JSON(operation.arguments[0], e.value.json()))
	}
	for i, name := range operation.arguments {
		fields = append(fields, interop.JSON(name, e.value.items()[i].json()))
	}
	return fields
}

// result returns the fields of a return event: the outcome, and the value if the operation has a result.
func (h *eventMaker) result(e *entry) []interop.Field {
	operation, known := operations[e.operation]
	outcome := func(result string) []interop.Field { return []interop.Field{interop.Text("outcome", result)} }
	switch {
	case e.typ == unsure:
		return outcome("unknown")
	// By the convention of Jepsen, a cas that fails has compared and found another value. That is a result.
	case e.typ == undone && e.operation == "cas" && h.refused && !e.failed:
		return append(outcome("ok"), interop.JSON("value", []byte("false")))
	case e.typ == undone:
		return outcome("fail")
	case e.operation == "read" && e.value.isNil() && h.empty:
		return append(outcome("ok"), interop.JSON("value", []byte("null")))
	case operation.hasResult || !known:
		return e.field(outcome("ok"), "value")
	}
	return outcome("ok")
}
