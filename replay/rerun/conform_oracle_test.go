package rerun_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"etrace/fixtures/mask"
	"etrace/record/algorithm/builtin"
	"etrace/replay/rerun"
	"etrace/tracefmt"
)

// TestConformOracle: runs of which one event was changed, and one of which one line is not
// recorded, are refused where no completion explains them, and not before. Which that
// is, a search decides that tries each: the recording with one event more, wherever it
// may be missing, each of which is compared as a complete run. What nothing tells apart
// is no miss; of what can, nine of ten are to be refused at their first wrong event.
func TestConformOracle(t *testing.T) {
	apart, found, late, cases := 0, 0, 0, 0
	for _, scenario := range []string{
		"{ids: 1-3, down: 3, start: 1}",
		"{algorithm: chang-roberts, ids: 1-3, start: 1}",
		"{algorithm: kordafshari, ids: 1-3, down: 3, start: 1}",
	} {
		rec := record(t, scenario)
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

// lines are the masks that leave one line out and say that of its kind some is recorded.
func lines(t *testing.T, rec *tracefmt.Memory) []mask.Mask {
	t.Helper()
	all, err := mask.All(rec)
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(m mask.Mask) bool { return m.Sort != "line, some" || m.Source != "" })
}

// mutant is a run in which one event is wrong.
type mutant struct {
	name string
	rec  *tracefmt.Memory
}

// mutantsOf changes each event in each way that makes something else of it.
func mutantsOf(rec *tracefmt.Memory) (all []mutant) {
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
			all = append(all, mutant{fmt.Sprintf("%s of %d", name, seq), replaced(rec, seq, events...)})
		}
		with := func(change func(e *tracefmt.Event)) tracefmt.Event {
			other := *e.Clone()
			change(&other)
			return other
		}
		switch e.Kind {
		case tracefmt.Send:
			add("wrong receiver", with(func(e *tracefmt.Event) { e.Peer = e.Peer%n + 1 }))
			add("sent twice", *e, *e)
			for typ := range types {
				if typ != e.Type {
					add("wrong type "+typ, with(func(e *tracefmt.Event) { e.Type = typ }))
				}
			}
			if e.Payload != nil {
				add("wrong field", with(func(e *tracefmt.Event) { e.Payload = []byte(`{"id":2}`) }))
			}
			add("nothing instead")
		case tracefmt.State:
			add("wrong value", with(func(e *tracefmt.Event) { e.Payload = []byte(`{"elected":3}`) }))
			add("nothing instead")
		case tracefmt.SetTimer, tracefmt.CancelTimer:
			add("nothing instead")
			add("twice", *e, *e)
		}
	}
	slices.SortStableFunc(all, func(a, b mutant) int { return compareNames(a.name, b.name) })
	return all
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
		for _, other := range events {
			write(other)
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

func newOracle(t *testing.T, m mask.Mask, rec *tracefmt.Memory, of mutant) *oracle {
	t.Helper()
	masked, err := m.Of(of.rec)
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
	r, err := rerun.Conform(context.Background(), builtin.Algorithms(), o.masked, o.masked.Run().Algorithm, nil, 0)
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

// completable reports whether the first so many events have a completion of at most
// one further event; whole: and the run has ended then.
func (o *oracle) completable(events int, whole bool) bool {
	var prefix []tracefmt.Event
	for e := range o.masked.Events(1) {
		if int(e.Seq) <= events {
			prefix = append(prefix, *e.Clone())
		}
	}
	if o.conforms(prefix, whole) {
		return true
	}
	for at := 0; at <= len(prefix); at++ {
		for _, e := range o.hidden {
			opening := at < len(prefix) && opens(&prefix[at])
			if opens(&e) && at > 0 && !opens(&prefix[at-1]) || !opens(&e) && opening {
				continue // a run begins with who is up, and what is known there
			}
			if o.conforms(slices.Insert(slices.Clone(prefix), at, e), whole) {
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
func (o *oracle) conforms(events []tracefmt.Event, whole bool) bool {
	run := *o.masked.Run()
	run.Completeness = nil
	m := tracefmt.NewMemory(run)
	for _, e := range events {
		e.Seq = tracefmt.Seq(m.Len() + 1)
		_ = m.Write(&e)
	}
	end := tracefmt.Stopped
	if whole {
		end = run.End
	}
	m.Finish(end)
	r, err := rerun.Conform(context.Background(), builtin.Algorithms(), m, run.Algorithm, nil, 0)
	if err != nil {
		o.t.Fatal(err)
	}
	return r.Conforms()
}
