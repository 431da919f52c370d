package overlap

import "etrace/tracefmt"

// Meetings are overlaps: two processes may have led, or been inside, at the same time, in the recorded order of
// events and in some completion.
type Meetings struct {
	found []Meeting // the first ones
	// Many is set if there are more than are stored; hidden if one of the two processes of some overlap is
	// unrecorded.
	Many, Hidden bool
}

// Meeting is an overlap of two processes right before an event of P, by which P may cease to be so, or at the end.
type Meeting struct {
	P, Q   tracefmt.ProcessID
	Seq    tracefmt.Seq // 0 for the end
	Hidden bool         // one of the two is unrecorded
}

// maxOverlaps bounds the stored overlaps.
const maxOverlaps = 256

// Add stores an overlap.
func (m *Meetings) Add(at Meeting) {
	m.Hidden = m.Hidden || at.Hidden
	m.Many = len(m.found) == maxOverlaps
	if !m.Many {
		m.found = append(m.found, at)
	}
}

// some reports whether an overlap is stored. If none is stored because too many are possible, Hidden is set.
func (m *Meetings) some() bool { return len(m.found) > 0 }

// Full reports whether no further overlap matters.
func (m *Meetings) Full() bool { return m.Many && m.Hidden }

// Heard has for each process the first recorded event after which it may know anything of others, 0 for never.
type Heard []tracefmt.Seq

// Step takes an event.
func (h Heard) Step(e *tracefmt.Event) {
	if h[e.Process] != 0 {
		return
	}
	if e.Kind == tracefmt.Receive {
		h[e.Process] = e.Seq
	}
	for range e.Causes() {
		h[e.Process] = e.Seq
	}
}

// definite reports whether every order of the events may lead through one of the overlaps, and whether through
// one with an unrecorded process, provided that all receives are recorded. In such an overlap the process that
// ceases has heard of others, or none of the two ceases. final is explained at [causal.Pairs.End].
func (h Heard) definite(m *Meetings, final bool) (some, hidden bool) {
	// Without messages between them, either process may end before the other begins.
	if m.Many {
		return true, m.Hidden
	}
	for _, at := range m.found {
		before := func(p tracefmt.ProcessID) bool { return h[p] != 0 && (at.Seq == 0 || h[p] <= at.Seq) }
		// The process that ceases must have heard of the other one. At a final end, neither process ceases any more.
		if at.Seq != 0 && before(at.P) || at.Seq == 0 && (final || before(at.P) && before(at.Q)) {
			some, hidden = true, hidden || at.Hidden
		}
	}
	return some, hidden
}

// MostListed bounds the stored events.
const MostListed = 1 << 20

// Contenders are the first two processes found that may lead, or be in the critical section.
type Contenders struct {
	First, Second tracefmt.ProcessID
	Hidden        bool // some process may be so without a record
}

// Contender is a process that may lead, or be inside.
type Contender struct {
	Process tracefmt.ProcessID
	Hidden  bool // it may be so without a record
}

// Add takes a process.
func (c *Contenders) Add(added Contender) {
	c.Hidden = c.Hidden || added.Hidden
	if c.First == 0 || c.First == added.Process {
		c.First = added.Process
		return
	}
	c.Second = added.Process
}
