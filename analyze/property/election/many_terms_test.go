package election

import (
	"fmt"
	"testing"

	"etrace/analyze"
	"etrace/fixtures/growth"
	"etrace/tracefmt"
)

// TestManyTerms: that half of very many processes are in an older term takes no list of all
// processes for each of them.
func TestManyTerms(t *testing.T) {
	growth.Linear(t, 2_000, func(n int) func() {
		rec := twoTerms(t, n)
		return func() {
			report, err := analyze.Check(rec, []*analyze.Property{&electionSafety}, analyze.Options{Named: true})
			if err != nil {
				t.Fatal(err)
			}
			if v := report.Results[0].Verdict; v != analyze.Unknown {
				t.Errorf("%s: %s", v, report.Results[0].Explanation)
			}
		}
	})
}

// twoTerms is a recording of n processes, half of them in each of two terms.
func twoTerms(t *testing.T, n int) *tracefmt.Memory {
	run := tracefmt.Run{Problem: "election", Best: []string{tracefmt.BestID}}
	for i := range n {
		run.Members = append(run.Members, tracefmt.Member{Name: fmt.Sprint(i + 1), Position: i + 1})
	}
	rec := tracefmt.NewMemory(run)
	for i := range n {
		term := 1 + 2*i/n
		e := &tracefmt.Event{
			Seq: tracefmt.Seq(i + 1), Process: tracefmt.ProcessID(i + 1), Kind: tracefmt.State,
			Payload: fmt.Appendf(nil, `{"elected":%d,"term":%d}`, term, term),
		}
		if err := rec.Write(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := rec.Finish(tracefmt.Stopped); err != nil {
		t.Fatal(err)
	}
	return rec
}
