package tracefmt

import "slices"

// What a process does shows that it was up. Where all of its starts and recoveries are told,
// it cannot have gone down between two of its steps without one of these before the second. So a crash or
// halt that is not recorded was right before a recorded start or recovery, or after its last step.

// lifeline is what a process has done so far, as far as that shows when it was up.
type lifeline struct {
	last Seq  // its last step
	down bool // that was a crash or a halt
	odd  bool // it took a step while it was down, so that nothing is shown
	// rises are the stretches before its starts and recoveries: each from the step before.
	rises []rise
}

type rise struct{ after, at Seq }

// live takes in an event that comes after all that were shown of its process. One that
// is shown again changes nothing.
func (c *Coverage) live(e *Event) {
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
	if rises {
		l.rises = append(l.rises, rise{l.last, e.Seq})
	} else if l.down {
		l.odd = true
	}
	l.last, l.down = e.Seq, falls
}

// ShowsUp reports whether the steps of the process show that the fact, its crash or halt, did not
// happen between them: all that begins a life of it is told.
func (c *Coverage) ShowsUp(p ProcessID, f Fact) bool {
	if c.lives == nil || f.Kind != Crash && f.Kind != Halt || p < 1 || int(p) >= len(c.lives) {
		return false
	}
	return !c.lives[p].odd && c.gaps[p] == nil && c.Said(p, Fact{Kind: Start}) == All && c.Said(p, Fact{Kind: Recover}) == All
}

// mayFall reports whether a process of which the steps show when it was up may have gone down
// between two events, as far as the events go that were shown.
func (l *lifeline) mayFall(after, before Seq) bool {
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
