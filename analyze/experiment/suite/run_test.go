package suite_test

import (
	"bytes"
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/analyze/experiment/suite"
	"etrace/fixtures/size"
)

func run(t *testing.T, o suite.Options, text ...string) *suite.Report {
	t.Helper()
	var suites []*suite.Suite
	for _, s := range text {
		suites = append(suites, parse(t, s))
	}
	report, err := suite.Run(t.Context(), suites, o)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// TestStatus: 2 of 1 to 3 notices that 3 is down: one ELECTION to the dead 3,
// one COORDINATOR to 1. The rows are what is expected and published of 2.
func TestStatus(t *testing.T) {
	for _, test := range []struct {
		says string
		want suite.Status
	}{
		{"expect: {messages: 2}", "ok"},
		{"expect: {messages: 3}", "failed"},
		{"published: {messages: 2}", "ok"},
		{"published: {messages: 3}", "failed"},
		{"published: {messages: 3}\n    note: why", "failed"}, // the correct value is not given
		{"expect: {messages: 2}\n    published: {messages: 2}", "ok"},
		{"expect: {messages: 2}\n    published: {messages: 3}", "failed"},
		{"expect: {messages: 2}\n    published: {messages: 3}\n    note: why", "explained"},
		{"expect: {messages: 3}\n    published: {messages: 2}\n    note: why", "failed"},
		{"expect: {messages: 3}\n    published: {messages: 3}\n    note: why", "failed"},
		{"expect: {messages: 2, leader: 1}\n    published: {messages: 3}\n    note: why", "failed"},
		// All keys of expect.
		{"expect: {delivered: 1, lost: 0, to_crashed: 1, in_flight: 0, depth: 1, time: 4, decided: 4, suspicions: 1}", "ok"},
		{"expect: {type.ELECTION: 1, type.OK: 0, type.COORDINATOR: 4/4, events: 10+3}", "ok"},
		{"expect: {end: quiescent, leader: 2, elected: {1-2: 2, 3: down}}", "ok"},
		{"expect: {end: stopped}", "failed"},
		{"expect: {end: loop}", "failed"},
		{"expect: {leader: none}", "failed"},
		{"expect: {elected: {1: none}}", "failed"},
		{"expect: {verdicts: {election-safety: satisfied, election-safety-always: satisfied, agreement: satisfied}}", "ok"},
		{"expect: {verdicts: {single-leader: violated}}", "failed"},
	} {
		r := run(t, suite.Options{}, "cases:\n  - name: x\n    scenario: {algorithm: bully, nodes: 3, down: 3, start: 2}\n    "+test.says+"\n")
		if got := r.Status(); got != test.want {
			t.Errorf("%s: %s, want %s: %+v", test.says, got, test.want, r.Suites[0].Cases[0].Cells)
		}
	}
}

// The detail of a published value that fails names the missing part of the case.
func TestPublishedOtherwise(t *testing.T) {
	for says, want := range map[string]string{
		"published: {messages: 3}": "the published value differs: " +
			"add the expected value, and a note that explains the difference",
		"published: {messages: 3}\n    note: why": "the published value differs: " +
			"add the expected value, and a note that explains the difference",
		"expect: {messages: 2}\n    published: {messages: 3}": "the published value differs: add a " +
			"note that explains the difference",
		"expect: {messages: 2}\n    published: {messages: 3}\n    note: why": "",
		"expect: {messages: 3}\n    published: {messages: 2}\n    note: why": "",
	} {
		r := run(t, suite.Options{}, "cases:\n  - name: x\n    scenario: {algorithm: bully, nodes: 3, down: 3, start: 2}\n    "+says+"\n")
		if got := r.Suites[0].Cases[0].Cells[0].Detail; got != want {
			t.Errorf("%s: %q, want %q", says, got, want)
		}
	}
}

// TestNothing: what did not happen has no time, and a loop is distinguished from a stop.
func TestNothing(t *testing.T) {
	r := run(t, suite.Options{}, `cases:
  - name: no process starts
    scenario: {algorithm: bully, nodes: 2}
    expect: {messages: 0, time: none, decided: none, leader: none, elected: {1-2: none}, verdicts: {election-liveness: vacuous}}
  - name: forever
    scenario: {algorithm: chang-roberts, ids: 0-5, down: 5, start: 2, crash: 4@5}
    expect: {end: loop, verdicts: {election-liveness: violated}}
  - name: cut # 6 answers 5 at 2
    scenario: {algorithm: bully, ids: 0-7, down: 7, start: 4, until: 2}
    expect: {end: deadline, in_flight: 1, verdicts: {election-liveness: pending}}
`)
	if r.Status() != suite.OK {
		for _, c := range r.Suites[0].Cases {
			t.Errorf("%s: %+v", c.Case.Name, c.Cells)
		}
	}
}

// many has cases of very different length.
const many = `suite: Many
cases:
  - name: ring of ${n}
    for: {n: [200, 2-60, 100]}
    scenario: {algorithm: chang-roberts, nodes: '${n}', start: 1}
    expect: {messages: 3*n-1, time: 3*n-2, end: quiescent}
`

func text(t *testing.T, r *suite.Report) string {
	t.Helper()
	var b bytes.Buffer
	for _, f := range suite.Formats().All() {
		if err := f.Write(&b, r, suite.Style{All: true}); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// TestWorkers: the report does not depend on who runs what, when.
func TestWorkers(t *testing.T) {
	want := text(t, run(t, suite.Options{Workers: 1}, many, many))
	for _, workers := range size.Pick([]int{7}, []int{0, 7}, []int{0, 2, 7, 1000}) {
		if diff := cmp.Diff(want, text(t, run(t, suite.Options{Workers: workers}, many, many))); diff != "" {
			t.Errorf("%d workers (-one +many)\n%s", workers, diff)
		}
	}
}

func TestProgress(t *testing.T) {
	var seen []int
	run(t, suite.Options{Workers: 4, Progress: func(done int) { seen = append(seen, done) }}, many)
	if len(seen) != 61 {
		t.Fatalf("%d calls, want one for each of 61 cases", len(seen))
	}
	for i, done := range seen {
		if done != i+1 {
			t.Fatalf("call %d says %d", i+1, done)
		}
	}
}

// TestCancel: the run ends when its context does, even in the middle of cases
// that take forever.
func TestCancel(t *testing.T) {
	const endless = `cases:
  - name: endless ${n}
    for: {n: 1-50}
    scenario:
      algorithm: chang-roberts
      ids: 0-5
      down: 5
      start: 2
      crash: 4@5
      delay: uniform(0.5,1.5)
      max-events: 1000000000
      seed: ${n}
    expect: {end: deadline}
`
	s := parse(t, endless+strings.TrimPrefix(many, "suite: Many\ncases:\n"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err := suite.Run(ctx, []*suite.Suite{s}, suite.Options{}); r != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, %v, want nothing but the error of the context", r, err)
	}
	// Cancelled while 3 cases run: the quick ones of the second entry are done
	// by the fourth worker.
	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	s.Cases = append(s.Cases[:3:3], s.Cases[50:]...)
	_, err := suite.Run(ctx, []*suite.Suite{s}, suite.Options{Workers: 4, Progress: func(done int) {
		if done == 10 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the error of the context", err)
	}
}

func TestSelect(t *testing.T) {
	s := parse(t, many)
	if got := len(s.Select(regexp.MustCompile(`of 1\d$`)).Cases); got != 10 || len(s.Cases) != 61 {
		t.Errorf("%d cases of %d, want 10 of 61", got, len(s.Cases))
	}
}
