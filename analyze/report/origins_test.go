package report_test

import (
	"errors"
	"fmt"
	"iter"
	"testing"

	"etrace/analyze"
	"etrace/analyze/report"
	"etrace/tracefmt"
)

// TestOrigins: the places of all witnesses are found, in whatever order the witnesses name events.
func TestOrigins(t *testing.T) {
	rec := tracefmt.NewMemory(tracefmt.Run{Source: "text", Members: []tracefmt.Member{{Name: "a", Position: 1}}})
	for seq := tracefmt.Seq(1); seq <= 5; seq++ {
		e := tracefmt.Event{Seq: seq, Kind: tracefmt.Note, Type: "x", Process: 1, Payload: fmt.Appendf(nil, `{"log":{"line":%d}}`, 10*seq)}
		if err := rec.Write(&e); err != nil {
			t.Fatal(err)
		}
	}
	rec.Finish(tracefmt.Stopped)
	run := &analyze.RunReport{Run: rec.Run(), Results: []*analyze.Result{
		{Witness: []tracefmt.Seq{3, 4}}, {Witness: []tracefmt.Seq{1}},
	}}
	// Of the recording no more is read.
	origins, err := report.Origins(damaged{rec, 4}, run)
	if err != nil || len(origins) != 3 || origins[1].Line != 10 || origins[3].Line != 30 || origins[4].Line != 40 {
		t.Errorf("origins %v, error %v, want lines 10, 30 and 40 of the events 1, 3 and 4", origins, err)
	}
}

// damaged is a recording that cannot be read after an event.
type damaged struct {
	*tracefmt.Memory
	after tracefmt.Seq
}

func (d damaged) Events(from tracefmt.Seq) iter.Seq2[*tracefmt.Event, error] {
	return func(yield func(*tracefmt.Event, error) bool) {
		for e, err := range d.Memory.Events(from) {
			if !yield(e, err) {
				return
			}
			if e.Seq == d.after {
				yield(nil, errors.New("damaged"))
				return
			}
		}
	}
}
