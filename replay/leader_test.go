package replay_test

import (
	"slices"
	"testing"

	"etrace/replay"
	"etrace/tracefmt"
)

// named is a run of processes with these names.
func named(names ...string) *tracefmt.Run {
	run := &tracefmt.Run{}
	for _, name := range names {
		run.Members = append(run.Members, tracefmt.Member{Name: name})
	}
	return run
}

// TestBest: the best is the live process of the greatest id, which is a number if
// all are, else its place.
func TestBest(t *testing.T) {
	for _, tt := range []struct {
		names []string
		down  []tracefmt.ProcessID
		live  []tracefmt.ProcessID
		best  tracefmt.ProcessID // 0: none
	}{
		{[]string{"10", "9", "-1"}, nil, []tracefmt.ProcessID{1, 2, 3}, 1},
		{[]string{"10", "9", "-1"}, []tracefmt.ProcessID{1}, []tracefmt.ProcessID{2, 3}, 2},
		{[]string{"9", "10", "ann"}, nil, []tracefmt.ProcessID{1, 2, 3}, 3},
		{[]string{"ann", "10", "9"}, []tracefmt.ProcessID{1}, []tracefmt.ProcessID{2, 3}, 3},
		{[]string{"-2", "-7"}, nil, []tracefmt.ProcessID{1, 2}, 1},
		{[]string{"-7", "-2"}, nil, []tracefmt.ProcessID{1, 2}, 2},
		{[]string{"1", "2"}, []tracefmt.ProcessID{1, 2}, nil, 0},
		{nil, nil, nil, 0},
	} {
		run := named(tt.names...)
		run.Traits, run.Source = []string{tracefmt.GreatestWins}, tracefmt.Simulated
		s := replay.NewState(run)
		for i, p := range tt.down {
			crash := event(tracefmt.Crash, p)
			crash.Seq = tracefmt.Seq(i + 1)
			s.Apply(&crash)
		}
		var want []tracefmt.ProcessID
		if tt.best != 0 {
			want = append(want, tt.best)
		}
		best, lacks := s.Best()
		if live := s.LiveProcesses(); !slices.Equal(live, tt.live) || !slices.Equal(best, want) || lacks != "" {
			t.Errorf("%q without %v: best %d of %v (%s), want %d of %v", tt.names, tt.down, best, live, lacks, want, tt.live)
		}
	}
}

// TestSameElected: a number and a text may name the same process; what names none
// is the same where it is written in the same way.
func TestSameElected(t *testing.T) {
	for _, tt := range []struct {
		first, second string
		same          bool
	}{
		{`1`, `"1"`, true},
		{`1`, `2`, false},
		{`1`, `7`, false},
		{`7`, `1`, false},
		{`7`, `7`, true},
		{`7`, `8`, false},
		{`null`, `null`, true},
		{`null`, `7`, false},
	} {
		s := history(2, state(1, `{"elected":`+tt.first+`}`), state(2, `{"elected":`+tt.second+`}`))
		if got := s.SameElected(1, 2); got != tt.same {
			t.Errorf("%s and %s: %t", tt.first, tt.second, got)
		}
	}
}

// TestChannels: what is on its way, one channel for each pair and direction, in the
// order of the sends.
func TestChannels(t *testing.T) {
	s := history(3, send(2, 1, 1), send(1, 3, 2), send(1, 2, 3), send(1, 3, 4), send(2, 3, 5), send(1, 2, 6))
	type channel struct {
		from, receiver tracefmt.ProcessID
		messages       []tracefmt.MessageID
	}
	want := []channel{
		{1, 2, []tracefmt.MessageID{3, 6}},
		{1, 3, []tracefmt.MessageID{2, 4}},
		{2, 1, []tracefmt.MessageID{1}},
		{2, 3, []tracefmt.MessageID{5}},
	}
	got := s.Channels()
	if len(got) != len(want) {
		t.Fatalf("%d channels, want %d", len(got), len(want))
	}
	for i, w := range want {
		var messages []tracefmt.MessageID
		for _, f := range got[i].Flights {
			messages = append(messages, f.Message)
		}
		if got[i].From != w.from || got[i].To != w.receiver || !slices.Equal(messages, w.messages) {
			t.Errorf("channel %d is from %d to %d with %v, want %v", i, got[i].From, got[i].To, messages, w)
		}
	}
}

// TestAround: a screenful of events, cut at both ends of the run.
func TestAround(t *testing.T) {
	mem := election(t)
	for _, tt := range []struct{ lo, hi, first, last tracefmt.Seq }{
		{3, 5, 3, 5}, {-2, 2, 1, 2}, {12, 40, 12, 13}, {13, 13, 13, 13}, {14, 20, 0, 0}, {5, 4, 0, 0},
	} {
		events, err := replay.NewCursor(mem).Around(tt.lo, tt.hi)
		var want []tracefmt.Seq
		for seq := tt.first; seq <= tt.last && seq > 0; seq++ {
			want = append(want, seq)
		}
		var got []tracefmt.Seq
		for _, e := range events {
			got = append(got, e.Seq)
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%d to %d: %v, %v, want %v", tt.lo, tt.hi, got, err, want)
		}
	}
}
