package sim

import (
	"fmt"
	"math/bits"
	"reflect"
	"strconv"
	"unsafe"

	"etrace/tracefmt"
)

// Var is a declared variable, which has a value of type T at each process, initially the zero value. Every
// change is recorded in a state event. Assignments in one step without another event between them are one
// change.
type Var[T any] struct{ index int }

// VarOption modifies the recording of a variable.
type VarOption uint8

// The options of variables.
const (
	// Every records each assignment in an event of its own, even if the value stays the same.
	Every VarOption = 1 << iota
	// Stable keeps the variable on stable storage, which survives a crash.
	Stable
	// Indexed records a list as one variable for each of its items, log[1], log[2] and so on, so that an event names
	// only changed items. null is an absent item; an empty list begins as a null log[1].
	Indexed
)

// mostVariables is the maximum number of variables: the bits of Process.dirty.
const mostVariables = 64

// variableSpec is a declared variable.
type variableSpec struct {
	declared
	options VarOption
	codec
	items     itemized // the items, if the variable is an indexed list
	newColumn func(processes int) column
}

// Declare declares a variable whose values are of the type T: bool, an integer,
// string, [tracefmt.ProcessID], [Term], [Counter], words (see [Words]), a [List], [Set] or
// [Map] of these, or a struct of these.
func Declare[T any](pr *Protocol, name, doc string, options ...VarOption) Var[T] {
	thing := "variable " + name
	checkName(thing, name)
	v := &variableSpec{declared: declared{name, doc, reflect.TypeFor[T]()}, codec: codecOf[T](thing)}
	for _, o := range options {
		v.options |= o
	}
	if items, ok := v.codec.(itemized); ok && v.has(Indexed) {
		v.items = items
	}
	if len(pr.variables) == mostVariables || v.has(Indexed) && v.items == nil {
		panic(fmt.Sprintf("sim: %s: expected at most %d variables, and that only a list is indexed", thing, mostVariables))
	}
	v.newColumn = func(processes int) column {
		c := &columnOf[T]{values: make([]T, processes+1)}
		if v.items != nil {
			c.recorded = make([]T, processes+1)
		}
		return c
	}
	pr.variables = append(pr.variables, v)
	return Var[T]{len(pr.variables) - 1}
}

func (v *variableSpec) has(o VarOption) bool { return v.options&o != 0 }

// recordedName returns the name in the trace; for an indexed list, the name of all items.
func (v *variableSpec) recordedName() string {
	if v.has(Indexed) {
		return v.name + "[i]"
	}
	return v.name
}

// isTerm reports whether the variable holds the term of the process.
func (v *variableSpec) isTerm() bool { return v.typ == reflect.TypeFor[Term]() }

// column holds the values of a variable at all processes.
type column interface {
	at(p tracefmt.ProcessID) unsafe.Pointer
	// recordedAt returns the address of the last recorded content of an indexed list; keep copies the present
	// content there.
	recordedAt(p tracefmt.ProcessID) unsafe.Pointer
	keep(p tracefmt.ProcessID)
	clear(p tracefmt.ProcessID)
	// empty clears the variable and its recorded content at all processes.
	empty()
	// save and saveRecorded return the values at the addresses of at and recordedAt; load restores them, the zero
	// value for nil.
	save(p tracefmt.ProcessID) any
	saveRecorded(p tracefmt.ProcessID) any
	load(p tracefmt.ProcessID, value, recorded any)
}

// columnOf is the column of a variable of type T.
type columnOf[T any] struct {
	values, recorded []T // by ProcessID
	// next holds the value of the current assignment, since codecs need an address.
	next T
}

func (c *columnOf[T]) at(p tracefmt.ProcessID) unsafe.Pointer { return unsafe.Pointer(&c.values[p]) }

func (c *columnOf[T]) recordedAt(p tracefmt.ProcessID) unsafe.Pointer {
	return unsafe.Pointer(&c.recorded[p])
}

func (c *columnOf[T]) keep(p tracefmt.ProcessID) { c.recorded[p] = c.values[p] }

func (c *columnOf[T]) clear(p tracefmt.ProcessID) {
	var zero T
	c.values[p] = zero
}

func (c *columnOf[T]) empty() {
	clear(c.values)
	clear(c.recorded)
}

func (c *columnOf[T]) save(p tracefmt.ProcessID) any { return c.values[p] }

func (c *columnOf[T]) saveRecorded(p tracefmt.ProcessID) any { return c.recorded[p] }

func (c *columnOf[T]) load(p tracefmt.ProcessID, value, recorded any) {
	c.values[p], _ = value.(T)
	if c.recorded != nil {
		c.recorded[p], _ = recorded.(T)
	}
}

// Get returns the variable's value at p.
func (v Var[T]) Get(p *Process) T { return p.k.columns[v.index].(*columnOf[T]).values[p.id] }

// Set assigns the variable at p.
func (v Var[T]) Set(p *Process, x T) {
	c := p.k.columns[v.index].(*columnOf[T])
	c.next = x
	if p.markAssigned(v.index, unsafe.Pointer(&c.values[p.id]), unsafe.Pointer(&c.next)) {
		c.values[p.id] = x
	}
}

// markAssigned marks the variable as assigned, and reports whether the assignment has to be made: the value differs,
// or every assignment is recorded.
func (p *Process) markAssigned(index int, before, after unsafe.Pointer) bool {
	k := p.k
	v := k.protocol.variables[index]
	switch {
	case !v.has(Every):
		if v.equal(before, after) {
			return false
		}
	case p.dirty&(1<<index) != 0:
		p.flush() // two assignments must not merge into one event
	}
	if k.loop.enabled {
		h := hashVar(p.id, index)
		k.hash ^= v.hash(h, before) ^ v.hash(h, after)
	}
	p.dirty |= 1 << index
	if v.isTerm() {
		k.rec.SetTerm(p.id, int64(*(*Term)(after)))
	}
	return true
}

// flush records the variables assigned since the last call as one event. It is called before any other event of
// the process, and at the end of each step.
func (p *Process) flush() {
	if p.dirty == 0 {
		return
	}
	set := p.dirty
	p.dirty = 0
	if !p.up {
		return // an edit has crashed it in the middle of its step
	}
	if changes := p.appendVariables(set, false); len(changes) > len("{}") {
		p.k.rec.Local(p.k.net.Now(), tracefmt.State, p.id, 0, "", changes)
	}
}

// variables returns the payload of start and recover events: all variables. It is nil for a protocol without
// variables.
func (p *Process) variables() []byte {
	n := len(p.k.protocol.variables)
	if n == 0 {
		return nil
	}
	return p.appendVariables(1<<n-1, true)
}

// appendVariables returns the variables in a set of bits as a JSON object, which the next call overwrites. If
// complete is true, an indexed list has all its items.
func (p *Process) appendVariables(set uint64, complete bool) []byte {
	k := p.k
	b := append(k.buf[:0], '{')
	for ; set != 0; set &= set - 1 { // removes the lowest bit
		i := bits.TrailingZeros64(set)
		v, c := k.protocol.variables[i], k.columns[i]
		if v.items != nil {
			b = p.appendIndexed(b, v, c, complete)
			continue
		}
		b = v.appendJSON(appendKey(b, v.name), k.roster, c.at(p.id))
	}
	k.buf = append(b, '}')
	return k.buf
}

// appendIndexed appends the items of a list that differ from the recorded ones or, if complete is true, all
// items.
func (p *Process) appendIndexed(b []byte, v *variableSpec, c column, complete bool) []byte {
	now, before := c.at(p.id), c.recordedAt(p.id)
	item, n, had := v.items.itemCodec(), v.items.count(now), v.items.count(before)
	for i := range n {
		if complete || i >= had || !item.equal(v.items.itemAt(now, i), v.items.itemAt(before, i)) {
			b = item.appendJSON(appendIndex(b, v.name, i+1), p.k.roster, v.items.itemAt(now, i))
		}
	}
	switch {
	case complete && n == 0: // a list without items has one null, so that the record names the variable
		b = append(appendIndex(b, v.name, 1), "null"...)
	case !complete: // removed items become null
		for i := n; i < had; i++ {
			b = append(appendIndex(b, v.name, i+1), "null"...)
		}
	}
	c.keep(p.id)
	return b
}

// appendIndex appends a JSON key with its colon, such as "log[2]":
func appendIndex(dst []byte, name string, i int) []byte {
	dst = appendKey(dst, name)
	dst = strconv.AppendInt(append(dst[:len(dst)-len(`":`)], '['), int64(i), 10)
	return append(dst, `]":`...)
}

// reset gives every variable that is not stable its initial value.
func (p *Process) reset() {
	k := p.k
	for i, v := range k.protocol.variables {
		if v.has(Stable) {
			continue
		}
		c := k.columns[i]
		h := hashVar(p.id, i)
		k.hash ^= v.hash(h, c.at(p.id))
		k.clearVariable(p, i)
		k.hash ^= v.hash(h, c.at(p.id))
		if v.isTerm() {
			k.rec.SetTerm(p.id, 0)
		}
	}
}
