package property

import (
	"maps"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// unconfirmed are findings about what a process was at a moment when another one acted, such as that it led. A
// recording may lack that the process was killed before that moment. Its next step, but for a start or a recovery,
// confirms what was found since its last one: a process that goes on was up. If it starts or recovers, or takes no
// further step, it may have gone down before, unless the recording has all crashes and halts.
type unconfirmed map[tracefmt.ProcessID]*finding

// finding is the first of several about a process.
type finding struct {
	times       int
	explanation string
	witness     []tracefmt.Seq
	// There is no violation if one of the excuses happened without being recorded or, unless
	// the process takes another step in the same life, one of fell.
	excuses, fell []analyze.Need
}

// violateUnless keeps a finding about p until it is confirmed. There is no violation if one of the excuses
// happened without being recorded, or p went down.
func (u unconfirmed) violateUnless(s *replay.State, p tracefmt.ProcessID, excuses []analyze.Need,
	explain func() string, witness ...tracefmt.Seq) {
	f := u[p]
	if f == nil {
		f = &finding{explanation: explain(), witness: witness, excuses: excuses, fell: mayFall(s, p)}
		u[p] = f
	}
	f.times++
}

// step takes in an event, before what is found at it. It returns the finding that the event confirms, nil for none.
func (u unconfirmed) step(e *tracefmt.Event) *finding {
	f := u[e.Process]
	if f == nil {
		return nil
	}
	begins := e.Kind == tracefmt.Start || e.Kind == tracefmt.Recover
	if !begins && e.Kind != tracefmt.Crash && e.Kind != tracefmt.Halt && !replay.IsAct(e) {
		return nil
	}
	delete(u, e.Process)
	if !begins {
		f.fell = nil
	}
	return f
}

// rest returns the findings that no event has confirmed, by process. They stand at the end: that a process took no
// further step shows nothing.
func (u unconfirmed) rest() []*finding {
	var all []*finding
	for _, p := range slices.Sorted(maps.Keys(u)) {
		all = append(all, u[p])
	}
	return all
}

// violate counts the finding, nil for none, as violations.
func (f *finding) violate(r *analyze.Result) {
	if f == nil {
		return
	}
	for range f.times {
		r.ViolateUnless(slices.Concat(f.excuses, f.fell), func() string { return f.explanation }, f.witness...)
	}
}
