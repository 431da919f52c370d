package replay_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"etrace/replay"
	"etrace/tracefmt"
)

func TestVectorOrder(t *testing.T) {
	for _, tt := range []struct {
		v, w               replay.Vector
		before, concurrent bool
	}{
		{replay.Vector{1, 0}, replay.Vector{1, 1}, true, false},
		{replay.Vector{1, 1}, replay.Vector{1, 0}, false, false},
		{replay.Vector{1, 1}, replay.Vector{1, 1}, false, false},
		{replay.Vector{2, 0}, replay.Vector{1, 1}, false, true},
		{replay.Vector{0, 0}, replay.Vector{0, 1}, true, false},
		{replay.Vector{0, 1}, replay.Vector{1, 1}, true, false},
	} {
		if got := tt.v.Before(tt.w); got != tt.before {
			t.Errorf("%v before %v: %v", tt.v, tt.w, got)
		}
		if got := tt.v.Concurrent(tt.w); got != tt.concurrent {
			t.Errorf("%v concurrent with %v: %v", tt.v, tt.w, got)
		}
	}
}

func TestClocks(t *testing.T) {
	arrive := func(k tracefmt.Kind, from, to tracefmt.ProcessID, sent tracefmt.Seq) tracefmt.Event {
		return tracefmt.Event{Kind: k, Process: to, Peer: from, Message: tracefmt.MessageID(sent), Cause: sent}
	}
	caused := func(p tracefmt.ProcessID, cause tracefmt.Seq, further string) tracefmt.Event {
		return tracefmt.Event{Kind: tracefmt.Note, Process: p, Cause: cause, Payload: []byte(further)}
	}
	note := func(p tracefmt.ProcessID) tracefmt.Event { return event(tracefmt.Note, p) }
	for _, tt := range []struct {
		name   string
		events []tracefmt.Event
		want   string // the clocks at the end, process by process
	}{
		{"nothing", nil, "[0 0 0] [0 0 0] [0 0 0]"},
		{"steps", []tracefmt.Event{note(1), note(1), note(3)}, "[2 0 0] [0 0 0] [0 0 1]"},
		{"a message", []tracefmt.Event{note(1), send(1, 2, 2), note(1), arrive(tracefmt.Receive, 1, 2, 2)}, "[3 0 0] [2 1 0] [0 0 0]"},
		{"a message handed on", []tracefmt.Event{send(1, 2, 1), arrive(tracefmt.Receive, 1, 2, 1), send(2, 3, 3), arrive(tracefmt.Receive, 2, 3, 3)}, "[1 0 0] [1 2 0] [1 2 1]"},
		{"a message received twice", []tracefmt.Event{send(1, 2, 1), arrive(tracefmt.Receive, 1, 2, 1), note(1), arrive(tracefmt.Receive, 1, 2, 1)}, "[2 0 0] [1 2 0] [0 0 0]"},
		{"a lost message", []tracefmt.Event{send(1, 2, 1), arrive(tracefmt.Lose, 1, 2, 1), note(2)}, "[1 0 0] [0 1 0] [0 0 0]"},
		{"a message lost and received", []tracefmt.Event{send(1, 2, 1), arrive(tracefmt.Lose, 1, 2, 1), arrive(tracefmt.Receive, 1, 2, 1)}, "[1 0 0] [1 1 0] [0 0 0]"},
		{"a partition", []tracefmt.Event{event(tracefmt.Partition, 0), note(1)}, "[1 0 0] [0 0 0] [0 0 0]"},
		{"a cause", []tracefmt.Event{note(1), note(1), caused(2, 1, "")}, "[2 0 0] [1 1 0] [0 0 0]"},
		{"further causes", []tracefmt.Event{note(1), note(2), note(1), caused(3, 1, `{"causes":[2,3]}`)}, "[2 0 0] [0 1 0] [2 1 1]"},
		{"further causes alone", []tracefmt.Event{note(1), note(2), caused(3, 0, `{"causes":[1]}`)}, "[1 0 0] [0 1 0] [1 0 1]"},
		{"a cause that has causes", []tracefmt.Event{note(1), caused(2, 1, ""), note(2), caused(3, 2, "")}, "[1 0 0] [1 2 0] [1 1 1]"},
		{"a cause before it learnt", []tracefmt.Event{note(1), note(2), caused(2, 1, ""), caused(3, 2, "")}, "[1 0 0] [1 2 0] [0 1 1]"},
		{"a loss as cause", []tracefmt.Event{send(1, 2, 1), arrive(tracefmt.Lose, 1, 2, 1), caused(3, 2, "")}, "[1 0 0] [0 0 0] [0 0 1]"},
		{"a cause to come", []tracefmt.Event{caused(2, 2, ""), note(1)}, "[1 0 0] [0 1 0] [0 0 0]"},
		{"no cause", []tracefmt.Event{note(1), caused(2, -1, `{"causes":["1",[1],99999999999999999999]}`)}, "[1 0 0] [0 1 0] [0 0 0]"},
		{"itself", []tracefmt.Event{caused(2, 1, "")}, "[0 0 0] [0 1 0] [0 0 0]"},
	} {
		c := replay.NewClocks(newRun(3))
		for i := range tt.events {
			tt.events[i].Seq = tracefmt.Seq(i + 1)
			c.Step(&tt.events[i])
		}
		if got := fmt.Sprint(c.At(1), c.At(2), c.At(3)); got != tt.want || c.Incomplete() != "" {
			t.Errorf("%s: got %s %s, want %s", tt.name, got, c.Incomplete(), tt.want)
		}
	}
}

// drawCausal draws events of n processes that know of one another by messages
// and other causes.
func drawCausal(t *rapid.T, n, most int) []tracefmt.Event {
	var events, sends []tracefmt.Event
	process := rapid.Map(rapid.IntRange(1, n), func(p int) tracefmt.ProcessID { return tracefmt.ProcessID(p) })
	for i := range rapid.IntRange(0, most).Draw(t, "events") {
		e := tracefmt.Event{Seq: tracefmt.Seq(i + 1), Process: process.Draw(t, "process")}
		switch rapid.IntRange(0, 5).Draw(t, "kind") {
		case 0, 1:
			e.Kind, e.Peer = tracefmt.Send, process.Draw(t, "peer")
			sends = append(sends, e)
		case 2, 3:
			e.Kind = rapid.SampledFrom([]tracefmt.Kind{tracefmt.Receive, tracefmt.Receive, tracefmt.Lose}).Draw(t, "arrival")
			if len(sends) > 0 {
				m := rapid.SampledFrom(sends).Draw(t, "of")
				e.Process, e.Peer, e.Cause = m.Peer, m.Process, m.Seq
			}
		case 4:
			e.Kind, e.Cause = tracefmt.Note, tracefmt.Seq(rapid.IntRange(0, i+1).Draw(t, "cause"))
			e.Payload = payload(`{"causes":[%d]}`, rapid.IntRange(0, i+1).Draw(t, "cause"))
		case 5:
			e.Kind = tracefmt.Crash
		}
		events = append(events, e)
	}
	return events
}

// pasts returns, for each event, which earlier ones happened before it: the
// transitive closure, and nothing of vectors.
func pasts(events []tracefmt.Event) [][]bool {
	isStep := func(e *tracefmt.Event) bool { return e.Kind != tracefmt.Lose && e.Process != 0 }
	past := make([][]bool, len(events))
	for j := range events {
		past[j] = make([]bool, len(events))
		for i := range j {
			a, b := &events[i], &events[j]
			if isStep(a) && isStep(b) && (a.Process == b.Process || slices.Contains(slices.Collect(b.Causes()), a.Seq)) {
				past[j][i] = true
				for k, before := range past[i] {
					past[j][k] = past[j][k] || before
				}
			}
		}
	}
	return past
}

// checkClocks compares the clocks after the event j with the pasts.
func checkClocks(t *rapid.T, c *replay.Clocks, n int, events []tracefmt.Event, past [][]bool, j int) {
	want, cut := make(replay.Vector, n), make([]tracefmt.Seq, n)
	for i := range events[:j+1] {
		if past[j][i] || i == j {
			p := events[i].Process
			want[p-1]++
			cut[p-1] = events[i].Seq
		}
	}
	p := events[j].Process
	if got := c.At(p); !slices.Equal(got, want) || !slices.Equal(c.Cut(p), cut) {
		t.Fatalf("after seq %d of %v: clock %v, cut %v, want %v, %v", j+1, events, got, c.Cut(p), want, cut)
	}
	for q := range n {
		if got := c.Latest(p, tracefmt.ProcessID(q+1)); got != cut[q] {
			t.Fatalf("after seq %d: %d knows of %d seq %d, want %d", j+1, p, q+1, got, cut[q])
		}
	}
}

// TestClocksCount: a clock counts what happened before, however little is
// kept, as long as the clocks do not say that it is too little.
func TestClocksCount(t *testing.T) {
	gaveUp, forgot := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 4).Draw(t, "processes")
		events := drawCausal(t, n, 40)
		past := pasts(events)
		c := replay.NewClocks(newRun(n))
		if rapid.Bool().Draw(t, "limited") {
			c.SetLimit(rapid.IntRange(0, 30).Draw(t, "limit"))
			forgot++
		}
		for j := range events {
			if c.Step(&events[j]); c.Incomplete() != "" {
				gaveUp++
				return
			}
			if events[j].Kind != tracefmt.Lose {
				checkClocks(t, c, n, events, past, j)
			}
			if rapid.IntRange(0, 9).Draw(t, "copied") == 0 {
				c = c.Clone()
			}
		}
	})
	if gaveUp == 0 || gaveUp == forgot {
		t.Errorf("%d of %d limited clocks gave up, want some and not all", gaveUp, forgot)
	}
}

// TestClocksGiveUp: what is not kept any more is not guessed.
func TestClocksGiveUp(t *testing.T) {
	c := replay.NewClocks(newRun(2))
	c.SetLimit(10)
	seq := tracefmt.Seq(0)
	step := func(e tracefmt.Event) {
		seq++
		e.Seq = seq
		c.Step(&e)
	}
	step(send(1, 2, 1))
	for range 100 {
		step(event(tracefmt.Note, 1))
	}
	step(tracefmt.Event{Kind: tracefmt.Receive, Process: 2, Peer: 1, Cause: 1})
	if got := c.At(2); c.Incomplete() != "" || got[0] != 1 {
		t.Errorf("clock %v %s, want that of the message, however long it was on its way", got, c.Incomplete())
	}
	for range 100 {
		step(event(tracefmt.Note, 1))
	}
	step(tracefmt.Event{Kind: tracefmt.Receive, Process: 2, Peer: 1, Cause: 1})
	if c.Incomplete() != "" {
		t.Errorf("a second receive teaches nothing: %s", c.Incomplete())
	}
	step(tracefmt.Event{Kind: tracefmt.Note, Process: 2, Cause: 7})
	if want := "seq 204 names seq 7 as its cause"; !strings.HasPrefix(c.Incomplete(), want) {
		t.Errorf("incomplete: %q, want %s", c.Incomplete(), want)
	}
}

// TestClocksAfterForgetting: what the latest steps knew is not forgotten, and
// what comes after them is kept again.
func TestClocksAfterForgetting(t *testing.T) {
	c := replay.NewClocks(newRun(3))
	c.SetLimit(10)
	seq := tracefmt.Seq(0)
	step := func(e tracefmt.Event) {
		seq++
		e.Seq = seq
		c.Step(&e)
		c.Step(&e) // out of order: changes nothing
	}
	step(send(1, 2, 1))
	step(tracefmt.Event{Kind: tracefmt.Receive, Process: 2, Peer: 1, Cause: 1})
	for range 100 {
		step(event(tracefmt.Note, 1))
	}
	step(tracefmt.Event{Kind: tracefmt.Note, Process: 3, Cause: 2})
	if got := fmt.Sprint(c.At(3)); got != "[1 1 1]" || c.Incomplete() != "" {
		t.Errorf("after the latest step of 2: clock %s %s, want [1 1 1]", got, c.Incomplete())
	}
	step(event(tracefmt.Note, 2))
	step(tracefmt.Event{Kind: tracefmt.Note, Process: 1, Cause: seq})
	if got := fmt.Sprint(c.At(1)); got != "[102 2 0]" || c.Incomplete() != "" {
		t.Errorf("after a later step of 2: clock %s %s, want [102 2 0]", got, c.Incomplete())
	}
}

// TestClocksClone: neither of two copies sees what the other takes in.
func TestClocksClone(t *testing.T) {
	for n := range tracefmt.Seq(20) {
		c := replay.NewClocks(newRun(2))
		note := func(c *replay.Clocks, p tracefmt.ProcessID, seq, cause tracefmt.Seq) {
			c.Step(&tracefmt.Event{Seq: seq, Kind: tracefmt.Note, Process: p, Cause: cause})
		}
		for seq := range n {
			note(c, 1, seq+1, 0)
		}
		d := c.Clone()
		note(c, 1, n+1, 0)
		note(d, 1, n+2, 0)
		note(c, 2, n+3, n+1)
		note(d, 2, n+3, n+2)
		if want := fmt.Sprintf("[%d 1]", n+1); fmt.Sprint(c.At(2)) != want || fmt.Sprint(d.At(2)) != want {
			t.Errorf("after %d steps and one each: %v and %v, want %s", n, c.At(2), d.At(2), want)
		}
	}
}

// TestClocksInUse: messages on their way must be kept, so that too many of
// them, each with a clock of its own, end it; those that arrive do not.
func TestClocksInUse(t *testing.T) {
	run := func(arrives tracefmt.Kind) string {
		c := replay.NewClocks(newRun(2))
		c.SetLimit(50)
		for seq := tracefmt.Seq(1); seq < 1000; seq += 4 {
			for i, e := range []tracefmt.Event{
				send(1, 2, 1),
				{Kind: tracefmt.Receive, Process: 2, Peer: 1, Cause: seq},
				send(2, 1, 2),
				{Kind: arrives, Process: 1, Peer: 2, Cause: seq + 2},
			} {
				e.Seq = seq + tracefmt.Seq(i)
				c.Step(&e)
			}
		}
		return c.Incomplete()
	}
	if why := run(tracefmt.Note); !strings.Contains(why, "more than the 50 that are kept") {
		t.Errorf("with 250 messages on their way: %q", why)
	}
	for _, kind := range []tracefmt.Kind{tracefmt.Receive, tracefmt.Lose} {
		if why := run(kind); why != "" {
			t.Errorf("with one message on its way, %s: %q", kind, why)
		}
	}
}

// TestClocksInUseExactly: with three processes a clock in use has three entries;
// as many as the limit are kept, three more are not.
func TestClocksInUseExactly(t *testing.T) {
	c := replay.NewClocks(newRun(3))
	c.SetLimit(6)
	seq := tracefmt.Seq(0)
	step := func(e tracefmt.Event) {
		seq++
		e.Seq = seq
		c.Step(&e)
	}
	receive := func(from, to tracefmt.ProcessID, sent tracefmt.Seq) tracefmt.Event {
		return tracefmt.Event{Kind: tracefmt.Receive, Process: to, Peer: from, Cause: sent}
	}
	step(send(1, 2, 1))
	step(send(1, 3, 2))
	step(receive(1, 2, 1))
	step(receive(1, 3, 2))
	for range 20 {
		step(event(tracefmt.Note, 1))
	}
	if c.Incomplete() != "" {
		t.Fatalf("with two clocks in use: %s", c.Incomplete())
	}
	step(send(2, 3, 3)) // it carries what 2 knows now
	step(send(1, 2, 4))
	step(receive(1, 2, seq))
	for range 20 {
		step(event(tracefmt.Note, 1))
	}
	if want := "have 9 entries, more than the 6 that are kept"; !strings.HasSuffix(c.Incomplete(), want) {
		t.Errorf("with three clocks in use: %q, want %s", c.Incomplete(), want)
	}
}

// What a process learns is counted with all its entries: twenty messages among
// five processes are 40 steps and 100 entries, more than may be kept.
func TestClocksForgetWhatWasLearnt(t *testing.T) {
	c := replay.NewClocks(newRun(5))
	c.SetLimit(100)
	for seq := tracefmt.Seq(1); seq < 40; seq += 2 {
		c.Step(&tracefmt.Event{Seq: seq, Kind: tracefmt.Send, Process: 1, Peer: 2, Message: tracefmt.MessageID(seq)})
		c.Step(&tracefmt.Event{Seq: seq + 1, Kind: tracefmt.Receive, Process: 2, Peer: 1, Message: tracefmt.MessageID(seq), Cause: seq})
	}
	if cut, ok := c.CutOf(1); ok {
		t.Errorf("the first step is kept: %v", cut)
	}
}

// TestClocksHostile: no event panics.
func TestClocksHostile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 3).Draw(t, "processes")
		c := replay.NewClocks(newRun(n))
		c.SetLimit(rapid.IntRange(0, 20).Draw(t, "limit"))
		number := rapid.SampledFrom([]int64{-1, 0, 1, 2, 3, 4, 5, 6, 7, math.MaxInt64, math.MinInt64})
		for range rapid.IntRange(0, 40).Draw(t, "events") {
			c.Step(&tracefmt.Event{
				Seq: tracefmt.Seq(number.Draw(t, "seq")), Kind: tracefmt.Kind(rapid.IntRange(0, 20).Draw(t, "kind")),
				Process: tracefmt.ProcessID(number.Draw(t, "process")), Peer: tracefmt.ProcessID(number.Draw(t, "peer")),
				Cause:   tracefmt.Seq(number.Draw(t, "cause")),
				Payload: []byte(rapid.SampledFrom([]string{"", `{"causes":`, `{"causes":3}`, `{"causes":[`, `{"causes":[1,,2]}`, `{"causes":{"a":1}}`}).Draw(t, "payload")),
			})
			for p := range n {
				c.At(tracefmt.ProcessID(p + 1))
				c.Cut(tracefmt.ProcessID(p + 1))
			}
		}
	})
}
