package analyze_test

import (
	"fmt"
	"testing"

	"etrace/analyze"
	"etrace/fixtures/growth"
	"etrace/replay"
	"etrace/tracefmt"
)

// stepper is a monitor that looks at each event.
type stepper func(r *analyze.Result, s *replay.State, e *tracefmt.Event)

func (f stepper) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	r.Examined++
	f(r, s, e)
}
func (stepper) End(*analyze.Result, *replay.State, analyze.Ending) {}

// notes is a recording of as many notes, in turn of as many processes; at last one halts.
func notes(t *testing.T, processes, events int, tells string) *tracefmt.Memory {
	t.Helper()
	var run tracefmt.Run
	for i := range processes {
		run.Members = append(run.Members, tracefmt.Member{Name: fmt.Sprintf("n%d", i+1)})
	}
	var err error
	run.Completeness, err = tracefmt.ParseCompleteness(tells)
	if err != nil {
		t.Fatal(err)
	}
	rec := tracefmt.NewMemory(run)
	for i := range events {
		e := &tracefmt.Event{Seq: tracefmt.Seq(i + 1), Process: tracefmt.ProcessID(i%processes + 1), Kind: tracefmt.Note, Type: "x"}
		if err := rec.Write(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := rec.Write(&tracefmt.Event{Seq: tracefmt.Seq(events + 1), Process: 1, Kind: tracefmt.Halt}); err != nil {
		t.Fatal(err)
	}
	if err := rec.Finish(tracefmt.Stopped); err != nil {
		t.Fatal(err)
	}
	return rec
}

// TestManyLacks: what a recording lacks of very many processes is not sorted at each event.
func TestManyLacks(t *testing.T) {
	lacks := &analyze.Property{Name: "lacks", New: func(*tracefmt.Run) analyze.Monitor {
		return stepper(func(r *analyze.Result, _ *replay.State, e *tracefmt.Event) {
			r.Lacks(analyze.Needs(e.Process, e.Seq, e.Seq+1, analyze.Facts("crash")...)...)
		})
	}}
	growth.Linear(t, 5_000, func(n int) func() {
		rec := notes(t, n, 3*n, "some")
		return func() {
			if r := check(t, rec, lacks).Results[0]; r.Verdict != analyze.Unknown {
				t.Errorf("%s, want unknown", r.Verdict)
			}
		}
	})
}

// TestHullsKeepAnew: a need of what happens anew does not replace a need of what happens at all.
func TestHullsKeepAnew(t *testing.T) {
	recovers := tracefmt.Fact{Kind: tracefmt.Recover}
	lacks := &analyze.Property{Name: "lacks", New: func(*tracefmt.Run) analyze.Monitor {
		return stepper(func(r *analyze.Result, _ *replay.State, e *tracefmt.Event) {
			if e.Seq > 1 {
				r.Lacks(analyze.Need{Process: 1, Fact: recovers, From: e.Seq, To: e.Seq + 1})
			} else {
				r.Lacks(analyze.Need{Process: 1, Fact: recovers, Anew: true})
			}
		})
	}}
	if r := check(t, notes(t, 1, 4096, "crash=all,halt=all"), lacks).Results[0]; r.Verdict != analyze.Unknown {
		t.Errorf("%s: %s", r.Verdict, r.Explanation)
	}
}

// TestHeldByGap: a violation that no gap can excuse is one, whichever like it a gap can.
func TestHeldByGap(t *testing.T) {
	for _, tt := range []struct {
		process tracefmt.ProcessID
		at      []tracefmt.Seq
	}{{1, []tracefmt.Seq{2, 5}}, {1, []tracefmt.Seq{5, 2, 3}}, {analyze.AnyProcess, []tracefmt.Seq{2, 5}}} {
		r := check(t, notes(t, 1, 6, "gap=n1@3-3"), wrongAt(tt.process, tt.at)).Results[0]
		if r.Verdict != analyze.Violated || r.Violations != 1 {
			t.Errorf("process %d at %d: %s, %d violations, want violated, 1: %s", tt.process, tt.at, r.Verdict, r.Violations, r.Explanation)
		}
	}
}

// wrongAt is violated after each of the events, unless the process halts before the next;
// it is known at the end only whether halts are recorded.
func wrongAt(p tracefmt.ProcessID, seqs []tracefmt.Seq) *analyze.Property {
	return &analyze.Property{Name: "wrong", New: func(*tracefmt.Run) analyze.Monitor {
		return stepper(func(r *analyze.Result, _ *replay.State, e *tracefmt.Event) {
			if e.Seq != 6 {
				return
			}
			for _, seq := range seqs {
				r.ViolateUnless(analyze.Needs(p, seq, seq+1, analyze.Facts("halt")...), func() string { return "wrong" }, seq)
			}
		})
	}}
}

// TestManyFactsOfMany: one process represents all processes without a declaration of their own; and of
// very many that lack something, not each is named.
func TestManyFactsOfMany(t *testing.T) {
	const facts = 100
	for _, tells := range []string{"some", "some,n1:all", "all,gap=n2@1-1"} {
		t.Run(tells, func(t *testing.T) {
			growth.Linear(t, 2_500, func(n int) func() {
				lacks := &analyze.Property{Name: "lacks", New: func(*tracefmt.Run) analyze.Monitor {
					return stepper(func(r *analyze.Result, _ *replay.State, e *tracefmt.Event) {
						for i := range facts {
							r.Lacks(analyze.Needs(analyze.EveryProcess, 0, 0, tracefmt.StateOf(fmt.Sprint("v", i)))...)
						}
					})
				}}
				rec := notes(t, n, 1, tells)
				rec.Run().Completeness.Kinds = make(map[string]tracefmt.Level)
				for i := range facts {
					rec.Run().Completeness.Kinds[fmt.Sprint("state.v", i)] = tracefmt.Some
				}
				return func() {
					if r := check(t, rec, lacks).Results[0]; r.Verdict != analyze.Unknown {
						t.Error("got", r.Verdict)
					}
				}
			})
		})
	}
}
