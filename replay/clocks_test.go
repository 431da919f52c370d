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
	arrive := func(k tracefmt.Kind, from, receiver tracefmt.ProcessID, sent tracefmt.Seq) tracefmt.Event {
		return tracefmt.Event{Kind: k, Process: receiver, Peer: from, Message: tracefmt.MessageID(sent), Cause: sent}
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
		{"a message handed on", []tracefmt.Event{
			send(1, 2, 1), arrive(tracefmt.Receive, 1, 2, 1), send(2, 3, 3),
			arrive(tracefmt.Receive, 2, 3, 3),
		}, "[1 0 0] [1 2 0] [1 2 1]"},
		{"a message received twice", []tracefmt.Event{
			send(1, 2, 1), arrive(tracefmt.Receive, 1, 2, 1), note(1),
			arrive(tracefmt.Receive, 1, 2, 1),
		}, "[2 0 0] [1 2 0] [0 0 0]"},
		{"a lost message", []tracefmt.Event{send(1, 2, 1), arrive(tracefmt.Lose, 1, 2, 1), note(2)}, "[1 0 0] [0 1 0] [0 0 0]"},
		{"a message lost and received", []tracefmt.Event{
			send(1, 2, 1), arrive(tracefmt.Lose, 1, 2, 1),
			arrive(tracefmt.Receive, 1, 2, 1),
		}, "[1 0 0] [1 1 0] [0 0 0]"},
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
// and other causes. Of many processes four do something, far apart.
func drawCausal(t *rapid.T, n, limit int) []tracefmt.Event {
	var events, sends []tracefmt.Event
	process := rapid.Map(rapid.IntRange(1, min(n, 4)), func(p int) tracefmt.ProcessID { return tracefmt.ProcessID(p*61%n + 1) })
	for i := range rapid.IntRange(0, limit).Draw(t, "events") {
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
	if got := c.At(p); !slices.Equal(got, want) || !slices.Equal(c.Clock(p).Cut(), cut) {
		t.Fatalf("after seq %d of %v: clock %v, cut %v, want %v, %v", j+1, events, got, c.Clock(p).Cut(), want, cut)
	}
	for q := range n {
		if got := c.Clock(p).Latest(tracefmt.ProcessID(q + 1)); got != cut[q] {
			t.Fatalf("after seq %d: %d knows of %d seq %d, want %d", j+1, p, q+1, got, cut[q])
		}
	}
}

// TestClocksCount: a clock counts what happened before, however little is kept, as long as the clocks are not
// Incomplete.
func TestClocksCount(t *testing.T) {
	gaveUp, forgot := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, 2, 3, 4, 200}).Draw(t, "processes")
		events := drawCausal(t, n, 40)
		past := pasts(events)
		c := replay.NewClocks(newRun(n))
		if rapid.Bool().Draw(t, "limited") {
			c.SetRecent(rapid.IntRange(0, 60).Draw(t, "recent"))
			c.SetLimit(6*n + rapid.IntRange(0, 200).Draw(t, "limit"))
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
	c.SetRecent(10)
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
	c.SetRecent(10)
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

// TestClocksRecentPast: an event may always name one of the last ones, whenever
// something was forgotten.
func TestClocksRecentPast(t *testing.T) {
	c := replay.NewClocks(newRun(2))
	c.SetRecent(40) // twenty steps
	for seq := tracefmt.Seq(1); seq < 1000; seq += 2 {
		c.Step(&tracefmt.Event{Seq: seq, Kind: tracefmt.Note, Process: 1})
		c.Step(&tracefmt.Event{Seq: seq + 1, Kind: tracefmt.Note, Process: 2, Cause: max(0, seq-8)})
	}
	if reason := c.Incomplete(); reason != "" {
		t.Errorf("causes that are nine events old: %s", reason)
	}
}

// TestClocksOfThousands: ten thousand processes that each hear of two others take memory for what they
// know, not for each pair: less than 48 MB instead of 800.
func TestClocksOfThousands(t *testing.T) {
	const n = 10_000
	c := replay.NewClocks(newRun(n))
	seq := tracefmt.Seq(0)
	for p := tracefmt.ProcessID(1); p+2 <= n; p += 3 {
		for _, receiver := range []tracefmt.ProcessID{p + 1, p + 2, p} {
			seq += 2
			from := (receiver-p+2)%3 + p
			c.Step(&tracefmt.Event{Seq: seq - 1, Kind: tracefmt.Send, Process: from, Peer: receiver})
			c.Step(&tracefmt.Event{Seq: seq, Kind: tracefmt.Receive, Process: receiver, Peer: from, Cause: seq - 1})
		}
	}
	words := replay.Words(func(yield func(replay.Clock) bool) {
		for p := range tracefmt.ProcessID(n) {
			yield(c.Clock(p + 1))
		}
	})
	if mb := words * 8 >> 20; mb >= 48 || c.Incomplete() != "" {
		t.Errorf("%d MB %s", mb, c.Incomplete())
	}
	if seq, known := c.Clock(1).Latest(2), c.Clock(1).Latest(3); seq != 3 || known != 5 {
		t.Errorf("1 knows of 2 up to seq %d and of 3 up to seq %d, want 3 and 5", seq, known)
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

// TestClocksInUse: messages in flight must be kept. Too many of them, each with its own clock, make the clocks
// incomplete; messages that arrive do not.
func TestClocksInUse(t *testing.T) {
	run := func(arrives tracefmt.Kind) string {
		c := replay.NewClocks(newRun(2))
		c.SetRecent(50)
		c.SetLimit(50) // words: 12 for two clocks, 6 for one on its way, 5 for what each of these knows
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
	if reason := run(tracefmt.Note); !strings.Contains(reason, "more than the 0.0 MB that are kept for so many processes") {
		t.Errorf("with 250 messages on their way: %q", reason)
	}
	for _, kind := range []tracefmt.Kind{tracefmt.Receive, tracefmt.Lose} {
		if reason := run(kind); reason != "" {
			t.Errorf("with one message on its way, %s: %q", kind, reason)
		}
	}
}

// TestClocksInUseExactly: with three processes a clock in use takes six words, and six more for its knowledge
// unless that is shared. The limit itself is allowed, six words more are not.
func TestClocksInUseExactly(t *testing.T) {
	c := replay.NewClocks(newRun(3))
	c.SetRecent(20)
	c.SetLimit(3*6 + 6 + 2*6) // three processes, a message on its way, what two know
	seq := tracefmt.Seq(0)
	step := func(e tracefmt.Event) {
		seq++
		e.Seq = seq
		c.Step(&e)
	}
	receive := func(from, receiver tracefmt.ProcessID, sent tracefmt.Seq) tracefmt.Event {
		return tracefmt.Event{Kind: tracefmt.Receive, Process: receiver, Peer: from, Cause: sent}
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
	for range 20 {
		step(event(tracefmt.Note, 1))
	}
	if c.Incomplete() != "" {
		t.Fatalf("with a message that shares its clock: %s", c.Incomplete())
	}
	step(send(1, 2, 4))
	step(receive(1, 2, seq))
	for range 40 {
		step(event(tracefmt.Note, 1))
	}
	if want := "the vector clocks of the 3 processes and of the 1 messages in flight take 0.0 MB"; !strings.Contains(c.Incomplete(), want) {
		t.Errorf("with three clocks in use: %q, want %s", c.Incomplete(), want)
	}
}

// Lessons are counted with all their entries: twenty messages among five processes are 40 steps of two words
// and 20 clocks of eight.
func TestClocksForgetWhatWasLearnt(t *testing.T) {
	c := replay.NewClocks(newRun(5))
	c.SetRecent(100)
	for seq := tracefmt.Seq(1); seq < 40; seq += 2 {
		c.Step(&tracefmt.Event{Seq: seq, Kind: tracefmt.Send, Process: 1, Peer: 2, Message: tracefmt.MessageID(seq)})
		c.Step(&tracefmt.Event{Seq: seq + 1, Kind: tracefmt.Receive, Process: 2, Peer: 1, Message: tracefmt.MessageID(seq), Cause: seq})
	}
	if cut, ok := c.ClockOf(1); ok {
		t.Errorf("the first step is kept: %v", cut)
	}
}

// TestClocksHostile: no event panics.
func TestClocksHostile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 3).Draw(t, "processes")
		c := replay.NewClocks(newRun(n))
		c.SetRecent(rapid.IntRange(0, 20).Draw(t, "recent"))
		c.SetLimit(rapid.IntRange(0, 100).Draw(t, "limit"))
		number := rapid.SampledFrom([]int64{-1, 0, 1, 2, 3, 4, 5, 6, 7, math.MaxInt64, math.MinInt64})
		for range rapid.IntRange(0, 40).Draw(t, "events") {
			c.Step(&tracefmt.Event{
				Seq: tracefmt.Seq(number.Draw(t, "seq")), Kind: tracefmt.Kind(rapid.IntRange(0, 20).Draw(t, "kind")),
				Process: tracefmt.ProcessID(number.Draw(t, "process")), Peer: tracefmt.ProcessID(number.Draw(t, "peer")),
				Cause: tracefmt.Seq(number.Draw(t, "cause")),
				Payload: []byte(rapid.SampledFrom([]string{
					"", `{"causes":`, `{"causes":3}`, `{"causes":[`, `{"causes":[1,,2]}`, `{"causes":{"a":1}}`,
				}).Draw(t, "payload")),
			})
			for p := range n {
				c.At(tracefmt.ProcessID(p + 1))
				c.Clock(tracefmt.ProcessID(p + 1)).Cut()
			}
		}
	})
}
