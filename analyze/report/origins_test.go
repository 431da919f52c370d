package report_test

import (
	"fmt"
	"testing"

	"etrace/analyze"
	"etrace/analyze/report"
	"etrace/tracefmt"
)

// TestOrigins: the places of all witnesses are found, in whatever order the witnesses name events.
func TestOrigins(t *testing.T) {
	rec := tracefmt.NewMemory(tracefmt.Run{Source: "text", Members: []tracefmt.Member{{Name: "a", Position: 1}}})
	for seq := tracefmt.Seq(1); seq <= 4; seq++ {
		e := tracefmt.Event{Seq: seq, Kind: tracefmt.Note, Type: "x", Process: 1, Payload: fmt.Appendf(nil, `{"log":{"line":%d}}`, 10*seq)}
		if err := rec.Write(&e); err != nil {
			t.Fatal(err)
		}
	}
	rec.Finish(tracefmt.Stopped)
	run := &analyze.RunReport{Run: rec.Run(), Results: []*analyze.Result{
		{Witness: []tracefmt.Seq{3, 4}}, {Witness: []tracefmt.Seq{1}},
	}}
	origins, err := report.Origins(rec, run)
	if err != nil || len(origins) != 3 || origins[1].Line != 10 || origins[3].Line != 30 || origins[4].Line != 40 {
		t.Errorf("origins %v, error %v, want lines 10, 30 and 40 of the events 1, 3 and 4", origins, err)
	}
}
