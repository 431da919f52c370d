package complexity_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"etrace/analyze/complexity"
	"etrace/tracefmt"
)

// pings is a run of two processes in which 1 sends messages A to 2, one A to itself, and one B to
// 2. All arrive, the first twice.
func pings(bounds []tracefmt.Bound, n int) *tracefmt.Memory {
	m := tracefmt.NewMemory(tracefmt.Run{
		Completeness: &tracefmt.Completeness{Levels: tracefmt.Levels{Default: tracefmt.All}}, Problem: "election", Source: "by hand",
		Scenario: []byte(`{"start":"1@0"}`), TimeUnit: tracefmt.Delays, Bounds: bounds,
		Members: []tracefmt.Member{{Name: "1", Position: 1}, {Name: "2", Position: 2}},
	})
	write := func(e tracefmt.Event) {
		e.Seq = tracefmt.Seq(m.Len() + 1)
		if err := m.Write(&e); err != nil {
			panic(err)
		}
	}
	for i := range n + 2 {
		e := tracefmt.Event{Kind: tracefmt.Send, Process: 1, Peer: 2, Type: "A", Message: tracefmt.MessageID(i + 1)}
		switch i {
		case n:
			e.Peer = 1
		case n + 1:
			e.Type = "B"
		}
		write(e)
		arrives := e
		arrives.Kind, arrives.Process, arrives.Peer, arrives.Cause = tracefmt.Receive, e.Peer, 1, tracefmt.Seq(m.Len())
		write(arrives)
		if i == 0 {
			write(arrives)
		}
	}
	m.Finish(tracefmt.Quiescent)
	return m
}

// TestTheory: each bound counts by its own convention. The run sends 5 A, one of them to
// itself, and a B; 7 receives.
func TestTheory(t *testing.T) {
	for _, test := range []struct {
		bound    string
		measured int64
		want     string
	}{
		{`{"messages":"6"}`, 6, "kept"},
		{`{"messages":"3*n-1"}`, 6, "broken"},
		{`{"messages":"n","counts":"others"}`, 5, "broken"},
		{`{"messages":"5","kind":"exact","counts":"others"}`, 5, "kept"},
		{`{"messages":"7","kind":"exact","counts":"delivered"}`, 7, "kept"},
		{`{"messages":"7","kind":"exact"}`, 6, "broken"},
		{`{"messages":"5","without":["B"]}`, 5, "kept"},
		{`{"messages":"4","counts":"others","without":["B"]}`, 4, "kept"},
		{`{"messages":"1","counts":"delivered","without":["A"]}`, 1, "kept"},
		{`{"messages":"6","kind":"least"}`, 6, "kept"},
		{`{"messages":"7","kind":"least"}`, 6, "broken"},
		{`{"messages":"starts + above + edges","kind":"exact","given":{"edges":4}}`, 6, "kept"},
		{`{"messages":"n*H(n)","kind":"mean"}`, 6, "beside"},
		{`{"messages":"O(n log n)","kind":"order"}`, 6, "beside"},
	} {
		var b tracefmt.Bound
		if err := json.Unmarshal([]byte(test.bound), &b); err != nil {
			t.Fatal(err)
		}
		s, err := complexity.Count(pings([]tracefmt.Bound{b}, 4))
		if err != nil {
			t.Fatal(err)
		}
		list, reason := s.Theory()
		if len(list) != 1 || list[0].Measured != test.measured || list[0].Kept.String() != test.want {
			t.Errorf("%s: %v %s, want %d measured, %s", test.bound, list, reason, test.measured, test.want)
		}
	}
}

// TestTheoryUnfinished: of a run that was stopped it is open what it would have sent.
func TestTheoryUnfinished(t *testing.T) {
	m := pings([]tracefmt.Bound{
		{Messages: "9"},
		{Messages: "6", Kind: tracefmt.ExactCase},
		{Messages: "9", Kind: tracefmt.LeastCase},
		{Messages: "5", Without: []string{"C"}},
	}, 4)
	m.Finish(tracefmt.Stopped)
	s, err := complexity.Count(m)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	list, _ := s.Theory()
	for _, c := range list {
		got = append(got, c.Kept.String())
	}
	if want := "open open open broken"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

// TestTheoryOfDisturbedRuns: bounds are about one election in peace.
func TestTheoryOfDisturbedRuns(t *testing.T) {
	for scenario, want := range map[string]string{
		`{"start":"1@0","crash":"2@3"}`:   "the scenario crashes processes (crash)",
		`{"start":["1@0","2@1"]}`:         "the scenario has starts at several instants",
		`{}`:                              "the scenario starts no process",
		`{"start":"1@0","delay":"0.5-1"}`: "",
	} {
		m := pings([]tracefmt.Bound{{Messages: "9"}}, 1)
		m.Run().Scenario = []byte(scenario)
		s, err := complexity.Count(m)
		if err != nil {
			t.Fatal(err)
		}
		if list, reason := s.Theory(); reason != want || (len(list) == 0) != (want != "") {
			t.Errorf("%s: %v, %q, want %q", scenario, list, reason, want)
		}
	}
}

// TestFold: the run closest to breaking the bound is kept, with the sums of all runs.
func TestFold(t *testing.T) {
	bounds := []tracefmt.Bound{{Messages: "7"}, {Messages: "4", Kind: tracefmt.LeastCase}}
	theory := complexity.NewTheory(bounds)
	var comparisons []complexity.Compared
	for _, n := range []int{3, 6, 1, 4} { // 5, 8, 3 and 6 messages
		m := pings(bounds, n)
		counter := complexity.NewCounter(m.Run())
		for e := range m.Events(1) {
			if err := counter.Write(e); err != nil {
				t.Fatal(err)
			}
		}
		list, err := counter.Compare(theory)
		if err != nil {
			t.Fatal(err)
		}
		comparisons = complexity.Fold(comparisons, list)
	}
	var got []string
	for _, c := range comparisons {
		got = append(got, fmt.Sprint(c.Measured, c.Kept, c.Runs, c.Broken, c.Sum))
	}
	if want := []string{"8 broken 4 1 22", "3 broken 4 1 22"}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestRivals: of bounds of one kind that count alike the first whose condition is true
// holds; of others, each.
func TestRivals(t *testing.T) {
	bounds := []tracefmt.Bound{
		{Messages: "1", If: "n > 5"},
		{Messages: "2"},
		{Messages: "3"},
		{Messages: "4", Kind: tracefmt.MeanCase},
		{Messages: "5", Counts: tracefmt.CountsOthers},
		{Messages: "6", Without: []string{"B", "A"}},
		{Messages: "7", Without: []string{"A", "B"}},
		{Messages: "8", If: "starts > 1", Without: []string{"A"}},
		{Messages: "9", Counts: tracefmt.CountsSent},
	}
	limits, err := complexity.NewTheory(bounds).Limits(complexity.Setting{N: 4, Live: 4, Starts: 1})
	var got []float64
	for _, l := range limits {
		got = append(got, l.Value)
	}
	if want := []float64{2, 4, 5, 6}; err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}
