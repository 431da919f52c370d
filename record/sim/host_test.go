package sim_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"etrace/record/sim"
	"etrace/tracefmt"
)

// hosted feeds the inputs of a run to a host, and returns its outputs as lines. An event that the host has
// already output is no input: this distinguishes a suspicion within a step from a suspicion that begins a step.
func hosted(t testing.TB, c sim.Config, m *tracefmt.Memory) []string {
	t.Helper()
	l := &log{}
	h, err := sim.NewHost(c, l)
	if err != nil {
		t.Fatal(err)
	}
	answered := 0
	for e := range m.Events(1) {
		if e.Kind == tracefmt.Lose {
			continue // no step of a process
		}
		answered++
		if answered <= l.events() {
			continue // it was among the answers to the last input
		}
		step := h.Step
		if !h.IsInput(e) {
			step = h.Begin
		}
		if err := step(e); err != nil {
			t.Fatalf("seq %d: %v", e.Seq, err)
		}
	}
	return l.lines
}

func (l *log) events() int {
	n := 0
	for _, k := range l.kinds {
		n += k
	}
	return n
}

// steps leaves out the losses, which are no steps of a process, and the message
// ids, which mean nothing at a host.
func steps(lines []string) []string {
	var kept []string
	for _, line := range lines {
		words := strings.Fields(line)
		if words[1] == "lose" {
			continue
		}
		for i := range words {
			if len(words[i]) > 1 && words[i][0] == 'm' && words[i][1] >= '0' && words[i][1] <= '9' {
				words[i] = "m"
			}
		}
		kept = append(kept, strings.Join(words, " "))
	}
	return kept
}

// TestHostDoesWhatTheKernelDoes: with the recorded inputs of a run, the host's processes do the same as in the
// run. The protocols have tables, lists, numbers, numbered timers, names that need quotes, crashes and
// recoveries.
func TestHostDoesWhatTheKernelDoes(t *testing.T) {
	y := newToy()
	y.Start = func(p *sim.Process) {
		y.list.SendNext(p, listFields{-7, sim.ListOf(p.ID())})
		p.SetTimer(y.t1.At(3), u(2))
		y.b.Send(p, p.ID()) // to itself
	}
	y.Receive = func(p *sim.Process, m arrived) {
		switch m.Type {
		case "LIST":
			y.members.Set(p, m.List)
			y.flag.Set(p, m.N == -7)
			y.id.Send(p, m.From, idFields{p.ID()})
		case "ID":
			y.elected.Set(p, m.ID)
		}
	}
	y.Timeout = func(p *sim.Process, timer sim.Timer) {
		y.elected.Set(p, tracefmt.ProcessID(timer.Number()))
		y.id.Send(p, 2, idFields{0}) // no process
	}
	toyRun := y.config(4, start(1, 0), start(4, 1), crash(2, 1.5), recovers(2, 4), start(2, 5))
	toyRun.Down, toyRun.Coordinator = []tracefmt.ProcessID{3}, 4
	for _, c := range []sim.Config{toyRun, newGossip().config(start(1, 0), crash(2, 0.5), recovers(2, 0.7), start(1, 1))} {
		m := tracefmt.NewMemory(tracefmt.Run{Members: c.Members})
		if _, err := sim.Run(t.Context(), c, m); err != nil {
			t.Fatal(err)
		}
		want, _ := run(t, c)
		if diff := cmp.Diff(steps(want.lines), steps(hosted(t, c, m))); diff != "" {
			t.Errorf("(-kernel +host):\n%s", diff)
		}
	}
}

// TestHostKeepsMessagesApart: what a process sends to itself in one step arrives
// as it was sent, also where an earlier step sent fewer.
func TestHostKeepsMessagesApart(t *testing.T) {
	y := newToy()
	var seen []tracefmt.ProcessID
	say := func(p *sim.Process, highest tracefmt.ProcessID) {
		for id := range highest {
			y.id.Send(p, p.ID(), idFields{id + 1})
		}
	}
	y.Start = func(p *sim.Process) { say(p, 3) }
	y.Receive = func(p *sim.Process, m arrived) {
		if m.Type == "A" {
			say(p, 5)
			return
		}
		seen = append(seen, m.ID)
	}
	c := y.config(2)
	c.Members = append(
		c.Members, tracefmt.Member{Name: "3", Position: 3}, tracefmt.Member{Name: "4", Position: 4},
		tracefmt.Member{Name: "5", Position: 5},
	)
	h, err := sim.NewHost(c, &log{})
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range []tracefmt.Event{
		{Kind: tracefmt.Suspect, Process: 1},
		{Kind: tracefmt.Receive, Process: 1, Peer: 2, Type: "A", Message: 1, Cause: 1},
	} {
		e.Seq = tracefmt.Seq(i + 1)
		begin := h.Step
		if !h.IsInput(&e) {
			begin = h.Begin
		}
		if err := begin(&e); err != nil {
			t.Fatal(err)
		}
	}
	if want := []tracefmt.ProcessID{1, 2, 3, 1, 2, 3, 4, 5}; !slices.Equal(seen, want) {
		t.Errorf("it receives %v, want %v", seen, want)
	}
}

// TestHostErrors: an input that the protocol does not know is an error that names it.
func TestHostErrors(t *testing.T) {
	g := newGossip()
	g.Timer("t1")
	for _, test := range []struct {
		event tracefmt.Event
		want  string
	}{
		{tracefmt.Event{Kind: tracefmt.Receive, Process: 9}, "process number 9, but there are 3 processes"},
		{tracefmt.Event{Kind: tracefmt.Send, Process: 1}, "a process makes a send itself, it does not happen to it"},
		{tracefmt.Event{Kind: tracefmt.Receive, Process: 3, Type: "NEWS"}, "the process is down"},
		{tracefmt.Event{Kind: tracefmt.Invoke, Process: 1, Type: "tell"}, `unknown operation "tell": the algorithm has none`},
		{tracefmt.Event{Kind: tracefmt.Receive, Process: 1, Type: "NEW"}, `unknown message type "NEW", did you mean "NEWS"? (known: NEWS)`},
		{news(`{"m":1}`), `unknown field of NEWS "m" (known: n, table)`},
		{news(`{"n":1}`), "NEWS lacks one of its fields n, table"},
		{news(``), "NEWS lacks one of its fields n, table"},
		{news(`{"n":"x","table":{}}`), `field n of NEWS: "\"x\"", expected an integer`},
		{news(`{"n":1,"table":[]}`), `field table of NEWS: "[]", expected an object of processes`},
		{news(`{"n":1,"table":{"9":"good"}}`), `field table of NEWS: "9", expected a process`},
		{news(`{"n":1,"table":{"1":"goo"}}`), `field table of NEWS: "goo", expected one of good, bad`},
		{news(`{"n":1,"table":{"1":"good"}}`), ""},
		{news(`{"table":{"a \u0022b\u0022":"bad"},"n":1,"log":{"line":7}}`), ""},
		{tracefmt.Event{Kind: tracefmt.Timeout, Process: 1, Type: "t1"}, "the timer t1 is not armed"},
		{tracefmt.Event{Kind: tracefmt.Timeout, Process: 1, Type: "t1#0"}, `unknown timer "t1#0" (known: t1)`},
	} {
		c := g.config()
		c.Down = []tracefmt.ProcessID{3}
		h, err := sim.NewHost(c, &log{})
		if err != nil {
			t.Fatal(err)
		}
		err = h.Step(&test.event)
		if got := errorText(err); got != test.want {
			t.Errorf("%v %s %s: %q, want %q", test.event.Kind, test.event.Type, test.event.Payload, got, test.want)
		}
	}
}

func news(payload string) tracefmt.Event {
	return tracefmt.Event{Kind: tracefmt.Receive, Process: 1, Peer: 2, Type: "NEWS", Payload: []byte(payload)}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// A protocol that cannot take a message ends the step, not the program.
func TestHostSurvivesAPanic(t *testing.T) {
	y := newToy()
	y.Receive = func(_ *sim.Process, m arrived) { m.List.At(0) }
	h, err := sim.NewHost(y.config(2), &log{})
	if err != nil {
		t.Fatal(err)
	}
	e := tracefmt.Event{Kind: tracefmt.Receive, Process: 1, Peer: 2, Type: "LIST", Payload: []byte(`{"n":1,"list":[]}`)}
	if err := h.Step(&e); err == nil || !strings.HasPrefix(err.Error(), "the algorithm cannot take this receive: ") {
		t.Errorf("error %v", err)
	}
}

// A process that passes messages to itself forever ends its step all the same.
func TestHostBoundsMessagesToOneself(t *testing.T) {
	y := newToy()
	y.Start = func(p *sim.Process) { y.a.Send(p, p.ID()) }
	y.Receive = func(p *sim.Process, _ arrived) { y.a.Send(p, p.ID()) }
	h, err := sim.NewHost(y.config(1), &log{})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Begin(&tracefmt.Event{Kind: tracefmt.Suspect, Process: 1}); err != nil {
		t.Error(err)
	}
}

// TestHostHostile: no event whatever makes the host panic.
func TestHostHostile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		y := newToy()
		y.Start = func(p *sim.Process) { p.SetTimer(y.t1, u(1)) }
		y.Receive = func(p *sim.Process, m arrived) {
			if m.List.Len() > 0 {
				p.SetTimer(y.t2.At(m.N), u(1))
				y.id.Send(p, m.List.At(0), idFields{m.List.At(0)})
			}
		}
		h, err := sim.NewHost(y.config(3), &log{})
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 30).Draw(t, "events") {
			step := rapid.SampledFrom([]func(*tracefmt.Event) error{h.Step, h.Begin}).Draw(t, "step")
			_ = step(&tracefmt.Event{
				Kind:    tracefmt.Kind(rapid.IntRange(0, 20).Draw(t, "kind")),
				Process: tracefmt.ProcessID(rapid.IntRange(-1, 4).Draw(t, "process")),
				Peer:    tracefmt.ProcessID(rapid.IntRange(0, 3).Draw(t, "peer")),
				Type:    rapid.SampledFrom([]string{"", "A", "ID", "LIST", "t1", "t2#1", "t2#-1", "#"}).Draw(t, "type"),
				Payload: []byte(rapid.SampledFrom([]string{
					"", "{", `{"id":1}`, `{"id":null}`, `{"list":[1,2],"n":9223372036854775807}`,
					`{"list":[null],"n":1}`, `{"list":["3"],"n":1}`,
				}).Draw(t, "payload")),
			})
		}
	})
}

// TestHostIgnoresPassivity: a host follows the protocol also at a process that takes no steps in the simulation.
func TestHostIgnoresPassivity(t *testing.T) {
	y := newToy()
	received := 0
	y.Receive = func(*sim.Process, arrived) { received++ }
	c := y.config(2)
	c.Passive = []tracefmt.ProcessID{1}
	h, err := sim.NewHost(c, &log{})
	if err != nil {
		t.Fatal(err)
	}
	e := tracefmt.Event{Kind: tracefmt.Receive, Process: 1, Peer: 2, Type: "A", Seq: 1, Message: 1}
	if err := h.Step(&e); err != nil || received != 1 {
		t.Errorf("%d received, %v, want 1", received, err)
	}
}
