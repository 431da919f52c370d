package lint

import (
	"fmt"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// equalBest is the monitor of equal-best. If a key is a variable, it compares the values when a process
// assigns elected, otherwise the attributes at the end. Each pair is reported once.
type equalBest struct {
	keys   []string
	varies bool                           // some key is no attribute of all candidates
	found  map[[2]tracefmt.ProcessID]bool // the reported pairs
}

// quietStep is the Step of monitors that read the header only.
type quietStep struct{}

// Step implements [analyze.Monitor].
func (quietStep) Step(r *analyze.Result, _ *replay.State, _ *tracefmt.Event) { r.Examined++ }

// newEqualBest returns a monitor for a run. If the id is a key, no two processes can be equal, so the monitor
// has no keys.
func newEqualBest(run *tracefmt.Run) analyze.Monitor {
	m := &equalBest{keys: run.BestKeys(), found: map[[2]tracefmt.ProcessID]bool{}}
	if slices.Contains(m.keys, tracefmt.BestID) {
		m.keys = nil
	}
	merits := replay.Merits(run, m.keys)
	for i := range run.Members {
		p := tracefmt.ProcessID(i + 1)
		m.varies = m.varies || run.Part(p) != tracefmt.Bystander &&
			slices.ContainsFunc(merits[p], func(value []byte) bool { return value == nil })
	}
	return m
}

// Step implements [analyze.Monitor].
func (m *equalBest) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	r.Examined++
	// Fixed keys were compared at the beginning. Others matter when some process is chosen by them.
	if !m.varies || len(m.keys) == 0 || e.Process == 0 || s.Process(e.Process).ElectedAt != e.Seq ||
		s.Choice(e.Process) < 1 {
		return
	}
	if best, lacks := s.BestOf(s.Electors(), m.keys); lacks == "" && len(best) > 1 {
		m.equal(r, s, best[0], best[1], e.Seq)
	}
}

// equal reports two processes with equal keys: at that event, or in the whole run if at is 0.
func (m *equalBest) equal(r *analyze.Result, s *replay.State, p, q tracefmt.ProcessID, at tracefmt.Seq) {
	if m.found[[2]tracefmt.ProcessID{p, q}] {
		return
	}
	m.found[[2]tracefmt.ProcessID{p, q}] = true
	name, _ := tracefmt.BestKey(m.keys[0])
	explain := func(when string) func() string {
		text := fmt.Sprintf("processes %s and %s have the same %s, %s, by which the run says who is best%s",
			s.Run.ProcessName(p), s.Run.ProcessName(q), name, s.Merit(p, m.keys[0]), when)
		return func() string { return text }
	}
	if at == 0 {
		r.ViolateUnless(nil, explain(""))
		return
	}
	var needs []analyze.Need
	for _, key := range m.keys {
		variable, _ := tracefmt.BestKey(key)
		needs = slices.Concat(needs, analyze.Needs(p, 0, at, tracefmt.StateOf(variable)),
			analyze.Needs(q, 0, at, tracefmt.StateOf(variable)))
	}
	r.ViolateUnless(needs, explain(", when a process assigns elected"), at)
}

// End implements [analyze.Monitor]. It finds each pair of neighbours with equal attributes, in their order.
// Variables change, so equal values at the end show nothing.
func (m *equalBest) End(r *analyze.Result, s *replay.State, _ analyze.Ending) {
	if m.varies || len(m.keys) == 0 {
		return
	}
	var candidates []tracefmt.ProcessID
	for i := range s.Run.Members {
		if p := tracefmt.ProcessID(i + 1); s.Run.Part(p) != tracefmt.Bystander {
			candidates = append(candidates, p)
		}
	}
	slices.SortStableFunc(candidates, func(p, q tracefmt.ProcessID) int {
		order, _ := s.Compare(p, q, m.keys)
		return order
	})
	for i := 1; i < len(candidates); i++ {
		p, q := candidates[i-1], candidates[i]
		if order, lacks := s.Compare(p, q, m.keys); order == 0 && lacks == "" { // else they cannot be compared
			m.equal(r, s, p, q, 0)
		}
	}
}
