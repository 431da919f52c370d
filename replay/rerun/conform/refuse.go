package conform

import (
	"fmt"
	"slices"
	"strconv"

	"etrace/tracefmt"
)

// reject records that no step explains a recorded event of a process; e is nil for the end of the run. That is a
// deviation, unless the search was limited; then the comparison stays open.
func (s *search) reject(t *track, e *tracefmt.Event) {
	// The present nodes are empty; spare holds the last states that the process may have reached.
	t.nodes, t.spare = t.spare, t.nodes
	wasCut := func(t track) bool { return t.cut }
	switch {
	case s.undecidable != "" && s.graph == nil:
		t.report.Open = s.undecidable
	// Discarded nodes might explain the event. So might those of other processes, if unrecorded messages couple them.
	case s.graph == nil && (t.cut || s.coupled && slices.ContainsFunc(s.tracks, wasCut)):
		t.report.Open = fmt.Sprintf("a process may be in more than %d states at once", s.limit)
	default:
		d := &Deviation{Reason: t.reason}
		if t.stepped {
			d.Step = t.input.Clone()
		}
		if e != nil {
			d.Recorded = e.Clone()
		}
		if expected := t.expected(s, e); expected != nil {
			d.Expected, d.Reason = expected, ""
		} else if t.lacking != nil && e != nil {
			d.Expected = s.expectedEvent(t.lacking, e)
		}
		d.Explanations = s.graph.explanations(s, t, e)
		t.report.Deviation = d
	}
	s.ended = s.ended || s.coupled
}

// expected returns what the algorithm would do instead of e, in the explanation with the fewest assumed
// steps; nil if it would wait.
func (t *track) expected(s *search, e *tracefmt.Event) *tracefmt.Event {
	var best *node
	fewest := fewestAssumed(t.nodes)
	for i := range t.nodes {
		n := &t.nodes[i]
		switch {
		// The simplest explanation is that the algorithm waits for an input.
		case n.pending == nil && n.tally.total() == fewest:
			return nil
		case n.pending != nil && s.contradicts(t, n, e) && (best == nil || n.tally.total() < best.tally.total()):
			best = n
		}
	}
	if best == nil {
		return nil
	}
	return s.expectedEvent(best.pending, e)
}

// contradicts reports whether the next event of a node contradicts the recording: it would have to be recorded,
// or is of the kind of e and differs.
func (s *search) contradicts(t *track, n *node, e *tracefmt.Event) bool {
	return !s.canBeMissing(t, n.pending) || e != nil && e.Kind == n.pending.event.Kind
}

// expectedEvent returns what the algorithm does in place of a recorded event, at the same time.
func (s *search) expectedEvent(o *output, e *tracefmt.Event) *tracefmt.Event {
	expected := o.event.Clone()
	if expected.Kind == tracefmt.SetTimer {
		expected.Payload = nil
		if e != nil && s.c.durations {
			expected.Payload = strconv.AppendInt([]byte(`{"due":`), int64(e.Time+o.due), 10)
			expected.Payload = append(expected.Payload, '}')
		}
	}
	return expected
}

// finishAll checks the end of each process that neither deviated nor stayed open, see finish, and adds the counts of
// all processes to the report.
func (s *search) finishAll() {
	c := s.c
	for p := range s.tracks[1:] {
		t := &s.tracks[p+1]
		// A process that stopped early has its result already.
		if t.report.Deviation == nil && t.report.Open == "" && !t.report.Byzantine && !s.ended {
			s.finishTrack(t)
		}
		c.report.Events += t.report.Events
		c.report.Explained += t.report.Explained
	}
}

// finishTrack decides on the end of a process: if no node may end the run, it tries unrecorded steps, and then
// records a deviation.
func (s *search) finishTrack(t *track) {
	if s.budgetSpent() {
		t.report.Open = s.exhausted()
		return
	}
	s.graph.open(t)
	quiescent := s.c.report.Run.End == tracefmt.Quiescent
	if t.endNode(s, quiescent) {
		return
	}
	if s.coupled {
		s.updateAllMissing(0)
		s.growAll()
	} else {
		s.updateMissing(t, 0)
		t.goal = nil
		s.grow(t)
	}
	if t.endNode(s, quiescent) {
		return
	}
	if s.budgetSpent() {
		t.report.Open = s.exhausted()
		return
	}
	t.spare = t.nodes
	s.reject(t, nil)
}

// endNode reports whether the run may end at some node. It then stores the assumed steps of the node with the
// fewest.
func (t *track) endNode(s *search, quiescent bool) bool {
	var best *node
	for i := range t.nodes {
		n := &t.nodes[i]
		// Nothing may be left to happen at the end of a quiescent run. An armed timer may have expired only if
		// expiries may be missing.
		if quiescent && (n.pending != nil || n.state.Armed() && t.missing.kinds[tracefmt.Timeout]) {
			continue
		}
		if best == nil || n.tally.total() < best.tally.total() {
			best = n
		}
	}
	if best == nil {
		return false
	}
	t.report.hidden = best.tally
	return true
}
