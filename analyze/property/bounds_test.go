package property_test

import (
	"strings"
	"testing"

	"etrace/analyze"
	"etrace/tracefmt"
)

// TestHostileBounds: whatever a header states as a bound, the property comes to
// a verdict, and soon.
func TestHostileBounds(t *testing.T) {
	deep := strings.Repeat("(", 400) + "n" + strings.Repeat(")", 400)
	for _, test := range []struct {
		bound tracefmt.Bound
		want  analyze.Verdict
	}{
		{tracefmt.Bound{Messages: "n"}, analyze.Satisfied},
		{tracefmt.Bound{Messages: "n", If: "false"}, analyze.NotApplicable},
		{tracefmt.Bound{Messages: "starts"}, analyze.NotApplicable}, // no scenario defines the starts
		{tracefmt.Bound{Messages: deep}, analyze.Unknown},
		{tracefmt.Bound{Messages: "9**9**9**9**9"}, analyze.Unknown},
		{tracefmt.Bound{Messages: "n / 0"}, analyze.Unknown},
		{tracefmt.Bound{Messages: "n % 0"}, analyze.Unknown},
		{tracefmt.Bound{Messages: "-n"}, analyze.Violated},
		{tracefmt.Bound{Messages: "0/0"}, analyze.Unknown},
		{tracefmt.Bound{Messages: "'n'"}, analyze.Unknown},
		{tracefmt.Bound{Messages: "map(1..1000000000, # * 2)"}, analyze.Unknown},
		{tracefmt.Bound{Messages: "repeat('x', 1000000000)"}, analyze.Unknown},
		{tracefmt.Bound{Messages: "n", If: "top +"}, analyze.Unknown},
		{tracefmt.Bound{Messages: "n", If: "n"}, analyze.Unknown},
		{tracefmt.Bound{Messages: "\x00"}, analyze.Unknown},
		{tracefmt.Bound{Messages: "scenario"}, analyze.Unknown},
	} {
		for _, members := range []int{2, 0} { // a run without processes may hold a send all the same
			m := tracefmt.NewMemory(tracefmt.Run{
				Completeness: recordedWhole, Problem: "election",
				TimeUnit: tracefmt.Delays, Bounds: []tracefmt.Bound{test.bound},
			})
			e := tracefmt.Event{Seq: 1, Kind: tracefmt.Send, Message: 1}
			for i := range members {
				m.Run().Members = append(m.Run().Members, tracefmt.Member{Name: string(rune('1' + i)), Position: i + 1})
				e.Process, e.Peer = 1, 2
			}
			if err := m.Write(&e); err != nil {
				t.Fatal(err)
			}
			lose := e
			lose.Seq, lose.Kind, lose.Cause, lose.Process, lose.Peer = 2, tracefmt.Lose, 1, e.Peer, e.Process
			if err := m.Write(&lose); err != nil {
				t.Fatal(err)
			}
			m.Finish(tracefmt.Quiescent)
			r := check(t, m, true, "message-complexity").Results[0]
			if members > 0 && r.Verdict != test.want {
				t.Errorf("%q if %q: %s (%s), want %s", test.bound.Messages, test.bound.If, r.Verdict, r.Explanation, test.want)
			}
		}
	}
}
