package analyze_test

import (
	"fmt"
	"strings"
	"testing"

	"etrace/analyze"
	"etrace/tracefmt"
)

// TestLogNext: of the findings that something may excuse, the one with the least to log
// comes first, and none that has all of a shorter one; of a recovery anew it does that the
// process is known not to have gone down.
func TestLogNext(t *testing.T) {
	need := func(p tracefmt.ProcessID, fact string) []analyze.Need {
		return analyze.Needs(p, 1, 0, analyze.Facts(fact)...)
	}
	recovers := analyze.Need{Process: 2, Fact: tracefmt.Fact{Kind: tracefmt.Recover}, Anew: true}
	type find func(r *analyze.Result)
	violates := func(excuses ...[]analyze.Need) find {
		return func(r *analyze.Result) {
			for _, e := range excuses {
				r.ViolateUnless(e, func() string { return "wrong" }, 1)
			}
		}
	}
	lacks := func(needs ...analyze.Need) find { return func(r *analyze.Result) { r.Lacks(needs...) } }
	for _, tt := range []struct {
		find  find
		tells string
		want  string
	}{
		{violates(need(1, "crash")), "all", "violated"},
		{violates(need(1, "crash")), "some", "crash of a [a:crash=all]"},
		{violates(need(analyze.AnyProcess, "crash")), "some", "crash of every process [crash=all]"},
		{violates(need(analyze.AnyProcess, "crash")), "some,c:crash=all", "crash of a and b [a:crash=all,b:crash=all]"},
		{violates(need(analyze.AnyProcess, "crash")), "all,crash=some,a:nothing", "crash of every process [crash=all,a:crash=all]"},
		{violates(append(need(1, "crash"), need(1, "halt")...), need(2, "halt")), "some", "halt of b [b:halt=all]; crash and halt of a [a:crash=all,a:halt=all]"},
		{violates(append(need(1, "crash"), need(1, "halt")...), need(1, "crash")), "some", "crash of a [a:crash=all]"},
		{violates(need(1, "crash")), "all,gap=a@1-", "crash of a"},
		{lacks(recovers), "some", "recover of b [b:recover=all]; crash and halt of b [b:crash=all,b:halt=all]"},
		{lacks(append(need(2, "crash"), recovers)...), "some", "crash and halt of b [b:crash=all,b:halt=all]; crash and recover of b [b:crash=all,b:recover=all]"},
	} {
		run := tracefmt.Run{Members: []tracefmt.Member{{Name: "a"}, {Name: "b"}, {Name: "c"}}}
		var err error
		if run.Tells, err = tracefmt.ParseTells(tt.tells); err != nil {
			t.Fatal(err)
		}
		rec := tracefmt.NewMemory(run)
		if err := rec.Write(&tracefmt.Event{Seq: 1, Process: 1, Kind: tracefmt.Start}); err != nil {
			t.Fatal(err)
		}
		if err := rec.Finish(tracefmt.Stopped); err != nil {
			t.Fatal(err)
		}
		p := &analyze.Property{Name: "finds", New: func(*tracefmt.Run) analyze.Monitor { return finder(tt.find) }}
		report := check(t, rec, p)
		var lists []string
		for _, w := range report.Results[0].LogNext() {
			list := w.Text(&run)
			if w.Tells != "" {
				list += fmt.Sprintf(" [%s]", w.Tells)
			}
			lists = append(lists, list)
		}
		got := strings.Join(lists, "; ")
		if got == "" {
			got = string(report.Verdict)
		}
		if got != tt.want {
			t.Errorf("--tells %s\ngot  %s\nwant %s", tt.tells, got, tt.want)
		}
	}
}
