package analyze_test

import (
	"fmt"
	"strings"
	"testing"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// finds is a property that has the same finding in every run, and asks for the fact.
func finds(facts []tracefmt.Fact, find func(r *analyze.Result, needs []analyze.Need)) *analyze.Property {
	return &analyze.Property{Name: "finds", Kind: analyze.Safety, New: func(*tracefmt.Run) analyze.Monitor {
		return finder(func(r *analyze.Result) { find(r, analyze.Needs(1, 1, 0, facts...)) })
	}}
}

type finder func(r *analyze.Result)

func (finder) Step(*analyze.Result, *replay.State, *tracefmt.Event)       {}
func (f finder) End(r *analyze.Result, _ *replay.State, _ analyze.Ending) { r.Examined++; f(r) }

// TestUnless: what may have happened without being recorded excuses and meets; a variable that neither occurs nor is
// declared does not exist.
func TestUnless(t *testing.T) {
	violates := func(r *analyze.Result, needs []analyze.Need) {
		r.ViolateUnless(needs, func() string { return "wrong" }, 1)
	}
	owes := func(r *analyze.Result, needs []analyze.Need) { r.OweUnless(needs, "open", 1) }
	lacks := func(r *analyze.Result, needs []analyze.Need) { r.Lacks(needs...) }
	for _, tt := range []struct {
		find        func(r *analyze.Result, needs []analyze.Need)
		tells, fact string
		want        string
	}{
		{violates, "all", "state.x", "violated: wrong"},
		{violates, "some", "state.x", "unknown: wrong, unless unrecorded events explain it: state.x of a after seq 1"},
		{violates, "some", "state.y", "violated: wrong"},
		{violates, "some,state.y=none", "state.y", "unknown: wrong, unless unrecorded events explain it: state.y of a after seq 1"},
		{violates, "some,b:crash=all", "crash", "unknown: wrong, unless unrecorded events explain it: crash of a after seq 1"},
		{violates, "some,crash=all", "crash", "violated: wrong"},
		{owes, "all,crash=some", "state.x", "pending: open"},
		{owes, "all,crash=some", "crash", "unknown: open, unless unrecorded events explain it: crash of a after seq 1"},
		{owes, "all,gap=a@2-3", "crash", "unknown: open, unless unrecorded events explain it: crash of a after seq 1"},
		{owes, "all,gap=b@2-3", "crash", "pending: open"},
		{lacks, "all,crash=some", "crash", "unknown: nothing recorded violates it, but unrecorded events may: crash of a after seq 1"},
		{lacks, "some", "state.y", "holds-so-far: "},
	} {
		run := tracefmt.Run{Members: []tracefmt.Member{{Name: "a"}, {Name: "b"}}}
		tells, err := tracefmt.ParseCompleteness(tt.tells)
		if err != nil {
			t.Fatal(err)
		}
		run.Completeness = tells
		rec := tracefmt.NewMemory(run)
		if err := rec.Write(&tracefmt.Event{Seq: 1, Process: 1, Kind: tracefmt.State, Payload: []byte(`{"x":1}`)}); err != nil {
			t.Fatal(err)
		}
		if err := rec.Finish(tracefmt.Stopped); err != nil {
			t.Fatal(err)
		}
		r := check(t, rec, finds(analyze.Facts(tt.fact), tt.find)).Results[0]
		if got := fmt.Sprintf("%s: %s", r.Verdict, r.Explanation); strings.TrimSpace(got) != strings.TrimSpace(tt.want) {
			t.Errorf("%s, %s: got %q, want %q", tt.tells, tt.fact, got, tt.want)
		}
	}
}

// TestFirstCertain: the first certain violation is explained, whenever it became certain.
func TestFirstCertain(t *testing.T) {
	wrong := &analyze.Property{Name: "wrong", New: func(*tracefmt.Run) analyze.Monitor {
		return stepper(func(r *analyze.Result, _ *replay.State, e *tracefmt.Event) {
			var needs []analyze.Need
			if e.Seq == 4 { // the next event shows that the process did not halt
				needs = analyze.Needs(1, e.Seq, e.Seq+1, analyze.Facts("halt")...)
			}
			if e.Seq != 1 {
				r.ViolateUnless(needs, func() string { return "wrong" }, e.Seq)
			}
		})
	}}
	rec := notes(t, 1, 6, "halt=some,start=all,recover=all")
	if r := check(t, rec, wrong).Results[0]; r.Violations != 6 || r.Witness[0] != 2 {
		t.Errorf("%d violations, the first at %d; want 6 from seq 2 on", r.Violations, r.Witness)
	}
}
