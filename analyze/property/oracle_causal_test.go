package property_test

import (
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"etrace/analyze"
	"etrace/fixtures/size"
	"etrace/tracefmt"
)

// causalOracles decide the properties of happened-before from its transitive
// closure, without vectors.
var causalOracles = map[string]func(oracle) judgement{
	"causal-delivery":             oracle.causalDelivery,
	"lamport-clocks":              oracle.lamportClocks,
	"mutual-exclusion-definitely": func(o oracle) judgement { return o.together(o.isInside, enterOrExit, oracle.definitely) },
	"mutual-exclusion-possibly":   func(o oracle) judgement { return o.together(o.isInside, enterOrExit, oracle.possibly) },
	"process-time-monotone":       oracle.processTime,
	"single-leader-definitely":    func(o oracle) judgement { return o.together(o.electedItself, assignsElected, oracle.definitely) },
	"single-leader-possibly":      func(o oracle) judgement { return o.together(o.electedItself, assignsElected, oracle.possibly) },
}

// isStep reports whether the event at i is a step of its process.
func (o oracle) isStep(i int) bool {
	return o.events[i].Process != 0 && o.events[i].Kind != tracefmt.Lose
}

// happenedBefore returns it as a table: for each event the events that happened before it.
func (o oracle) happenedBefore() [][]bool {
	hb := make([][]bool, len(o.events))
	for j := range o.events {
		hb[j] = make([]bool, len(o.events))
		for i := range j {
			e, d := &o.events[j], &o.events[i]
			if o.isStep(i) && o.isStep(j) && (d.Process == e.Process || slices.Contains(slices.Collect(e.Causes()), d.Seq)) {
				hb[j][i] = true
				for k, before := range hb[i] {
					hb[j][k] = hb[j][k] || before
				}
			}
		}
	}
	return hb
}

// stay is what holds at a process from one of its steps, -1 for its initial
// state, until another, len(events) for the end.
type stay struct{ from, end int }

// stays returns where something holds at p, after this many events.
func (o oracle) stays(p tracefmt.ProcessID, holds func(p tracefmt.ProcessID, k int) bool) (list []stay) {
	for k := range len(o.events) + 1 {
		now, was := holds(p, k), k > 0 && holds(p, k-1)
		anew := k > 0 && o.events[k-1].Process == p && (o.events[k-1].Kind == tracefmt.Start || o.events[k-1].Kind == tracefmt.Recover)
		// A restart ends the stay, even if the condition holds again at once.
		if now && was && anew {
			list[len(list)-1].end = k - 1
			was = false
		}
		switch {
		case now && !was:
			list = append(list, stay{k - 1, len(o.events)})
		case was && !now:
			list[len(list)-1].end = k - 1
		}
	}
	return list
}

// possibly: neither has ended before, or where, the other begins.
func (o oracle) possibly(hb [][]bool, i, j stay, _, _ tracefmt.ProcessID) bool {
	over := func(i, j stay) bool { return i.end < len(o.events) && j.from >= 0 && hb[j.from][i.end] }
	return !over(i, j) && !over(j, i)
}

// definitely: each begins before the other ends. On a run that can go on, an
// end to come is only sure to come after what the process knows by now.
func (o oracle) definitely(hb [][]bool, i, j stay, p, q tracefmt.ProcessID) bool {
	before := func(i, j stay, q tracefmt.ProcessID) bool {
		switch {
		case i.from < 0:
			return true
		case j.end < len(o.events):
			return hb[j.end][i.from]
		}
		return o.quiescent() || slices.ContainsFunc(o.indices(), func(k int) bool {
			return o.isStep(k) && o.events[k].Process == q && hb[k][i.from]
		})
	}
	return before(i, j, q) && before(j, i, p)
}

func (o oracle) indices() (list []int) {
	for i := range o.events {
		list = append(list, i)
	}
	return list
}

func (o oracle) together(holds func(tracefmt.ProcessID, int) bool, tells func(tracefmt.Event) bool,
	meet func(o oracle, hb [][]bool, i, j stay, p, q tracefmt.ProcessID) bool,
) judgement {
	if !slices.ContainsFunc(o.events, tells) {
		return judgement{analyze.NotApplicable, 0}
	}
	hb := o.happenedBefore()
	wrong, examined := 0, 0
	for _, p := range o.processes() {
		examined += len(o.stays(p, holds))
		for _, q := range o.processes()[:p-1] {
			if slices.ContainsFunc(o.stays(p, holds), func(i stay) bool {
				return slices.ContainsFunc(o.stays(q, holds), func(j stay) bool { return meet(o, hb, i, j, p, q) })
			}) {
				wrong++
			}
		}
	}
	return o.verdict(wrong, examined)
}

func (o oracle) electedItself(p tracefmt.ProcessID, k int) bool {
	return o.live(p, k) && o.elected(p, k) == strconv.Itoa(int(p))
}

func assignsElected(e tracefmt.Event) bool {
	_, ok := e.Field("elected")
	return ok && (e.Kind == tracefmt.Recover || e.Kind == tracefmt.Start || e.Kind == tracefmt.State)
}

func enterOrExit(e tracefmt.Event) bool {
	return e.Kind == tracefmt.Note && e.Process != 0 && (e.Type == "enter" || e.Type == "exit")
}

// isInside: the last of enter, exit, crash, halt, start and recover was an enter.
func (o oracle) isInside(p tracefmt.ProcessID, k int) bool {
	for i := k - 1; i >= 0; i-- {
		e := o.events[i]
		if e.Process != p {
			continue
		}
		switch {
		case e.Kind == tracefmt.Crash, e.Kind == tracefmt.Halt, e.Kind == tracefmt.Recover, e.Kind == tracefmt.Start,
			enterOrExit(e) && e.Type == "exit":
			return false
		case enterOrExit(e) && o.live(p, i+1):
			return true
		}
	}
	return false
}

func (o oracle) lamportClocks() judgement {
	wrong, examined, clocks, missing := 0, 0, 0, false
	exact := o.run.Source == "simulated"
	for j, e := range o.events {
		if e.Process == 0 {
			continue
		}
		examined++
		caused, previous := int64(0), int64(0)
		for i, d := range o.events[:j] {
			if slices.Contains(slices.Collect(e.Causes()), d.Seq) {
				caused = max(caused, d.Lamport)
			}
			if e.Kind != tracefmt.Lose && o.isStep(i) && d.Process == e.Process {
				previous = d.Lamport
			}
		}
		before := max(caused, previous)
		switch {
		case e.Lamport == 0:
			missing = true
			continue
		// A simulated clock ticks by one. A recorded clock may tick at events that are not recorded.
		case e.Lamport <= before, exact && e.Lamport > before+1:
			wrong++
		}
		clocks++
	}
	switch {
	case clocks == 0 && examined > 0:
		return judgement{analyze.NotApplicable, 0}
	case missing && wrong == 0:
		return judgement{analyze.Unknown, 0}
	}
	return o.verdict(wrong, examined)
}

func (o oracle) processTime() judgement {
	wrong, examined := 0, 0
	for j, e := range o.events {
		if o.isStep(j) {
			examined++
		}
		for i := j - 1; i >= 0 && o.isStep(j); i-- {
			if d := o.events[i]; o.isStep(i) && d.Process == e.Process {
				if d.Time > e.Time {
					wrong++
				}
				break
			}
		}
	}
	return o.verdict(wrong, examined)
}

func (o oracle) causalDelivery() judgement {
	hb := o.happenedBefore()
	wrong, examined, unnamed := 0, 0, false
	for j, e := range o.events {
		if e.Kind != tracefmt.Receive {
			continue
		}
		examined++
		sent := int(e.Cause) - 1
		if sent < 0 || sent >= j || !o.isStep(sent) {
			unnamed = true
			continue
		}
		first, late := true, false
		received := map[tracefmt.Seq]bool{} // a further receive, even at another process, is none of the message
		for i, d := range o.events[:j] {
			if d.Kind != tracefmt.Receive || d.Cause < 1 || int(d.Cause) > i || !o.isStep(int(d.Cause)-1) {
				continue
			}
			first = first && d.Cause != e.Cause
			late = late || !received[d.Cause] && d.Process == e.Process && hb[d.Cause-1][sent]
			received[d.Cause] = true
		}
		if first && late {
			wrong++
		}
	}
	if unnamed && wrong == 0 {
		return judgement{analyze.Unknown, 0}
	}
	return o.verdict(wrong, examined)
}

func TestCausalOracle(t *testing.T) {
	var names []string
	for name := range causalOracles {
		names = append(names, name)
	}
	slices.Sort(names)
	drawn := verdicts{}
	size.Check(t, 60, 300, 4_000, func(t *rapid.T) {
		m := drawCausalRun(t)
		o := oracle{m.Run(), events(m)}
		for _, r := range check(t, m, true, names...).Results {
			name := r.Property.Name
			if got, want := (judgement{r.Verdict, r.Violations}), causalOracles[name](o); got != want {
				t.Fatalf("%s: got %v (%s), the oracle says %v\n%v", name, got, r.Explanation, want, o.events)
			}
			checkCut(t, o, r)
			drawn.add(r)
		}
	})
	for _, name := range names {
		drawn.expect(t, name, analyze.Violated, analyze.Satisfied, analyze.HoldsSoFar, analyze.Vacuous)
	}
}

// checkCut: the cut of a result is consistent, with its events it holds all
// that happened before them.
func checkCut(t *rapid.T, o oracle, r *analyze.Result) {
	hb := o.happenedBefore()
	last := map[tracefmt.ProcessID]tracefmt.Seq{}
	for _, seq := range r.Cut {
		last[o.events[seq-1].Process] = seq
	}
	for _, seq := range r.Cut {
		for i, before := range hb[seq-1] {
			if e := o.events[i]; before && e.Seq > last[e.Process] {
				t.Fatalf("%s: the cut %v holds seq %d and not seq %d, which happened before it", r.Property.Name, r.Cut, seq, e.Seq)
			}
		}
	}
}

// TestReadings: what definitely holds, holds in the recorded order, and what
// does so, possibly holds.
func TestReadings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawCausalRun(t)
		for _, name := range []string{"single-leader", "mutual-exclusion"} {
			results := check(t, m, true, name+"-definitely", name, name+"-possibly").Results
			for i, r := range results[:2] {
				if r.Verdict == analyze.Violated && results[i+1].Verdict != analyze.Violated {
					t.Fatalf("%s is violated, and %s is %s", r.Property.Name, results[i+1].Property.Name, results[i+1].Verdict)
				}
			}
		}
	})
}
