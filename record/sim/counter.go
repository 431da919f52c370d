package sim

import (
	"encoding/binary"
	"slices"
	"unsafe"

	"etrace/record/sim/network"
)

// Counter is a number without absolute meaning, such as a ballot, a logical clock, a timestamp or a sequence
// number. A protocol that declares a variable or a field with this type may only
//
//   - compare counters with each other,
//   - copy them, or take the greatest of several,
//   - add a constant to one.
//
// So a protocol commutes with a shift. Take a global state and add d to every counter in it, in variables of
// processes that are up and in messages in flight. Each possible step remains possible, in the same order and
// at the same time, since every comparison has the same result. It leads to the same next state, with d added
// to every counter.
//
// Let the state of a run recur with d added to every counter, with only steps of the protocol in between. Then
// the same steps are possible again, and again: the run repeats forever, though no state of it is ever the
// same. [tracefmt.LoopNote] claims this, with the shift.
//
// The zero value is a counter like any other, not an absent one. A process that compares with 0, or that reads
// the counter of a missing key of a map, breaks the promise. Represent absence by a list, set or map without
// items. A counter that stays at 0 while others grow prevents a proof, as any counter does that stays behind:
// the growing difference might matter at some time. Stable variables of a process that is down permanently are no
// part of the state, since no process can read them.
//
// The promise is about the protocol. A value that the plan puts into every message (a lie) does not grow with
// the counters, so no shifted loop is proven with such a plan. A test can use [Config.CountFrom] to check that
// a protocol keeps the promise.
type Counter int64

// counterCodec is the codec of a counter.
type counterCodec struct{ intCodec[Counter] }

// origin is the value that counters are compared with: the first counter of a state, in the order of its
// canonical form. Two states that differ by a shift of all counters have the same form relative to their
// origins, and the shift is the difference of the origins. A nil origin leaves counters absolute.
type origin struct {
	known bool // false before the first counter
	at    Counter
}

// appendBinary appends the counter relative to the origin. The first counter of a state becomes the origin.
func (counterCodec) appendBinary(dst []byte, at unsafe.Pointer, o *origin) []byte {
	n := *(*Counter)(at)
	if o != nil {
		if !o.known {
			*o = origin{true, n}
		}
		n -= o.at
	}
	return binary.AppendVarint(dst, int64(n))
}

// hash leaves the counter out, since a shift does not change the hash of a state.
func (counterCodec) hash(h uint64, _ unsafe.Pointer) uint64 { return network.Mix(h) }

// valued is the codec of a map.
type valued interface{ valueCodec() codec }

// counterPaths returns the paths of the counters in a value with this codec. Each path continues the given one:
// .name for a field, [] for every item of a list or a set and every value of a map.
func counterPaths(path string, c codec) (paths []string) {
	switch c := c.(type) {
	case counterCodec:
		return []string{path}
	case *recordCodec:
		for i := range c.fields {
			paths = append(paths, counterPaths(path+"."+c.fields[i].name, c.fields[i].codec)...)
		}
	case itemized:
		return counterPaths(path+"[]", c.itemCodec())
	case valued:
		return counterPaths(path+"[]", c.valueCodec())
	}
	return paths
}

// Counters returns the paths of all counters of the protocol, in the form of [tracefmt.Run.Counters].
func (pr *Protocol) Counters() (paths []string) {
	for _, v := range pr.variables {
		paths = append(paths, counterPaths(v.name, v.codec)...)
	}
	for _, m := range pr.messages {
		for i := range m.fields {
			paths = append(paths, counterPaths(m.name+":"+m.fields[i].name, m.fields[i].codec)...)
		}
	}
	return paths
}

// shiftCounters adds an amount to the counters of a value without items.
func shiftCounters(c codec, at unsafe.Pointer, amount Counter) {
	switch c := c.(type) {
	case counterCodec:
		*(*Counter)(at) += amount
	case *recordCodec:
		for i := range c.fields {
			shiftCounters(c.fields[i].codec, c.fields[i].address(at), amount)
		}
	}
}

// clearVariable gives a variable its initial value.
func (k *kernel) clearVariable(p *Process, index int) {
	k.columns[index].clear(p.id)
	if k.CountFrom != 0 {
		shiftCounters(k.protocol.variables[index].codec, k.columns[index].at(p.id), k.CountFrom)
	}
}

// initializeCounters sets the counters of all variables to Config.CountFrom.
func (k *kernel) initializeCounters() {
	if k.CountFrom == 0 {
		return
	}
	for i := range k.processes[1:] {
		for index := range k.protocol.variables {
			k.clearVariable(&k.processes[i+1], index)
		}
	}
}

// countersShift reports whether the plan keeps the promise of [Counter], so that a shifted state may prove a loop: it
// puts no values into messages, and no process is passive.
func (k *kernel) countersShift() bool {
	return len(k.Passive) == 0 && !slices.ContainsFunc(k.Actions, func(a Action) bool { return a.Kind == LieProcess })
}
