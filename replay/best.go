package replay

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Best returns the live electors that should be elected, by the keys of the run ([tracefmt.Run.BestKeys]), in
// ascending order. There are several if the keys are equal, none if no elector is live. A live Byzantine
// process that is no worse is among them, since the electors cannot know it. lacks explains why the best is
// unknown; "" if it is known.
func (s *State) Best() (best []tracefmt.ProcessID, lacks string) {
	keys := s.Run.BestKeys()
	best, lacks = s.BestOf(s.Electors(), keys)
	if lacks != "" || len(best) == 0 {
		return nil, lacks
	}
	elector := best[0]
	for _, p := range s.byzantine {
		if order, lacks := s.Compare(p, elector, keys); s.Live(p) && order >= 0 && lacks == "" {
			best = append(best, p)
		}
	}
	slices.Sort(best)
	return best, ""
}

// BestOf returns the best of these processes by these keys, the first key counting most, in their order. lacks
// explains why the best is unknown; "" if it is known.
func (s *State) BestOf(ps []tracefmt.ProcessID, keys []string) (best []tracefmt.ProcessID, lacks string) {
	if len(keys) == 0 {
		return nil, "the run does not say who is best"
	}
	best = slices.Clone(ps)
	for _, key := range keys {
		best, lacks = s.greatest(best, key)
		if lacks != "" {
			return nil, lacks
		}
	}
	return best, ""
}

// greatest returns the processes with the best value of a key. It needs the value of each process.
func (s *State) greatest(ps []tracefmt.ProcessID, key string) (greatest []tracefmt.ProcessID, lacks string) {
	for _, p := range ps {
		if len(greatest) == 0 {
			greatest = append(greatest, p)
			// A single process is the best only if its value is known.
			if key != tracefmt.BestID && s.Merit(p, key) == nil {
				return nil, s.lacksMerit(p, key)
			}
			continue
		}
		order, lacks := s.compareKey(p, greatest[0], key)
		switch {
		case lacks != "":
			return nil, lacks
		case order > 0:
			greatest = append(greatest[:0], p)
		case order == 0:
			greatest = append(greatest, p)
		}
	}
	return greatest, ""
}

// Compare compares p with q by these keys, the first that differs deciding; the result is below 0 if q is
// better. lacks explains why the order is unknown; "" if it is known.
func (s *State) Compare(p, q tracefmt.ProcessID, keys []string) (order int, lacks string) {
	for _, key := range keys {
		order, lacks = s.compareKey(p, q, key)
		if order != 0 || lacks != "" {
			return order, lacks
		}
	}
	return 0, ""
}

// compareKey compares p with q by one key; the result is below 0 if q is better. lacks explains why the order
// is unknown: a value is not recorded, or the two values have no order.
func (s *State) compareKey(p, q tracefmt.ProcessID, key string) (order int, lacks string) {
	if key == tracefmt.BestID {
		return cmp.Compare(s.ranks[p], s.ranks[q]), ""
	}
	x, y := s.Merit(p, key), s.Merit(q, key)
	switch {
	case x == nil:
		return 0, s.lacksMerit(p, key)
	case y == nil:
		return 0, s.lacksMerit(q, key)
	}
	name, _ := tracefmt.BestKey(key)
	order, ok := CompareMerits(key, x, y)
	if !ok {
		return 0, fmt.Sprintf("the %s of process %s, %s, cannot be compared with that of process %s, %s",
			text.Printable(name),
			s.Run.ProcessName(p), text.Short(string(x), 41), s.Run.ProcessName(q), text.Short(string(y), 41))
	}
	return order, ""
}

// lacksMerit returns the reason why p cannot be compared: p has no value of the key.
func (s *State) lacksMerit(p tracefmt.ProcessID, key string) string {
	key, _ = tracefmt.BestKey(key)
	return fmt.Sprintf("process %s has no %s, by which the run says who is best", s.Run.ProcessName(p),
		text.Printable(key))
}

// Merit returns the value of a key at p: an attribute of the member, else a variable; nil for neither.
func (s *State) Merit(p tracefmt.ProcessID, key string) []byte {
	key, _ = tracefmt.BestKey(key)
	if value := memberAttribute(s.Run, p, key); value != nil {
		return value
	}
	value, _ := s.Variable(p, key)
	return value
}

// memberAttribute returns the raw JSON value of an attribute of the member p; nil if it is absent or null.
func memberAttribute(run *tracefmt.Run, p tracefmt.ProcessID, key string) []byte {
	for name, value := range tracefmt.Fields(run.Members[p-1].Attributes) {
		if string(name) == key && string(value) != "null" {
			return value
		}
	}
	return nil
}

// Merits returns, by process, the values of these keys that are fixed for the whole run: the id or attributes
// of the member. A key that may be a variable has the value nil.
func Merits(run *tracefmt.Run, keys []string) [][][]byte {
	merits := make([][][]byte, len(run.Members)+1)
	ranks := Ranks(run)
	for i := range run.Members {
		p := tracefmt.ProcessID(i + 1)
		merits[p] = make([][]byte, len(keys))
		for k, key := range keys {
			name, _ := tracefmt.BestKey(key)
			merits[p][k] = memberAttribute(run, p, name)
			if key == tracefmt.BestID {
				merits[p][k] = strconv.AppendInt(nil, ranks[p], 10)
			}
		}
	}
	return merits
}

// CompareMerits compares two values of a key of [tracefmt.Run.Best]; the result is below 0 if y is better. ok
// is false for values without an order.
func CompareMerits(key string, x, y []byte) (order int, ok bool) {
	if _, smallest := tracefmt.BestKey(key); smallest {
		x, y = y, x
	}
	return compareValues(x, y)
}

// compareValues compares two values: numbers, also in texts and to base 16 such as "0x1f", by their size,
// other texts by their characters.
func compareValues(x, y []byte) (order int, ok bool) {
	if n, isNumber := tracefmt.ParseNumber(x); isNumber {
		m, ok := tracefmt.ParseNumber(y)
		return n.Compare(m), ok
	}
	var a, b string
	if json.Unmarshal(x, &a) != nil || json.Unmarshal(y, &b) != nil || bytes.Equal(x, []byte("null")) {
		return 0, false
	}
	if _, isNumber := tracefmt.ParseNumber(y); isNumber {
		return 0, false
	}
	// Without leading zeros, the longer of two numbers to base 16 is greater.
	h, isHex := hexDigits(a)
	k, alsoHex := hexDigits(b)
	if isHex && alsoHex {
		return cmp.Or(cmp.Compare(len(h), len(k)), strings.Compare(h, k)), true
	}
	return strings.Compare(a, b), isHex == alsoHex
}

// hexDigits returns the digits of a number to base 16, such as 0x1F, without leading
// zeros and in lower case.
func hexDigits(s string) (string, bool) {
	digits, ok := strings.CutPrefix(strings.ToLower(s), "0x")
	return strings.TrimLeft(digits, "0"), ok && digits != "" && strings.Trim(digits, "0123456789abcdef") == ""
}
