package causal_test

import (
	"slices"
	"strings"
	"testing"

	"etrace/analyze/causal"
	"etrace/tracefmt"
)

// office is a run in which processes hold an office in turn.
type office struct {
	tracker *causal.Tracker
	set     func(p tracefmt.ProcessID, holds bool)
	seq     tracefmt.Seq
}

func newOffice(processes int) *office {
	run := &tracefmt.Run{Members: make([]tracefmt.Member, processes)}
	return &office{tracker: causal.NewTracker(run)}
}

func (o *office) step(e tracefmt.Event) tracefmt.Seq {
	o.seq++
	e.Seq = o.seq
	o.tracker.Step(&e)
	return o.seq
}

// term lets p hold the office for a step.
func (o *office) term(p tracefmt.ProcessID) {
	o.step(tracefmt.Event{Kind: tracefmt.State, Process: p})
	o.set(p, true)
	o.step(tracefmt.Event{Kind: tracefmt.State, Process: p})
	o.set(p, false)
}

// hear sends a message from p to q.
func (o *office) hear(p, q tracefmt.ProcessID) {
	sent := o.step(tracefmt.Event{Kind: tracefmt.Send, Process: p, Peer: q})
	o.step(tracefmt.Event{Kind: tracefmt.Receive, Process: q, Peer: p, Cause: sent})
}

// TestPairsForget: in many successive terms, only intervals are stored that some process may not know.
func TestPairsForget(t *testing.T) {
	for _, definite := range []bool{false, true} {
		o := newOffice(3)
		found := 0
		report := func(causal.Witness) { found++ }
		pairs := o.tracker.PossiblyPairs(report)
		if definite {
			pairs = o.tracker.DefinitelyPairs(report)
		}
		o.set = pairs.Set
		maximum := 0
		for i := range 3000 {
			p := tracefmt.ProcessID(i%3 + 1)
			o.term(p)
			o.hear(p, p%3+1)
			maximum = max(maximum, o.tracker.Kept())
		}
		// An interval of each process; and whoever holds the office has heard of no other's end.
		if pairs.End(true); found != 0 || maximum > 3 {
			t.Errorf("definitely %v: %d pairs found, %d intervals kept, want none and at most 3", definite, found, maximum)
		}
	}
}

// TestPairsForgetTheDeaf: a process that learns nothing, and a process that holds the office all the time unknown to
// others, do not keep others' intervals in memory.
func TestPairsForgetTheDeaf(t *testing.T) {
	o := newOffice(4)
	found, maximum := 0, 0
	o.set = o.tracker.DefinitelyPairs(func(causal.Witness) { found++ }).Set
	o.step(tracefmt.Event{Kind: tracefmt.State, Process: 4})
	o.set(4, true)
	for i := range 1000 {
		p := tracefmt.ProcessID(i%3 + 1)
		o.term(p)
		if p < 3 {
			o.hear(p, p+1) // the third sends nothing, the first receives nothing
		}
		maximum = max(maximum, o.tracker.Kept())
	}
	if found != 0 || maximum > 4 {
		t.Errorf("%d pairs found, %d intervals kept, want none and at most 4", found, maximum)
	}
}

// TestPairsForgetTheKnown: of many intervals that end while another process, known to them, holds the office and
// hears nothing, the first is enough.
func TestPairsForgetTheKnown(t *testing.T) {
	o := newOffice(2)
	var found []causal.Witness
	pairs := o.tracker.DefinitelyPairs(func(w causal.Witness) { found = append(found, w) })
	o.set = pairs.Set
	o.step(tracefmt.Event{Kind: tracefmt.State, Process: 2})
	o.set(2, true)
	o.hear(2, 1) // up to seq 3
	for range 1000 {
		o.term(1)
	}
	if kept := o.tracker.Kept(); kept != 2 {
		t.Errorf("%d intervals kept, want that of 2 and the first of 1", kept)
	}
	o.hear(1, 2)
	end := o.step(tracefmt.Event{Kind: tracefmt.State, Process: 2})
	if o.set(2, false); len(found) != 1 {
		t.Fatalf("%d pairs found, want one", len(found))
	}
	if first, second := found[0].Intervals[0], found[0].Intervals[1]; first.From != 1 || first.To != end ||
		second.From != 4 || second.To != 5 {
		t.Errorf("found %v and %v, want the first term of 1 during that of 2", first, second)
	}
}

// TestPairsForgetRounds: with a detector for each term, those whose ends every process knows are pruned whenever
// the intervals have doubled.
func TestPairsForgetRounds(t *testing.T) {
	o := newOffice(3)
	o.tracker.SetLimit(1 << 20)
	detector, maximum := o.tracker.PossiblyPairs(func(causal.Witness) { t.Error("a pair is found") }), 0
	for i := range 1000 {
		p := tracefmt.ProcessID(i%3 + 1)
		o.set = detector.Fork().Set
		o.term(p)
		o.hear(p, p%3+1)
		maximum = max(maximum, o.tracker.Kept())
	}
	if maximum > 8 {
		t.Errorf("%d intervals kept, want those of the last three terms, and as many again", maximum)
	}
}

// TestFork: former intervals count for the new predicate, new intervals of one do not count for the other, and
// two processes are reported once.
func TestFork(t *testing.T) {
	for _, definite := range []bool{false, true} {
		o := newOffice(3)
		found := 0
		report := func(causal.Witness) { found++ }
		old := o.tracker.PossiblyPairs(report)
		if definite {
			old = o.tracker.DefinitelyPairs(report)
		}
		old.Set(1, true) // initially
		fork := old.Fork()
		fork.Set(2, true)
		old.Set(3, true)
		fork.Set(3, true)
		old.End(true)
		fork.End(true)
		if found != 3 { // 1 and 3 of both, 1 and 2, 2 and 3
			t.Errorf("definitely %v: %d pairs found, want three", definite, found)
		}
		if fork.Close(); !fork.Idle() || o.tracker.Kept() != 2 {
			t.Errorf("definitely %v: %d intervals kept, want two", definite, o.tracker.Kept())
		}
	}
}

// TestUndecided: when the bound is exceeded, the tracker reports that, and reports no pairs from then on.
func TestUndecided(t *testing.T) {
	o := newOffice(2)
	o.tracker.SetLimit(25 * 12) // an interval has two clocks of six words that know nothing
	fluent, found := o.tracker.Fluent(), 0
	pairs := o.tracker.DefinitelyPairs(func(causal.Witness) { found++ })
	o.set = func(p tracefmt.ProcessID, holds bool) { fluent.Set(p, holds); pairs.Set(p, holds) }
	for range 24 {
		o.term(1)
	}
	if reason := o.tracker.Undecided(); reason != "" {
		t.Fatalf("undecided after 25 intervals, two of them one: %s", reason)
	}
	for range 26 {
		o.term(1)
	}
	if reason := o.tracker.Undecided(); !strings.Contains(reason, "more than the 0.0 MB that are kept for 2 processes") {
		t.Errorf("undecided: %q", reason)
	}
	before := len(fluent.Intervals(1, true))
	o.term(1)
	o.step(tracefmt.Event{Kind: tracefmt.State, Process: 2})
	o.set(2, true)
	if pairs.End(true); found != 0 || len(fluent.Intervals(1, true)) != before {
		t.Error("something is still kept or reported")
	}
}

// TestFluent: intervals are maximal, and an interval has at least one state.
func TestFluent(t *testing.T) {
	o := newOffice(1)
	f := o.tracker.Fluent()
	f.Set(1, true) // initially
	o.step(tracefmt.Event{Kind: tracefmt.State, Process: 1})
	f.Set(1, true)
	o.step(tracefmt.Event{Kind: tracefmt.State, Process: 1})
	f.Set(1, false)
	f.Set(1, false)
	o.step(tracefmt.Event{Kind: tracefmt.State, Process: 1})
	f.Set(1, true)
	f.Set(1, false)
	o.step(tracefmt.Event{Kind: tracefmt.State, Process: 1})
	f.Set(1, true)
	var got [][2]tracefmt.Seq
	for _, i := range f.Intervals(1, true) {
		got = append(got, [2]tracefmt.Seq{i.From, i.To})
	}
	if want := [][2]tracefmt.Seq{{0, 2}, {4, 0}}; !slices.Equal(got, want) {
		t.Errorf("intervals %v, want %v", got, want)
	}
}

// TestOneProcess: two predicates of one process meet if they share a state; an
// interval that begins where the other ends does not.
func TestOneProcess(t *testing.T) {
	for _, tt := range []struct {
		from tracefmt.Seq // where the second begins; the first holds from 1 to 3
		want bool
	}{{2, true}, {3, false}, {4, false}} {
		o := newOffice(1)
		f, g := o.tracker.Fluent(), o.tracker.Fluent()
		for seq := range tracefmt.Seq(5) {
			o.step(tracefmt.Event{Kind: tracefmt.State, Process: 1})
			f.Set(1, seq+1 < 3)
			g.Set(1, seq+1 >= tt.from)
		}
		if _, ok := causal.Possibly(f.Intervals(1, true), g.Intervals(1, true)); ok != tt.want {
			t.Errorf("from seq %d: possibly %v", tt.from, ok)
		}
		if _, ok := causal.Definitely(g.Intervals(1, true), f.Intervals(1, true)); ok != tt.want {
			t.Errorf("from seq %d: definitely %v", tt.from, ok)
		}
	}
}

// TestNothingToAsk: of no conjuncts all hold everywhere.
func TestNothingToAsk(t *testing.T) {
	for name, ask := range map[string]func(...[]causal.Interval) (causal.Witness, bool){
		"possibly":   causal.Possibly,
		"definitely": causal.Definitely,
	} {
		if w, ok := ask(); !ok || len(w.Intervals) > 0 || len(w.Cut().Seqs()) > 0 {
			t.Errorf("%s: got %v, %v, want the empty cut", name, w, ok)
		}
		if _, ok := ask(nil); ok {
			t.Errorf("%s: what holds nowhere cannot be shown", name)
		}
	}
}

// TestStretches: between two intervals that touch is no gap, and none is before an interval from the beginning on.
func TestStretches(t *testing.T) {
	interval := func(from, end tracefmt.Seq, value int) causal.Interval {
		return causal.Interval{Process: 1, From: from, To: end, Value: value}
	}
	for _, test := range []struct {
		list []causal.Interval
		want []int
	}{
		{nil, []int{0}},
		{[]causal.Interval{interval(2, 4, 1), interval(6, 8, 2)}, []int{0, 1, 0, 2, 0}},
		{[]causal.Interval{interval(2, 4, 1), interval(4, 8, 2)}, []int{0, 1, 2, 0}},
		{[]causal.Interval{interval(0, 4, 1), interval(6, 0, 2)}, []int{1, 0, 2}},
	} {
		if got := causal.Stretches(test.list); !slices.Equal(got, test.want) {
			t.Errorf("%v: values %v, want %v", test.list, got, test.want)
		}
	}
}
