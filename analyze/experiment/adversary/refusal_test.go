package adversary

import (
	"context"
	"strings"
	"testing"

	"etrace/analyze/experiment/orders"
	"etrace/fixtures/size"
	"etrace/record/scenario"
	"etrace/record/sim"
	"etrace/tracefmt"
)

// firstCome is a protocol whose count depends on the schedule: 2 and 3 each send to 1, who
// answers the first one only, 2 with one message and 3 with two.
func firstCome() *sim.Protocol {
	pr := &sim.Protocol{}
	served := sim.Declare[bool](pr, "served", "")
	ask, answer := pr.Signal("ask", ""), pr.Signal("answer", "")
	pr.Start = func(p *sim.Process) {
		if p.ID() > 1 {
			ask.Send(p, 1)
		}
	}
	ask.On(func(p *sim.Process, from tracefmt.ProcessID) {
		if served.Get(p) {
			return
		}
		served.Set(p, true)
		for range from - 1 {
			answer.Send(p, from)
		}
	})
	return pr
}

// overtaken is a protocol whose number of messages depends on which of two paths is faster. Process 1 sends
// hello to 2 and 3, 3 then asks 2, and 2 answers if it has not heard from 1.
func overtaken() *sim.Protocol {
	pr := &sim.Protocol{}
	heard := sim.Declare[bool](pr, "heard", "")
	hello, ask, answer := pr.Signal("hello", ""), pr.Signal("ask", ""), pr.Signal("answer", "")
	pr.Start = func(p *sim.Process) {
		if p.ID() == 1 {
			hello.Send(p, 2)
			hello.Send(p, 3)
		}
	}
	hello.On(func(p *sim.Process, _ tracefmt.ProcessID) {
		heard.Set(p, true)
		if p.ID() == 3 {
			ask.Send(p, 2)
		}
	})
	ask.On(func(p *sim.Process, from tracefmt.ProcessID) {
		if !heard.Get(p) {
			answer.Send(p, from)
		}
	})
	return pr
}

// forever is one without an end: 1 and 2 answer each other.
func forever() *sim.Protocol {
	pr := &sim.Protocol{}
	ball := pr.Signal("ball", "")
	pr.Start = func(p *sim.Process) {
		if p.ID() == 1 {
			ball.Send(p, 2)
		}
	}
	ball.On(func(p *sim.Process, from tracefmt.ProcessID) { ball.Send(p, from) })
	return pr
}

// TestMutantsAreRefused: a protocol whose count depends on the schedule gets no certificate,
// and exploring proves what it costs at most and at least.
func TestMutantsAreRefused(t *testing.T) {
	for _, c := range []struct {
		name              string
		protocol          func() *sim.Protocol
		smallest, largest int64
	}{
		{"first come", firstCome, 3, 4}, // two questions, and one answer or two
		{"overtaken", overtaken, 3, 4},
	} {
		s := toy(t, "ids: 1-3\nstart: all", c.protocol)
		if err := certified(t, s); err == nil {
			t.Errorf("%s: certified", c.name)
		}
		for minimize, want := range map[bool]int64{false: c.largest, true: c.smallest} {
			r, err := Search(context.Background(), s, Options{Minimize: minimize})
			if err != nil {
				t.Fatal(err)
			}
			if r.Value != want || !r.Proven || r.Exhausted != 1 {
				t.Errorf("%s, minimize %v: %d, proven %v, want %d", c.name, minimize, r.Value, r.Proven, want)
			}
		}
	}
}

// TestNoEnd: a run without an end proves nothing.
func TestNoEnd(t *testing.T) {
	s := toy(t, "ids: 1-3\nstart: all", forever)
	if err := certified(t, s); err == nil || !strings.Contains(err.Error(), "if it ends") {
		t.Errorf("certified: %v", err)
	}
	r, err := Search(context.Background(), s, Options{MaxRuns: 20})
	if err != nil || r.Proven || !r.Endless {
		t.Errorf("%v, %+v", err, r)
	}
}

// certified returns the error of the certificate of a scenario, nil for a proof.
func certified(t *testing.T, s *scenario.Scenario) error {
	t.Helper()
	f, err := newFamily(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	g, err := newGoal("messages", false, f)
	if err != nil {
		t.Fatal(err)
	}
	x := &search{family: f, goal: g}
	_, err = x.certifiedOutcome(context.Background(), newWorld(f), f.ring)
	return err
}

// TestRefusals: a scenario that proofs do not cover gets a reason instead of a proof.
func TestRefusals(t *testing.T) {
	for text, want := range map[string]string{
		"algorithm: bully\nids: 1-3\nstart: 1":                               "it has timers",
		"algorithm: chang-roberts\nids: 1-3\nstart: 1@2":                     "starts after time 0",
		"algorithm: chang-roberts\nids: 1-3\nstart: 1\ncrash: 3@1":           "other actions than starts",
		"algorithm: chang-roberts\nids: 1-3\nstart: 1\ndrop: '*:1>2#1'":      "not reliable",
		"algorithm: chang-roberts\nids: 1-3\nstart: 1\npartition: '1|2,3@1'": "other actions than starts",
		"algorithm: chang-roberts\nids: 1-3\nstart: 1\nmax-events: 100":      "cut at a number of events",
		"algorithm: le-lann\nids: 1-4\nstart: all\nreorder: true":            "depends on the order",
		"algorithm: franklin\nids: 1-4\nstart: all\nreorder: true":           "depends on the order",
	} {
		s, err := scenario.Parse("test", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := certified(t, s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestNoSearch: what has no meaning for an adversary is an error, in one line.
func TestNoSearch(t *testing.T) {
	for _, c := range []struct {
		text, want string
		options    Options
	}{
		{"slow: 'election:2>3=4'", "slow rules have no meaning", Options{}},
		{"choices: 1", "choices would leave one schedule only", Options{}},
		{"loss: 0.5", "loss by chance cannot be used", Options{}},
		{"until: 5", "a last instant cannot be used", Options{}},
		{"topology: 'star'", "no choice of the adversary", Options{Orders: true}},
		{"", "the measure time is not available", Options{Measure: "time"}},
		{"", `unknown measure "mesages", did you mean "messages"?`, Options{Measure: "mesages"}},
		{"", `unknown message type "elektion", did you mean "election"?`, Options{Measure: "type.elektion"}},
	} {
		text := "algorithm: chang-roberts\nids: 1-3\nstart: 1\n" + c.text
		if c.options.Orders {
			text = "algorithm: toy\nids: 1-3\nstart: 1\n" + c.text
		}
		s, err := scenario.Parse("test", []byte(text))
		if err == nil && c.options.Orders {
			s = toy(t, "ids: 1-3\nstart: 1\n"+c.text, firstCome)
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Search(context.Background(), s, c.options); err == nil ||
			!strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %s", c.text, err, c.want)
		}
	}
}

// TestCertificateOfAlgorithms: the elections on rings get a certificate, and every schedule of the simulator
// sends the certified messages. An exploration with memory has the same value for each.
func TestCertificateOfAlgorithms(t *testing.T) {
	for _, c := range []struct {
		algorithm string
		n, start  string
	}{
		{"chang-roberts", "3,1,2", "all"},
		{"chang-roberts", "2,4,1,3", "[1, 4]"},
		{"le-lann", "2,3,1", "all"},
		{"peterson", "2,3,1", "all"},
		{"peterson", "4,2,3,1", "1"},
		{"franklin", "1-2", "all"},
		{"franklin", "3,1,2", "1"},
		{"hirschberg-sinclair", "1-2", "all"},
		{"hirschberg-sinclair", "1-3", "3"},
	} {
		s, err := scenario.Parse("test", []byte("algorithm: "+c.algorithm+"\nids: '"+c.n+"'\nstart: "+c.start))
		if err != nil {
			t.Fatal(err)
		}
		r, err := Search(context.Background(), s, Options{})
		if err != nil || r.Certified != 1 {
			t.Errorf("%s %s: %v, %+v", c.algorithm, c.n, err, r)
			continue
		}
		if sent, complete := schedules(t, s, size.Pick(50, 200, 2_000)); len(sent) != 1 {
			t.Errorf("%s %s, start %s: %d outcomes (all schedules: %v)", c.algorithm, c.n, c.start, len(sent), complete)
		}
		g, err := newGoal("messages", false, nil)
		if err != nil {
			t.Fatal(err)
		}
		report, err := orders.Explore(
			context.Background(), s,
			orders.Options{MaxRuns: size.Pick(20, 60, 400), Made: func(rec *tracefmt.Memory, _ scenario.Choices) error {
				if n, err := g.measured(rec); err != nil || n.value != r.Value {
					t.Errorf("%s %s, start %s: a schedule with %v messages (%v), certified %d", c.algorithm, c.n, c.start, n, err, r.Value)
				}
				return nil
			}},
		)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s %s, start %s: %d messages, explored all: %v", c.algorithm, c.n, c.start, r.Value, report.Complete)
	}
}
