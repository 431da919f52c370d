package property

import (
	"encoding/json"
	"fmt"
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
	// looks: it changes nothing; assigns: it leaves its value, whatever the object held.
	looks, assigns bool
	// as is the state that is meant by a value, for an operation that looks or assigns.
	as func(value string) string
	// step applies the operation to a state, and reports whether its outcome
	// fits. One that is open, or whose outcome is unknown, always fits.
	step func(state string, op *operation) (next string, fits bool)
	// left is the value that the operation has left, if it follows from the operation
	// alone; nil if it never does.
	left func(op *operation) (value string, known bool)
}

// object is a sort of object.
type object struct {
	initial string // its state at first
	// exact is a value as it is kept: where numbers are numbers, in their one form.
	exact func(value []byte) string
	// show is a state as a value, and assign the operation that assigns one, "" if
	// there is none.
	show   func(state string) []byte
	assign string
}

// lockObject is the sort of object of which operations need no arguments.
const lockObject = "lock"

// objects are those that are known: an empty register, an empty text for each key, a
// free lock.
var objects = map[string]*object{
	"register":        {"null", canonical, shownJSON, "write"},
	"key-value store": {"", asWritten, shownText, "put"},
	lockObject:        {"", canonical, shownJSON, ""},
}

// operationModels are the operations that are known, by their names in traces.
var operationModels = map[string]*operationModel{
	"read":    {object: "register", looks: true, as: asJSON, step: look, left: result},
	"write":   {object: "register", assigns: true, as: asJSON, needs: []string{"value"}, step: assign, left: given},
	"cas":     {object: "register", as: asJSON, needs: []string{"old", "new"}, step: compareAndSwap, left: swapped},
	"get":     {object: "key-value store", looks: true, as: asText, step: look, left: result},
	"put":     {object: "key-value store", assigns: true, as: asText, needs: []string{"value"}, step: assign, left: given},
	"append":  {object: "key-value store", needs: []string{"value"}, step: extend},
	"acquire": {object: lockObject, as: asJSON, step: acquire, left: acquired},
	"release": {object: lockObject, as: asJSON, step: release, left: released},
}

// canonical and asWritten are two ways to keep a value: 9.0 and "9" as 9, or as they are.
func canonical(value []byte) string { return string(tracefmt.Canonical(value)) }

func asWritten(value []byte) string { return string(value) }

// asJSON and asText are two ways to take a value: as it is kept, or as the text
// that it says, none for null.
func asJSON(value string) string { return value }

func shownJSON(state string) []byte { return []byte(state) }

func shownText(state string) []byte {
	value, _ := json.Marshal(state) // a text always is one
	return value
}

func asText(value string) string {
	var text string
	if json.Unmarshal([]byte(value), &text) != nil {
		return value
	}
	return text
}

func look(state string, op *operation) (string, bool) {
	return state, !op.done() || op.result == "" || op.model.as(op.result) == state
}

func result(op *operation) (string, bool) { return op.result, op.result != "" }

func assign(_ string, op *operation) (string, bool) { return op.model.as(op.value), true }

func given(op *operation) (string, bool) { return op.value, true }

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
	// rank and cluster are its place among the zones; only a write has a cluster.
	rank    int
	cluster *cluster
}

// argument is the one of that name.
func (op *operation) argument(name string) *string {
	switch name {
	case "old":
		return &op.old
	case "new":
		return &op.new
	}
	return &op.value
}

// after is the state after the operation, if it follows from it alone.
func (op *operation) after() (state string, known bool) {
	if op.model.left == nil {
		return "", false
	}
	value, known := op.model.left(op)
	return op.model.as(value), known
}

// done reports whether it is known that the operation took effect, unless it
// failed.
func (op *operation) done() bool { return op.ended != 0 }

// begun says where the operation was invoked; one that was supposed has no place of its own.
func (op *operation) begun() string {
	if op.called == op.ended {
		return "whose invocation is not recorded"
	}
	return fmt.Sprintf("invoked at seq %d", op.called)
}

// refused reports whether the object did not grant what the operation asked.
func (op *operation) refused() bool { return op.done() && op.result == "false" }

// owner is the state of a lock that the operation's process holds.
func (op *operation) owner() string { return strconv.Itoa(int(op.process)) }
