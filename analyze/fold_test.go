package analyze_test

import (
	"testing"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// counting is a fold that counts the events.
type counting struct{ events int }

func (c *counting) Step(*replay.State, *tracefmt.Event) { c.events++ }

// follower is a monitor that wants its fold to have seen each event once, before
// the monitor does.
type follower struct {
	created *int
	fold    *counting
	events  int
}

func (f *follower) Follow(folds *analyze.Folds) {
	f.fold = analyze.Shared(folds, func(*tracefmt.Run) *counting {
		*f.created++
		return new(counting)
	})
}

func (f *follower) Step(r *analyze.Result, _ *replay.State, e *tracefmt.Event) {
	r.Examined++
	if f.events++; f.fold.events != f.events {
		r.Violate(because("the fold has seen another number of events"), e.Seq)
	}
}

func (f *follower) End(*analyze.Result, *replay.State, analyze.Ending) {}

// TestSharedFold: the monitors of a pass share a fold of each type; another pass
// has its own.
func TestSharedFold(t *testing.T) {
	created := 0
	p := &analyze.Property{Name: "following", New: func(*tracefmt.Run) analyze.Monitor { return &follower{created: &created} }}
	m := tracefmt.NewMemory(tracefmt.Run{})
	for seq := range tracefmt.Seq(3) {
		_ = m.Write(&tracefmt.Event{Seq: seq + 1, Kind: tracefmt.Note})
	}
	m.Finish(tracefmt.Quiescent)
	for pass := range 2 {
		report, err := analyze.Check(m, []*analyze.Property{p, p, p}, analyze.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if report.Verdict != analyze.Satisfied || created != pass+1 {
			t.Errorf("pass %d: %s (%s), with %d folds, want %d", pass, report.Verdict, report.Results[0].Explanation, created, pass+1)
		}
	}
}
