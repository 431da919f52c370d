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
// some moment on after its last step, and nothing is proven. Any other step of the process,
// its crash, and the end of the run confirm what was found since its last one.
type unconfirmed struct {
	of map[tracefmt.ProcessID]*finding
}

// finding is the first of several about a process.
type finding struct {
	times       int
	explanation string
	witness     []tracefmt.Seq
}

// violate keeps a finding about p until it is confirmed.
func (u *unconfirmed) violate(p tracefmt.ProcessID, explain func() string, witness ...tracefmt.Seq) {
	if u.of == nil {
		u.of = make(map[tracefmt.ProcessID]*finding)
	}
	f := u.of[p]
	if f == nil {
		f = &finding{explanation: explain(), witness: witness}
		u.of[p] = f
	}
	f.times++
}

// step takes in an event, before what is found at it.
func (u *unconfirmed) step(r *analyze.Result, e *tracefmt.Event) {
	f := u.of[e.Process]
	switch {
	case f == nil:
	case e.Kind == tracefmt.Start || e.Kind == tracefmt.Recover:
		delete(u.of, e.Process)
	case e.Kind == tracefmt.Crash || e.Kind == tracefmt.Halt || replay.IsAct(e):
		delete(u.of, e.Process)
		f.confirm(r)
	}
}

// end confirms all: that a process took no further step shows nothing.
func (u *unconfirmed) end(r *analyze.Result) {
	for _, p := range slices.Sorted(maps.Keys(u.of)) {
		u.of[p].confirm(r)
	}
	u.of = nil
}

func (f *finding) confirm(r *analyze.Result) {
	for range f.times {
		r.Violate(func() string { return f.explanation }, f.witness...)
	}
}
