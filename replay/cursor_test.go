package replay_test

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"etrace/replay"
	"etrace/tracefmt"
)

// randomRun draws a run of a few processes that send, lose, set timers, crash
// and change variables, as it comes.
func randomRun(t *rapid.T, limit int) *tracefmt.Memory {
	n := rapid.IntRange(1, 4).Draw(t, "processes")
	mem := tracefmt.NewMemory(*newRun(n))
	process := rapid.Custom(func(t *rapid.T) tracefmt.ProcessID {
		return tracefmt.ProcessID(rapid.IntRange(1, n).Draw(t, "p"))
	})
	var sent []tracefmt.Event
	now := tracefmt.Time(0)
	for seq := range rapid.IntRange(0, limit).Draw(t, "events") {
		now += tracefmt.Time(rapid.IntRange(-1, 3).Draw(t, "later")) // logs may go back in time
		e := tracefmt.Event{Seq: tracefmt.Seq(seq + 1), Time: now, Lamport: int64(seq + 1), Process: process.Draw(t, "process")}
		e.Kind = rapid.SampledFrom([]tracefmt.Kind{
			tracefmt.Send, tracefmt.Send, tracefmt.Receive, tracefmt.Receive, tracefmt.Lose, tracefmt.State, tracefmt.State,
			tracefmt.SetTimer, tracefmt.Timeout, tracefmt.Crash, tracefmt.Recover, tracefmt.Start, tracefmt.Halt, tracefmt.Note,
		}).Draw(t, "kind")
		switch e.Kind {
		case tracefmt.Send:
			e.Peer, e.Message, e.Type, e.Payload = process.Draw(t, "peer"), tracefmt.MessageID(seq+1), "A", payload(`{"n":%d}`, seq)
			sent = append(sent, e)
		case tracefmt.Receive, tracefmt.Lose:
			if len(sent) == 0 {
				e.Kind = tracefmt.Note
				break
			}
			m := rapid.SampledFrom(sent).Draw(t, "message")
			e.Process, e.Peer, e.Message, e.Type, e.Cause, e.Payload = m.Peer, m.Process, m.Message, m.Type, m.Seq, m.Payload
		case tracefmt.State, tracefmt.Start, tracefmt.Recover:
			value := rapid.SampledFrom([]string{"1", "2", "null", `"x"`}).Draw(t, "value")
			e.Payload = payload(`{"%s":%s}`, rapid.SampledFrom([]string{"elected", "y"}).Draw(t, "name"), value)
		case tracefmt.SetTimer:
			e.Type, e.Payload = rapid.SampledFrom([]string{"a", "b"}).Draw(t, "timer"), payload(`{"due":%d}`, now+3)
		case tracefmt.Timeout:
			e.Type = "a"
		}
		if err := mem.Write(&e); err != nil {
			t.Fatal(err)
		}
	}
	if rapid.Bool().Draw(t, "complete") {
		mem.Finish(tracefmt.Stopped)
	}
	return mem
}

// view is all that a cursor shows.
type view struct {
	Seq      tracefmt.Seq
	Event    string
	Snapshot []byte
	Lamport  []int64
	Since    []tracefmt.Seq
	Clocks   []replay.Vector
	Changes  []replay.Change
	Channels string
}

func look(c *replay.Cursor) view {
	v := view{Seq: c.Seq(), Snapshot: c.State().Snapshot(), Changes: c.Changes()}
	if e := c.Event(); e != nil {
		v.Event = fmt.Sprintf("%+v %s", *e, e.Payload)
	}
	for i := range c.Run().Members {
		p := tracefmt.ProcessID(i + 1)
		v.Lamport = append(v.Lamport, c.State().Process(p).Lamport)
		v.Since = append(v.Since, c.State().Process(p).Since)
		v.Clocks = append(v.Clocks, c.Clocks().At(p))
	}
	for _, ch := range c.State().Channels() {
		v.Channels += fmt.Sprintf("%d>%d %+v\n", ch.From, ch.To, ch.Flights)
	}
	return v
}

// folded returns what a cursor shows at every seq, from steps alone.
func folded(t *rapid.T, rec tracefmt.Recording) []view {
	c := replay.NewCursor(rec)
	views := []view{look(c)}
	for {
		moved, err := c.Step()
		if err != nil {
			t.Fatal(err)
		}
		if !moved {
			return views
		}
		views = append(views, look(c))
	}
}

func same(t *rapid.T, label string, c *replay.Cursor, want view) {
	t.Helper()
	if diff := cmp.Diff(want, look(c)); diff != "" {
		t.Fatalf("%s (-folded +cursor):\n%s", label, diff)
	}
}

func noError(t *rapid.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestStepIsFold: the state at an event is that of applying all events up to it.
func TestStepIsFold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mem := randomRun(t, 30)
		s := replay.NewState(mem.Run())
		for i, v := range folded(t, mem) {
			if i > 0 {
				s.Apply(mem.At(tracefmt.Seq(i)))
			}
			if v.Seq != tracefmt.Seq(i) || !bytes.Equal(v.Snapshot, s.Snapshot()) {
				t.Fatalf("step %d stands at %d with state %q, want %q", i, v.Seq, v.Snapshot, s.Snapshot())
			}
		}
	})
}

// TestBackAfterStep: back after step is the identity at every event; step after back, too.
func TestBackAfterStep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mem := randomRun(t, 30)
		views := folded(t, mem)
		c := replay.NewCursor(mem)
		for at := range views {
			noError(t, c.Seek(tracefmt.Seq(at)))
			moved, err := c.Step()
			noError(t, err)
			if moved != (at+1 < len(views)) {
				t.Fatalf("step from %d of %d: %v", at, len(views)-1, moved)
			}
			if moved {
				_, err = c.Back()
				noError(t, err)
			}
			same(t, fmt.Sprintf("back at %d", at), c, views[at])
		}
	})
}

// TestSeek: wherever the cursor was before, and over any number of
// checkpoints, it shows the same.
func TestSeek(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mem := randomRun(t, 40)
		views := folded(t, mem)
		c := replay.NewTightCursor(mem, rapid.IntRange(1, 7).Draw(t, "spacing"), rapid.IntRange(1, 4).Draw(t, "checkpoints"))
		for range rapid.IntRange(1, 12).Draw(t, "moves") {
			target := rapid.IntRange(0, len(views)-1).Draw(t, "to")
			noError(t, c.Seek(tracefmt.Seq(target)))
			same(t, fmt.Sprintf("seek %d", target), c, views[target])
		}
		noError(t, c.SeekEnd())
		same(t, "end", c, views[len(views)-1])
	})
}

// TestSeekTime: the cursor comes before the first event that is later.
func TestSeekTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mem := randomRun(t, 40)
		views := folded(t, mem)
		c := replay.NewTightCursor(mem, rapid.IntRange(1, 5).Draw(t, "spacing"), 3)
		for range 6 {
			at := tracefmt.Time(rapid.IntRange(-3, 40).Draw(t, "time"))
			want := 0
			for want < mem.Len() && mem.At(tracefmt.Seq(want+1)).Time <= at {
				want++
			}
			noError(t, c.SeekTime(at))
			same(t, fmt.Sprintf("time %d", at), c, views[want])
		}
	})
}

// TestSeekCoverage: what is recorded up to an event does not depend on how a cursor got there.
func TestSeekCoverage(t *testing.T) {
	mem := tracefmt.NewMemory(*newRun(1))
	for seq := tracefmt.Seq(1); seq <= 20; seq++ {
		_ = mem.Write(&tracefmt.Event{Seq: seq, Kind: tracefmt.State, Process: 1, Payload: payload(`{"x%d":1}`, seq)})
	}
	c := replay.NewTightCursor(mem, 4, 100)
	for _, seq := range []tracefmt.Seq{20, 2, 18, 13, 6, 20} {
		if err := c.Seek(seq); err != nil {
			t.Fatal(err)
		}
		if got := c.State().Coverage().Variables(); len(got) != int(seq) {
			t.Errorf("after event %d the variables %q are recorded, want %d", seq, got, seq)
		}
	}
}

// TestClone: what is done to a copy, or to the original, the other does not see.
func TestClone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mem := randomRun(t, 30)
		half := mem.Len() / 2
		a, complete := replay.NewState(mem.Run()), replay.NewState(mem.Run())
		for seq := 1; seq <= half; seq++ {
			a.Apply(mem.At(tracefmt.Seq(seq)))
		}
		b, atHalf := a.Clone(), a.Snapshot()
		for seq := half + 1; seq <= mem.Len(); seq++ {
			a.Apply(mem.At(tracefmt.Seq(seq)))
		}
		if !bytes.Equal(b.Snapshot(), atHalf) {
			t.Fatal("the copy changes with the original")
		}
		for seq := 1; seq <= mem.Len(); seq++ {
			complete.Apply(mem.At(tracefmt.Seq(seq)))
			if seq > half {
				b.Apply(mem.At(tracefmt.Seq(seq)))
			}
		}
		for name, s := range map[string]*replay.State{"original": a, "copy": b} {
			if !bytes.Equal(s.Snapshot(), complete.Snapshot()) || s.InFlight() != complete.InFlight() ||
				s.Armed() != complete.Armed() || s.HasElected() != complete.HasElected() {
				t.Fatalf("the %s goes on otherwise", name)
			}
		}
	})
}

// TestWatch: Watch yields the same changes as the steps of a cursor.
func TestWatch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mem := randomRun(t, 30)
		p := tracefmt.ProcessID(rapid.IntRange(0, 1).Draw(t, "watched"))
		var want, got []string
		for _, v := range folded(t, mem) {
			for _, c := range v.Changes {
				if c.Aspect == replay.VariableAspect && c.Name == "elected" && (p == 0 || p == c.Process) {
					want = append(want, fmt.Sprint(v.Seq, c))
				}
			}
		}
		for m, err := range replay.Watch(mem, "elected", p) {
			noError(t, err)
			got = append(got, fmt.Sprint(m.Event.Seq, m.Change))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-steps +watch):\n%s", diff)
		}
	})
}

func TestChanges(t *testing.T) {
	mem := tracefmt.NewMemory(*newRun(2))
	for i, e := range []tracefmt.Event{
		start(1, `{"elected":null,"role":"follower"}`),
		state(1, `{"elected":1,"role":"leader"}`),
		{Kind: tracefmt.SetTimer, Process: 1, Type: "answer", Payload: []byte(`{"due":3500000000}`)},
		{Kind: tracefmt.SetTimer, Process: 1, Type: "other"},
		{Kind: tracefmt.SetTimer, Process: 1, Type: "answer", Payload: []byte(`{"due":4000000000}`)},
		timer(tracefmt.Timeout, 1, "other"),
		send(1, 2, 1),
		event(tracefmt.Crash, 1),
		{Kind: tracefmt.Recover, Process: 1, Payload: []byte(`{"role":"follower"}`)},
		{Kind: tracefmt.Heal},
	} {
		e.Seq = tracefmt.Seq(i + 1)
		if err := mem.Write(&e); err != nil {
			t.Fatal(err)
		}
	}
	status, variable, armed := replay.StatusAspect, replay.VariableAspect, replay.TimerAspect
	want := [][]replay.Change{
		{{1, status, "", "unknown", "running", false}, {1, variable, "role", "", `"follower"`, false}},
		{{1, variable, "elected", "", "1", false}, {1, variable, "role", `"follower"`, `"leader"`, false}},
		{{1, armed, "answer", "", "3.5", false}},
		{{1, armed, "other", "", "armed", false}},
		{{1, armed, "answer", "3.5", "4", false}},
		{{1, armed, "other", "armed", "", false}},
		nil,
		{{1, status, "", "running", "crashed", false}, {1, variable, "elected", "1", "", false}, {
			1, variable, "role",
			`"leader"`, "", false,
		}, {1, armed, "answer", "4", "", false}},
		{{1, status, "", "crashed", "running", false}, {1, variable, "role", "", `"follower"`, false}},
		nil,
	}
	c := replay.NewCursor(mem)
	for i := range want {
		if _, err := c.Step(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want[i], c.Changes()); diff != "" {
			t.Errorf("seq %d (-want +got):\n%s", i+1, diff)
		}
	}
}

// failing is a recording that breaks off at an event.
type failing struct {
	tracefmt.Recording
	at *tracefmt.Seq
}

var errBroken = errors.New("broken")

func (f failing) Events(from tracefmt.Seq) iter.Seq2[*tracefmt.Event, error] {
	return func(yield func(*tracefmt.Event, error) bool) {
		for e, err := range f.Recording.Events(from) {
			if e.Seq >= *f.at {
				err = errBroken
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

func TestCursorErrors(t *testing.T) {
	mem := tracefmt.NewMemory(*newRun(2))
	for i := range 2000 {
		if err := mem.Write(&tracefmt.Event{Seq: tracefmt.Seq(i + 1), Kind: tracefmt.Note, Process: 1}); err != nil {
			t.Fatal(err)
		}
	}
	mem.Finish(tracefmt.Stopped)
	at := tracefmt.Seq(1500)
	c := replay.NewCursor(failing{mem, &at})
	for name, move := range map[string]func() error{
		"seek": func() error { return c.Seek(1500) },
		"end":  c.SeekEnd,
		"time": func() error { return c.SeekTime(1) },
	} {
		if err := move(); !errors.Is(err, errBroken) || c.Seq() != 0 || c.Event() != nil || c.State().Seq != 0 {
			t.Errorf("%s: %v at %d, want the error of reading before the first event", name, err, c.Seq())
		}
	}
	if err := c.Seek(1499); err != nil || c.Seq() != 1499 {
		t.Errorf("seek 1499: %v at %d", err, c.Seq())
	}
	if _, err := c.Step(); err == nil || c.Seq() != 0 {
		t.Errorf("step to 1500: %v at %d", err, c.Seq())
	}
	at = 9999
	for _, seq := range []tracefmt.Seq{-1, 2001} {
		want := "there is no event " + strconv.Itoa(int(seq)) + ", expected a seq from 0, before the first event, to 2000, the last"
		if err := c.Seek(1000); err != nil {
			t.Fatal(err)
		}
		if err := c.Seek(seq); err == nil || err.Error() != want || c.Seq() != 1000 {
			t.Errorf("seek %d: %v at %d, want %s", seq, err, c.Seq(), want)
		}
	}
	// The description claims more events than the recording has.
	mem.Run().Events = 3000
	if err := replay.NewCursor(mem).Seek(2500); err == nil || err.Error() != "the run ends after 2000 events, expected 3000" {
		t.Error(err)
	}
	gap := tracefmt.NewMemory(*newRun(1))
	for _, seq := range []tracefmt.Seq{1, 2, 4} {
		if err := gap.Write(&tracefmt.Event{Seq: seq, Kind: tracefmt.Note}); err != nil {
			t.Fatal(err)
		}
	}
	if err := replay.NewCursor(gap).SeekEnd(); err == nil || err.Error() != "seq 4 follows seq 2, expected 3" {
		t.Error(err)
	}
}

// TestCheckpoints: however long the run, their number is bounded and what is
// read to go anywhere too.
func TestCheckpoints(t *testing.T) {
	mem := tracefmt.NewMemory(*newRun(3))
	const events = 300_000
	for i := range events {
		if err := mem.Write(&tracefmt.Event{Seq: tracefmt.Seq(i + 1), Kind: tracefmt.Note, Process: tracefmt.ProcessID(i%3 + 1)}); err != nil {
			t.Fatal(err)
		}
	}
	c := replay.NewCursor(mem)
	if err := c.SeekEnd(); err != nil {
		t.Fatal(err)
	}
	// 300,000 events / 512 checkpoints, rounded up to 256 times a power of two.
	const spacing = 1024
	for seq := tracefmt.Seq(1); seq <= events; seq += 997 {
		if d := c.Distance(seq); d > spacing {
			t.Fatalf("%d events to go to %d, want at most %d", d, seq, spacing)
		}
	}
	if n := c.Checkpoints(); n > 512 {
		t.Errorf("%d checkpoints, want at most 512", n)
	}
}

// TestCheckpointsOfManyProcesses: the more a state takes, the fewer there are: no more than 16 bytes for each event,
// and one.
func TestCheckpointsOfManyProcesses(t *testing.T) {
	const n, events = 2_000, 50_000
	mem := tracefmt.NewMemory(*newRun(n))
	traffic(t, n, events, mem.Write)
	c := replay.NewCursor(mem)
	if err := c.SeekEnd(); err != nil {
		t.Fatal(err)
	}
	if got, limit := c.Frozen(), 16*events+c.Frozen()/max(1, c.Checkpoints()); got > limit || c.Checkpoints() == 0 {
		t.Errorf("%d checkpoints take %d bytes, want at most %d", c.Checkpoints(), got, limit)
	}
}
