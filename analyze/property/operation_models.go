package property

import (
	"encoding/json"
	"strconv"

	"etrace/tracefmt"
)

// operationModel says what an operation does to an object. The state of an
// object is a text, so that states can be compared.
type operationModel struct {
	// object names the sort of object that has the operation.
	object string
	// needs are the payload fields that its invocation must have.
	needs []string
	// looks: it changes nothing.
	looks bool
	// step applies the operation to a state, and reports whether its outcome
	// fits. One that is open, or whose outcome is unknown, always fits.
	step func(state string, op *operation) (next string, fits bool)
	// after is the state after the operation, if it follows from the operation
	// alone; nil if it never does.
	after func(op *operation) (state string, known bool)
}

// initial is the state of each sort of object at first: an empty register, an
// empty text for each key, a free lock.
var initial = map[string]string{"register": "null", "key-value store": "", "lock": ""}

// operationModels are the operations that are known, by their names in traces.
var operationModels = map[string]operationModel{
	"read":    {object: "register", looks: true, step: look(asJSON), after: seen(asJSON)},
	"write":   {object: "register", needs: []string{"value"}, step: assign(asJSON), after: given(asJSON)},
	"cas":     {object: "register", needs: []string{"old", "new"}, step: compareAndSwap, after: swapped},
	"get":     {object: "key-value store", looks: true, step: look(asText), after: seen(asText)},
	"put":     {object: "key-value store", needs: []string{"value"}, step: assign(asText), after: given(asText)},
	"append":  {object: "key-value store", needs: []string{"value"}, step: extend},
	"acquire": {object: "lock", step: acquire, after: acquired},
	"release": {object: "lock", step: release, after: released},
}

// asJSON and asText are two ways to take a value: as it stands, or as the text
// that it says, none for null.
func asJSON(value string) string { return value }

func asText(value string) string {
	var text string
	if json.Unmarshal([]byte(value), &text) != nil {
		return value
	}
	return text
}

func look(as func(string) string) func(string, *operation) (string, bool) {
	return func(state string, op *operation) (string, bool) {
		return state, !op.done() || op.result == "" || as(op.result) == state
	}
}

func seen(as func(string) string) func(*operation) (string, bool) {
	return func(op *operation) (string, bool) { return as(op.result), op.result != "" }
}

func assign(as func(string) string) func(string, *operation) (string, bool) {
	return func(_ string, op *operation) (string, bool) { return as(op.value), true }
}

func given(as func(string) string) func(*operation) (string, bool) {
	return func(op *operation) (string, bool) { return as(op.value), true }
}

func extend(state string, op *operation) (string, bool) { return state + asText(op.value), true }

func compareAndSwap(state string, op *operation) (string, bool) {
	equal := state == op.old
	if equal && !op.refused() {
		return op.new, true
	}
	return state, !op.done() || equal != op.refused()
}

func swapped(op *operation) (string, bool) { return op.new, !op.refused() }

func acquire(state string, op *operation) (string, bool) {
	free := state == ""
	if free && !op.refused() {
		return op.owner(), true
	}
	return state, !op.done() || free != op.refused()
}

func acquired(op *operation) (string, bool) { return op.owner(), !op.refused() }

func release(state string, op *operation) (string, bool) {
	own := state == op.owner()
	if own && !op.refused() {
		return "", true
	}
	return state, !op.done() || own != op.refused()
}

func released(op *operation) (string, bool) { return "", !op.refused() }

// operation is one operation of a history.
type operation struct {
	model   *operationModel
	name    string
	place   int // in its stretch of the history
	process tracefmt.ProcessID
	// called and ended are the events of its invocation and of its end; ended
	// is 0 while it is open, and forever if its outcome is unknown.
	called, ended tracefmt.Seq
	failed        bool // it ended, and had no effect
	// value, old and new are its arguments, result is what it returned: JSON
	// texts, "" for none.
	value, old, new, result string
}

// after is the state after the operation, if it follows from it alone.
func (op *operation) after() (state string, known bool) {
	if op.model.after == nil {
		return "", false
	}
	return op.model.after(op)
}

// done reports whether it is known that the operation took effect, unless it
// failed.
func (op *operation) done() bool { return op.ended != 0 }

// refused reports whether the object did not grant what the operation asked.
func (op *operation) refused() bool { return op.done() && op.result == "false" }

// owner is the state of a lock that the operation's process holds.
func (op *operation) owner() string { return strconv.Itoa(int(op.process)) }
