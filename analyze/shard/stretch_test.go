package shard

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"etrace/tracefmt"
)

// TestClockJoins: the index of consecutive events is the same, wherever they are cut.
func TestClockJoins(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := tracefmt.Seq(rapid.IntRange(1, 2000).Draw(t, "first"))
		times := rapid.SliceOfN(rapid.Int64(), 1, 1500).Draw(t, "times")
		bounds := append(rapid.SliceOfN(rapid.IntRange(0, len(times)), 0, 5).Draw(t, "cuts"), 0, len(times))
		slices.Sort(bounds)
		var want, got Clock
		for i, at := range times {
			want.add(first+tracefmt.Seq(i), tracefmt.Time(at))
		}
		for i, from := range bounds[:len(bounds)-1] {
			var part Clock
			for k, at := range times[from:bounds[i+1]] {
				part.add(first+tracefmt.Seq(from+k), tracefmt.Time(at))
			}
			if len(part.Greatest) > 0 {
				got.join(part)
			}
		}
		if got.Bits != want.Bits || got.First != want.First || !slices.Equal(got.Greatest, want.Greatest) {
			t.Fatalf("got %+v, want %+v", got, want)
		}
		if err := got.check(); err != nil || !got.covers(first, first+tracefmt.Seq(len(times)-1)) {
			t.Fatalf("%+v: %v", got, err)
		}
	})
}

// TestSurveyRefuses: stretches that no run has are refused, not joined.
func TestSurveyRefuses(t *testing.T) {
	run := &tracefmt.Run{TimeUnit: tracefmt.Logical, Members: []tracefmt.Member{{Name: "a", Position: 1}}}
	p := &Plan{ID: "p", Shards: 1}
	line := func(text string) []json.RawMessage { return []json.RawMessage{json.RawMessage(text)} }
	end := &stretch{Plan: "p", First: 3, Last: 2, End: tracefmt.Stopped}
	two := func(change func(*stretch)) []*stretch {
		s := &stretch{Plan: "p", First: 1, Last: 2, Seen: Sum{Events: 2}, Clock: &Clock{First: 1, Greatest: []tracefmt.Time{1, 1}}}
		s.Full = line(`{"seq":1,"time":1,"process":"a","kind":"note"}`)
		change(s)
		return []*stretch{end, s}
	}
	if _, err := p.survey(run, nil, two(func(*stretch) {})); err != nil {
		t.Fatal(err)
	}
	for want, stretches := range map[string][]*stretch{
		"another plan":           two(func(s *stretch) { s.Plan = "q" }),
		"consecutive events":     two(func(s *stretch) { s.Seen.Events = 3 }),
		"follows seq 0":          {end},
		"without the end":        two(func(*stretch) {})[1:],
		"that no events have":    two(func(s *stretch) { s.Clock.Bits = 63 }),
		"times of other events":  two(func(s *stretch) { s.Clock.First = 1 << 40 }),
		"seq 9 after seq 0":      two(func(s *stretch) { s.Full = line(`{"seq":9,"time":1,"process":"a","kind":"note"}`) }),
		"not a member":           two(func(s *stretch) { s.Bare = line(`{"seq":2,"time":1,"process":"b","kind":"note"}`) }),
		"digest of the stretch":  two(func(s *stretch) { s.Bare = line(`{}`) }),
		"expected a JSON object": two(func(s *stretch) { s.Bare = line(`{"seq":1,"kind":"note","payload":1}`) }),
	} {
		if _, err := p.survey(run, nil, stretches); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %s", err, want)
		}
	}
}
