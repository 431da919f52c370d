package spec_test

import (
	"fmt"
	"strings"
	"testing"

	"etrace/analyze"
	"etrace/analyze/spec"
	"etrace/tracefmt"
)

// burst is a run in which process 1 sends n messages to process 2, and then
// process 2 suspects it as often, all at one instant.
func burst(n int) *tracefmt.Memory {
	m := tracefmt.NewMemory(tracefmt.Run{
		TimeUnit: tracefmt.Delays,
		Members:  []tracefmt.Member{{Name: "1", Position: 1}, {Name: "2", Position: 2}},
	})
	for i := range 2 * n {
		e := tracefmt.Event{Kind: tracefmt.Send, Process: 1, Peer: 2, Type: "A", Message: tracefmt.MessageID(i + 1)}
		if i >= n {
			e = tracefmt.Event{Kind: tracefmt.Suspect, Process: 2, Peer: 1, Payload: fmt.Appendf(nil, `{"last":%d}`, n)}
		}
		e.Seq = tracefmt.Seq(i + 1)
		_ = m.Write(&e) // a Memory takes every event
	}
	m.Finish(tracefmt.Stopped)
	return complete(m)
}

// TestPairsAreBounded: a condition on both events that is no equality is tried
// on pairs, and the number of pairs may be the square of the number of events. A rule gives
// up before, unless it is allowed to go on.
func TestPairsAreBounded(t *testing.T) {
	m := burst(100)
	for _, c := range []struct {
		rule    string
		verdict analyze.Verdict // if all pairs are tried
	}{
		{"each s: suspect was preceded by x: send(process = s.peer) where x.message >= s.last", analyze.HoldsSoFar},
		{"each x: send leads to s: suspect(peer = x.process) where s.seq < x.seq", analyze.Pending},
		{"each x: send leads to crash(process = x.process) unless s: suspect(peer = x.process) where s.seq < x.seq", analyze.Pending},
	} {
		for tries, want := range map[int]analyze.Verdict{10_000: c.verdict, 9_000: analyze.Unknown} {
			for _, o := range []spec.Options{{}, {AllowQuadratic: true}} {
				restore := spec.SetBounds(tries, 100)
				properties, err := spec.Parse("test", c.rule, o)
				if err != nil {
					t.Fatal(err)
				}
				report, err := analyze.Check(m, properties, analyze.Options{})
				restore()
				if err != nil {
					t.Fatal(err)
				}
				r := report.Results[0]
				switch {
				case o.AllowQuadratic && r.Verdict != c.verdict, !o.AllowQuadratic && r.Verdict != want:
					t.Errorf("%s with %d tries: %s (%s), expected %s", c.rule, tries, r.Verdict, r.Explanation, want)
				case r.Verdict == analyze.Unknown && !strings.Contains(r.Explanation, "more than 9000 pairs"):
					t.Errorf("%s: got the reason %s", c.rule, r.Explanation)
				}
			}
		}
	}
}

// TestKeptIsBounded: what a rule must keep of events to answer later ones is
// bounded, too.
func TestKeptIsBounded(t *testing.T) {
	m := burst(100)
	for _, c := range []struct {
		rule    string
		verdict analyze.Verdict
		reason  string
	}{
		{
			"each s: suspect was preceded by x: send(process = s.peer) where x.message >= s.last", analyze.HoldsSoFar,
			"events would have to be kept at seq 100",
		},
		{
			"each s: suspect was preceded by x: send(process = s.peer) where x.message >= s.last within 1",
			analyze.HoldsSoFar, "events would have to be kept at seq 100",
		},
		{"each x: send leads to receive(message = x.message)", analyze.Pending, "obligations are open at seq 100"},
		{"unique type per message over send", analyze.HoldsSoFar, "keys would have to be kept at seq 100"},
		{"unique type per process, peer, message over send", analyze.HoldsSoFar, "keys would have to be kept at seq 100"},
		{"monotone lamport per message over send", analyze.HoldsSoFar, "keys would have to be kept at seq 100"},
		{"at most 1 send per message, peer", analyze.HoldsSoFar, "keys would have to be kept at seq 100"},
	} {
		for past, want := range map[int]analyze.Verdict{100: c.verdict, 99: analyze.Unknown} {
			restore := spec.SetBounds(1<<20, past)
			r := check(t, m, c.rule).Results[0]
			if restore(); r.Verdict != want || want == analyze.Unknown && r.Explanation != "more than 99 "+c.reason {
				t.Errorf("%s with %d kept: %s (%s), expected %s", c.rule, past, r.Verdict, r.Explanation, want)
			}
		}
	}
	// With an equality alone, one event is kept for each key.
	defer spec.SetBounds(1<<20, 1)()
	if r := check(t, m, "each s: suspect was preceded by send(process = s.peer) within 1").Results[0]; r.Verdict != analyze.HoldsSoFar {
		t.Errorf("got %s (%s)", r.Verdict, r.Explanation)
	}
}

// TestCutSearchIsBounded: two processes that lead from an event on are found in
// three steps, and not in two.
func TestCutSearchIsBounded(t *testing.T) {
	m := tracefmt.NewMemory(tracefmt.Run{
		TimeUnit: tracefmt.Delays,
		Members:  []tracefmt.Member{{Name: "1", Position: 1}, {Name: "2", Position: 2}},
	})
	for p := tracefmt.ProcessID(1); p <= 2; p++ {
		_ = m.Write(&tracefmt.Event{Seq: tracefmt.Seq(p), Kind: tracefmt.State, Process: p, Payload: fmt.Appendf(nil, `{"elected":%d}`, p)})
	}
	m.Finish(tracefmt.Stopped)
	const rule = "fluent leads(p) while elected(p) == p\nnever possibly leads(p) and leads(q) for p < q"
	for steps, want := range map[int]analyze.Verdict{3: analyze.Violated, 2: analyze.Unknown} {
		restore := spec.SetMostSteps(steps)
		r := check(t, m, rule).Results[0]
		if restore(); r.Verdict != want || want == analyze.Unknown && r.Explanation != "the choices of 2 processes take more than 2 steps" {
			t.Errorf("%d steps: %s (%s), expected %s", steps, r.Verdict, r.Explanation, want)
		}
	}
}
