package shard

import (
	"encoding/json"
	"fmt"
	"strconv"

	"etrace/analyze"
	"etrace/tracefmt"
)

// Sum tells which events somebody has seen: how many, and a sum over their seqs that others
// hardly have.
type Sum struct {
	Events int64 `json:"events"`
	Sum    Check `json:"sum"`
}

// Check is a sum of [analyze.SeqHash], modulo 2^64. In JSON it is a text of sixteen
// hexadecimal digits, since numbers there are not exact everywhere.
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

func (s *Sum) add(seq tracefmt.Seq) {
	s.Events++
	s.Sum += Check(analyze.SeqHash(seq))
}
