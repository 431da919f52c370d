package conform_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"etrace/fixtures/mask"
	"etrace/record/algorithm/builtin"
	"etrace/replay/rerun/conform"
	"etrace/tracefmt"
)

// TestConformOracle: a run with one changed event and one unrecorded line is refused exactly where no
// completion explains it. An exhaustive search decides which place that is: it inserts one more event wherever
// one may be missing, and compares each result as a complete run. Changes that no observer can detect are not
// counted as misses; of the others, nine of ten must be refused at their first wrong event.
func TestConformOracle(t *testing.T) {
	apart, found, late, cases := 0, 0, 0, 0
	for _, scenario := range []string{
		"{ids: 1-3, down: 3, start: 1}",
		"{algorithm: chang-roberts, ids: 1-3, start: 1}",
		"{algorithm: kordafshari, ids: 1-3, down: 3, start: 1}",
	} {
		rec := simulated(t, scenario)
		for i, m := range lines(t, rec) {
			for j, mutant := range mutantsOf(rec) {
				if (i+j)%7 != 0 {
					continue // a seventh of them
				}
				cases++
				o := newOracle(t, m, rec, mutant)
				refused := o.refusedAt()
				switch completable := o.completable(o.masked.Len(), true); {
				case refused != 0 && completable:
					t.Errorf("%s, %s, %s: refused at %d, but there is a completion", scenario, m, mutant.name, refused)
				case completable:
				case refused == 0:
					apart++
					t.Logf("%s, %s, %s: not refused", scenario, m, mutant.name)
				case refused > 1 && !o.completable(refused-1, false):
					apart, late = apart+1, late+1
					t.Logf("%s, %s, %s: refused at %d only", scenario, m, mutant.name, refused)
				default:
					apart, found = apart+1, found+1
				}
			}
		}
	}
	t.Logf("%d mutants, %d can be told apart, %d of these are refused at their first wrong event, %d later", cases, apart, found, late)
	if apart < 100 || found*10 < apart*9 {
		t.Errorf("%d of %d are refused at their first wrong event", found, apart)
	}
}

// lines are the masks that leave one line out and declare that some events of its kind are recorded.
func lines(t *testing.T, rec *tracefmt.Memory) []mask.Mask {
	t.Helper()
	masks, err := mask.All(rec)
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(masks, func(m mask.Mask) bool { return m.Sort != "line, some" || m.Source != "" })
}

// mutant is a run in which one event is wrong.
type mutant struct {
	name string
	rec  *tracefmt.Memory
}

// mutantsOf changes each event in each way that makes something else of it.
func mutantsOf(rec *tracefmt.Memory) (mutants []mutant) {
	types := map[string]bool{}
	for e := range rec.Events(1) {
		if e.Kind == tracefmt.Send {
			types[e.Type] = true
		}
	}
	n := tracefmt.ProcessID(len(rec.Run().Members))
	for seq := tracefmt.Seq(1); int(seq) <= rec.Len(); seq++ {
		e := rec.At(seq)
		add := func(name string, events ...tracefmt.Event) {
			mutants = append(mutants, mutant{fmt.Sprintf("%s of %d", name, seq), replaced(rec, seq, events...)})
		}
		changed := func(change func(e *tracefmt.Event)) tracefmt.Event {
			swapped := *e.Clone()
			change(&swapped)
			return swapped
		}
		switch e.Kind {
		case tracefmt.Send:
			add("wrong receiver", changed(func(e *tracefmt.Event) { e.Peer = e.Peer%n + 1 }))
			add("sent twice", *e, *e)
			for typ := range types {
				if typ != e.Type {
					add("wrong type "+typ, changed(func(e *tracefmt.Event) { e.Type = typ }))
				}
			}
			if e.Payload != nil {
				add("wrong field", changed(func(e *tracefmt.Event) { e.Payload = []byte(`{"id":2}`) }))
			}
			add("nothing instead")
		case tracefmt.State:
			add("wrong value", changed(func(e *tracefmt.Event) { e.Payload = []byte(`{"elected":3}`) }))
			add("nothing instead")
		case tracefmt.SetTimer, tracefmt.CancelTimer:
			add("nothing instead")
			add("twice", *e, *e)
		}
	}
	slices.SortStableFunc(mutants, func(a, b mutant) int { return compareNames(a.name, b.name) })
	return mutants
}

func compareNames(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// replaced is a run with other events in the place of one.
func replaced(rec *tracefmt.Memory, at tracefmt.Seq, events ...tracefmt.Event) *tracefmt.Memory {
	changed := tracefmt.NewMemory(*rec.Run())
	write := func(e tracefmt.Event) {
		e.Seq = tracefmt.Seq(changed.Len() + 1)
		_ = changed.Write(&e)
	}
	for e := range rec.Events(1) {
		if e.Seq != at {
			write(*e)
			continue
		}
		for _, candidate := range events {
			write(candidate)
		}
	}
	changed.Finish(rec.Run().End)
	return changed
}

// oracle decides by trying whether a recording has a completion.
type oracle struct {
	t      *testing.T
	masked *tracefmt.Memory
	// hidden are the events that may be missing, anywhere.
	hidden []tracefmt.Event
}

func newOracle(t *testing.T, m mask.Mask, rec *tracefmt.Memory, mutation mutant) *oracle {
	t.Helper()
	masked, err := m.Of(mutation.rec)
	if err != nil {
		t.Fatal(err)
	}
	o := &oracle{t: t, masked: masked}
	coverage := tracefmt.NewCoverage(masked.Run())
	for e := range rec.Events(1) {
		facts := []tracefmt.Fact{{Kind: e.Kind}}
		if e.Kind == tracefmt.State {
			facts = nil
			for name := range tracefmt.Fields(e.Payload) {
				facts = append(facts, tracefmt.StateOf(string(name)))
			}
		}
		missing := func(f tracefmt.Fact) bool { return coverage.Missing(e.Process, f, 0, 0) }
		if e.Process != 0 && !slices.ContainsFunc(facts, func(f tracefmt.Fact) bool { return !missing(f) }) {
			o.hidden = append(o.hidden, *e.Clone())
		}
	}
	return o
}

// refusedAt is the seq of the first event that the search refuses, one after the last if it
// is the end, 0 if the run conforms.
func (o *oracle) refusedAt() int {
	r, err := conform.Decide(context.Background(), o.masked, conform.Model{Known: builtin.Algorithms(), Algorithm: o.masked.Run().Algorithm})
	if err != nil || r.Open() != "" {
		o.t.Fatal(err, r.Open())
	}
	first := 0
	for _, p := range r.Processes {
		if p.Deviation == nil {
			continue
		}
		at := o.masked.Len() + 1
		if e := p.Deviation.Recorded; e != nil {
			at = int(e.Seq)
		}
		if first == 0 || at < first {
			first = at
		}
	}
	return first
}

// completable reports whether the first events have a completion with at most one further event. If ended, the
// run must have ended then.
func (o *oracle) completable(events int, ended bool) bool {
	var prefix []tracefmt.Event
	for e := range o.masked.Events(1) {
		if int(e.Seq) <= events {
			prefix = append(prefix, *e.Clone())
		}
	}
	if o.conforms(prefix, ended) {
		return true
	}
	for at := 0; at <= len(prefix); at++ {
		for _, e := range o.hidden {
			opening := at < len(prefix) && opens(&prefix[at])
			if opens(&e) && at > 0 && !opens(&prefix[at-1]) || !opens(&e) && opening {
				continue // a run begins with who is up, and what is known there
			}
			if o.conforms(slices.Insert(slices.Clone(prefix), at, e), ended) {
				return true
			}
		}
	}
	return false
}

// opens reports whether an event is one of those with which a run begins.
func opens(e *tracefmt.Event) bool {
	return e.Time == 0 && (e.Kind == tracefmt.Start || e.Kind == tracefmt.Crash)
}

// conforms compares events as a complete run.
func (o *oracle) conforms(events []tracefmt.Event, ended bool) bool {
	run := *o.masked.Run()
	run.Completeness = nil
	m := tracefmt.NewMemory(run)
	for _, e := range events {
		e.Seq = tracefmt.Seq(m.Len() + 1)
		_ = m.Write(&e)
	}
	end := tracefmt.Stopped
	if ended {
		end = run.End
	}
	m.Finish(end)
	r, err := conform.Decide(context.Background(), m, conform.Model{Known: builtin.Algorithms(), Algorithm: run.Algorithm})
	if err != nil {
		o.t.Fatal(err)
	}
	return r.Conforms()
}
