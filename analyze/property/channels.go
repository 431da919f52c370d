package property

import (
	"slices"

	"etrace/tracefmt"
)

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
