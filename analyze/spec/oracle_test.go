package spec_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"etrace/analyze"
	"etrace/analyze/spec"
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

// of returns the events of a kind, with their places.
func (o oracle) of(kind tracefmt.Kind) (places []int) {
	for i, e := range o.events {
		if e.Kind == kind {
			places = append(places, i)
		}
	}
	return places
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

// unique: "unique X per K over P".
func (o oracle) unique(kind tracefmt.Kind, x string, per []string, falls bool) (t tally) {
	fields := append([]string{x}, per...)
	for j, place := range o.of(kind) {
		e := o.events[place]
		if _, known := o.same(e, e, fields); !known {
			t.unknown = true
			continue
		}
		t.examined++
		var alike []tracefmt.Event
		for _, earlier := range o.of(kind)[:j] {
			d := o.events[earlier]
			if same, _ := o.same(e, d, per); same && o.field(d, x) != "" {
				alike = append(alike, d)
			}
		}
		switch {
		case len(alike) == 0:
		case !falls && o.field(alike[0], x) != o.field(e, x), falls && o.field(alike[len(alike)-1], x) > o.field(e, x):
			t.wrong++
		}
	}
	return t
}

// preceded: "each A was preceded by B(K) within T"; T < 0 is forever.
func (o oracle) preceded(a, b tracefmt.Kind, key []string, within tracefmt.Time) (t tally) {
	for _, i := range o.of(a) {
		e := o.events[i]
		if _, known := o.same(e, e, key); !known {
			t.unknown = true
			continue
		}
		t.examined++
		if !slices.ContainsFunc(o.of(b), func(j int) bool {
			same, _ := o.same(e, o.events[j], key)
			return j < i && same && (within < 0 || e.Time-o.events[j].Time <= within)
		}) {
			t.wrong++
		}
	}
	return t
}

// leads: "each A leads to B(K) within T unless C(process)".
func (o oracle) leads(a, b, c tracefmt.Kind, key []string, within tracefmt.Time, final bool) (t tally) {
	for _, i := range o.of(a) {
		e := o.events[i]
		if _, known := o.same(e, e, key); !known {
			t.unknown = true
			continue
		}
		t.examined++
		closed, overdue := false, false
		for _, d := range o.events[i+1:] {
			overdue = overdue || !closed && within >= 0 && d.Time > e.Time+within
			same, _ := o.same(e, d, key)
			closed = closed || d.Kind == b && same || d.Kind == c && d.Process == e.Process
		}
		switch {
		case overdue, !closed && final && i < o.due:
			t.wrong++
		case !closed:
			t.open++
		}
	}
	return t
}

// chain: "each A leads to y: B(K) within T leads to C(process = y.process) within T
// unless D(process)".
func (o oracle) chain(a, b, c, d tracefmt.Kind, key []string, within tracefmt.Time, final bool) (t tally) {
	for _, i := range o.of(a) {
		e := o.events[i]
		if _, known := o.same(e, e, key); !known {
			t.unknown = true
			continue
		}
		t.examined++
		awaited, since, answer, overdue := 1, e.Time, e, false
		for _, next := range o.events[i+1:] {
			if overdue = within >= 0 && next.Time > since+within; overdue || awaited == 0 {
				break
			}
			same, _ := o.same(e, next, key)
			switch {
			case awaited == 2 && next.Kind == c && next.Process == answer.Process:
				awaited = 0
			case awaited == 1 && next.Kind == b && same:
				awaited, since, answer = 2, next.Time, next
			}
			if next.Kind == d && next.Process == e.Process {
				awaited = 0
			}
		}
		switch {
		case awaited == 0:
		case overdue, final && i < o.due:
			t.wrong++
		default:
			t.open++
		}
	}
	return t
}

// precededChain: "each A was preceded by y: B(K) within T was preceded by C(process =
// y.process) within T".
func (o oracle) precededChain(a, b, c tracefmt.Kind, key []string, within tracefmt.Time) (t tally) {
	intime := func(i, j int) bool { return j < i && (within < 0 || o.events[i].Time-o.events[j].Time <= within) }
	for _, i := range o.of(a) {
		e := o.events[i]
		if _, known := o.same(e, e, key); !known {
			t.unknown = true
			continue
		}
		t.examined++
		if !slices.ContainsFunc(o.of(b), func(j int) bool {
			same, _ := o.same(e, o.events[j], key)
			return same && intime(i, j) && slices.ContainsFunc(o.of(c), func(k int) bool {
				return o.events[k].Process == o.events[j].Process && intime(j, k)
			})
		}) {
			t.wrong++
		}
	}
	return t
}

// quorum: "each A was preceded by at least N distinct process in B(K) within T".
func (o oracle) quorum(a, b tracefmt.Kind, n int, key []string, within tracefmt.Time) (t tally) {
	for _, i := range o.of(a) {
		e := o.events[i]
		if _, known := o.same(e, e, key); !known {
			t.unknown = true
			continue
		}
		t.examined++
		members := map[tracefmt.ProcessID]bool{}
		for _, j := range o.of(b) {
			d := o.events[j]
			if same, _ := o.same(e, d, key); same && j < i && (within < 0 || e.Time-d.Time <= within) {
				members[d.Process] = true
			}
		}
		if len(members) < n {
			t.wrong++
		}
	}
	return t
}

// most: "at most N P per K".
func (o oracle) most(kind tracefmt.Kind, n int, per []string) (t tally) {
	for j, place := range o.of(kind) {
		e := o.events[place]
		if _, known := o.same(e, e, per); !known {
			t.unknown = true
			continue
		}
		t.examined++
		count := 1
		for _, earlier := range o.of(kind)[:j] {
			if same, _ := o.same(e, o.events[earlier], per); same {
				count++
			}
		}
		if count > n {
			t.wrong++
		}
	}
	return t
}

// rate: "at most N P per K within T".
func (o oracle) rate(kind tracefmt.Kind, n int, per []string, within tracefmt.Time) (t tally) {
	for j, place := range o.of(kind) {
		e := o.events[place]
		if _, known := o.same(e, e, per); !known {
			t.unknown = true
			continue
		}
		t.examined++
		count := 0
		for _, other := range o.of(kind)[:j+1] {
			if same, _ := o.same(e, o.events[other], per); same && e.Time-o.events[other].Time <= within {
				count++
			}
		}
		if count > n {
			t.wrong++
		}
	}
	return t
}

// least: "at least N P(v = 1) per K", and "exactly N ..." where most is said, too.
func (o oracle) least(kind tracefmt.Kind, n int, per []string, most, final bool) (t tally) {
	counts := map[string]int{}
	if slices.Equal(per, []string{"process"}) && o.run.Source == tracefmt.Simulated {
		for _, m := range o.run.Members {
			counts[m.Name] = 0
		}
	}
	for _, place := range o.of(kind) {
		e := o.events[place]
		k, counted := "", o.field(e, "v") == "1"
		for _, name := range per {
			k += o.field(e, name)
		}
		if _, known := o.same(e, e, per); !known {
			t.unknown = t.unknown || counted
			continue
		}
		if counts[k] += 0; counted {
			t.examined++
			if counts[k]++; most && counts[k] > n {
				t.wrong++
			}
		}
	}
	for _, count := range counts {
		switch t.examined++; {
		case count >= n || t.unknown:
		case final:
			t.wrong++
		default:
			t.open++
		}
	}
	return t
}

// eventually: "fluent f(p) from A to B" and "eventually exists p in processes(): f(p)
// within T".
func (o oracle) eventually(a, b tracefmt.Kind, within tracefmt.Time, final bool) (t tally) {
	t.examined = 1
	for i, e := range o.events {
		if within >= 0 && e.Time > o.events[0].Time+within {
			t.wrong++
			return t
		}
		for p := range o.run.Members {
			if o.holds(a, b, tracefmt.ProcessID(p+1), i) {
				return t
			}
		}
	}
	if final {
		t.wrong++
	} else {
		t.open++
	}
	return t
}

// down: "never P where not live(process)".
func (o oracle) down(kind tracefmt.Kind) (t tally) {
	for _, i := range o.of(kind) {
		t.examined++
		if !o.live(o.events[i].Process, i) {
			t.wrong++
		}
	}
	return t
}

// live reports whether p is live after the event at i.
func (o oracle) live(p tracefmt.ProcessID, i int) bool {
	live := true
	for _, e := range o.events[:i+1] {
		if e.Process == p {
			live = e.Kind != tracefmt.Crash && (live || e.Kind == tracefmt.Recover)
		}
	}
	return live
}

// up: p is live after the event at i, or has taken a step since its crash.
func (o oracle) up(p tracefmt.ProcessID, i int) bool {
	up := true
	for _, e := range o.events[:i+1] {
		if e.Process == p {
			up = e.Kind != tracefmt.Crash
		}
	}
	return up
}

// holds reports whether "fluent f(p) from A to B" holds after the event at i.
func (o oracle) holds(a, b tracefmt.Kind, p tracefmt.ProcessID, i int) bool {
	holds := false
	for _, e := range o.events[:i+1] {
		if e.Process == p {
			holds = e.Kind == a || holds && e.Kind != b
		}
	}
	return holds
}

// atEnd: "fluent f(p) from A to B" and "at end forall p in live(): f(p)".
func (o oracle) atEnd(a, b tracefmt.Kind, final bool) (t tally) {
	last := len(o.events) - 1
	for p := range o.run.Members {
		p := tracefmt.ProcessID(p + 1)
		switch {
		case !o.up(p, last):
			continue
		case o.holds(a, b, p, last):
		case final:
			t.wrong++
		default:
			t.open++
		}
		t.examined++
	}
	return t
}

// crowd: "fluent f(p) from A to B" and "never count(f) > n".
func (o oracle) crowd(a, b tracefmt.Kind, n int) (t tally) {
	before := 0
	for i := range o.events {
		count := 0
		for p := range o.run.Members {
			p := tracefmt.ProcessID(p + 1)
			if o.holds(a, b, p, i) {
				count++
				if i == 0 || !o.holds(a, b, p, i-1) {
					t.examined++
				}
			}
		}
		if count > n && before <= n {
			t.wrong++
		}
		before = count
	}
	return t
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

// drawEvents draws the first events of a run with so many processes.
func drawEvents(t *rapid.T, kinds []tracefmt.Kind, processes, least, most int) (events []tracefmt.Event) {
	process := rapid.Map(rapid.IntRange(1, processes), func(p int) tracefmt.ProcessID { return tracefmt.ProcessID(p) })
	small := rapid.IntRange(0, 2)
	now := tracefmt.Time(0)
	for i := range rapid.IntRange(least, most).Draw(t, "events") {
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
	switch form = rapid.SampledFrom(forms).Draw(t, "form"); form {
	case "unique", "monotone":
		return form, fmt.Sprintf("%s v per %s over %v", form, key[0], a), func(o oracle, _ bool) tally {
			return o.unique(a, "v", key[:1], form == "monotone")
		}
	case "preceded":
		return form, fmt.Sprintf("each x: %v was preceded by %v(%s)%s", a, b, join, limit), func(o oracle, _ bool) tally {
			return o.preceded(a, b, key, within)
		}
	case "leads":
		return form, fmt.Sprintf("each x: %v leads to %v(%s)%s unless %v(process = x.process)", a, b, join, limit, c), func(o oracle, final bool) tally {
			return o.leads(a, b, c, key, within, final)
		}
	case "at most":
		return form, fmt.Sprintf("at most %d %v per %s", bound, a, per), func(o oracle, _ bool) tally { return o.most(a, bound, key) }
	case "chain":
		d := kind.Draw(t, "D")
		return form, fmt.Sprintf("each x: %v leads to y: %v(%s)%s leads to %v(process = y.process)%[4]s unless %[6]v(process = x.process)", a, b, join, limit, c, d), func(o oracle, final bool) tally {
			return o.chain(a, b, c, d, key, within, final)
		}
	case "preceded chain":
		if rapid.Bool().Draw(t, "alike") {
			c = b // or hardly any is preceded
		}
		return form, fmt.Sprintf("each x: %v was preceded by y: %v(%s)%s was preceded by %v(process = y.process)%[4]s", a, b, join, limit, c), func(o oracle, _ bool) tally {
			return o.precededChain(a, b, c, key, within)
		}
	case "quorum":
		return form, fmt.Sprintf("each x: %v was preceded by at least %d distinct process in %v(%s)%s", a, bound, b, join, limit), func(o oracle, _ bool) tally {
			return o.quorum(a, b, bound, key, within)
		}
	case "rate":
		span := max(within, 0)
		return form, fmt.Sprintf("at most %d %v per %s within %v", bound, a, per, span), func(o oracle, _ bool) tally { return o.rate(a, bound, key, span) }
	case "at least", "exactly":
		return form, fmt.Sprintf("%s %d %v(v = 1) per %s", form, bound, a, per), func(o oracle, final bool) tally {
			return o.least(a, bound, key, form == "exactly", final)
		}
	case "eventually":
		return form, fmt.Sprintf("fluent f(p) from %v to %v\neventually exists p in processes(): f(p)%s", a, b, limit), func(o oracle, final bool) tally {
			return o.eventually(a, b, within, final)
		}
	case "at end":
		return form, fmt.Sprintf("fluent f(p) from %v to %v\nat end forall p in live(): f(p)", a, b), func(o oracle, final bool) tally { return o.atEnd(a, b, final) }
	case "never":
		return form, fmt.Sprintf("never %v where not live(process)", a), func(o oracle, _ bool) tally { return o.down(a) }
	}
	return form, fmt.Sprintf("fluent f(p) from %v to %v\nnever count(f) > %d", a, b, bound), func(o oracle, _ bool) tally { return o.crowd(a, b, bound) }
}

var forms = []string{"unique", "monotone", "preceded", "leads", "chain", "preceded chain", "quorum", "at most", "rate", "at least", "exactly", "eventually", "at end", "never", "never state"}

// TestOracle: the package and the oracle agree on random rules and runs.
func TestOracle(t *testing.T) {
	seen := map[string]int{}
	for range 80 { // of a hundred each
		rapid.Check(t, func(t *rapid.T) {
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
	}
	for _, form := range forms {
		for _, v := range []analyze.Verdict{analyze.Violated, analyze.Satisfied, analyze.Vacuous, analyze.HoldsSoFar} {
			if seen[form+" "+string(v)] == 0 && !t.Failed() && !rare[form+" "+string(v)] {
				t.Errorf("no run drawn for which %s is %s: %v", form, v, seen)
			}
		}
	}
}

// rare are verdicts that hardly any run or none has.
var rare = map[string]bool{
	"eventually vacuous": true, "preceded chain satisfied": true, "preceded chain holds-so-far": true,
}

// explained: a verdict that is not fine says why, and a violation shows events
// of the run.
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
	rapid.Check(t, func(t *rapid.T) {
		m := drawRun(t)
		for _, c := range spec.Constructs() {
			explained(t, m, check(t, m, c.Example).Results[0])
		}
	})
}
