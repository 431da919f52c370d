package adversary

import "etrace/tracefmt"

// setNeeds sets the needs at the beginning of a proof: all messages that the sender had handled before, or none
// if needs is false.
func (x *proof) setNeeds(needs bool) {
	n := len(x.h.messages)
	x.needs, x.before = make([]bitset, n), make([]bitset, n)
	for i := range x.h.messages {
		m := &x.h.messages[i]
		x.needs[i], x.before[i] = newBitset(n), newBitset(n)
		if needs {
			for _, j := range x.h.handled[m.sender][:m.after] {
				x.needs[i].add(j)
			}
		}
	}
}

// closeNeeds computes, for each message, the messages that must be handled before it: its predecessor in the
// stream, its needs, and in turn their predecessors. One pass is enough, since all needs of a message were
// sent before it.
func (x *proof) closeNeeds() {
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

// neededCounts returns, for each message that a process receives, how many messages of each incoming stream it must
// handle before. It is indexed by incoming stream and message.
func (x *proof) neededCounts(p tracefmt.ProcessID) [][][]byte {
	counts := make([][][]byte, len(x.inward[p]))
	for i, s := range x.inward[p] {
		for _, m := range x.streams[s].messages {
			needed := make([]byte, len(x.inward[p]))
			for _, j := range x.h.handled[p] {
				if x.before[m].has(j) {
					at := x.at[j]
					k := x.streams[at.stream].inward
					needed[k] = max(needed[k], byte(at.index+1))
				}
			}
			counts[i] = append(counts[i], needed)
		}
	}
	return counts
}

// giveUp drops the needs of the process's messages that do not hold: the message is sent even at the greatest
// point without the need. It reports whether it dropped any.
func (x *proof) giveUp(p tracefmt.ProcessID, at *points) (given bool) {
	if at == nil {
		// The process has no other order, so its messages really need all that it had handled.
		return false
	}
	for _, j := range x.h.handled[p] {
		var sent []int32 // at the greatest point without j
		for _, s := range x.outward[p] {
			for k, m := range x.streams[s].messages {
				if !x.needs[m].has(j) {
					continue
				}
				if sent == nil {
					sent = x.sentWithout(p, j, at)
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

// sentWithout returns the number of messages that a process has sent on each stream at its greatest point without j.
// A point is the number of messages of each stream that the process has handled. At this one, it has handled all
// except j and the messages after j.
func (x *proof) sentWithout(p tracefmt.ProcessID, j int, at *points) []int32 {
	key := make([]byte, len(x.inward[p]))
	var passed []emission
	for i, s := range x.inward[p] {
		handled := 0
		for _, m := range x.streams[s].messages {
			// A message that needs j cannot be handled without it, nor can those after it in the stream.
			if m == j || x.before[m].has(j) {
				break
			}
			handled++
		}
		// Points contain only the relevant streams. A message of any other stream is answered in the same way at
		// every point.
		if x.relevant[s] {
			key[i] = byte(handled)
			continue
		}
		for range handled {
			passed = append(passed, at.answers[i]...)
		}
	}
	sent := append([]int32(nil), at.known[string(key)].sent...)
	for _, e := range passed {
		sent[x.streams[x.numbers[x.key(p, e.receiver, e.contentID)]].outward]++
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
