package tracefmt_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"etrace/tracefmt"
)

// lawful reports whether a process can have these events in order. A process that is down does nothing,
// recovers only after a crash, and starts only at the beginning or after a crash.
func lawful(kinds []tracefmt.Kind) bool {
	down, halted := false, false
	for i, k := range kinds {
		switch k {
		case tracefmt.Start:
			if i > 0 && (!down || halted) {
				return false
			}
			down = false
		case tracefmt.Recover:
			if !down || halted {
				return false
			}
			down = false
		default:
			if down {
				return false
			}
			down, halted = k == tracefmt.Crash || k == tracefmt.Halt, k == tracefmt.Halt
		}
	}
	return true
}

// TestShowsUp: if all starts and recoveries are recorded, a crash may be missing exactly where inserting it
// leaves a lawful sequence; a halt at most there.
func TestShowsUp(t *testing.T) {
	kinds := []tracefmt.Kind{tracefmt.Note, tracefmt.Note, tracefmt.Start, tracefmt.Recover, tracefmt.Crash, tracefmt.Halt}
	tells, err := tracefmt.ParseCompleteness("none,note=all,start=all,recover=all,crash=some,halt=none")
	if err != nil {
		t.Fatal(err)
	}
	decided := 0
	rapid.Check(t, func(t *rapid.T) {
		run := &tracefmt.Run{Members: []tracefmt.Member{{Name: "p"}, {Name: "q"}}, Completeness: tells}
		coverage := tracefmt.NewCoverage(run)
		var events []tracefmt.Kind
		var seqs []tracefmt.Seq
		n := rapid.IntRange(0, 8).Draw(t, "events")
		for i := range n {
			e := tracefmt.Event{Seq: tracefmt.Seq(i + 1), Process: 2, Kind: tracefmt.Note}
			if rapid.Bool().Draw(t, "own") {
				e.Process, e.Kind = 1, rapid.SampledFrom(kinds).Draw(t, "kind")
				events, seqs = append(events, e.Kind), append(seqs, e.Seq)
			}
			coverage.Show(&e)
		}
		// The hidden event may be any crash; a recorded recovery without a crash before it has lost its crash.
		possible := func(k tracefmt.Kind, after, before tracefmt.Seq) bool {
			for at := 0; at <= len(events); at++ {
				from, last := tracefmt.Seq(0), tracefmt.Seq(1<<60)
				if at > 0 {
					from = seqs[at-1]
				}
				if at < len(events) {
					last = seqs[at]
				}
				if max(from, after) < min(last, before) && completes(events, at, k) {
					return true
				}
			}
			return false
		}
		for after := range tracefmt.Seq(n + 1) {
			for before := after + 1; before <= tracefmt.Seq(n+1); before++ {
				last := before
				if int(before) > n {
					last, before = 0, 1<<60
				}
				for _, k := range []tracefmt.Kind{tracefmt.Crash, tracefmt.Halt} {
					may, missing := possible(k, after, before), coverage.Missing(1, tracefmt.Fact{Kind: k}, after, last)
					if may && !missing {
						t.Fatalf("%v at %v: a %v may be missing between %d and %d", events, seqs, k, after, last)
					}
					if !missing {
						decided++
					}
				}
			}
		}
	})
	if decided == 0 {
		t.Error("nothing was shown")
	}
}

// completes reports whether an event that is put before the one at a place leaves a lawful
// course, if further crashes may be put in.
func completes(events []tracefmt.Kind, at int, k tracefmt.Kind) bool {
	var complete func(done, remaining []tracefmt.Kind) bool
	complete = func(done, remaining []tracefmt.Kind) bool {
		if !lawful(done) {
			return false
		}
		if len(remaining) == 0 {
			return true
		}
		next := append(done[:len(done):len(done)], remaining[0])
		return complete(next, remaining[1:]) ||
			remaining[0] != tracefmt.Crash && complete(append(done[:len(done):len(done)], tracefmt.Crash, remaining[0]), remaining[1:])
	}
	extended := append(append(append([]tracefmt.Kind(nil), events[:at]...), k), events[at:]...)
	return complete(nil, extended)
}

// TestShowsUpMissing: who writes on was up; after its last step it may have gone down. Where
// starts or recoveries may be missing nothing is shown.
func TestShowsUpMissing(t *testing.T) {
	for _, test := range []struct {
		tells string
		want  string
	}{
		{"none,note=all,start=all,recover=all", "[false false true]"},
		{"none,note=all,start=all,recover=some", "[true true true]"},
		{"none,note=all,start=some,recover=all", "[true true true]"},
		{"none,note=all,start=all,recover=all,gap=p@2-2", "[true true true]"},
		{"none,note=all,start=all,recover=all,crash=all", "[false false false]"},
	} {
		tells, err := tracefmt.ParseCompleteness(test.tells)
		if err != nil {
			t.Fatal(err)
		}
		c := tracefmt.NewCoverage(&tracefmt.Run{Members: []tracefmt.Member{{Name: "p"}}, Completeness: tells})
		for seq := range tracefmt.Seq(3) {
			c.Show(&tracefmt.Event{Seq: seq + 1, Process: 1, Kind: tracefmt.Note})
		}
		crash := tracefmt.Fact{Kind: tracefmt.Crash}
		got := fmt.Sprint([]bool{c.Missing(1, crash, 0, 2), c.Missing(1, crash, 1, 3), c.Missing(1, crash, 2, 0)})
		if got != test.want {
			t.Errorf("%s: a crash may be missing %s, want %s", test.tells, got, test.want)
		}
	}
}
