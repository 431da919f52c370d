package causal_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"etrace/analyze/causal"
	"etrace/fixtures/size"
	"etrace/tracefmt"
)

// story is a run with a local predicate, and the naive view of both: all
// consistent cuts, each found by trying.
type story struct {
	run    *tracefmt.Run
	events []tracefmt.Event
	// holds reports whether the predicate holds at the event's process after it,
	// and initially before the first event of each.
	holds     []bool
	initially []bool
}

// step reports whether the event is a step of its process.
func step(e *tracefmt.Event) bool { return e.Process != 0 && e.Kind != tracefmt.Lose }

// steps returns the steps of each process, as indices into events.
func (s *story) steps() [][]int {
	steps := make([][]int, len(s.run.Members))
	for i := range s.events {
		if e := &s.events[i]; step(e) {
			steps[e.Process-1] = append(steps[e.Process-1], i)
		}
	}
	return steps
}

// before returns happened-before as the transitive closure of its edges.
func (s *story) before() [][]bool {
	n := len(s.events)
	hb := make([][]bool, n)
	for j := range s.events {
		hb[j] = make([]bool, n)
		for i := range s.events[:j] {
			a, b := &s.events[i], &s.events[j]
			caused := b.Cause == a.Seq || slices.Contains(slices.Collect(b.Causes()), a.Seq)
			hb[j][i] = step(a) && step(b) && (a.Process == b.Process || caused)
		}
	}
	// Warshall: k is the greatest event between j and i so far.
	for k := range n {
		for j := range n {
			for i := range n {
				hb[j][i] = hb[j][i] || hb[j][k] && hb[k][i]
			}
		}
	}
	return hb
}

// lattice returns all consistent cuts, as the number of steps of each process.
func (s *story) lattice() (cuts [][]int) {
	steps, hb := s.steps(), s.before()
	consistent := func(cut []int) bool {
		included := func(i int) bool { p := s.events[i].Process - 1; return slices.Index(steps[p], i) < cut[p] }
		for _, list := range steps {
			for _, j := range list {
				for i := range s.events {
					if included(j) && hb[j][i] && !included(i) {
						return false
					}
				}
			}
		}
		return true
	}
	var extend func(cut []int)
	extend = func(cut []int) {
		if len(cut) == len(steps) {
			if consistent(cut) {
				cuts = append(cuts, slices.Clone(cut))
			}
			return
		}
		for n := range len(steps[len(cut)]) + 1 {
			extend(append(cut, n))
		}
	}
	extend(nil)
	return cuts
}

// holdsIn reports whether the predicate holds at all the processes in a cut.
func (s *story) holdsIn(cut []int, processes []tracefmt.ProcessID) bool {
	for _, p := range processes {
		holds := s.initially[p-1]
		if n := cut[p-1]; n > 0 {
			holds = s.holds[s.steps()[p-1][n-1]]
		}
		if !holds {
			return false
		}
	}
	return true
}

// possibly returns the least consistent cut in which the predicate holds at all the processes, and whether there is
// one.
func (s *story) possibly(processes []tracefmt.ProcessID) (minimum []int, ok bool) {
	for _, cut := range s.lattice() {
		if s.holdsIn(cut, processes) {
			if !ok {
				minimum, ok = cut, true
			}
			for i := range minimum {
				minimum[i] = min(minimum[i], cut[i])
			}
		}
	}
	return minimum, ok
}

// definitely reports whether no way through the lattice, one event at a time,
// avoids the cuts in which the predicate holds at all the processes. Such a way
// is an order of all events that agrees with happened-before.
func (s *story) definitely(processes []tracefmt.ProcessID) bool {
	reached := map[string]bool{}
	lattice := s.lattice() // a cut follows the cuts that are part of it
	for _, cut := range lattice {
		if s.holdsIn(cut, processes) {
			continue
		}
		reached[fmt.Sprint(cut)] = !slices.ContainsFunc(cut, func(n int) bool { return n > 0 })
		for p := range cut {
			if cut[p] > 0 {
				less := slices.Clone(cut)
				less[p]--
				reached[fmt.Sprint(cut)] = reached[fmt.Sprint(cut)] || reached[fmt.Sprint(less)]
			}
		}
	}
	return !reached[fmt.Sprint(lattice[len(lattice)-1])]
}

// recorded reports whether the predicate holds at all the processes somewhere
// in the recorded order.
func (s *story) recorded(processes []tracefmt.ProcessID) bool {
	cut := make([]int, len(s.run.Members))
	holds := s.holdsIn(cut, processes)
	for i := range s.events {
		if e := &s.events[i]; step(e) {
			cut[e.Process-1]++
			holds = holds || s.holdsIn(cut, processes)
		}
	}
	return holds
}

// seqs is a cut of the lattice as a [causal.Cut].
func (s *story) seqs(cut []int) causal.Cut {
	c := make(causal.Cut, len(cut))
	for p, n := range cut {
		if n > 0 {
			c[p] = s.events[s.steps()[p][n-1]].Seq
		}
	}
	return c
}

// ended is the story in which each process takes one more step that makes the
// predicate false, without hearing of anything: the worst that may follow.
func (s *story) ended() *story {
	e := *s
	for p := range s.run.Members {
		e.events = append(slices.Clip(e.events), tracefmt.Event{
			Seq: tracefmt.Seq(len(e.events) + 1), Kind: tracefmt.Note, Process: tracefmt.ProcessID(p + 1),
		})
		e.holds = append(slices.Clip(e.holds), false)
	}
	return &e
}

// play gives the events of the story to a tracker.
func (s *story) play(t *causal.Tracker, set func(p tracefmt.ProcessID, holds bool)) {
	for p, holds := range s.initially {
		set(tracefmt.ProcessID(p+1), holds)
	}
	for i := range s.events {
		e := &s.events[i]
		if t.Step(e); step(e) {
			set(e.Process, s.holds[i])
		}
	}
}

// drawStory draws a small run in which messages are received, received twice
// and lost, processes crash and recover, and events name further causes.
func drawStory(t *rapid.T) *story {
	n := rapid.IntRange(1, 4).Draw(t, "processes")
	s := &story{run: &tracefmt.Run{Members: make([]tracefmt.Member, n)}}
	process := rapid.Map(rapid.IntRange(1, n), func(p int) tracefmt.ProcessID { return tracefmt.ProcessID(p) })
	holds := make([]bool, n)
	for p := range holds {
		holds[p] = rapid.Bool().Draw(t, "initially")
	}
	s.initially = slices.Clone(holds)
	var sends []tracefmt.Event
	for i := range rapid.IntRange(0, 14).Draw(t, "events") {
		e := tracefmt.Event{Seq: tracefmt.Seq(i + 1), Process: process.Draw(t, "process"), Kind: rapid.SampledFrom(drawnKinds).Draw(t, "kind")}
		switch {
		case e.Kind == tracefmt.Send:
			e.Peer, e.Message = process.Draw(t, "peer"), tracefmt.MessageID(i+1)
			sends = append(sends, e)
		case e.Kind == tracefmt.Partition:
			e.Process = 0
		case (e.Kind == tracefmt.Receive || e.Kind == tracefmt.Lose) && len(sends) > 0:
			m := rapid.SampledFrom(sends).Draw(t, "of")
			e.Process, e.Peer, e.Message, e.Cause = m.Peer, m.Process, m.Message, m.Seq
		case e.Kind == tracefmt.Note && i > 0 && rapid.Bool().Draw(t, "caused"):
			e.Cause = tracefmt.Seq(rapid.IntRange(1, i).Draw(t, "cause"))
			e.Payload = fmt.Appendf(nil, `{"causes":[%d,%d]}`, rapid.IntRange(1, i).Draw(t, "cause"), rapid.IntRange(1, i).Draw(t, "cause"))
		}
		if step(&e) {
			flip := rapid.IntRange(0, 2).Draw(t, "flip") == 0
			// A crashed process holds nothing.
			holds[e.Process-1] = holds[e.Process-1] != flip && e.Kind != tracefmt.Crash
			s.holds = append(s.holds, holds[e.Process-1])
		} else {
			s.holds = append(s.holds, false)
		}
		s.events = append(s.events, e)
	}
	return s
}

var drawnKinds = []tracefmt.Kind{
	tracefmt.State, tracefmt.Send, tracefmt.Send, tracefmt.Send, tracefmt.Receive, tracefmt.Receive, tracefmt.Receive,
	tracefmt.Receive, tracefmt.Lose, tracefmt.Crash, tracefmt.Recover, tracefmt.Note, tracefmt.Partition,
}

// TestConjunctions compares the two algorithms with the lattice, for some of
// the processes of a story.
func TestConjunctions(t *testing.T) {
	seen := map[string]int{}
	size.Check(t, 60, 400, 4_000, func(t *rapid.T) { conjunctions(t, seen) })
	if size.Now() == size.Quick {
		return // it need not draw every outcome
	}
	for k := 2; k <= 4; k++ {
		for _, outcome := range []string{
			"possibly false, definitely false", "possibly true, definitely false",
			"possibly true, definitely true",
		} {
			if name := fmt.Sprintf("%d processes, %s", k, outcome); seen[name] == 0 && !t.Failed() {
				t.Errorf("no story drawn for %s: %v", name, seen)
			}
		}
	}
}

func conjunctions(t *rapid.T, seen map[string]int) {
	s := drawStory(t)
	var some []tracefmt.ProcessID
	for p := range s.run.Members {
		if rapid.IntRange(0, 3).Draw(t, "asked") > 0 {
			some = append(some, tracefmt.ProcessID(p+1))
		}
	}
	tracker := causal.NewTracker(s.run)
	fluent := tracker.Fluent()
	s.play(tracker, fluent.Set)
	conjuncts := func(final bool) (lists [][]causal.Interval) {
		for _, p := range some {
			lists = append(lists, fluent.Intervals(p, final))
		}
		return lists
	}
	minimum, possible := s.possibly(some)
	w, ok := causal.Possibly(conjuncts(true)...)
	if ok != possible || ok && len(some) > 0 && !slices.Equal(w.Cut(), s.seqs(minimum)) {
		t.Fatalf("possibly %v at %v: %v %v, the lattice says %v %v", some, s.events, ok, w.Cut(), possible, s.seqs(minimum))
	}
	w, ok = causal.Definitely(conjuncts(true)...)
	definite := s.definitely(some)
	if ok != definite {
		t.Fatalf("definitely %v at %v: %v, the lattice says %v", some, s.events, ok, definite)
	}
	if ok {
		checkWitness(t, s, some, w)
	}
	if _, ok := causal.Definitely(conjuncts(false)...); ok != s.ended().definitely(some) {
		t.Fatalf("definitely %v at %v, stopped: %v", some, s.events, ok)
	}
	// The recorded order is one path through the lattice, between definitely and possibly.
	if recorded := s.recorded(some); definite && !recorded || recorded && !possible {
		t.Fatalf("definitely %v, recorded %v, possibly %v", definite, recorded, possible)
	}
	seen[fmt.Sprintf("%d processes, possibly %v, definitely %v", len(some), possible, definite)]++
}

// checkWitness: the cut is consistent, and the predicate holds in it.
func checkWitness(t *rapid.T, s *story, processes []tracefmt.ProcessID, w causal.Witness) {
	if len(processes) == 0 {
		return
	}
	for _, cut := range s.lattice() {
		if slices.Equal(s.seqs(cut), w.Cut()) && s.holdsIn(cut, processes) {
			return
		}
	}
	t.Fatalf("%v is no consistent cut in which the predicate holds at %v", w.Cut(), processes)
}

// TestPairs compares the detectors of pairs with the lattice. No later interval can meet an interval that is pruned.
func TestPairs(t *testing.T) {
	size.Check(t, 60, 500, 20_000, comparePairs)
}

func comparePairs(t *rapid.T) {
	s := drawStory(t)
	final := rapid.Bool().Draw(t, "final")
	possible, definite := map[string]bool{}, map[string]bool{}
	report := func(pairs map[string]bool) func(causal.Witness) {
		return func(w causal.Witness) {
			pair := []tracefmt.ProcessID{w.Intervals[0].Process, w.Intervals[1].Process}
			checkWitness(t, s, pair, w)
			slices.Sort(pair)
			if pairs[fmt.Sprint(pair)] {
				t.Fatalf("%v is reported twice", pair)
			}
			pairs[fmt.Sprint(pair)] = true
		}
	}
	tracker := causal.NewTracker(s.run)
	possibly, definitely := tracker.PossiblyPairs(report(possible)), tracker.DefinitelyPairs(report(definite))
	pruned := rapid.Bool().Draw(t, "pruned")
	s.play(tracker, func(p tracefmt.ProcessID, holds bool) {
		possibly.Set(p, holds)
		definitely.Set(p, holds)
		if pruned {
			possibly.Prune()
		}
	})
	possibly.End(final)
	definitely.End(final)
	judged := s
	if !final {
		judged = s.ended()
	}
	for p := range s.run.Members {
		for q := range p {
			pair := []tracefmt.ProcessID{tracefmt.ProcessID(q + 1), tracefmt.ProcessID(p + 1)}
			if _, want := s.possibly(pair); possible[fmt.Sprint(pair)] != want {
				t.Fatalf("possibly %v at %v: want %v", pair, s.events, want)
			}
			if want := judged.definitely(pair); definite[fmt.Sprint(pair)] != want {
				t.Fatalf("definitely %v at %v, final %v: want %v", pair, s.events, final, want)
			}
		}
	}
}
