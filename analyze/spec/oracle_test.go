package spec_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"etrace/analyze"
	"etrace/analyze/spec"
	"etrace/fixtures/size"
	"etrace/tracefmt"
)

// oracle decides rules by quantifying over the whole list of events, again and
// again, as the document defines them. It shares nothing with the package but
// the trace.
type oracle struct {
	run    *tracefmt.Run
	events []tracefmt.Event
	// due is how many of the events something must have followed in time: all,
	// or those of a loop that went on for long after them.
	due int
}

// field is a field of an event as text, "" if it is absent.
func (o oracle) field(e tracefmt.Event, name string) string {
	switch name {
	case "process":
		return o.run.ProcessName(e.Process)
	case "peer":
		return o.run.ProcessName(e.Peer)
	case "type":
		return e.Type
	case "term":
		if e.Term != 0 {
			return strconv.FormatInt(e.Term, 10)
		}
		return ""
	}
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(e.Payload, &fields) // no payload has no fields
	return string(fields[name])
}

// judgement is a verdict with the number of violations.
type judgement struct {
	verdict    analyze.Verdict
	violations int
}

// tally is what an oracle counts; the judgement follows.
type tally struct {
	wrong, open, examined int
	unknown               bool
}

func (t tally) judge(final bool) judgement {
	switch {
	case t.wrong > 0:
		return judgement{analyze.Violated, t.wrong}
	case t.unknown:
		return judgement{analyze.Unknown, 0}
	case t.open > 0:
		return judgement{analyze.Pending, 0}
	case t.examined == 0:
		return judgement{analyze.Vacuous, 0}
	case final:
		return judgement{analyze.Satisfied, 0}
	}
	return judgement{analyze.HoldsSoFar, 0}
}

// places returns the events of a kind, with their places.
func (o oracle) places(kind tracefmt.Kind) (list []int) {
	for i, e := range o.events {
		if e.Kind == kind {
			list = append(list, i)
		}
	}
	return list
}

// same reports whether two events have equal fields; known is false if the
// first lacks one.
func (o oracle) same(a, b tracefmt.Event, fields []string) (same, known bool) {
	same, known = true, true
	for _, f := range fields {
		x, y := o.field(a, f), o.field(b, f)
		known = known && x != ""
		same = same && x == y
	}
	return same && known, known
}

var drawnKinds = []tracefmt.Kind{tracefmt.Suspect, tracefmt.Trust, tracefmt.State, tracefmt.Timeout, tracefmt.Crash, tracefmt.Recover}

// drawProcesses draws a run without events.
func drawProcesses(t *rapid.T) tracefmt.Run {
	run := tracefmt.Run{TimeUnit: tracefmt.Delays}
	for i := range rapid.IntRange(1, 3).Draw(t, "processes") {
		run.Members = append(run.Members, tracefmt.Member{Name: strconv.Itoa(i + 5), Position: i + 1})
	}
	return run
}

// drawRun draws a small run in which nothing is ever in flight.
func drawRun(t *rapid.T) *tracefmt.Memory {
	run := drawProcesses(t)
	m := tracefmt.NewMemory(run)
	for _, e := range drawEvents(t, drawnKinds, len(run.Members), 0, 25) {
		_ = m.Write(&e) // a Memory takes every event
	}
	m.Finish(rapid.SampledFrom([]tracefmt.End{tracefmt.Quiescent, tracefmt.Stopped}).Draw(t, "end"))
	return m
}

// drawEvents draws the first events of a run with n processes.
func drawEvents(t *rapid.T, kinds []tracefmt.Kind, processes, minimum, limit int) (events []tracefmt.Event) {
	process := rapid.Map(rapid.IntRange(1, processes), func(p int) tracefmt.ProcessID { return tracefmt.ProcessID(p) })
	small := rapid.IntRange(0, 2)
	now := tracefmt.Time(0)
	for i := range rapid.IntRange(minimum, limit).Draw(t, "events") {
		now += tracefmt.Time(small.Draw(t, "time passes")) * tracefmt.Unit
		e := tracefmt.Event{
			Seq: tracefmt.Seq(i + 1), Time: now, Kind: rapid.SampledFrom(kinds).Draw(t, "kind"),
			Process: process.Draw(t, "process"), Term: int64(rapid.IntRange(0, 3).Draw(t, "term")),
		}
		switch e.Kind {
		case tracefmt.Suspect, tracefmt.Trust:
			e.Peer = process.Draw(t, "peer")
		case tracefmt.Timeout:
			e.Type = rapid.SampledFrom([]string{"a", "b"}).Draw(t, "type")
		}
		if v := rapid.IntRange(0, 5).Draw(t, "v"); v > 0 {
			e.Payload = fmt.Appendf(nil, `{"v":%d}`, v%3)
		}
		events = append(events, e)
	}
	return events
}

// drawRule draws a rule, and returns how the oracle decides it.
func drawRule(t *rapid.T) (form, rule string, decide func(o oracle, final bool) tally) {
	kind := rapid.SampledFrom(drawnKinds)
	a, b, c := kind.Draw(t, "A"), kind.Draw(t, "B"), kind.Draw(t, "C")
	key := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"process", "v"}), 1, 2, rapid.ID).Draw(t, "key")
	bound := rapid.IntRange(0, 2).Draw(t, "bound")
	within, limit := tracefmt.Time(-1), ""
	if rapid.Bool().Draw(t, "bounded") {
		within, limit = tracefmt.Time(bound)*tracefmt.Unit, fmt.Sprintf(" within %d", bound)
	}
	var equal []string
	for _, k := range key {
		equal = append(equal, fmt.Sprintf("%s = x.%s", k, k))
	}
	join, per := strings.Join(equal, ", "), strings.Join(key, ", ")
	form = rapid.SampledFrom(forms).Draw(t, "form")
	switch form {
	case "unique", "monotone":
		return form, fmt.Sprintf("%s v per %s over %v", form, key[0], a), func(o oracle, _ bool) tally {
			return o.unique(a, "v", key[:1], form == "monotone")
		}
	case "preceded":
		return form, fmt.Sprintf("each x: %v was preceded by %v(%s)%s", a, b, join, limit), func(o oracle, _ bool) tally {
			return o.preceded(a, b, key, within)
		}
	case "leads":
		return form, fmt.Sprintf("each x: %v leads to %v(%s)%s unless %v(process = x.process)", a, b, join, limit, c),
			func(o oracle, final bool) tally {
				return o.leads(a, b, c, key, within, final)
			}
	case "among":
		return form, fmt.Sprintf("unique v among different process over %v", a), func(o oracle, _ bool) tally {
			return o.among(a, "v", "process", nil, false)
		}
	case "itself":
		return form, fmt.Sprintf("each x: %v is or was preceded by %v|%v(%s)%s", a, a, b, join, limit), func(o oracle, _ bool) tally {
			return o.itself(a, b, key, within)
		}
	case "at most":
		return form, fmt.Sprintf("at most %d %v per %s", bound, a, per), func(o oracle, _ bool) tally { return o.atMost(a, bound, key) }
	case "chain":
		d := kind.Draw(t, "D")
		return form, fmt.Sprintf("each x: %v leads to y: %v(%s)%s leads to %v(process = y.process)%[4]s unless "+
				"%[6]v(process = x.process)", a, b, join, limit, c, d), func(o oracle, final bool) tally {
				return o.chain(a, b, c, d, key, within, final)
			}
	case "preceded chain":
		if rapid.Bool().Draw(t, "alike") {
			c = b // or hardly any is preceded
		}
		return form, fmt.Sprintf("each x: %v was preceded by y: %v(%s)%s was preceded by %v(process = y.process)%[4]s", a,
				b, join, limit, c), func(o oracle, _ bool) tally {
				return o.precededChain(a, b, c, key, within)
			}
	case "quorum":
		return form, fmt.Sprintf("each x: %v was preceded by at least %d distinct process in %v(%s)%s", a, bound, b,
				join, limit), func(o oracle, _ bool) tally {
				return o.quorum(a, b, bound, key, within)
			}
	case "rate":
		span := max(within, 0)
		return form, fmt.Sprintf("at most %d %v per %s within %v", bound, a, per, span),
			func(o oracle, _ bool) tally { return o.rate(a, bound, key, span) }
	case "at least", "exactly":
		return form, fmt.Sprintf("%s %d %v(v = 1) per %s", form, bound, a, per), func(o oracle, final bool) tally {
			return o.atLeast(a, bound, key, form == "exactly", final)
		}
	case "eventually":
		return form, fmt.Sprintf("fluent f(p) from %v to %v\neventually exists p in processes(): f(p)%s", a, b,
				limit), func(o oracle, final bool) tally {
				return o.eventually(a, b, within, final)
			}
	case "at end":
		return form, fmt.Sprintf("fluent f(p) from %v to %v\nat end forall p in live(): f(p)", a, b),
			func(o oracle, final bool) tally { return o.atEnd(a, b, final) }
	case "keyed":
		rule := "fluent f(p, v) from %v to %v\n" +
			"never x: %v(has v) where exists q in participants(): q != x.process and f(q, x.v)"
		return form, fmt.Sprintf(rule, a, b, c), func(o oracle, _ bool) tally { return o.keyed(a, b, c) }
	case "never":
		return form, fmt.Sprintf("never %v where not live(process)", a), func(o oracle, _ bool) tally { return o.down(a) }
	}
	return form, fmt.Sprintf("fluent f(p) from %v to %v\nnever count(f) > %d", a, b, bound),
		func(o oracle, _ bool) tally { return o.crowd(a, b, bound) }
}

var forms = []string{
	"unique", "monotone", "among", "preceded", "itself", "leads", "chain", "preceded chain",
	"quorum", "at most", "rate", "at least", "exactly", "eventually", "at end", "never", "never state",
	"keyed",
}

// TestOracle: the package and the oracle agree on random rules and runs.
func TestOracle(t *testing.T) {
	seen := map[string]int{}
	size.Check(t, 250, 3_000, 16_000, func(t *rapid.T) {
		m := drawRun(t)
		form, rule, decide := drawRule(t)
		o := oracle{run: m.Run()}
		for e := range m.Events(1) {
			o.events = append(o.events, *e.Clone())
		}
		o.due = len(o.events)
		final := m.Run().End == tracefmt.Quiescent
		want := decide(o, final).judge(final)
		r := check(t, m, rule).Results[0]
		got := judgement{r.Verdict, r.Violations}
		if got.verdict == analyze.NotApplicable && r.Examined == 0 {
			got.verdict = analyze.Unknown // no event at all has the field
			if want.verdict == analyze.Vacuous {
				got = want
			}
		}
		if got != want {
			t.Fatalf("%s: got %v (%s), the oracle says %v", rule, got, r.Explanation, want)
		}
		explained(t, m, r)
		seen[form+" "+string(r.Verdict)]++
	})
	expectDrawn(t, seen, forms, analyze.Violated, analyze.Satisfied, analyze.Vacuous, analyze.HoldsSoFar)
}

// expectDrawn fails the test if no drawn run has one of the verdicts of a form. A sample need not have all of them.
func expectDrawn(t *testing.T, seen map[string]int, forms []string, verdicts ...analyze.Verdict) {
	t.Helper()
	if size.Now() != size.Long || t.Failed() {
		return
	}
	for _, form := range forms {
		for _, v := range verdicts {
			if key := form + " " + string(v); seen[key] == 0 && !rare[key] {
				t.Errorf("no run drawn for which %s is %s: %v", form, v, seen)
			}
		}
	}
}

// rare are verdicts that hardly any run or none has.
var rare = map[string]bool{
	"eventually vacuous": true, "preceded chain satisfied": true, "preceded chain holds-so-far": true,
}

// explained: a verdict that is not satisfied has a reason, and a violation has events of the run.
func explained(t *rapid.T, m *tracefmt.Memory, r *analyze.Result) {
	switch r.Verdict {
	case analyze.Satisfied, analyze.HoldsSoFar, analyze.Vacuous:
		return
	case analyze.Violated:
		if m.Len() == 0 {
			break // there is nothing to show
		}
		if len(r.Witness) == 0 || r.Witness[0] < 1 || r.Witness[len(r.Witness)-1] > tracefmt.Seq(m.Len()) {
			t.Fatalf("the witness of %s is %v", r.Property.Rule, r.Witness)
		}
	}
	if r.Explanation == "" {
		t.Fatalf("%s is %s without an explanation", r.Property.Rule, r.Verdict)
	}
}

// TestExamplesOnAnyRun: no example of the document fails on any run, and each
// explains its verdict.
func TestExamplesOnAnyRun(t *testing.T) {
	var examples []*analyze.Property
	for _, c := range spec.Constructs() {
		examples = append(examples, parse(t, c.Example)[0])
	}
	rapid.Check(t, func(t *rapid.T) {
		m := complete(drawRun(t))
		for _, r := range checkParsed(t, m, examples).Results {
			explained(t, m, r)
		}
	})
}
