package complexity_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"etrace/analyze/complexity"
	"etrace/tracefmt"
)

func newRun(n int) *tracefmt.Memory {
	run := tracefmt.Run{Number: 1, Algorithm: "bully", Source: tracefmt.Simulated, TimeUnit: tracefmt.Delays}
	for i := range n {
		run.Members = append(run.Members, tracefmt.Member{Name: strconv.Itoa(i + 1), Position: i + 1})
	}
	return tracefmt.NewMemory(run)
}

// write appends events at the times of their seqs, in delays.
func write(m *tracefmt.Memory, events ...tracefmt.Event) *tracefmt.Memory {
	for _, e := range events {
		e.Seq = tracefmt.Seq(m.Len() + 1)
		e.Time = tracefmt.Time(e.Seq) * tracefmt.Unit
		_ = m.Write(&e) // a Memory takes every event
	}
	m.Finish(tracefmt.Quiescent)
	return m
}

func send(from, to tracefmt.ProcessID, id tracefmt.MessageID, typ string) tracefmt.Event {
	return tracefmt.Event{Kind: tracefmt.Send, Process: from, Peer: to, Message: id, Type: typ}
}

func receive(from, to tracefmt.ProcessID, id tracefmt.MessageID) tracefmt.Event {
	return tracefmt.Event{Kind: tracefmt.Receive, Process: to, Peer: from, Message: id}
}

func lose(from, to tracefmt.ProcessID, id tracefmt.MessageID, reason string) tracefmt.Event {
	return tracefmt.Event{Kind: tracefmt.Lose, Process: to, Peer: from, Message: id, Payload: fmt.Appendf(nil, `{"reason":%q}`, reason)}
}

func state(p tracefmt.ProcessID, vars string) tracefmt.Event {
	return tracefmt.Event{Kind: tracefmt.State, Process: p, Payload: []byte(vars)}
}

func count(t *testing.T, m *tracefmt.Memory) *complexity.Stats {
	t.Helper()
	s, err := complexity.Count(m)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestFates(t *testing.T) {
	a := send(1, 2, 1, "A")
	for _, tt := range []struct {
		name                                       string
		events                                     []tracefmt.Event
		sent, delivered, lost, toCrashed, inFlight int64
	}{
		{"delivered", []tracefmt.Event{a, receive(1, 2, 1)}, 1, 1, 0, 0, 0},
		{"in flight", []tracefmt.Event{a}, 1, 0, 0, 0, 1},
		{"dropped", []tracefmt.Event{a, lose(1, 2, 1, "dropped")}, 1, 0, 1, 0, 0},
		{"partitioned", []tracefmt.Event{a, lose(1, 2, 1, "partitioned")}, 1, 0, 1, 0, 0},
		{"to crashed", []tracefmt.Event{a, lose(1, 2, 1, "receiver crashed")}, 1, 0, 0, 1, 0},
		{"duplicate", []tracefmt.Event{a, receive(1, 2, 1), receive(1, 2, 1)}, 1, 1, 0, 0, 0},
		{"duplicate lost", []tracefmt.Event{a, receive(1, 2, 1), lose(1, 2, 1, "dropped")}, 1, 1, 0, 0, 0},
		{"lost, but a duplicate arrives", []tracefmt.Event{a, lose(1, 2, 1, "dropped"), receive(1, 2, 1)}, 1, 1, 0, 0, 0},
		{"to crashed, but a duplicate arrives", []tracefmt.Event{a, lose(1, 2, 1, "receiver crashed"), receive(1, 2, 1)}, 1, 1, 0, 0, 0},
		{"both copies lost", []tracefmt.Event{a, lose(1, 2, 1, "dropped"), lose(1, 2, 1, "receiver crashed")}, 1, 0, 0, 1, 0},
		{
			"both copies lost, the other way round",
			[]tracefmt.Event{a, lose(1, 2, 1, "receiver crashed"), lose(1, 2, 1, "dropped")},
			1, 0, 0, 1,
			0,
		},
		{"never sent", []tracefmt.Event{receive(1, 2, 1), lose(1, 2, 2, "dropped")}, 0, 0, 0, 0, 0},
	} {
		s := count(t, write(newRun(2), tt.events...))
		got := s.Messages
		want := complexity.Messages{
			Sent: tt.sent, Delivered: tt.delivered, Lost: tt.lost, ToCrashed: tt.toCrashed,
			InFlight: tt.inFlight, ByType: got.ByType,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tt.name, diff)
		}
		if s.CausalDepth != tt.delivered {
			t.Errorf("%s: causal depth %d, want %d", tt.name, s.CausalDepth, tt.delivered)
		}
	}
}

func TestLeader(t *testing.T) {
	crash3 := tracefmt.Event{Kind: tracefmt.Crash, Process: 3}
	for _, tt := range []struct {
		name   string
		events []tracefmt.Event
		want   string
	}{
		{"no variable", []tracefmt.Event{state(1, `{"x":1}`)}, `null`},
		{"all agree", []tracefmt.Event{state(1, `{"elected":2}`), state(2, `{"elected":2}`), state(3, `{"elected":2}`)}, `2`},
		{"one has none", []tracefmt.Event{state(1, `{"elected":2}`), state(2, `{"elected":2}`)}, `null`},
		{"the one without is down", []tracefmt.Event{state(1, `{"elected":2}`), state(2, `{"elected":2}`), crash3}, `2`},
		{"by role", []tracefmt.Event{state(1, `{"role":"follower"}`), state(2, `{"role":"leader"}`)}, `2`},
		{"two by role", []tracefmt.Event{state(1, `{"role":"leader"}`), state(2, `{"role":"leader"}`)}, `null`},
		{"one differs", []tracefmt.Event{state(1, `{"elected":2}`), state(2, `{"elected":1}`), crash3}, `null`},
		{"one clears it", []tracefmt.Event{state(1, `{"elected":2}`), state(2, `{"elected":2}`), crash3, state(1, `{"elected":null}`)}, `null`},
		{"none has any", []tracefmt.Event{state(1, `{"elected":null}`)}, `null`},
		{"the dead leader", []tracefmt.Event{state(1, `{"elected":3}`), state(2, `{"elected":3}`), crash3}, `3`},
		{"number and text", []tracefmt.Event{state(1, `{"elected":2}`), state(2, `{"elected":"2"}`), crash3}, `2`},
		{"an unknown one", []tracefmt.Event{state(1, `{"elected":9}`), state(2, `{"elected":9}`), crash3}, `9`},
		{"two unknown ones", []tracefmt.Event{state(1, `{"elected":8}`), state(2, `{"elected":9}`), crash3}, `null`},
		{
			"no process is left",
			[]tracefmt.Event{state(1, `{"elected":1}`), {Kind: tracefmt.Crash, Process: 1}, {Kind: tracefmt.Halt, Process: 2}, crash3},
			`null`,
		},
	} {
		got, err := json.Marshal(count(t, write(newRun(3), tt.events...)).Leader)
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: the leader is %s, %v, want %s", tt.name, got, err, tt.want)
		}
	}
}

// TestLastDecision: the problem defines a decision, as described in docs/vocabulary.md. A decision of a
// Byzantine process, here 3, does not count. Event k is at time k.
func TestLastDecision(t *testing.T) {
	note := func(p tracefmt.ProcessID, typ string) tracefmt.Event {
		return tracefmt.Event{Kind: tracefmt.Note, Process: p, Type: typ}
	}
	for _, tt := range []struct {
		problem string
		events  []tracefmt.Event
		want    float64 // 0 for none
	}{
		{
			tracefmt.Consensus,
			[]tracefmt.Event{state(1, `{"proposed":1}`), state(1, `{"decided":2}`), state(2, `{"decided":null}`), state(1, `{"elected":2}`)},
			2,
		},
		{tracefmt.Consensus, []tracefmt.Event{state(2, `{"decided":"x"}`), note(1, "decide"), state(3, `{"decided":1}`)}, 1},
		{
			tracefmt.Commit,
			[]tracefmt.Event{
				state(1, `{"decided":"abort"}`), state(2, `{"decided":"commit"}`),
				state(1, `{"decided":""}`), state(2, `{"vote":"yes"}`),
			},
			2,
		},
		{tracefmt.Wave, []tracefmt.Event{note(1, "start"), note(2, "decide"), note(3, "decide"), note(2, "announce")}, 2},
		{tracefmt.Termination, []tracefmt.Event{note(1, "decide"), note(1, "announce"), note(1, "passive")}, 2},
		{tracefmt.Termination, []tracefmt.Event{note(1, "passive"), state(1, `{"decided":1}`)}, 0},
		{tracefmt.Mutex, []tracefmt.Event{note(1, "enter"), state(1, `{"decided":1}`)}, 0},
		{tracefmt.Raft, []tracefmt.Event{state(1, `{"elected":1}`), state(1, `{"decided":1}`)}, 1},
	} {
		m := newRun(3)
		m.Run().Problem = tt.problem
		m.Run().Members[2].Attributes = []byte(`{"role":"byzantine"}`)
		got := 0.0
		if s := count(t, write(m, tt.events...)); s.LastDecision != nil {
			got = *s.LastDecision
		}
		if got != tt.want {
			t.Errorf("%s, %v: the last decision at %v, want %v", tt.problem, tt.events, got, tt.want)
		}
	}
}

// TestLast: clearing elected is no decision, and a second copy no delivery.
func TestLast(t *testing.T) {
	s := count(
		t,
		write(newRun(2), send(1, 2, 1, "A"), receive(1, 2, 1), state(2, `{"elected":1}`), receive(1, 2, 1), state(2, `{"elected":null}`)),
	)
	if s.LastDelivery == nil || *s.LastDelivery != 2 || s.LastDecision == nil || *s.LastDecision != 3 {
		t.Errorf("last delivery at %v, last decision at %v, want 2 and 3", *s.LastDelivery, *s.LastDecision)
	}
	s = count(t, write(newRun(2), send(1, 2, 1, "A"), state(2, `{"elected":null}`)))
	if s.LastDelivery != nil || s.LastDecision != nil {
		t.Error("nothing was delivered or decided")
	}
}

// chain is the causal depth by definition: a message has depth 1 + the
// greatest depth delivered to its sender before the send.
func chain(events []tracefmt.Event) int64 {
	var depth func(sent int) int64
	// The definition itself, exponential: causes lie before the send, so the recursion ends.
	depth = func(sent int) int64 {
		longest := int64(0)
		for i, e := range events[:sent] {
			if e.Kind != tracefmt.Receive || e.Process != events[sent].Process {
				continue
			}
			for j, s := range events[:i] {
				if s.Kind == tracefmt.Send && s.Message == e.Message {
					longest = max(longest, depth(j))
				}
			}
		}
		return 1 + longest
	}
	longest := int64(0)
	for i, e := range events {
		if e.Kind != tracefmt.Receive {
			continue
		}
		for j, s := range events[:i] {
			if s.Kind == tracefmt.Send && s.Message == e.Message {
				longest = max(longest, depth(j))
			}
		}
	}
	return longest
}

func TestCausalDepth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const n = 4
		m := newRun(n)
		var sends, events []tracefmt.Event
		process := rapid.IntRange(1, n)
		for range rapid.IntRange(0, 20).Draw(t, "events") {
			e := tracefmt.Event{Kind: tracefmt.Timeout, Process: 1, Type: "x"}
			switch choice := rapid.IntRange(0, 5).Draw(t, "what"); {
			case choice < 3:
				e = send(tracefmt.ProcessID(process.Draw(t, "from")), tracefmt.ProcessID(process.Draw(t, "to")), tracefmt.MessageID(len(sends)+1), "A")
				sends = append(sends, e)
			case choice < 5 && len(sends) > 0: // also duplicates, and copies of what was lost
				s := rapid.SampledFrom(sends).Draw(t, "of")
				e = receive(s.Process, s.Peer, s.Message)
			case len(sends) > 0:
				s := rapid.SampledFrom(sends).Draw(t, "of")
				e = lose(s.Process, s.Peer, s.Message, "dropped")
			}
			events = append(events, e)
		}
		s, err := complexity.Count(write(m, events...))
		if err != nil {
			t.Fatal(err)
		}
		if want := chain(events); s.CausalDepth != want {
			t.Fatalf("causal depth %d, want %d", s.CausalDepth, want)
		}
		c := s.Messages
		if c.Sent != c.Delivered+c.Lost+c.ToCrashed+c.InFlight || c.Sent != int64(len(sends)) {
			t.Fatalf("the fates do not add up: %+v", c)
		}
		var sentTotal, received, links int64
		for _, p := range s.ByProcess {
			sentTotal, received = sentTotal+p.Sent, received+p.Received
		}
		for l := range s.ByLink.All() {
			links += l.Sent
		}
		if sentTotal != c.Sent || received != c.Delivered || links != c.Sent || c.ByType["A"] != c.Sent {
			t.Fatalf("by process %d and %d, by link %d, by type %d of %+v", sentTotal, received, links, c.ByType["A"], c)
		}
	})
}

// TestJSON is a golden of the keys that scripts rely on.
func TestJSON(t *testing.T) {
	m := write(newRun(3),
		tracefmt.Event{Kind: tracefmt.Crash, Process: 3}, tracefmt.Event{Kind: tracefmt.Suspect, Process: 1, Peer: 3},
		send(1, 3, 1, "ELECTION"), send(1, 2, 2, "ELECTION"), receive(1, 2, 2), lose(1, 3, 1, "receiver crashed"),
		send(2, 1, 3, "OK"), receive(2, 1, 3), send(2, 1, 4, "COORDINATOR"), lose(2, 1, 4, "dropped"), send(2, 1, 5, "COORDINATOR"),
		state(2, `{"elected":2}`), state(1, `{"elected":2}`))
	got, err := json.MarshalIndent(count(t, m), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/stats.json", append(got, '\n'))
	empty, err := json.MarshalIndent(count(t, tracefmt.NewMemory(tracefmt.Run{})), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/empty.json", append(empty, '\n'))
}

func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if os.Getenv("ETRACE_UPDATE") != "" {
		if err := os.WriteFile(file, got, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got)\n%s", file, diff)
	}
}

func TestHostileProcess(t *testing.T) {
	for _, e := range []tracefmt.Event{send(1, 9, 1, ""), send(-1, 1, 1, ""), receive(1, 3, 1)} {
		c := complexity.NewCounter(newRun(2).Run())
		if err := c.Write(&e); err == nil {
			t.Errorf("%+v is counted, expected an error", e)
		}
	}
}

// TestUnrecorded: stats of a log with edges but without messages does not claim that no message was sent.
func TestUnrecorded(t *testing.T) {
	m := tracefmt.NewMemory(tracefmt.Run{Number: 1, Members: []tracefmt.Member{{Name: "a", Position: 1}, {Name: "b", Position: 2}}})
	m.Write(&tracefmt.Event{Seq: 1, Kind: tracefmt.Note, Process: 1, Type: "x"})
	m.Write(&tracefmt.Event{Seq: 2, Kind: tracefmt.Note, Process: 2, Type: "y", Cause: 1})
	m.Finish(tracefmt.Stopped)
	s, err := complexity.Count(m)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := (&complexity.Report{Runs: []*complexity.Stats{s}}).WriteText(&out, false); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.Contains(got, "not recorded, only 1 event that follows") || strings.Contains(got, "messages sent") {
		t.Errorf("got\n%s", got)
	}
}

// TestDecimals: times are written without exponents.
func TestDecimals(t *testing.T) {
	last := 1795300000.5
	s := &complexity.Stats{LastDelivery: &last}
	var out strings.Builder
	if err := (&complexity.Report{Runs: []*complexity.Stats{s}}).WriteText(&out, false); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "1795300000.5") {
		t.Errorf("got\n%s", out.String())
	}
}
