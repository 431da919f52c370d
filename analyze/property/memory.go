package property

import (
	"fmt"
	"hash/maphash"
	"slices"

	"etrace/analyze"
	"etrace/tracefmt"
)

// mostKept is how many things of one sort a monitor remembers that must
// remember them to the end.
const mostKept = 1 << 22

// roomFor reports whether a monitor may keep that many things, and leaves the
// property undecided if not.
func roomFor(r *analyze.Result, n int, things string) bool {
	if n > mostKept {
		r.Undecided(func() string { return fmt.Sprintf("the run has more than %d %s to remember", mostKept, things) })
	}
	return n <= mostKept
}

// hashSeed is random, so that no trace can be made in which things that differ
// have the same hash.
var hashSeed = maphash.MakeSeed()

// fieldHash hashes a field of a JSON object. Sums of it do not depend on the
// order of the fields.
func fieldHash(key, value []byte) uint64 {
	return mix(maphash.Bytes(hashSeed, key) ^ mix(maphash.Bytes(hashSeed, value)))
}

// fieldsHash hashes a JSON object without regard to the order of its fields.
func fieldsHash(object []byte) (h uint64) {
	for key, value := range tracefmt.Fields(object) {
		h += fieldHash(key, value)
	}
	return h
}

// mix is the finalizer of splitmix64: each bit of x changes half of the bits.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// channel is a pair of processes: what goes from the one to the other.
type channel struct{ from, to tracefmt.ProcessID }

// seqSet is a set of seqs: a bit for each event of the run.
type seqSet []uint64

// add adds a seq, and reports whether it was there before.
func (s *seqSet) add(seq tracefmt.Seq) bool {
	word, bit := int(seq/64), uint64(1)<<(seq%64)
	if word >= len(*s) {
		*s = slices.Grow(*s, word+1-len(*s))[:word+1]
	}
	had := (*s)[word]&bit != 0
	(*s)[word] |= bit
	return had
}

// has reports whether a seq is in the set.
func (s seqSet) has(seq tracefmt.Seq) bool {
	word := int(seq / 64)
	return seq >= 0 && word < len(s) && s[word]&(1<<(seq%64)) != 0
}
