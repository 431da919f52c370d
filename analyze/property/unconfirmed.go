package property

import (
	"maps"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// unconfirmed are findings about what a process was at a moment when another one acted,
// such as in a critical section. A recording need not say that a process was killed: it
// shows only when the process comes back, by its start or recovery. Then it was down from
// some moment on after its last step, and nothing is proven, nor refuted if that moment may have been
// after the finding: where a crash may be missing there, the property is not satisfied. Any other step of the process,
// its crash, and the end of the run confirm what was found since its last one.
type unconfirmed struct {
	of map[tracefmt.ProcessID]*finding
	// excuses are those of the first that was confirmed.
	excuses []analyze.Need
	// lacks are the crashes that would confirm those that were dropped.
	lacks []analyze.Need
}

// finding is the first of several about a process.
type finding struct {
	times       int
	at          tracefmt.Seq // the first
	explanation string
	witness     []tracefmt.Seq
	// exact: there is none if one of the excuses happened without being recorded or, unless
	// the process takes another step, one of fell.
	exact         bool
	excuses, fell []analyze.Need
}

// violate keeps a finding about p until it is confirmed.
func (u *unconfirmed) violate(p tracefmt.ProcessID, explain func() string, witness ...tracefmt.Seq) {
	if u.of == nil {
		u.of = make(map[tracefmt.ProcessID]*finding)
	}
	f := u.of[p]
	if f == nil {
		f = &finding{at: slices.Max(witness), explanation: explain(), witness: witness}
		u.of[p] = f
	}
	f.times++
}

// violateUnless is violate for a finding that there is none of if one of the excuses
// happened without being recorded, or p went down.
func (u *unconfirmed) violateUnless(s *replay.State, p tracefmt.ProcessID, excuses []analyze.Need, explain func() string, witness ...tracefmt.Seq) {
	u.violate(p, explain, witness...)
	if f := u.of[p]; f.times == 1 {
		f.exact, f.excuses, f.fell = true, excuses, mayFall(s, p)
	}
}

// step takes in an event, before what is found at it.
func (u *unconfirmed) step(r *analyze.Result, e *tracefmt.Event) {
	f := u.of[e.Process]
	switch {
	case f == nil:
	case e.Kind == tracefmt.Start || e.Kind == tracefmt.Recover:
		later := analyze.Needs(e.Process, f.at, e.Seq, crashFact)
		r.Lacks(later...)
		u.lacks = append(u.lacks, later...)
		delete(u.of, e.Process)
	case e.Kind == tracefmt.Crash || e.Kind == tracefmt.Halt || replay.IsAct(e):
		delete(u.of, e.Process)
		f.fell = nil
		u.confirm(r, f)
	}
}

// end confirms all: that a process took no further step shows nothing.
func (u *unconfirmed) end(r *analyze.Result) {
	for _, p := range slices.Sorted(maps.Keys(u.of)) {
		u.confirm(r, u.of[p])
	}
	u.of = nil
}

func (u *unconfirmed) confirm(r *analyze.Result, f *finding) {
	if u.excuses == nil {
		u.excuses = slices.Concat(f.excuses, f.fell)
	}
	f.confirm(r)
}

func (f *finding) confirm(r *analyze.Result) {
	for range f.times {
		if f.exact {
			r.ViolateUnless(append(f.excuses, f.fell...), func() string { return f.explanation }, f.witness...)
			continue
		}
		r.Violate(func() string { return f.explanation }, f.witness...)
	}
}
