package sim

import (
	"encoding/binary"
	"slices"
	"strconv"

	"etrace/record/sim/network"
	"etrace/tracefmt"
)

// lasso finds a global state that occurs twice, which proves that a
// deterministic run never ends. The global state is: which processes are up,
// their variables, which operations wait for the return of another, the messages
// in flight and the armed timers in the order in which they will happen and with
// the time until then, how far the counting rules have counted, and how often each
// process has drawn, since the same state with other draws ahead may go on otherwise. Message ids
// and clocks are no part of it. A [Counter] counts relative to the others: what recurs is
// the state but for a shift of all counters.
//
// It is Brent's method (BIT 20, 1980): the state is compared with one saved
// state, which is renewed after 1, 2, 4, ... steps; a large state less often at
// first, so that most runs that end pay little for the search. The comparison is
// exact, no hash can prove anything; the running hash only tells when it is
// worth while. The stem that is reported may contain a few rounds of the cycle.
type lasso struct {
	enabled bool
	// has: a state is saved, that after the event seq.
	has    bool
	saved  []byte
	origin origin // of the counters in it
	hash   uint64
	seq    tracefmt.Seq
	// steps since the state was saved, and when to save the next.
	steps, power int64
	scratch      []byte
}

// forget has the search begin anew.
func (l *lasso) forget() {
	*l = lasso{enabled: l.enabled, saved: l.saved, scratch: l.scratch}
}

// repeats reports whether the present global state is the saved one, and if
// so records the loop.
func (k *kernel) repeats() bool {
	l := &k.loop
	l.steps++
	if l.has && k.hash == l.hash {
		var now origin
		l.scratch = k.appendState(l.scratch[:0], &now)
		by := now.at - l.origin.at
		if slices.Equal(l.scratch, l.saved) && (by == 0 || k.counts()) {
			b := strconv.AppendInt([]byte(`{"from":`), int64(l.seq), 10)
			b = strconv.AppendInt(append(b, `,"to":`...), int64(k.rec.Seq()), 10)
			if by != 0 {
				b = strconv.AppendInt(append(b, `,"shift":`...), int64(by), 10)
			}
			k.rec.Environment(k.net.Now(), tracefmt.Note, tracefmt.LoopNote, append(b, '}'))
			return true
		}
	}
	if l.steps >= l.power && l.steps >= k.patience() {
		l.origin = origin{}
		l.has, l.saved, l.hash, l.seq = true, k.appendState(l.saved[:0], &l.origin), k.hash, k.rec.Seq()
		l.power, l.steps = max(2*l.power, k.patience()), 0
	}
	return false
}

// patience is how many steps to make at least before the state is saved: one, until it
// has some twenty parts, then as the square of these.
func (k *kernel) patience() int64 {
	parts := int64(len(k.processes) + k.net.Len())
	return max(1, parts*parts/256)
}

// appendState appends the global state in one canonical form, with counters relative to an
// origin. A process that is down stays so, since nothing of the plan is to come while a
// loop is looked for; what it has on stable storage is no part of what goes on.
func (k *kernel) appendState(b []byte, o *origin) []byte {
	for i := range k.processes[1:] {
		p := &k.processes[i+1]
		up := byte(0)
		if p.up {
			up = 1
		}
		b = binary.AppendVarint(k.appendHeld(append(b, up), p), p.draws)
		for i, v := range k.protocol.variables {
			if p.up {
				b = v.appendBinary(b, k.columns[i].at(p.id), o)
			}
		}
	}
	for i := range k.local {
		b = k.appendMessage(b, k.local[i], o)
	}
	b = append(b, 0xff)
	for _, n := range k.net.Counted() {
		b = binary.AppendVarint(b, int64(n))
	}
	return k.appendQueue(k.appendRounds(b), o)
}

// appendQueue appends what will happen, in order, with the time until then.
func (k *kernel) appendQueue(b []byte, o *origin) []byte {
	k.net.Waiting(func(it *network.Item) {
		b = append(b, byte(it.Class))
		b = binary.AppendVarint(b, int64(it.At-k.net.Now()))
		if it.Class == network.Delivery {
			_, m := k.net.Look(it)
			b = k.appendMessage(b, *m, o)
			return
		}
		b = binary.AppendVarint(b, int64(it.Process))
		b = binary.AppendVarint(b, it.Number)
	})
	return b
}

func (k *kernel) appendMessage(b []byte, m parcel, o *origin) []byte {
	b = binary.AppendVarint(b, int64(m.typ))
	b = binary.AppendVarint(b, int64(m.from))
	b = binary.AppendVarint(b, int64(m.to))
	return k.protocol.messages[m.typ].appendBinary(b, k.fields(m), o)
}

// The running hash is the exclusive or of a hash of each part of the state,
// so that a change costs no more than its part. Times are left out.

func hashTimer(p tracefmt.ProcessID, t Timer) uint64 {
	return network.Mix(network.Mix(uint64(p)|1<<60) ^ uint64(t))
}

func hashVar(p tracefmt.ProcessID, index int) uint64 {
	return network.Mix(uint64(p)<<8 | uint64(index))
}

func (k *kernel) hashMessage(m parcel) uint64 {
	if !k.loop.enabled {
		return 0
	}
	h := network.Mix(uint64(m.from)<<32|uint64(m.to)) ^ uint64(m.typ)
	if spec := k.protocol.messages[m.typ]; spec.counts {
		return spec.hash(h, k.fields(m))
	}
	// The payload, which was just written, says the same as the fields.
	payload := k.arenas[m.typ].slots[m.place].payload
	for ; len(payload) >= 8; payload = payload[8:] {
		h = network.Mix(h ^ binary.LittleEndian.Uint64(payload))
	}
	rest := uint64(len(payload))
	for _, c := range payload {
		rest = rest<<8 | uint64(c)
	}
	return network.Mix(h ^ rest)
}
