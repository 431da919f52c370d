package sim

import (
	"encoding/binary"
	"slices"
	"strconv"

	"etrace/record/sim/network"
	"etrace/tracefmt"
)

// lasso finds a global state that occurs twice, which proves that a deterministic run never ends. The global
// state consists of
//
//   - the processes that are up, and their variables,
//   - the operations that wait for the return of another,
//   - the messages in flight and the armed timers in the order in which they will happen, with the time until
//     then and, as the trace shows it, the time since a message was sent,
//   - the positions of the counting rules,
//   - the number of draws of each process, since other draws ahead may lead elsewhere.
//
// Message ids and clocks are no part of it. A [Counter] is relative to the others: the state recurs up to a
// shift of all counters.
//
// The running hashes of the first steps are kept. If a hash recurs, the run is simulated again up to the first
// step that had it, and the states are compared. So the run ends where its state recurs first. The second pass
// is made only if it takes little time beside the run.
//
// Longer runs use Brent's method (BIT 20, 1980). The state is compared with one saved state, which is renewed
// after 1, 2, 4, ... steps; a large state is renewed less often at first, so that the search takes little time
// in most runs that end. The reported stem may then contain a few rounds of the cycle. Both comparisons are
// exact; the running hash only selects when to compare.
type lasso struct {
	enabled  bool
	hasSaved bool         // a state is saved
	saved    []byte       // the saved state
	origin   origin       // the origin of the counters in the saved state
	hash     uint64       // the hash of the saved state
	seq      tracefmt.Seq // the saved state is that after this event
	// steps is the number of steps since the state was saved; after power steps the next state is saved.
	steps, power int64
	scratch      []byte
	firstHashes  hashes
	// resimulated is the number of steps that were simulated again.
	resimulated int64
}

// emptied returns the search for the next run, with the memory of this one.
func (l *lasso) emptied() lasso {
	return lasso{enabled: l.enabled, saved: l.saved, scratch: l.scratch, firstHashes: l.firstHashes.emptied()}
}

// forget begins the search again.
func (l *lasso) forget() {
	*l = l.emptied()
}

// findLoop reports whether the global state after this step is the saved one, or an earlier one, and if so
// records the loop.
func (k *kernel) findLoop(steps int64) bool {
	l := &k.loop
	if k.findFirstOccurrence(steps) {
		return true
	}
	l.steps++
	if l.hasSaved && k.hash == l.hash {
		var now origin
		l.scratch = k.appendState(l.scratch[:0], &now)
		shift := now.at - l.origin.at
		// Only a protocol with counters has the same future from a state with shifted counters.
		if slices.Equal(l.scratch, l.saved) && (shift == 0 || k.countersShift()) {
			k.recordLoop(l.seq, shift)
			return true
		}
	}
	if l.steps >= l.power && l.steps >= k.patience() {
		l.origin = origin{}
		l.hasSaved, l.saved, l.hash, l.seq = true, k.appendState(l.saved[:0], &l.origin), k.hash, k.rec.Seq()
		l.power, l.steps = max(2*l.power, k.patience()), 0
	}
	return false
}

// recordLoop records that the state equals that after an event, up to a shift of the counters.
func (k *kernel) recordLoop(from tracefmt.Seq, shift Counter) {
	b := strconv.AppendInt([]byte(`{"from":`), int64(from), 10)
	b = strconv.AppendInt(append(b, `,"to":`...), int64(k.rec.Seq()), 10)
	if shift != 0 {
		b = strconv.AppendInt(append(b, `,"shift":`...), int64(shift), 10)
	}
	k.rec.Environment(k.net.Now(), tracefmt.Note, tracefmt.LoopNote, append(b, '}'))
}

// findFirstOccurrence reports whether the state after this step is one of the first of the run, and if so records
// the loop.
func (k *kernel) findFirstOccurrence(steps int64) bool {
	l := &k.loop
	before, had := l.firstHashes.add(k.hash, steps)
	// A second simulation is wrong if a chooser chose, since it may choose otherwise, and too expensive beyond the limit.
	if !had || k.choices > 0 || l.resimulated+before > freeResimulated+steps/4 {
		return false
	}
	l.resimulated += before
	first := newKernel(k.Config, nowhere{})
	first.loop.enabled = false
	first.begin()
	for range before {
		first.beforeStep()
		first.takeStep()
	}
	var was, now origin
	l.scratch = first.appendState(l.scratch[:0], &was)
	start := len(l.scratch)
	l.scratch = k.appendState(l.scratch, &now)
	shift := now.at - was.at
	if !slices.Equal(l.scratch[:start], l.scratch[start:]) || shift != 0 && !k.countersShift() {
		return false
	}
	k.recordLoop(first.rec.Seq(), shift)
	return true
}

// freeResimulated is the number of steps that may be simulated again in addition to a quarter of the steps of the run.
const freeResimulated = 1 << 10

// nowhere is a writer that discards events.
type nowhere struct{}

func (nowhere) Write(*tracefmt.Event) error { return nil }

// hashes is a table of the hashes of the first steps of a run, with open addressing.
type hashes struct {
	table []hashed // a power of two, at most half full
	count int
	run   int64 // the number of the run whose hashes are in the table
}

// hashed is an entry of the table: a hash, and the number of steps after which the state first had it. An entry
// of an earlier run counts as free, so the table need not be emptied.
type hashed struct {
	hash       uint64
	steps, run int64
}

// leastHashes and mostHashes are the limits for the size of the table.
const leastHashes, mostHashes = 1 << 6, 1 << 13

// emptied returns an empty table with the memory of this one.
func (h *hashes) emptied() hashes { return hashes{table: h.table, run: h.run + 1} }

// add returns the number of steps after which the state first had the hash, or adds it if it is new. A table
// with mostHashes entries takes no more.
func (h *hashes) add(hash uint64, steps int64) (before int64, had bool) {
	switch {
	case h.count == mostHashes:
		return 0, false
	case 2*h.count >= len(h.table):
		h.grow()
	}
	at := h.entry(hash)
	if at.run == h.run {
		return at.steps, true
	}
	*at = hashed{hash, steps, h.run}
	h.count++
	return 0, false
}

// entry returns the entry of the hash, or a free one.
func (h *hashes) entry(hash uint64) *hashed {
	mask := uint64(len(h.table) - 1)
	for i := network.Mix(hash) & mask; ; i = (i + 1) & mask {
		if at := &h.table[i]; at.run != h.run || at.hash == hash {
			return at
		}
	}
}

// grow enlarges the table fourfold.
func (h *hashes) grow() {
	old := h.table
	h.table = make([]hashed, max(leastHashes, 4*len(old)))
	for _, entry := range old {
		if entry.run == h.run {
			*h.entry(entry.hash) = entry
		}
	}
}

// patience returns the minimum number of steps before the state is saved. Its growth with the square of the size of the
// state bounds the time for saving: one step is enough below 23 processes and scheduled items, since 22*22 < 2*256.
func (k *kernel) patience() int64 {
	parts := int64(len(k.processes) + k.net.Len())
	return max(1, parts*parts/256)
}

// appendState appends the global state in a canonical form, with counters relative to an origin. The search for
// a loop begins after the last event of the plan. So a process that is down stays down, and its stable storage
// is no part of the state.
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

// appendQueue appends the scheduled items in order, with the time until each.
func (k *kernel) appendQueue(b []byte, o *origin) []byte {
	k.net.Waiting(func(item *network.Item) {
		b = append(b, byte(item.Class))
		b = binary.AppendVarint(b, int64(item.At-k.net.Now()))
		if item.Class == network.Delivery {
			_, m := k.net.Look(item)
			b = binary.AppendVarint(b, int64(k.net.Now()-k.net.SentAt(item)))
			b = k.appendMessage(b, *m, o)
			return
		}
		b = binary.AppendVarint(b, int64(item.Process))
		b = binary.AppendVarint(b, item.Number)
	})
	return b
}

// appendMessage appends a message in flight.
func (k *kernel) appendMessage(b []byte, m parcel, o *origin) []byte {
	b = binary.AppendVarint(b, int64(m.typ))
	b = binary.AppendVarint(b, int64(m.from))
	b = binary.AppendVarint(b, int64(m.receiver))
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

// hashMessage returns the hash of a message in flight, 0 if no loop is sought.
func (k *kernel) hashMessage(m parcel) uint64 {
	if !k.loop.enabled {
		return 0
	}
	h := network.Mix(uint64(m.from)<<32|uint64(m.receiver)) ^ uint64(m.typ)
	if spec := k.protocol.messages[m.typ]; spec.counts {
		return spec.hash(h, k.fields(m))
	}
	// The payload was just written, so it equals the fields.
	payload := k.arenas[m.typ].slots[m.place].payload
	for ; len(payload) >= 8; payload = payload[8:] {
		h = network.Mix(h ^ binary.LittleEndian.Uint64(payload))
	}
	sum := uint64(len(payload))
	for _, c := range payload {
		sum = sum<<8 | uint64(c)
	}
	return network.Mix(h ^ sum)
}
