package spec_test

import (
	"bytes"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"etrace/analyze"
	"etrace/tracefmt"
)

// finding is the part of a result that must not change when a run is written in another way.
type finding struct {
	Verdict    analyze.Verdict
	Violations int
	Witness    []tracefmt.Seq
}

func find(t *rapid.T, m *tracefmt.Memory, rule string) finding {
	r := check(t, m, rule).Results[0]
	return finding{r.Verdict, r.Violations, r.Witness}
}

// retell copies a run with other names, after some notes.
func retell(m *tracefmt.Memory, rename func(i int) string, notes int) *tracefmt.Memory {
	run := *m.Run()
	run.Members = nil
	for i := range m.Run().Members {
		run.Members = append(run.Members, tracefmt.Member{Name: rename(i), Position: i + 1})
	}
	renamed := tracefmt.NewMemory(run)
	for i := range notes {
		_ = renamed.Write(&tracefmt.Event{Seq: tracefmt.Seq(i + 1), Kind: tracefmt.Note, Type: "before"})
	}
	for e := range m.Events(1) {
		e := e.Clone()
		e.Seq += tracefmt.Seq(notes)
		_ = renamed.Write(e) // a Memory takes every event
	}
	renamed.Finish(run.End)
	return renamed
}

// TestRetold: other names that sort as the old ones, and notes before the run,
// change nothing but the seqs; nor does it matter whether a run is alone or
// with another in a file.
func TestRetold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, second := drawRun(t), drawRun(t)
		_, rule, _ := drawRule(t)
		want := find(t, m, rule)

		renamed := retell(m, func(i int) string { return strconv.Itoa(100 * (i + 1)) }, 0)
		if diff := cmp.Diff(want, find(t, renamed, rule)); diff != "" {
			t.Fatalf("%s (-old names +new names)\n%s", rule, diff)
		}
		words := retell(m, func(i int) string { return "process " + string(rune('a'+i)) }, 0)
		if diff := cmp.Diff(want, find(t, words, rule)); diff != "" {
			t.Fatalf("%s (-numbers +words)\n%s", rule, diff)
		}

		var text bytes.Buffer
		for _, run := range []*tracefmt.Memory{second, m} {
			if err := tracefmt.NewEncoder(&text).Encode(run); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(want, find(t, decode(t, text.Bytes())[1], rule)); diff != "" {
			t.Fatalf("%s (-alone +in a file with another)\n%s", rule, diff)
		}

		notes := rapid.IntRange(1, 100).Draw(t, "notes")
		for i := range want.Witness {
			want.Witness[i] += tracefmt.Seq(notes)
		}
		if want.Violations > 0 && m.Len() == 0 { // only now is there an end to show
			want.Witness = []tracefmt.Seq{tracefmt.Seq(notes)}
		}
		if diff := cmp.Diff(want, find(t, retell(m, func(i int) string { return m.Run().Members[i].Name }, notes), rule)); diff != "" {
			t.Fatalf("%s (-alone +behind notes)\n%s", rule, diff)
		}
	})
}
