package rerun_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"etrace/record/algorithm/builtin"
	"etrace/record/scenario"
	"etrace/replay"
	"etrace/replay/rerun"
	"etrace/replay/rerun/conform"
	"etrace/tracefmt"
)

func edits(t rapid.TB, texts ...string) []scenario.Edit {
	t.Helper()
	var edits []scenario.Edit
	for _, text := range texts {
		e, err := scenario.ParseEdit(text)
		if err != nil {
			t.Fatal(err)
		}
		edits = append(edits, e)
	}
	return edits
}

func whatIf(rec tracefmt.Recording, edits []scenario.Edit) (*rerun.Fork, *tracefmt.Memory, error) {
	var target tracefmt.Collector
	f, err := rerun.WhatIf(context.Background(), builtin.Algorithms(), rec, edits, &target)
	if len(target.Runs) == 0 {
		return f, nil, err
	}
	return f, target.Runs[0], err
}

// lecture is the example of the lecture notes. ELECTION goes from 4 to 5, 6 and
// 7 at 0 (m1 to m3), from 5 to 6 and 7 and from 6 to 7 at 1; OK from 5 and 6 to
// 4 and from 6 to 5. 6 hears no process, and at 4 sends COORDINATOR to 0 to 5: 15
// messages.
const lecture = "{ids: 0-7, down: 7, start: 4}"

// TestWhatIf: the edit happens, and the algorithm goes on from there.
func TestWhatIf(t *testing.T) {
	parent := record(t, lecture)
	first := slices.Index(slices.Collect(types(parent)), "COORDINATOR") + 1 // seq of the first announcement
	for _, tt := range []struct {
		edit        string
		differences string // kind of the first event that differs, recorded and executed
		messages    int
		elected     string // by 4
	}{
		{"drop m1", "send lose", 11, "6"},                           // 5 is not asked: it asks no process and answers no process
		{"delay m1=2", "receive receive", 15, "6"},                  // 5 joins when 6 holds already
		{"duplicate m2", "lose receive", 16, "6"},                   // before m3 is lost; 6 answers twice, but holds once
		{"crash 6@2.5", "receive crash", 9, ""},                     // 4 and 5 have been answered and wait forever
		{fmt.Sprintf("crash 6@seq%d", first), "send crash", 10, ""}, // in the middle of its announcement: only 0 hears it
		{"recover 7@9", " recover", 22, "7"},                        // the run was over; 7 announces itself to seven others
		{"timeout=2@0.5", "set-timer set-timer", 15, "6"},
		{"announce=all@0.5", "receive send", 16, "6"}, // 7 is announced last
	} {
		f, fork, err := whatIf(parent, edits(t, tt.edit))
		if err != nil {
			t.Errorf("%s: %v", tt.edit, err)
			continue
		}
		if got := kinds(f.First); got != tt.differences {
			t.Errorf("%s: first difference %q at seq %d, want %q", tt.edit, got, f.First.Seq, tt.differences)
		}
		s := replay.NewState(fork.Run())
		for e := range fork.Events(1) {
			s.Apply(e)
		}
		elected := s.Process(5).Elected // process 5 is the one named 4
		if f.Result.Messages != int64(tt.messages) || fork.Run().ProcessName(elected) != tt.elected {
			t.Errorf("%s: %d messages, 4 elects %q, "+
				"want %d and %q", tt.edit, f.Result.Messages, fork.Run().ProcessName(elected), tt.messages, tt.elected)
		}
		if want := "run 1 with " + tt.edit; f.Run.Name != want {
			t.Errorf("the fork is named %q, want %q", f.Run.Name, want)
		}
	}
}

// TestWhatIfRemarks: an edit without effect is remarked. A remark on the parent is not repeated.
func TestWhatIfRemarks(t *testing.T) {
	parent := record(t, "{ids: 0-7, down: 7, start: '4,7'}")
	f, _, err := whatIf(parent, edits(t, "crash 7@1"))
	if err != nil {
		t.Fatal(err)
	}
	if want := "crash 7@1 has no effect: process 7 is down at 1"; len(f.Remarks) != 1 || !strings.Contains(f.Remarks[0], want) {
		t.Errorf("got %q, want %q", f.Remarks, want)
	}
}

// types yields the types of the events.
func types(rec *tracefmt.Memory) iter.Seq[string] {
	return func(yield func(string) bool) {
		for e := range rec.Events(1) {
			if !yield(e.Type) {
				return
			}
		}
	}
}

func kinds(d *rerun.Divergence) string {
	if d == nil {
		return "none"
	}
	text := func(e *tracefmt.Event) string {
		if e == nil {
			return ""
		}
		return e.Kind.String()
	}
	return text(d.Recorded) + " " + text(d.Executed)
}

// TestWhatIfNames: a run with edits is named after the one without, and lists each edit once. Edits that a
// name does not list belong to the name's root.
func TestWhatIfNames(t *testing.T) {
	for _, tt := range []struct {
		scenario string
		edits    []string // one after the other
		want     string
	}{
		{"{ids: 1-3, down: 3, start: 1}", []string{"crash 2@t=7"}, "run 1 with crash 2@7"},
		{"{ids: 1-3, down: 3, start: 1}", []string{"crash 2@7", "recover 2@8", "crash 2@9"}, "run 1 with crash 2@7, recover 2@8, crash 2@9"},
		{"{ids: 1-3, down: 3, start: 1}", []string{"crash 2@7", "crash 2@7"}, "run 1 with crash 2@7, crash 2@7"},
		{"{ids: 1-3, down: 3, start: 1, edit: crash 2@7}", []string{"recover 2@8", "crash 2@9"}, "run 1 with recover 2@8, crash 2@9"},
		{"{name: tea with milk, ids: 1-3, down: 3, start: 1}", []string{"crash 2@7", "recover 2@8"}, "tea with milk with crash 2@7, recover 2@8"},
	} {
		run := record(t, tt.scenario)
		for _, text := range tt.edits {
			_, fork, err := whatIf(run, edits(t, text))
			if err != nil {
				t.Fatal(err)
			}
			run = fork
		}
		if got := run.Run().Name; got != tt.want {
			t.Errorf("%s with %q is named %q, want %q", tt.scenario, tt.edits, got, tt.want)
		}
	}
}

// TestWhatIfRefuses: what the run does not have, and runs that do not execute
// again as they are.
func TestWhatIfRefuses(t *testing.T) {
	for _, tt := range []struct{ edit, want string }{
		{"drop m99", "drop m99: run 1 has no message m99, its messages are m1 to m15"},
		{"crash 3@seq999", "crash 3@seq999: run 1 has no such event, its seqs are 1 to "},
		{"drop seq1", "drop seq1: seq 1 of run 1 is a start, expected the send of a message"},
		{"crash 33@4", "run 1: edit crash 33@4: there is no process 33, the processes are 0-7"},
		{"guard=off@4", "run 1: edit guard=off@4: guard decides which messages"},
	} {
		_, m, err := whatIf(record(t, lecture), edits(t, tt.edit))
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) || m != nil {
			t.Errorf("%s: error %v, want %s", tt.edit, err, tt.want)
		}
	}
	changed := record(t, lecture)
	changed.At(20).Time++
	if _, _, err := whatIf(changed, edits(t, "drop m1")); err == nil || !strings.Contains(err.Error(), "the first difference is at seq 20") {
		t.Errorf("a changed run: error %v", err)
	}
}

// TestWhatIfOthersCrash: 1 is to crash after the receive of 4, which passes the
// message on within the same step: a step is not interrupted by what becomes of
// others, so 1 crashes after it, and 4 has done what its algorithm does.
func TestWhatIfOthersCrash(t *testing.T) {
	rec := record(t, "{algorithm: chang-roberts, nodes: 5, start: 2, crash: 5@3.5}")
	f, fork, err := whatIf(rec, edits(t, "crash 1@seq26"))
	if err != nil {
		t.Fatal(err)
	}
	report, err := conform.Decide(context.Background(), fork, conform.Model{Known: builtin.Algorithms(), Algorithm: "chang-roberts"})
	if err != nil || !report.Conforms() {
		t.Errorf("%s does not conform: %v, %v", f.Run.Name, report, err)
	}
}

// TestWhatIfLaws: the fork equals its parent up to the edit. It carries a scenario that executes to it again.
// Dropping the edit leads back to the parent.
func TestWhatIfLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rec := record(t, rapid.SampledFrom([]string{
			small, lecture, "{algorithm: ring, nodes: 5, start: '2,4'}",
			"{algorithm: bully-buffalo, nodes: 5, down: 5, start: all, delay: exponential(1), loss: 0.1, duplicate: 0.1, until: 40}",
			"{algorithm: chang-roberts, nodes: 5, start: 2, crash: 5@3.5}",
		}).Draw(t, "scenario"))
		seq := tracefmt.Seq(rapid.IntRange(1, rec.Len()).Draw(t, "seq"))
		at := rec.At(seq)
		process := rec.Run().ProcessName(tracefmt.ProcessID(rapid.IntRange(1, len(rec.Run().Members)).Draw(t, "process")))
		text := rapid.SampledFrom([]string{"crash " + process + "@%s", "recover " + process + "@%s", "start " + process + "@%s"}).Draw(t, "edit")
		place, same := fmt.Sprintf("seq%d", seq), seq
		if rapid.Bool().Draw(t, "by time") {
			place, same = at.Time.String(), before(rec, at.Time)
		}
		if at.Kind == tracefmt.Send && rapid.Bool().Draw(t, "message") {
			text = rapid.SampledFrom([]string{"drop %s", "delay %s=3.25", "duplicate %s"}).Draw(t, "message edit")
			place, same = rapid.SampledFrom([]string{fmt.Sprintf("m%d", at.Message), fmt.Sprintf("seq%d", seq)}).Draw(t, "by"), seq
		}
		f, fork, err := whatIf(rec, edits(t, fmt.Sprintf(text, place)))
		if err != nil {
			t.Fatal(err)
		}
		if f.First != nil && f.First.Seq <= same && rec.At(f.First.Seq).Type != tracefmt.LoopNote {
			t.Fatalf("%s: differs at seq %d, want the same up to %d", f.Run.Name, f.First.Seq, same)
		}
		if d := verify(t, fork); d != nil {
			t.Fatalf("%s does not execute again: seq %d %v", f.Run.Name, d.Seq, d.Differences)
		}
		if err := tracefmt.Validate(fork); err != nil {
			t.Fatalf("%s is not well-formed: %v", f.Run.Name, err)
		}
		report, err := conform.Decide(context.Background(), fork, conform.Model{Known: builtin.Algorithms(), Algorithm: fork.Run().Algorithm})
		if err != nil || !report.Conforms() {
			t.Fatalf("%s does not conform to its algorithm: %v", f.Run.Name, err)
		}
	})
}

// before returns the seq of the last event before an instant.
func before(rec *tracefmt.Memory, at tracefmt.Time) tracefmt.Seq {
	last := tracefmt.Seq(0)
	for e := range rec.Events(1) {
		if e.Time < at {
			last = e.Seq
		}
	}
	return last
}
