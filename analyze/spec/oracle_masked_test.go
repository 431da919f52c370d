package spec_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"etrace/analyze"
	"etrace/analyze/spec"
	"etrace/fixtures/mask"
	"etrace/fixtures/size"
	"etrace/tracefmt"
)

// A complete run is a completion of each of its masked recordings. So a rule that is violated in a recording is violated in
// the run, and a rule that holds in a recording holds in the run. Rules and runs are random.

// eventful draws a run with messages, states, locks, crashes and recoveries, in which no process acts while it is down.
func eventful(t *rapid.T) *tracefmt.Memory {
	run := drawProcesses(t)
	run.Source = tracefmt.Simulated
	n := len(run.Members)
	m := tracefmt.NewMemory(run)
	down, up, halted := make([]bool, n+1), make([]bool, n+1), make([]bool, n+1)
	var flights []tracefmt.Event
	for range rapid.IntRange(1, 10).Draw(t, "events") {
		seq := m.Len()
		p := tracefmt.ProcessID(rapid.IntRange(1, n).Draw(t, "process"))
		e := tracefmt.Event{Seq: tracefmt.Seq(seq + 1), Time: tracefmt.Time(seq) * tracefmt.Unit, Process: p, Kind: tracefmt.Recover}
		arrives := slices.IndexFunc(flights, func(f tracefmt.Event) bool { return f.Peer == p })
		happening := rapid.IntRange(0, 9).Draw(t, "happening")
		switch {
		case halted[p]:
			continue
		case happening == 9 && arrives >= 0: // the network loses it
			sent := flights[arrives]
			e.Kind, e.Peer, e.Type, e.Message, e.Cause = tracefmt.Lose, sent.Process, sent.Type, sent.Message, sent.Seq
			flights = slices.Delete(flights, arrives, arrives+1)
			_ = m.Write(&e)
			continue
		case down[p]:
			down[p] = false
			e.Payload = []byte(rapid.SampledFrom([]string{`{}`, `{"x":1}`}).Draw(t, "recovered"))
		case happening == 0:
			e.Kind, down[p] = tracefmt.Crash, true
			if rapid.IntRange(0, 3).Draw(t, "halts") == 0 {
				e.Kind, halted[p] = tracefmt.Halt, true
			}
		case happening == 1 && !up[p]:
			e.Kind, e.Payload = tracefmt.Start, []byte(`{"x":2}`)
		case happening <= 3 && arrives >= 0:
			sent := flights[arrives]
			e.Kind, e.Peer, e.Type, e.Message, e.Cause, e.Payload = tracefmt.Receive, sent.Process, sent.Type, sent.Message, sent.Seq, sent.Payload
			flights = slices.Delete(flights, arrives, arrives+1)
		case happening <= 4 && n > 1: // a recording without messages of a process to itself is taken for one of a run without them
			e.Kind, e.Type, e.Message = tracefmt.Send, rapid.SampledFrom([]string{"A", "B"}).Draw(t, "type"), tracefmt.MessageID(seq+1)
			e.Peer = p%tracefmt.ProcessID(n) + 1
			e.Payload = []byte(rapid.SampledFrom([]string{`{"x":1}`, `{"x":2}`}).Draw(t, "content"))
			flights = append(flights, e)
		case happening <= 6:
			e.Kind, e.Type = tracefmt.Note, rapid.SampledFrom([]string{"take", "take", "give"}).Draw(t, "note")
			e.Payload = []byte(rapid.SampledFrom([]string{`{"k":1}`, `{"k":2}`, `{}`}).Draw(t, "lock"))
		default:
			e.Kind, e.Payload = tracefmt.State, []byte(rapid.SampledFrom([]string{
				`{"x":1}`, `{"x":2}`, `{"x":null}`, `{"elected":5}`, `{"elected":6}`, `{"elected":null}`, `{"role":"leader"}`,
				`{"role":"follower"}`, `{"term":1}`, `{"term":2,"role":"leader"}`,
			}).Draw(t, "state"))
		}
		up[p] = true
		_ = m.Write(&e) // a Memory takes every event
	}
	end := rapid.SampledFrom([]tracefmt.End{tracefmt.Quiescent, tracefmt.Stopped}).Draw(t, "end")
	if len(flights) > 0 {
		end = tracefmt.Stopped
	}
	m.Finish(end)
	return m
}

// writer writes random rules.
type writer struct{ t *rapid.T }

func (w writer) choose(texts ...string) string { return rapid.SampledFrom(texts).Draw(w.t, "text") }

// condition writes a condition on the state, or on an event, too. process is a name for a process that it may read.
func (w writer) condition(process string, event bool, depth int) string {
	atoms := []string{
		"live(P)", "f(P)", "g(P)", "h(P, 1)", "leads(P)", `elected(P) == P`, `elected(P) == 5`, `role(P) == "leader"`, "term(P) > 1",
		`var(P, "x") == 1`, `var(P, "x") != null`, `var(P, "x") < 2`, "participant(P)", "P == 5",
		"count(live()) < 2", "count(f) > 0", "exists q in live(): C", "forall q in processes(): C",
		"exists q in participants(): q != P and C",
		"before(leads(P))", "not before(live(P))", "next(P, live()) == 6", `sum(live(), "x") > 2`, "best(live()) == P",
		"C and C", "C or C", "not C",
	}
	if event {
		atoms = append(atoms, "x = 1", "has x", "x < 2", `type = "A"`, "before(live(P))", "before(f(P))", `before(var(P, "x")) == 1`,
			"before(leads(P))", "x == before(x)", "h(P, k)", "k = 1", "nobody(elected)", "process = 6", "has peer and peer = 5")
	}
	if depth == 0 {
		atoms = slices.DeleteFunc(atoms, func(a string) bool { return strings.Contains(a, "C") })
	}
	atom := w.choose(atoms...)
	for strings.Contains(atom, "C") {
		inner := process
		if strings.Contains(atom, " q in ") {
			inner = "q"
		}
		atom = strings.Replace(atom, "C", "("+w.condition(inner, event, depth-1)+")", 1)
	}
	return strings.ReplaceAll(atom, "P", process)
}

// pattern writes a pattern of events.
func (w writer) pattern() string {
	kind := w.choose("state", "state", "send", "receive", "note", "crash", "recover", "state|start|recover", "step")
	if rapid.Bool().Draw(w.t, "conditional") {
		return fmt.Sprintf("%s(%s)", kind, w.condition("process", true, 1))
	}
	return kind
}

// rule writes a rule.
func (w writer) rule() (form, rule string) {
	form = w.choose("never", "never state", "preceded", "leads", "unique", "monotone", "at most", "at least", "exactly", "rate", "eventually",
		"at end", "each at end", "possibly", "definitely", "quorum")
	a, b := w.pattern(), w.pattern()
	join := w.choose("process = a.process", "x = a.x", "process = a.process, x = a.x")
	joined := func(pattern string) string {
		if kind, conditions, ok := strings.Cut(pattern, "("); ok {
			return kind + "(" + join + ", " + conditions
		}
		return pattern + "(" + join + ")"
	}
	switch form { // in rules of two patterns a is the first event
	case "never":
		return form, "never " + a + " where " + w.condition("process", true, 2)
	case "never state":
		return form, "never " + w.condition("5", false, 2)
	case "preceded":
		return form, "each a: " + a + " was preceded by " + joined(b) + w.choose("", " within 2", " was preceded by note")
	case "leads":
		return form, "each a: " + a + " leads to " + joined(b) + w.choose("", " within 2", " leads to note") +
			w.choose("", " unless crash(process = a.process)")
	case "unique", "monotone":
		return form, form + " x per " + w.choose("process", "process, type", "term") + " over " + a
	case "at most", "at least", "exactly":
		return form, form + w.choose(" 0 ", " 1 ", " 2 ") + a + " per " + w.choose("run", "process", "x")
	case "rate":
		return form, "at most" + w.choose(" 0 ", " 1 ") + a + " per " + w.choose("run", "process", "x") + " within 2"
	case "eventually", "at end":
		return form, form + " " + w.condition("5", false, 2) + map[string]string{"eventually": w.choose("", " within 2")}[form]
	case "each at end":
		return form, "at end forall p in " + w.choose("live()", "processes()") + ": " + w.condition("p", false, 1)
	case "quorum":
		return form, "each a: " + a + " was preceded by at least 1 distinct process in " + joined(b)
	}
	conditions := []string{"f(P)", "g(P)", "h(P, 1)", "leads(P)", "live(P)", `var(P, "x") == 1`, `role(P) == "leader"`, "elected(P) == P"}
	p, q := w.choose(conditions...), w.choose(conditions...)
	return form, fmt.Sprintf("never %s %s and %s for p < q", form, strings.ReplaceAll(p, "P", "p"), strings.ReplaceAll(q, "P", "q"))
}

const maskedFluents = `fluent f(p) from note(type = "take") to note(type = "give"), crash
fluent g(p) while live(p) and var(p, "x") == 1
fluent h(p, k) from note(type = "take") to note(type = "give"), crash|recover
`

// TestMaskedRules: no verdict on a masked recording contradicts the verdict on its run.
func TestMaskedRules(t *testing.T) {
	decided, refused := map[string]int{}, 0
	size.Check(t, 100, 700, 60_000, func(t *rapid.T) {
		form, rule := writer{t}.rule()
		properties, err := spec.Parse("test", maskedFluents+rule, spec.Options{})
		if err != nil {
			refused++
			return
		}
		run := eventful(t)
		masks, err := mask.All(run)
		if err != nil {
			t.Fatal(err)
		}
		for range min(4, len(masks)) {
			m := rapid.SampledFrom(masks).Draw(t, "mask")
			recording, err := m.Of(run)
			if err != nil {
				t.Fatal(err)
			}
			if recording.Len() == 0 { // nothing is examined
				continue
			}
			was, now := checkParsed(t, run, properties).Results[0], checkParsed(t, recording, properties).Results[0]
			if now.Verdict != analyze.Unknown {
				decided[form]++
			}
			if contradicts(m, was, now) {
				t.Fatalf("%s\n%s: %s (%s) of the run, %s (%s) of the recording\n%v\n%v\n%v", rule, m, was.Verdict, was.Explanation,
					now.Verdict, now.Explanation, list(run), recording.Run().Completeness, list(recording))
			}
		}
	})
	t.Logf("decided: %v; %d rules were refused", decided, refused)
}

// contradicts reports whether the verdict on a masked recording is wrong for the run, which is one of its completions.
func contradicts(m mask.Mask, was, now *analyze.Result) bool {
	fine := []analyze.Verdict{analyze.Satisfied, analyze.HoldsSoFar, analyze.Vacuous}
	switch {
	case now.Verdict == analyze.Violated:
		// A condition that is neither true nor false at some moment of the run leaves the verdict unknown.
		return was.Verdict != analyze.Violated && was.Verdict != analyze.Unknown
	case m.Stops && now.Verdict != analyze.Satisfied: // the run may violate the rule later
		return false
	}
	return was.Verdict == analyze.Violated && slices.Contains(fine, now.Verdict)
}
