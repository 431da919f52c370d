package analyze_test

import (
	"iter"
	"testing"

	"etrace/analyze"
	"etrace/tracefmt"
)

// countedReads counts how often a recording is read.
type countedReads struct {
	tracefmt.Recording
	reads int
}

func (r *countedReads) Events(from tracefmt.Seq) iter.Seq2[*tracefmt.Event, error] {
	r.reads++
	return r.Recording.Events(from)
}

// TestAdviceReads: a declaration that decides a property is examined under other clocks, too. The least difference of
// clocks that matters is not sought.
func TestAdviceReads(t *testing.T) {
	run := tracefmt.Run{
		TimeUnit: tracefmt.Nanoseconds, Members: []tracefmt.Member{{Name: "a"}, {Name: "b"}}, Source: "log",
		Completeness: &tracefmt.Completeness{Levels: tracefmt.Levels{Default: tracefmt.Some}, Clocks: &tracefmt.Clocks{Skew: 10}},
	}
	memory := tracefmt.NewMemory(run)
	for i := range 6 {
		e := tracefmt.Event{Seq: tracefmt.Seq(i + 1), Time: tracefmt.Time(i), Kind: tracefmt.Note, Type: "x"}
		e.Process = tracefmt.ProcessID(i%2 + 1)
		if err := memory.Write(&e); err != nil {
			t.Fatal(err)
		}
	}
	if err := memory.Finish(tracefmt.Stopped); err != nil {
		t.Fatal(err)
	}
	lacks := func(facts ...string) *analyze.Property {
		return &analyze.Property{Name: facts[0], New: func(*tracefmt.Run) analyze.Monitor {
			return finder(func(r *analyze.Result) {
				r.Lacks(analyze.Needs(analyze.AnyProcess, 0, 0, analyze.Facts(facts...)...)...)
			})
		}}
	}
	rec := &countedReads{Recording: memory}
	report, err := analyze.Check(rec, []*analyze.Property{lacks("crash")}, analyze.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rec.reads = 0
	if err := report.Advise(rec, analyze.Options{}, 1); err != nil {
		t.Fatal(err)
	}
	if report.Advice == nil || report.Advice.State != "crash" {
		t.Fatalf("advice is %+v, want crash", report.Advice)
	}
	// A look for what refutes it, the check, a look at the clocks, and the check with each of two clocks ahead and
	// behind.
	if want := 1 + 1 + 1 + 2*2; rec.reads != want {
		t.Errorf("the advice reads the run %d times, want %d", rec.reads, want)
	}
}
