package election

import (
	"maps"
	"slices"

	"etrace/analyze"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

// unconfirmed are findings about the state of a process at an action of another one, such as that it led. A
// recording may lack a crash of the process before that moment. Its next step confirms the findings since its
// last one, unless it is a start or a recovery: a process that goes on was up. If it restarts, or takes no
// further step, it may have gone down before, unless the recording has all crashes and halts.
type unconfirmed map[tracefmt.ProcessID]*finding

// finding is the first of several equal findings about a process.
type finding struct {
	times       int
	explanation string
	witness     []tracefmt.Seq
	// It is no violation if one of the excuses happened unrecorded or, unless the process takes another step in the
	// same life, one of downNeeds.
	excuses, downNeeds []analyze.Need
}

// violateUnless stores a finding about p until it is confirmed. It is no violation if one of the excuses happened
// unrecorded, or if p went down.
func (u unconfirmed) violateUnless(
	s *replay.State,
	p tracefmt.ProcessID,
	excuses []analyze.Need,
	explain func() string,
	witness ...tracefmt.Seq,
) {
	f := u[p]
	if f == nil {
		f = &finding{explanation: explain(), witness: witness, excuses: excuses, downNeeds: unrecorded.Crash(s, p)}
		u[p] = f
	}
	f.times++
}

// step takes an event, before findings at it are added. It returns the finding that the event confirms, nil for
// none.
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
	// The process was up all the time, so that a crash cannot explain the finding.
	if !begins {
		f.downNeeds = nil
	}
	return f
}

// remaining returns the findings that no event has confirmed, by process. They are violations at the end: the
// absence of a further step proves nothing.
func (u unconfirmed) remaining() []*finding {
	var list []*finding
	for _, p := range slices.Sorted(maps.Keys(u)) {
		list = append(list, u[p])
	}
	return list
}

// violate counts the finding as violations; nil is ignored.
func (f *finding) violate(r *analyze.Result) {
	if f == nil {
		return
	}
	for range f.times {
		r.ViolateUnless(slices.Concat(f.excuses, f.downNeeds), func() string { return f.explanation }, f.witness...)
	}
}
