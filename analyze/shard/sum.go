package shard

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"strconv"

	"etrace/analyze"
	"etrace/tracefmt"
)

// Sum identifies a set of events. It has their number, the sum of the hashes of their seqs, and the sum of the hashes
// of their contents. The latter shows whether an engine has changed an event.
type Sum struct {
	Events  int64 `json:"events"`
	Sum     Check `json:"sum"`
	Content Check `json:"content"`
}

// Check is a sum of hashes modulo 2^64, of [analyze.SeqHash] or of contents. In JSON it is a text of sixteen
// hexadecimal digits, because not all programs read large JSON numbers exactly.
type Check uint64

// MarshalJSON implements [json.Marshaler].
func (c Check) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, `"%016x"`, uint64(c)), nil }

// UnmarshalJSON implements [json.Unmarshaler].
func (c *Check) UnmarshalJSON(b []byte) error {
	var text string
	if err := json.Unmarshal(b, &text); err != nil {
		return err
	}
	n, err := strconv.ParseUint(text, 16, 64)
	*c = Check(n)
	return err
}

func (s *Sum) add(e seen) {
	s.Events++
	s.Sum += e.seq
	s.Content += e.content
}

// plus returns the sum of both sets of events.
func (s Sum) plus(t Sum) Sum { return Sum{s.Events + t.Events, s.Sum + t.Sum, s.Content + t.Content} }

// sameSeqs reports whether both sums are of events with the same seqs. The contents may differ.
func (s Sum) sameSeqs(t Sum) bool { return s.Events == t.Events && s.Sum == t.Sum }

// seen is the hashes of an event.
type seen struct{ seq, content Check }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// hasher hashes events. It reuses its memory, since otherwise each event would allocate some.
type hasher struct{ text []byte }

// hash returns the hashes of an event.
func (h *hasher) hash(e *tracefmt.Event) seen {
	b := h.text[:0]
	for _, n := range [...]int64{
		int64(e.Seq), int64(e.Time), int64(e.Process), int64(e.Kind), int64(e.Peer), int64(e.Message),
		int64(e.Cause), e.Lamport, e.Term,
	} {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	b = append(append(b, e.Type...), 0) // a byte that no type contains
	h.text = append(b, e.Payload...)
	seq := analyze.SeqHash(e.Seq)
	return seen{Check(seq), Check(analyze.Spread(seq ^ uint64(crc32.Checksum(h.text, castagnoli))))}
}
