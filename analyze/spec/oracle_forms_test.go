package spec_test

import (
	"slices"

	"etrace/tracefmt"
)

// Each form as the document defines it, by quantification over all events.

// unique: "unique X per K over P".
func (o oracle) unique(kind tracefmt.Kind, x string, per []string, falls bool) (t tally) {
	return o.among(kind, x, "", per, falls)
}

// among: "unique X among different Y per K over P", of every Y for "".
func (o oracle) among(kind tracefmt.Kind, x, y string, per []string, falls bool) (t tally) {
	fields := append([]string{x}, per...)
	if y != "" {
		fields = append(fields, y)
	}
	for j, place := range o.places(kind) {
		e := o.events[place]
		if _, known := o.same(e, e, fields); !known {
			t.unknown = true
			continue
		}
		t.examined++
		var alike []tracefmt.Event
		for _, earlier := range o.places(kind)[:j] {
			d := o.events[earlier]
			if same, _ := o.same(e, d, per); same && o.field(d, x) != "" {
				alike = append(alike, d)
			}
		}
		switch {
		case y != "":
			if slices.ContainsFunc(alike, func(d tracefmt.Event) bool {
				return o.field(d, y) != "" && o.field(d, y) != o.field(e, y) && o.field(d, x) != o.field(e, x)
			}) {
				t.wrong++
			}
		case len(alike) == 0:
		case !falls && o.field(alike[0], x) != o.field(e, x), falls && o.field(alike[len(alike)-1], x) > o.field(e, x):
			t.wrong++
		}
	}
	return t
}

// preceded: "each A was preceded by B(K) within T"; T < 0 is forever.
func (o oracle) preceded(a, b tracefmt.Kind, key []string, within tracefmt.Time) (t tally) {
	return o.precededBy(a, []tracefmt.Kind{b}, key, within, 1)
}

// itself: "each A is or was preceded by A|B(K) within T".
func (o oracle) itself(a, b tracefmt.Kind, key []string, within tracefmt.Time) (t tally) {
	return o.precededBy(a, []tracefmt.Kind{a, b}, key, within, 0)
}

// precededBy: there is an event of these kinds this many events before, or earlier.
func (o oracle) precededBy(a tracefmt.Kind, kinds []tracefmt.Kind, key []string, within tracefmt.Time, before int) (t tally) {
	for _, i := range o.places(a) {
		e := o.events[i]
		if _, known := o.same(e, e, key); !known {
			t.unknown = true
			continue
		}
		t.examined++
		if !slices.ContainsFunc(o.events[:i+1-before], func(d tracefmt.Event) bool {
			same, _ := o.same(e, d, key)
			return slices.Contains(kinds, d.Kind) && same && (within < 0 || e.Time-d.Time <= within)
		}) {
			t.wrong++
		}
	}
	return t
}

// leads: "each A leads to B(K) within T unless C(process)".
func (o oracle) leads(a, b, c tracefmt.Kind, key []string, within tracefmt.Time, final bool) (t tally) {
	for _, i := range o.places(a) {
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
	for _, i := range o.places(a) {
		e := o.events[i]
		if _, known := o.same(e, e, key); !known {
			t.unknown = true
			continue
		}
		t.examined++
		awaited, since, answer, overdue := 1, e.Time, e, false
		for _, next := range o.events[i+1:] {
			overdue = within >= 0 && next.Time > since+within
			if overdue || awaited == 0 {
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
	for _, i := range o.places(a) {
		e := o.events[i]
		if _, known := o.same(e, e, key); !known {
			t.unknown = true
			continue
		}
		t.examined++
		if !slices.ContainsFunc(o.places(b), func(j int) bool {
			same, _ := o.same(e, o.events[j], key)
			return same && intime(i, j) && slices.ContainsFunc(o.places(c), func(k int) bool {
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
	for _, i := range o.places(a) {
		e := o.events[i]
		if _, known := o.same(e, e, key); !known {
			t.unknown = true
			continue
		}
		t.examined++
		members := map[tracefmt.ProcessID]bool{}
		for _, j := range o.places(b) {
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
func (o oracle) atMost(kind tracefmt.Kind, n int, per []string) (t tally) {
	for j, place := range o.places(kind) {
		e := o.events[place]
		if _, known := o.same(e, e, per); !known {
			t.unknown = true
			continue
		}
		t.examined++
		count := 1
		for _, earlier := range o.places(kind)[:j] {
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
	for j, place := range o.places(kind) {
		e := o.events[place]
		if _, known := o.same(e, e, per); !known {
			t.unknown = true
			continue
		}
		t.examined++
		count := 0
		for _, earlier := range o.places(kind)[:j+1] {
			if same, _ := o.same(e, o.events[earlier], per); same && e.Time-o.events[earlier].Time <= within {
				count++
			}
		}
		if count > n {
			t.wrong++
		}
	}
	return t
}

// atLeast: "at least N P(v = 1) per K", and "exactly N ..." with an upper bound, too.
func (o oracle) atLeast(kind tracefmt.Kind, n int, per []string, exact, final bool) (t tally) {
	counts := map[string]int{}
	if slices.Equal(per, []string{"process"}) {
		for _, m := range o.run.Members {
			counts[m.Name] = 0
		}
	}
	for _, place := range o.places(kind) {
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
			if counts[k]++; exact && counts[k] > n {
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
	for _, i := range o.places(kind) {
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

// keyed: "fluent f(p, v) from A to B" and "never x: C(has v) where exists q in participants(): q != x.process and f(q, x.v)".
func (o oracle) keyed(a, b, c tracefmt.Kind) (t tally) {
	for _, i := range o.places(c) {
		key := o.field(o.events[i], "v")
		if key == "" {
			continue
		}
		t.examined++
		for q := range o.run.Members {
			if p := tracefmt.ProcessID(q + 1); p != o.events[i].Process && o.holdsFor(a, b, p, key, i) {
				t.wrong++
				break
			}
		}
	}
	return t
}

// holdsFor reports whether p began to hold the key with an event of kind a up to the place, and has not ended it since.
func (o oracle) holdsFor(a, b tracefmt.Kind, p tracefmt.ProcessID, key string, place int) (holds bool) {
	for _, e := range o.events[:place+1] {
		v := o.field(e, "v")
		switch {
		case e.Process != p:
		case e.Kind == a:
			holds = holds || v == key
		case e.Kind == b && (v == key || v == ""):
			holds = false
		}
	}
	return holds
}
