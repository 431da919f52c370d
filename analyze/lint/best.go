package lint

import (
	"fmt"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// equalBest is the monitor of equal-best.
type equalBest struct{ quietStep }

// quietStep is the Step of monitors that read the header only.
type quietStep struct{}

// Step implements [analyze.Monitor].
func (quietStep) Step(r *analyze.Result, _ *replay.State, _ *tracefmt.Event) { r.Examined++ }

func newEqualBest(*tracefmt.Run) analyze.Monitor { return equalBest{} }

// End implements [analyze.Monitor]. It finds each pair of neighbours with equal attributes, in their order.
// Variables change, so equal values at the end show nothing.
func (equalBest) End(r *analyze.Result, s *replay.State, _ analyze.Ending) {
	keys := s.Run.BestKeys()
	if len(keys) == 0 || slices.Contains(keys, tracefmt.BestID) {
		return
	}
	merits := replay.Merits(s.Run, keys)
	var candidates []tracefmt.ProcessID
	for i := range s.Run.Members {
		p := tracefmt.ProcessID(i + 1)
		switch {
		case s.Run.Part(p) == tracefmt.StandsBy:
		case slices.ContainsFunc(merits[p], func(value []byte) bool { return value == nil }):
			return
		default:
			candidates = append(candidates, p)
		}
	}
	compare := func(p, q tracefmt.ProcessID) int {
		order, _ := s.Compare(p, q, keys)
		return order
	}
	slices.SortStableFunc(candidates, compare)
	for i := 1; i < len(candidates); i++ {
		p, q := candidates[i-1], candidates[i]
		if order, lacks := s.Compare(p, q, keys); order == 0 && lacks == "" { // else they cannot be compared
			r.ViolateUnless(nil, func() string {
				name, _ := tracefmt.BestKey(keys[0])
				return fmt.Sprintf("processes %s and %s have the same %s, %s, by which the run says who is best",
					s.Run.ProcessName(p), s.Run.ProcessName(q), name, merits[p][0])
			})
		}
	}
}
