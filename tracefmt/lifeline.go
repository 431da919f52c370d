package tracefmt

import "slices"

// A step of a process shows that it was up. If all its starts and recoveries are recorded, it cannot have gone
// down between two steps without one of these before the second. So an unrecorded crash or halt was directly
// before a recorded start or recovery, or after the last step.

// lifeline records the steps of a process that show when it was up.
type lifeline struct {
	last Seq  // the last step of the process
	down bool // true if that step was a crash or a halt
	odd  bool // it took a step while it was down, so the steps show nothing
	// rises are the intervals before its starts and recoveries, each from the previous step; an unrecorded crash
	// can only lie in one of them, or after last.
	rises []rise
}

// rise is the interval from a step of a process, after, to its next start or recovery, at.
type rise struct{ after, at Seq }

// addStep adds an event to the lifeline of its process. Events of a process come in order; repeated events are
// ignored.
func (c *Coverage) addStep(e *Event) {
	if e.Kind == Lose || e.Process < 1 || int(e.Process) > len(c.run.Members) || c.Guess(e) {
		return
	}
	if c.lives == nil {
		c.lives = make([]lifeline, len(c.run.Members)+1)
	}
	l := &c.lives[e.Process]
	if e.Seq <= l.last {
		return
	}
	falls, rises := e.Kind == Crash || e.Kind == Halt, e.Kind == Start || e.Kind == Recover
	// A step other than a start or recovery shows that the process was up.
	if rises {
		l.rises = append(l.rises, rise{l.last, e.Seq})
	} else if l.down {
		l.odd = true
	}
	l.last, l.down = e.Seq, falls
}

// ShowsUp reports whether the steps of the process exclude unrecorded crashes or halts between them: all events
// that begin a life of it are recorded.
func (c *Coverage) ShowsUp(p ProcessID, f Fact) bool {
	if c.lives == nil || f.Kind != Crash && f.Kind != Halt || p < 1 || int(p) >= len(c.lives) {
		return false
	}
	return !c.lives[p].odd && c.gaps[p] == nil && c.Declared(p, Fact{Kind: Start}) == All && c.Declared(p, Fact{Kind: Recover}) == All
}

// canFall reports whether a process whose steps show when it was up may have gone down between two events,
// given the events shown so far.
func (l *lifeline) canFall(after, before Seq) bool {
	if before == 0 || before > l.last {
		return true
	}
	i, _ := slices.BinarySearchFunc(l.rises, after, func(r rise, after Seq) int {
		if r.at <= after {
			return -1
		}
		return 1
	})
	return i < len(l.rises) && l.rises[i].after < before
}
