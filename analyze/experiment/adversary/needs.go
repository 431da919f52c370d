package adversary

import "etrace/tracefmt"

// assume gives every message the needs with which a proof begins: all that its sender had
// handled when it was sent, or none.
func (x *proof) assume(needs bool) {
	n := len(x.h.messages)
	x.needs, x.before = make([]bitset, n), make([]bitset, n)
	for i := range x.h.messages {
		m := &x.h.messages[i]
		x.needs[i], x.before[i] = newBitset(n), newBitset(n)
		if needs {
			for _, j := range x.h.handled[m.from][:m.after] {
				x.needs[i].add(j)
			}
		}
	}
}

// close says what must have been handled before each message is: the one before it in its
// stream, what it needs, and what must have been handled before these. A message needs
// only such as were sent before it, so that one pass is enough.
func (x *proof) close() {
	for i := range x.h.messages {
		b := x.before[i]
		b.clear()
		if at := x.at[i]; at.index > 0 {
			last := x.streams[at.stream].messages[at.index-1]
			b.add(last)
			b.join(x.before[last])
		}
		for j := range i {
			if x.needs[i].has(j) {
				b.add(j)
				b.join(x.before[j])
			}
		}
	}
}

// needed says by incoming stream of a process, and message of it, how many of each of the
// incoming streams must have been handled before.
func (x *proof) needed(p tracefmt.ProcessID) [][][]byte {
	all := make([][][]byte, len(x.in[p]))
	for i, s := range x.in[p] {
		for _, m := range x.streams[s].messages {
			needed := make([]byte, len(x.in[p]))
			for _, j := range x.h.handled[p] {
				if x.before[m].has(j) {
					at := x.at[j]
					k := x.streams[at.stream].inward
					needed[k] = max(needed[k], byte(at.index+1))
				}
			}
			all[i] = append(all[i], needed)
		}
	}
	return all
}

// giveUp gives up the needs of what a process sends that do not hold, and reports whether
// there are any.
func (x *proof) giveUp(p tracefmt.ProcessID, at *points) (given bool) {
	if at == nil {
		return false // what it sends really needs what it had handled: there is no other way
	}
	for _, j := range x.h.handled[p] {
		var sent []int32 // at the greatest point without j
		for _, s := range x.out[p] {
			for k, m := range x.streams[s].messages {
				if !x.needs[m].has(j) {
					continue
				}
				if sent == nil {
					sent = x.without(p, j, at)
				}
				if int(sent[x.streams[s].outward]) > k {
					x.needs[m].remove(j)
					given = true
				}
			}
		}
	}
	return given
}

// without returns how much a process has sent at the greatest of its points at which it
// has not handled j: all is handled but j, and what must not be before j is.
func (x *proof) without(p tracefmt.ProcessID, j int, at *points) []int32 {
	key := make([]byte, len(x.in[p]))
	var passed []emission
	for i, s := range x.in[p] {
		handled := 0
		for _, m := range x.streams[s].messages {
			if m == j || x.before[m].has(j) {
				break
			}
			handled++
		}
		if x.relevant[s] {
			key[i] = byte(handled)
			continue
		}
		for range handled {
			passed = append(passed, at.answers[i]...)
		}
	}
	sent := append([]int32(nil), at.all[string(key)].sent...)
	for _, e := range passed {
		sent[x.streams[x.numbers[x.key(p, e.to, e.letter)]].outward]++
	}
	return sent
}

// bitset is a set of messages.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) has(i int) bool { return b[i/64]>>(i%64)&1 == 1 }

func (b bitset) add(i int) { b[i/64] |= 1 << (i % 64) }

func (b bitset) remove(i int) { b[i/64] &^= 1 << (i % 64) }

func (b bitset) clear() { clear(b) }

func (b bitset) join(c bitset) {
	for i := range b {
		b[i] |= c[i]
	}
}
