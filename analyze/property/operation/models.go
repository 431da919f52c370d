package operation

import (
	"encoding/json"
	"fmt"
	"strconv"

	"etrace/tracefmt"
)

// operationModel describes the effect of an operation on an object. The state of an object is a text, so that
// states can be compared.
type operationModel struct {
	// object is the sort of object that has the operation.
	object string
	// needs are the payload fields that its invocation must have.
	needs []string
	// readsOnly is set if it changes nothing; assigns if it leaves its value, for any former state.
	readsOnly, assigns bool
	// convert returns the state for a value, for an operation that reads or assigns.
	convert func(value string) string
	// step applies the operation to a state, and reports whether the outcome fits. An open operation, and an unknown
	// outcome, always fit.
	step func(state string, op *operation) (next string, fits bool)
	// leaves returns the value that the operation leaves, if it follows from the operation alone; nil if it never
	// does.
	leaves func(op *operation) (value string, known bool)
}

// object is a sort of object.
type object struct {
	initial string // the initial state
	// exact returns the stored form of a value: equal numbers have one form.
	exact func(value []byte) string
	// show returns a state as a value. assign is the operation that assigns a value, "" for none.
	show   func(state string) []byte
	assign string
}

// lockObject is the sort of object whose operations need no arguments.
const lockObject = "lock"

// objects are the known sorts of objects. Initially a register and the text of a key are empty, and a lock is
// free.
var objects = map[string]*object{
	"register":        {"null", canonical, shownJSON, "write"},
	"key-value store": {"", asWritten, shownText, "put"},
	lockObject:        {"", canonical, shownJSON, ""},
}

// operationModels are the known operations, by their names in traces.
var operationModels = map[string]*operationModel{
	"read": {object: "register", readsOnly: true, convert: asJSON, step: read, leaves: result},
	"write": {
		object: "register", assigns: true, convert: asJSON, needs: []string{"value"}, step: assign,
		leaves: argumentOf,
	},
	"cas": {
		object: "register", convert: asJSON, needs: []string{"old", "new"}, step: compareAndSwap,
		leaves: swapped,
	},
	"get": {object: "key-value store", readsOnly: true, convert: asText, step: read, leaves: result},
	"put": {
		object: "key-value store", assigns: true, convert: asText, needs: []string{"value"}, step: assign,
		leaves: argumentOf,
	},
	"append":  {object: "key-value store", needs: []string{"value"}, step: extend},
	"acquire": {object: lockObject, convert: asJSON, step: acquire, leaves: acquired},
	"release": {object: lockObject, convert: asJSON, step: release, leaves: released},
}

// canonical and asWritten return two stored forms of a value: 9.0 and "9" as 9, or unchanged.
func canonical(value []byte) string { return string(tracefmt.Canonical(value)) }

func asWritten(value []byte) string { return string(value) }

// asJSON returns the state for a value: the stored value itself.
func asJSON(value string) string { return value }

// shownJSON returns a state as a value, for states that are JSON.
func shownJSON(state string) []byte { return []byte(state) }

// shownText returns a state as a value, for states that are plain text.
func shownText(state string) []byte {
	value, _ := json.Marshal(state) // a text always is one
	return value
}

// asText returns the state for a value: the text of a JSON string, or the value as it is.
func asText(value string) string {
	var text string
	if json.Unmarshal([]byte(value), &text) != nil {
		return value
	}
	return text
}

// read is the effect of an operation that reads the whole state.
func read(state string, op *operation) (string, bool) {
	return state, !op.hasTakenEffect() || op.result == "" || op.model.convert(op.result) == state
}

// result returns what a read leaves: the state that it found.
func result(op *operation) (string, bool) { return op.result, op.result != "" }

// assign is the effect of an operation that replaces the state.
func assign(_ string, op *operation) (string, bool) { return op.model.convert(op.value), true }

// argumentOf returns what an assignment leaves: its argument.
func argumentOf(op *operation) (string, bool) { return op.value, true }

// extend is the effect of append.
func extend(state string, op *operation) (string, bool) { return state + asText(op.value), true }

// compareAndSwap is the effect of cas: it succeeds if the state is the old value.
func compareAndSwap(state string, op *operation) (string, bool) {
	equal := state == op.old
	if equal && !op.refused() {
		return op.new, true
	}
	return state, !op.hasTakenEffect() || equal != op.refused()
}

// swapped returns what a successful cas leaves.
func swapped(op *operation) (string, bool) { return op.new, !op.refused() }

// acquire is the effect of acquiring a lock: it succeeds if the lock is free.
func acquire(state string, op *operation) (string, bool) {
	free := state == ""
	if free && !op.refused() {
		return op.owner(), true
	}
	return state, !op.hasTakenEffect() || free != op.refused()
}

// acquired returns the owner after an acquire, and whether the acquire succeeded.
func acquired(op *operation) (string, bool) { return op.owner(), !op.refused() }

// release is the effect of releasing a lock: it succeeds if the process holds the lock.
func release(state string, op *operation) (string, bool) {
	self := state == op.owner()
	if self && !op.refused() {
		return "", true
	}
	return state, !op.hasTakenEffect() || self != op.refused()
}

// released returns what a successful release leaves.
func released(op *operation) (string, bool) { return "", !op.refused() }

// operation is one operation of a history.
type operation struct {
	model   *operationModel
	name    string
	place   int // the place of the operation in its stretch of the history
	process tracefmt.ProcessID
	// called and ended are the events of its invocation and of its end; ended is 0 while it is open, and forever if
	// its outcome is unknown.
	called, ended tracefmt.Seq
	failed        bool // it ended without effect
	// value, old and new are its arguments, result is its result: JSON texts, "" for none.
	value, old, new, result string
	// rank and cluster are its place among the zones; only a write has a cluster.
	rank    int
	cluster *cluster
}

// argument returns the argument of that name.
func (op *operation) argument(name string) *string {
	switch name {
	case "old":
		return &op.old
	case "new":
		return &op.new
	}
	return &op.value
}

// stateAfter returns the state after the operation, if it follows from the operation alone.
func (op *operation) stateAfter() (state string, known bool) {
	if op.model.leaves == nil {
		return "", false
	}
	value, known := op.model.leaves(op)
	return op.model.convert(value), known
}

// hasTakenEffect reports whether the operation has certainly taken effect, unless it failed.
func (op *operation) hasTakenEffect() bool { return op.ended != 0 }

// endedAt returns the event with which the operation ended, 0 for no operation.
func (op *operation) endedAt() tracefmt.Seq {
	if op == nil {
		return 0
	}
	return op.ended
}

// begun describes the invocation; a supposed operation has none.
func (op *operation) begun() string {
	if op.called == op.ended {
		return "whose invocation is not recorded"
	}
	return fmt.Sprintf("invoked at seq %d", op.called)
}

// refused reports whether the object refused the operation.
func (op *operation) refused() bool { return op.hasTakenEffect() && op.result == "false" }

// owner returns the state of a lock held by the operation's process.
func (op *operation) owner() string { return strconv.Itoa(int(op.process)) }
