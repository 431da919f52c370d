package analyze_test

import (
	"fmt"
	"strings"
	"testing"

	"etrace/analyze"
	"etrace/tracefmt"
)

// TestLogNext: first comes what decides whichever way it comes out, then what may only show
// a violation (!), of both the shortest first, and none that has all of one before it; of
// a recovery anew, or a start, it does that the process is known not to have gone down, and where a gap
// hides something, the gap is named.
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
	// Each fact may have met an obligation of its own.
	owes := func(facts ...[]analyze.Need) find {
		return func(r *analyze.Result) {
			for _, f := range facts {
				r.OweUnless(f, "open", 1)
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
		{violates(need(analyze.AnyProcess, "crash")), "all,crash=some,a:none", "crash of every process [crash=all,a:crash=all]"},
		{
			violates(append(need(1, "crash"), need(1, "halt")...), need(2, "halt")), "some",
			"crash and halt of a, halt of b [a:crash=all,a:halt=all,b:halt=all]; !halt of b [b:halt=all]; !crash " +
				"and halt of a [a:crash=all,a:halt=all]",
		},
		{
			violates(append(need(1, "crash"), need(1, "halt")...), need(1, "crash")), "some",
			"crash and halt of a [a:crash=all,a:halt=all]; !crash of a [a:crash=all]",
		},
		{violates(need(1, "crash")), "all,gap=a@1-", "the missing events of a after seq 1"},
		{
			violates(need(1, "crash")), `{"default":"all","gaps":[{"process":"a","from":2,"to":0,"dropped":3}]}`,
			"the 3 missing events of a after seq 1",
		},
		{
			violates(append(need(1, "crash"), need(2, "halt")...)), "all,b:some,gap=a@1-1",
			"halt of b, the missing events of a between seq 1 and 2",
		},
		{owes(need(1, "crash")), "all", "pending"},
		{owes(need(1, "crash")), "some", "crash of a [a:crash=all]"},
		{owes(need(1, "crash"), need(2, "halt")), "some", "crash of a, halt of b [a:crash=all,b:halt=all]"},
		{owes(need(1, "crash"), need(2, "halt")), "some,a:crash=all", "pending"},
		{lacks(recovers), `{"default":"all","gaps":[{"process":"b","from":1,"to":0,"dropped":1}]}`, "holds-so-far"},
		{lacks(recovers), `{"default":"all","gaps":[{"process":"b","from":1,"to":0,"dropped":2}]}`, "the 2 missing events of b"},
		{lacks(recovers), "some", "crash of b [b:crash=all]; recover and start of b [b:recover=all,b:start=all]"},
		{lacks(append(need(2, "crash"), recovers)...), "some", "crash of b [b:crash=all]"},
	} {
		run := tracefmt.Run{Members: []tracefmt.Member{{Name: "a"}, {Name: "b"}, {Name: "c"}}}
		var err error
		run.Completeness, err = tracefmt.ParseCompleteness(tt.tells)
		if err != nil {
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
		for _, w := range report.Results[0].LogNext {
			list := w.Text(&run)
			if w.OnlyViolation {
				list = "!" + list
			}
			if w.Complete != "" {
				list += fmt.Sprintf(" [%s]", w.Complete)
			}
			lists = append(lists, list)
		}
		got := strings.Join(lists, "; ")
		if got == "" {
			got = string(report.Verdict)
		}
		if got != tt.want {
			t.Errorf("--complete %s\ngot  %s\nwant %s", tt.tells, got, tt.want)
		}
	}
}

// TestCounts: a property that rests on a member without a log counts, although other needed facts are never recorded. Of
// members with logs it does not.
func TestCounts(t *testing.T) {
	needs := append(analyze.Needs(1, 1, 0, analyze.Facts("start")...), analyze.Needs(2, 1, 0, analyze.Facts("state.role")...)...)
	for completeness, want := range map[string]bool{
		"none,state.role=all,b:none":            true,
		"none,state.role=all,b:state.role=some": false,
	} {
		run := tracefmt.Run{Members: []tracefmt.Member{{Name: "a"}, {Name: "b"}}}
		var err error
		run.Completeness, err = tracefmt.ParseCompleteness(completeness)
		if err != nil {
			t.Fatal(err)
		}
		rec := tracefmt.NewMemory(run)
		if err := rec.Write(&tracefmt.Event{Seq: 1, Process: 1, Kind: tracefmt.State, Payload: []byte(`{"role":"leader"}`)}); err != nil {
			t.Fatal(err)
		}
		if err := rec.Finish(tracefmt.Stopped); err != nil {
			t.Fatal(err)
		}
		p := &analyze.Property{Name: "finds", Kind: analyze.Safety, New: func(*tracefmt.Run) analyze.Monitor {
			return finder(func(r *analyze.Result) { r.Lacks(needs...) })
		}}
		checked := check(t, rec, p)
		if got := checked.Results[0]; got.Counts != want || got.Verdict != analyze.Unknown {
			t.Errorf("%s: %s, counts: %v, want unknown, %v", completeness, got.Verdict, got.Counts, want)
		}
	}
}
