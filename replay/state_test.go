package replay_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"etrace/fixtures/growth"
	"etrace/replay"
	"etrace/tracefmt"
)

func newRun(n int) *tracefmt.Run {
	run := &tracefmt.Run{TimeUnit: tracefmt.Delays}
	for i := range n {
		run.Members = append(run.Members, tracefmt.Member{Name: strconv.Itoa(i + 1), Position: i + 1})
	}
	return run
}

// history applies events to a new state of n processes; seqs and times are
// the events' places if they have none.
func history(n int, events ...tracefmt.Event) *replay.State {
	s := replay.NewState(newRun(n))
	for i := range events {
		if events[i].Seq == 0 {
			events[i].Seq = tracefmt.Seq(i + 1)
		}
		s.Apply(&events[i])
	}
	return s
}

func payload(format string, args ...any) []byte { return fmt.Appendf(nil, format, args...) }

func start(p tracefmt.ProcessID, vars string) tracefmt.Event {
	return tracefmt.Event{Kind: tracefmt.Start, Process: p, Payload: []byte(vars)}
}

func state(p tracefmt.ProcessID, vars string) tracefmt.Event {
	return tracefmt.Event{Kind: tracefmt.State, Process: p, Payload: []byte(vars)}
}

func send(from, receiver tracefmt.ProcessID, m tracefmt.MessageID) tracefmt.Event {
	return tracefmt.Event{Kind: tracefmt.Send, Process: from, Peer: receiver, Message: m, Type: "A"}
}

func event(k tracefmt.Kind, p tracefmt.ProcessID) tracefmt.Event {
	return tracefmt.Event{Kind: k, Process: p}
}

func timer(k tracefmt.Kind, p tracefmt.ProcessID, name string) tracefmt.Event {
	return tracefmt.Event{Kind: k, Process: p, Type: name}
}

func TestVariables(t *testing.T) {
	s := history(2, start(1, `{"x":1,"y":null}`), state(1, `{"x":[2,3],"z":"a"}`), state(1, `{"z":null}`), state(2, `{"x":7}`))
	for name, want := range map[string]string{"x": `[2,3]`, "y": "", "z": ""} {
		if got, ok := s.Variable(1, name); string(got) != want || ok != (want != "") {
			t.Errorf("%s is %s, %v, want %q", name, got, ok, want)
		}
	}
	s.Apply(&tracefmt.Event{Seq: 9, Kind: tracefmt.Crash, Process: 1})
	s.Apply(&tracefmt.Event{Seq: 10, Kind: tracefmt.Recover, Process: 1, Payload: []byte(`{"w":1}`)})
	if _, ok := s.Variable(1, "x"); ok {
		t.Error("x outlives a crash")
	}
	if got, _ := s.Variable(1, "w"); string(got) != "1" {
		t.Errorf("w is %s, want what the recovery says", got)
	}
	if got, _ := s.Variable(2, "x"); string(got) != "7" {
		t.Errorf("the other process's x is %s, want 7", got)
	}
}

func TestElected(t *testing.T) {
	for value, want := range map[string]tracefmt.ProcessID{
		`2`: 2, `"2"`: 2, `"\u0032"`: 2, `null`: 0, `""`: 0, `3`: replay.Nobody, `"bob"`: replay.Nobody,
		`2.0`: replay.Nobody, `[2]`: replay.Nobody,
	} {
		s := history(2, state(1, `{"elected":`+value+`}`))
		if got := s.Process(1); got.Elected != want || got.ElectedAt != 1 || !s.HasElected() {
			t.Errorf("%s: elected %d at %d, want %d at 1", value, got.Elected, got.ElectedAt, want)
		}
	}
	s := history(2, state(1, `{"elected":2}`), event(tracefmt.Crash, 1), event(tracefmt.Recover, 1))
	if got := s.Process(1); got.Elected != 0 || got.ElectedAt != 0 {
		t.Errorf("after a recovery: elected %d at %d, want none", got.Elected, got.ElectedAt)
	}
	if history(2, state(1, `{"x":1}`)).HasElected() {
		t.Error("no process has a variable elected")
	}
}

func TestInFlight(t *testing.T) {
	crash, back := event(tracefmt.Crash, 2), event(tracefmt.Recover, 2)
	receive := tracefmt.Event{Kind: tracefmt.Receive, Process: 2, Peer: 1, Message: 1}
	for _, tt := range []struct {
		name              string
		events            []tracefmt.Event
		inFlight, flights int
	}{
		{"sent", []tracefmt.Event{send(1, 2, 1)}, 1, 1},
		{"received", []tracefmt.Event{send(1, 2, 1), receive}, 0, 0},
		{"received twice", []tracefmt.Event{send(1, 2, 1), receive, receive}, 0, 0},
		{"to the dead", []tracefmt.Event{crash, send(1, 2, 1)}, 0, 1},
		{"to one that dies", []tracefmt.Event{send(1, 2, 1), crash}, 0, 1},
		{"to one that dies twice", []tracefmt.Event{send(1, 2, 1), crash, crash}, 0, 1},
		{"to one that comes back", []tracefmt.Event{send(1, 2, 1), crash, back}, 1, 1},
		{"to one that recovers alive", []tracefmt.Event{send(1, 2, 1), back}, 1, 1},
		{"from the dead", []tracefmt.Event{send(2, 1, 1), crash}, 1, 1},
		{"one id twice", []tracefmt.Event{send(1, 2, 1), send(2, 1, 1)}, 1, 1},
		{"never sent", []tracefmt.Event{receive}, 0, 0},
		{"to no process", []tracefmt.Event{send(1, 7, 1)}, 0, 0},
	} {
		s := history(2, tt.events...)
		if s.InFlight() != tt.inFlight || len(s.Flights()) != tt.flights || s.Quiescent() != (tt.inFlight == 0) {
			t.Errorf("%s: %d in flight of %d, want %d of %d", tt.name, s.InFlight(), len(s.Flights()), tt.inFlight, tt.flights)
		}
	}
}

func TestArmed(t *testing.T) {
	set, set2 := timer(tracefmt.SetTimer, 1, "a"), timer(tracefmt.SetTimer, 1, "b")
	for _, tt := range []struct {
		name   string
		events []tracefmt.Event
		want   int
	}{
		{"set", []tracefmt.Event{set, set2}, 2},
		{"restarted", []tracefmt.Event{set, set}, 1},
		{"cancelled", []tracefmt.Event{set, timer(tracefmt.CancelTimer, 1, "a")}, 0},
		{"expired", []tracefmt.Event{set, set2, timer(tracefmt.Timeout, 1, "b")}, 1},
		{"of another process", []tracefmt.Event{set, timer(tracefmt.CancelTimer, 2, "a")}, 1},
		{"never set", []tracefmt.Event{timer(tracefmt.Timeout, 1, "a")}, 0},
		{"crashed", []tracefmt.Event{set, set2, event(tracefmt.Crash, 1)}, 0},
		{"halted", []tracefmt.Event{set, event(tracefmt.Halt, 1)}, 0},
		{"recovered alive", []tracefmt.Event{set, event(tracefmt.Recover, 1)}, 0},
	} {
		if s := history(2, tt.events...); s.Armed() != tt.want {
			t.Errorf("%s: %d armed, want %d", tt.name, s.Armed(), tt.want)
		}
	}
}

// TestSnapshotTells: two histories that differ in one thing that can be
// observed, and in nothing else.
func TestSnapshotTells(t *testing.T) {
	late := func(e tracefmt.Event, at tracefmt.Time) tracefmt.Event { e.Time = at; return e }
	due := func(p tracefmt.ProcessID, name string, at int) tracefmt.Event {
		return tracefmt.Event{Kind: tracefmt.SetTimer, Process: p, Type: name, Payload: payload(`{"due":%d}`, at)}
	}
	typed := send(1, 2, 1)
	typed.Type = "B"
	loaded := send(1, 2, 1)
	loaded.Payload = []byte(`{"id":1}`)
	disguised := send(1, 2, 1) // \x02\x04\x00\x02 are sender, receiver, age and the length of d\x02
	disguised.Type, disguised.Payload = "\x04", []byte("d\x02")
	for _, tt := range []struct {
		name string
		a, b []tracefmt.Event
	}{
		{"status", []tracefmt.Event{start(1, "")}, nil},
		{"crash or halt", []tracefmt.Event{event(tracefmt.Crash, 1)}, []tracefmt.Event{event(tracefmt.Halt, 1)}},
		{"value", []tracefmt.Event{state(1, `{"x":1}`)}, []tracefmt.Event{state(1, `{"x":2}`)}},
		{"whose value", []tracefmt.Event{state(1, `{"x":1}`)}, []tracefmt.Event{state(2, `{"x":1}`)}},
		{"names that run together", []tracefmt.Event{state(1, `{"a":1,"b":2}`)}, []tracefmt.Event{state(1, `{"a":"1\u0000b2"}`)}},
		{"in flight", []tracefmt.Event{send(1, 2, 1)}, nil},
		{"how many", []tracefmt.Event{send(1, 2, 1)}, []tracefmt.Event{send(1, 2, 1), send(1, 2, 2)}},
		{"receiver", []tracefmt.Event{send(1, 2, 1)}, []tracefmt.Event{send(1, 1, 1)}},
		{"sender", []tracefmt.Event{send(1, 2, 1)}, []tracefmt.Event{send(2, 2, 1)}},
		{"type", []tracefmt.Event{send(1, 2, 1)}, []tracefmt.Event{typed}},
		{"payload", []tracefmt.Event{send(1, 2, 1)}, []tracefmt.Event{loaded}},
		{"order of sends", []tracefmt.Event{send(1, 2, 1), typed2(2)}, []tracefmt.Event{typed2(1), send(1, 2, 2)}},
		{"age", []tracefmt.Event{send(1, 2, 1), late(event(tracefmt.Note, 1), 5)}, []tracefmt.Event{
			late(send(1, 2, 1), 1),
			late(event(tracefmt.Note, 1), 5),
		}},
		{"armed", []tracefmt.Event{due(1, "a", 5)}, nil},
		{"due", []tracefmt.Event{due(1, "a", 5)}, []tracefmt.Event{due(1, "a", 6)}},
		{
			"age of a timer",
			[]tracefmt.Event{late(timer(tracefmt.SetTimer, 1, "a"), 1), late(event(tracefmt.Note, 1), 5)},
			[]tracefmt.Event{late(timer(tracefmt.SetTimer, 1, "a"), 2), late(event(tracefmt.Note, 1), 5)},
		},
		{"a timer whose name reads like a message", []tracefmt.Event{due(1, "\x02\x04\x00\x02", 1)}, []tracefmt.Event{disguised}},
		{"order of timers", []tracefmt.Event{due(1, "a", 5), due(2, "a", 5)}, []tracefmt.Event{due(2, "a", 5), due(1, "a", 5)}},
	} {
		if bytes.Equal(history(2, tt.a...).Snapshot(), history(2, tt.b...).Snapshot()) {
			t.Errorf("%s: the snapshots are equal", tt.name)
		}
	}
}

func typed2(m tracefmt.MessageID) tracefmt.Event {
	e := send(1, 2, m)
	e.Type = "B"
	return e
}

// TestSnapshotForgets: histories that lead to the same state.
func TestSnapshotForgets(t *testing.T) {
	shifted := []tracefmt.Event{send(1, 2, 77), timer(tracefmt.SetTimer, 1, "a")}
	shifted[1].Payload = []byte(`{"due":1005}`)
	for i := range shifted {
		shifted[i].Seq, shifted[i].Time = tracefmt.Seq(500+i), 1000
	}
	plain := []tracefmt.Event{send(1, 2, 1), timer(tracefmt.SetTimer, 1, "a")}
	plain[1].Payload = []byte(`{"due":5}`)
	for _, tt := range []struct {
		name string
		a, b []tracefmt.Event
	}{
		{"seqs, ids and clocks", plain, shifted},
		{"null", []tracefmt.Event{state(1, `{"x":null}`)}, nil},
		{"cleared", []tracefmt.Event{state(1, `{"x":1,"y":1}`), state(1, `{"x":null}`)}, []tracefmt.Event{state(1, `{"y":1}`)}},
		{"order of variables", []tracefmt.Event{state(1, `{"x":1,"y":2}`)}, []tracefmt.Event{state(1, `{"y":2}`), state(1, `{"x":1}`)}},
		{"memory of the dead", []tracefmt.Event{state(1, `{"x":1}`), event(tracefmt.Crash, 1)}, []tracefmt.Event{event(tracefmt.Crash, 1)}},
		{"arrived", []tracefmt.Event{send(1, 2, 1), {Kind: tracefmt.Lose, Process: 2, Peer: 1, Message: 1}}, nil},
		{"notes", []tracefmt.Event{event(tracefmt.Note, 1), event(tracefmt.Suspect, 2)}, nil},
	} {
		if !bytes.Equal(history(2, tt.a...).Snapshot(), history(2, tt.b...).Snapshot()) {
			t.Errorf("%s: the snapshots differ", tt.name)
		}
	}
}

// TestSnapshotPermuted: independent steps of different processes may be recorded in any order.
func TestSnapshotPermuted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const n = 4
		var local [n][]tracefmt.Event // the history of each process
		for p := range local {
			for range rapid.IntRange(0, 6).Draw(t, "steps") {
				e := tracefmt.Event{Process: tracefmt.ProcessID(p + 1), Kind: rapid.SampledFrom([]tracefmt.Kind{
					tracefmt.Start, tracefmt.State, tracefmt.State, tracefmt.Crash, tracefmt.Recover, tracefmt.SetTimer, tracefmt.Timeout,
				}).Draw(t, "kind")}
				switch e.Kind {
				case tracefmt.SetTimer, tracefmt.Timeout:
					// No two timers are due at one instant: their order would count.
					e.Type = rapid.SampledFrom([]string{"a", "b"}).Draw(t, "timer")
					e.Payload = payload(`{"due":%d}`, 10*(p+1)+int(e.Type[0]-'a'))
				default:
					e.Payload = payload(
						`{"%s":%d}`, rapid.SampledFrom([]string{"x", "y", "elected"}).Draw(t, "name"),
						rapid.IntRange(1, n).Draw(t, "value"),
					)
				}
				local[p] = append(local[p], e)
			}
		}
		tell := func(label string) *replay.State {
			independent := local
			var recorded []tracefmt.Event
			for {
				var ready []int
				for p := range independent {
					if len(independent[p]) > 0 {
						ready = append(ready, p)
					}
				}
				if len(ready) == 0 {
					return history(n, recorded...)
				}
				p := rapid.SampledFrom(ready).Draw(t, label)
				e := independent[p][0]
				e.Payload = slices.Clone(e.Payload)
				recorded, independent[p] = append(recorded, e), independent[p][1:]
			}
		}
		a, b := tell("first"), tell("second")
		if !bytes.Equal(a.Snapshot(), b.Snapshot()) {
			t.Fatalf("two orders of the same histories give different snapshots\n%q\n%q", a.Snapshot(), b.Snapshot())
		}
		// Conversely, one more observable change makes a difference.
		e := tracefmt.Event{Seq: 99, Kind: tracefmt.State, Process: 1, Payload: []byte(`{"new":1}`)}
		if b.Apply(&e); b.Live(1) == bytes.Equal(a.Snapshot(), b.Snapshot()) {
			t.Fatal("a new variable changes the snapshot of a live process, and of no other")
		}
	})
}

// TestApplyHostile: no event panics, and the counts stay those of what is there.
func TestApplyHostile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := newRun(rapid.IntRange(0, 3).Draw(t, "processes"))
		s := replay.NewState(run)
		process := rapid.SampledFrom([]tracefmt.ProcessID{-1, 0, 1, 2, 3, 4, math.MaxInt32, math.MinInt32})
		for range rapid.IntRange(0, 40).Draw(t, "events") {
			e := tracefmt.Event{
				Seq: tracefmt.Seq(rapid.Int64().Draw(t, "seq")), Time: tracefmt.Time(rapid.Int64().Draw(t, "time")),
				Kind: tracefmt.Kind(rapid.IntRange(0, 20).Draw(t, "kind")), Process: process.Draw(t, "process"), Peer: process.Draw(t, "peer"),
				Message: tracefmt.MessageID(rapid.SampledFrom([]int64{0, 1, 2, -1, math.MaxInt64}).Draw(t, "message")),
				Type:    rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "type"),
				Payload: []byte(rapid.SampledFrom([]string{
					"", "{", `{"elected":`, `{"elected":1}`, `{"elected":"\ud800"}`, `{"due":99999999999999999999}`,
					`{"due":-5}`, "[]", `{"x":1,"x":null}`,
				}).Draw(t, "payload")),
			}
			s.Apply(&e)
			s.Snapshot()
			inFlight := 0
			for _, f := range s.Flights() {
				if s.Live(f.To) {
					inFlight++
				}
			}
			if s.InFlight() != inFlight || s.Armed() < 0 {
				t.Fatalf("%d in flight, %d armed, counted %d", s.InFlight(), s.Armed(), inFlight)
			}
		}
	})
}

// TestManyOfEverything: an event costs the same however many variables, timers and messages in flight there are.
func TestManyOfEverything(t *testing.T) {
	growth.Linear(t, 2_000, func(n int) func() {
		s := replay.NewState(newRun(3))
		seq := tracefmt.Seq(0)
		apply := func(e tracefmt.Event) {
			seq++
			e.Seq = seq
			s.Apply(&e)
		}
		for i := range n {
			apply(send(1, 2, tracefmt.MessageID(i+1)))
			apply(timer(tracefmt.SetTimer, 1, strconv.Itoa(i)))
			apply(state(1, fmt.Sprintf(`{"v%d":1}`, i)))
		}
		return func() {
			for i := range n {
				apply(send(2, 1, tracefmt.MessageID(n+i+1)))
				apply(tracefmt.Event{Kind: tracefmt.Receive, Process: 1, Peer: 2, Message: tracefmt.MessageID(n + i + 1)})
				apply(timer(tracefmt.SetTimer, 1, strconv.Itoa(n-1)))
				apply(state(1, fmt.Sprintf(`{"v%d":2}`, n-1)))
				apply(state(3, `{"elected":"no process we know"}`))
				if s.Quiescent() || s.InFlight() != n {
					t.Fatalf("%d in flight, want %d", s.InFlight(), n)
				}
			}
		}
	})
}

// TestLeader: the leader is the process that all live electors have elected, in any notation, or the leader by role
// if no process has recorded a choice.
func TestLeader(t *testing.T) {
	tell := func(p tracefmt.ProcessID, payload string) tracefmt.Event {
		return tracefmt.Event{Kind: tracefmt.State, Process: p, Payload: []byte(payload)}
	}
	elect := func(p tracefmt.ProcessID, value string) tracefmt.Event { return tell(p, `{"elected":`+value+`}`) }
	crash := tracefmt.Event{Kind: tracefmt.Crash, Process: 3}
	for _, tt := range []struct {
		events []tracefmt.Event
		want   tracefmt.ProcessID
	}{
		{nil, 0},
		{[]tracefmt.Event{elect(1, "2"), elect(2, `"2"`), elect(3, "2")}, 2},
		{[]tracefmt.Event{elect(1, "2"), elect(2, "2"), elect(3, "1")}, 0},
		{[]tracefmt.Event{elect(1, "2"), elect(2, "2"), elect(3, "1"), crash}, 2},
		{[]tracefmt.Event{elect(1, "3"), elect(2, "3"), crash}, 3}, // it may be down
		{[]tracefmt.Event{elect(1, "2"), elect(2, "2")}, 2},        // 3 does not take part
		{[]tracefmt.Event{elect(1, "2"), elect(2, "2"), elect(3, "null")}, 0},
		{[]tracefmt.Event{elect(1, "2"), elect(2, "2"), tell(3, `{"role":"follower"}`)}, 2},
		{[]tracefmt.Event{tell(1, `{"role":"follower"}`), tell(2, `{"role":"leader"}`)}, 2},
		{[]tracefmt.Event{tell(1, `{"role":"leader"}`), tell(2, `{"role":"leader"}`)}, 0},
		{[]tracefmt.Event{tell(1, `{"role":"leader","term":9}`), tell(2, `{"role":"leader","term":10}`)}, 2},
		{[]tracefmt.Event{tell(1, `{"role":"leader","term":9}`), tell(2, `{"role":"leader","term":9}`)}, 0},
		{[]tracefmt.Event{tell(1, `{"role":"candidate"}`)}, 0},
		{[]tracefmt.Event{elect(1, "9"), elect(2, "9"), elect(3, "9")}, replay.Nobody},
		{[]tracefmt.Event{elect(1, "9"), elect(2, "9"), elect(3, "8")}, 0},
		{[]tracefmt.Event{{Kind: tracefmt.Halt, Process: 1}, {Kind: tracefmt.Halt, Process: 2}, crash}, 0},
	} {
		s := replay.NewState(&tracefmt.Run{Members: []tracefmt.Member{{Name: "1"}, {Name: "2"}, {Name: "3"}}})
		for i := range tt.events {
			tt.events[i].Seq = tracefmt.Seq(i + 1)
			s.Apply(&tt.events[i])
		}
		if got := s.Leader(); got != tt.want {
			t.Errorf("%v: leader %d, want %d", tt.events, got, tt.want)
		}
	}
}

// TestChangesProcess: no other kind changes the status or a variable.
func TestChangesProcess(t *testing.T) {
	for _, k := range tracefmt.Kinds() {
		s := replay.NewState(&tracefmt.Run{Members: []tracefmt.Member{{Name: "1"}}})
		s.Apply(&tracefmt.Event{Kind: k, Process: 1, Peer: 1, Type: "x", Payload: []byte(`{"a":1}`)})
		changed := s.Process(1).Status != replay.Unknown || len(s.Variables(1)) > 0
		if changed != replay.ChangesProcess(k) {
			t.Errorf("%v: changed %v, ChangesProcess says %v", k, changed, !changed)
		}
	}
}

// TestNoSuchProcess: an event of a process that the run does not have changes nothing.
func TestNoSuchProcess(t *testing.T) {
	rec := tracefmt.NewMemory(tracefmt.Run{TimeUnit: tracefmt.Logical, Members: []tracefmt.Member{{Name: "a", Position: 1}}})
	e := tracefmt.Event{Seq: 1, Kind: tracefmt.State, Process: 2, Payload: []byte(`{"x":1}`)}
	_ = rec.Write(&e)
	_ = rec.Finish(tracefmt.Stopped)
	for m, err := range replay.Watch(rec, "x", 0) {
		t.Errorf("%+v, %v", m, err)
	}
	s := replay.NewState(rec.Run())
	if s.ShowsRestart(&e) {
		t.Error("it shows a restart")
	}
}

// TestFlightsTakeLittleMemory: a message in flight takes its fields and a slot of a pointer, since most slots of a
// large map may be empty.
func TestFlightsTakeLittleMemory(t *testing.T) {
	const messages = 60_000
	s := replay.NewState(&tracefmt.Run{Members: []tracefmt.Member{{Name: "a", Position: 1}, {Name: "b", Position: 2}}})
	growth.Allocates(t, 180*messages, func() {
		for i := range messages {
			s.Apply(&tracefmt.Event{
				Seq: tracefmt.Seq(i + 1), Kind: tracefmt.Send, Process: 1, Peer: 2, Message: tracefmt.MessageID(i + 1), Payload: []byte(`{"n":1}`),
			})
		}
	})
}
