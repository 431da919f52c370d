package analyze_test

import (
	"errors"
	"iter"
	"strings"
	"testing"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

func TestWorst(t *testing.T) {
	for _, tt := range []struct {
		list []analyze.Verdict
		want analyze.Verdict
	}{
		{nil, analyze.NotApplicable},
		{[]analyze.Verdict{analyze.Vacuous, analyze.NotApplicable}, analyze.Vacuous},
		{[]analyze.Verdict{analyze.Satisfied, analyze.HoldsSoFar}, analyze.HoldsSoFar},
		{[]analyze.Verdict{analyze.Pending, analyze.Unknown, analyze.HoldsSoFar}, analyze.Unknown},
		{[]analyze.Verdict{analyze.Satisfied, analyze.Violated, analyze.Unknown}, analyze.Violated},
	} {
		if got := analyze.Worst(tt.list...); got != tt.want {
			t.Errorf("%v: got %s, want %s", tt.list, got, tt.want)
		}
	}
}

// script is a monitor that executes its script at the end of a run.
type script func(*analyze.Result)

func (script) Step(*analyze.Result, *replay.State, *tracefmt.Event) {}

func (f script) End(r *analyze.Result, _ *replay.State, _ analyze.Ending) { f(r) }

func because(s string) func() string { return func() string { return s } }

// TestVerdict: what follows from what a monitor found, in a quiescent and in a stopped run.
func TestVerdict(t *testing.T) {
	violate := func(r *analyze.Result) { r.Violate(because("bad"), 3, 0, 1, 3) }
	owe := func(r *analyze.Result) { r.Owe("later") }
	doubt := func(r *analyze.Result) { r.Undecided(because("unclear")) }
	doubtMore := func(r *analyze.Result) { r.Undecided(because("too large")) }
	lack := func(r *analyze.Result) { r.NotApplicable("no such thing") }
	look := func(r *analyze.Result) { r.Examined++ }
	for _, tt := range []struct {
		name               string
		found              []func(*analyze.Result)
		quiescent, stopped analyze.Verdict
		explanation        string
	}{
		{"nothing", nil, analyze.Vacuous, analyze.Vacuous, ""},
		{"nothing wrong", []func(*analyze.Result){look}, analyze.Satisfied, analyze.HoldsSoFar, ""},
		{"violated", []func(*analyze.Result){look, violate}, analyze.Violated, analyze.Violated, "bad"},
		{"violated, and then undecided", []func(*analyze.Result){violate, doubt}, analyze.Violated, analyze.Violated, "bad"},
		{"undecided for two reasons", []func(*analyze.Result){doubt, doubtMore}, analyze.Unknown, analyze.Unknown, "unclear"},
		{"violated, and more", []func(*analyze.Result){doubt, violate, owe, doubt}, analyze.Violated, analyze.Violated, "bad"},
		{"owed", []func(*analyze.Result){look, owe, owe}, analyze.Pending, analyze.Pending, "later; later"},
		{"undecided", []func(*analyze.Result){look, doubt, owe}, analyze.Unknown, analyze.Unknown, "unclear"},
		{"not applicable", []func(*analyze.Result){look, lack}, analyze.NotApplicable, analyze.NotApplicable, "no such thing"},
	} {
		for end, want := range map[tracefmt.End]analyze.Verdict{tracefmt.Quiescent: tt.quiescent, tracefmt.Stopped: tt.stopped} {
			p := &analyze.Property{Name: "scripted", New: func(*tracefmt.Run) analyze.Monitor {
				return script(func(r *analyze.Result) {
					for _, f := range tt.found {
						f(r)
					}
				})
			}}
			m := tracefmt.NewMemory(tracefmt.Run{})
			m.Finish(end)
			report, err := analyze.Check(m, []*analyze.Property{p}, analyze.Options{})
			if err != nil {
				t.Fatal(err)
			}
			r := report.Results[0]
			if r.Verdict != want || report.Verdict != want || r.Explanation != tt.explanation {
				t.Errorf("%s, %s: got %s (%s), want %s (%s)", tt.name, end, r.Verdict, r.Explanation, want, tt.explanation)
			}
			if r.Verdict == analyze.Violated && r.WitnessJSON() != "[1,3]" {
				t.Errorf("%s: the witness is %s, want it sorted, each event once", tt.name, r.WitnessJSON())
			}
		}
	}
}

// Eight obligations are listed, the rest is counted.
func TestObligationsAreFew(t *testing.T) {
	for n, want := range map[int]string{
		8:       "x; x; x; x; x; x; x; x",
		9:       "x; x; x; x; x; x; x; x; and 1 more",
		100_000: "x; x; x; x; x; x; x; x; and 99992 more",
	} {
		p := &analyze.Property{New: func(*tracefmt.Run) analyze.Monitor {
			return script(func(r *analyze.Result) {
				for range n {
					r.Owe("x")
				}
			})
		}}
		r := check(t, tracefmt.NewMemory(tracefmt.Run{}), p).Results[0]
		if r.Explanation != want || len(r.Open) != n || r.WitnessJSON() != "[]" {
			t.Errorf("got %.100s with %d obligations, want %s", r.Explanation, len(r.Open), want)
		}
	}
}

// TestHostileProcess: readers refuse such events; a recording that does not is refused here, and nothing panics.
func TestHostileProcess(t *testing.T) {
	for _, e := range []tracefmt.Event{
		{Seq: 1, Kind: tracefmt.State, Process: 2},
		{Seq: 1, Kind: tracefmt.Crash, Process: -1},
		{Seq: 1, Kind: tracefmt.Send, Process: 1, Peer: 9},
	} {
		m := tracefmt.NewMemory(tracefmt.Run{Number: 4, Members: []tracefmt.Member{{Name: "1"}}})
		if err := m.Write(&e); err != nil {
			t.Fatal(err)
		}
		if _, err := analyze.Check(m, nil, analyze.Options{}); err == nil || !strings.HasPrefix(err.Error(), "run 4 seq 1: process number ") {
			t.Errorf("%+v: got %v, want an error that names run and seq", e, err)
		}
	}
}

// damaged is a recording that cannot be read to its end.
type damaged struct{ *tracefmt.Memory }

var errDamaged = errors.New("page 7 is missing")

func (damaged) Events(tracefmt.Seq) iter.Seq2[*tracefmt.Event, error] {
	return func(yield func(*tracefmt.Event, error) bool) { yield(nil, errDamaged) }
}

func TestReadError(t *testing.T) {
	for _, end := range []tracefmt.End{tracefmt.Quiescent, tracefmt.Stopped} {
		m := tracefmt.NewMemory(tracefmt.Run{})
		_ = m.Write(&tracefmt.Event{Seq: 1, Kind: tracefmt.Note})
		m.Finish(end)
		if report, err := analyze.Check(damaged{m}, nil, analyze.Options{}); !errors.Is(err, errDamaged) || report != nil {
			t.Errorf("%s: got %v, %v, want the error of reading and no report", end, report, err)
		}
	}
}
