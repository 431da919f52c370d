package mutex

import (
	"maps"
	"slices"

	"etrace/analyze"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

// lockFindings are findings about a process that was in a critical section, or waited for it, when another process
// entered. They are confirmed later, since the process may have crashed or left before without a record. A recording
// that may lack crashes confirms a finding by the next step of the process. A recording that may also lack notes
// confirms it only by the exit or entry of the process.
type lockFindings struct {
	findings map[tracefmt.ProcessID][]*lockFinding
}

// lockFinding is the first of several findings about one stay or wait of a process.
type lockFinding struct {
	request     standing
	at          tracefmt.Seq // the entry of the other process
	times       int
	explanation string
	witness     []tracefmt.Seq
	proven      bool
	// acted is the last step of the process since, 0 for none: a crash before it is excluded, unless it recovered.
	acted tracefmt.Seq
}

// violate stores a finding about a standing at an event.
func (l *lockFindings) violate(st *standing, at tracefmt.Seq, explain func() string, witness ...tracefmt.Seq) {
	if l.findings == nil {
		l.findings = make(map[tracefmt.ProcessID][]*lockFinding)
	}
	f := l.findingOf(st)
	if f == nil {
		f = &lockFinding{request: *st, at: at, explanation: explain(), witness: witness}
		l.findings[st.process] = append(l.findings[st.process], f)
	}
	f.times++
}

// findingOf returns the finding about a standing, nil for none.
func (l *lockFindings) findingOf(st *standing) *lockFinding {
	for _, f := range l.findings[st.process] {
		if f.request.lock == st.lock {
			return f
		}
	}
	return nil
}

// step takes an event with its effect on the lock.
func (l *lockFindings) step(r *analyze.Result, s *replay.State, e *tracefmt.Event, c *lockChange) {
	p := e.Process
	if l.findings[p] == nil {
		return
	}
	switch {
	case e.Kind == tracefmt.Start || e.Kind == tracefmt.Recover:
		l.confirm(r, p)
		return
	case e.Kind == tracefmt.Crash || e.Kind == tracefmt.Halt: // a process that goes down was up until then
		for _, f := range l.findings[p] {
			f.acted = e.Seq
		}
		l.confirm(r, p)
	case c.ended != nil:
		f := l.findingOf(c.ended)
		l.resolve(r, c.ended, e.Seq, f != nil &&
			!s.Coverage().Missing(p, unrecorded.NoteFact, f.request.certainSince, e.Seq))
	case c.again != nil:
		l.resolve(r, c.again, e.Seq, false)
	}
	if replay.IsAct(e) {
		l.confirmCertain(r, s, p, e.Seq)
	}
}

// doubtful returns the first of the other processes' entries during a standing whose process may have left before. The
// result is 0 if there was no entry, or all are certain. The process acts at the event.
func (l *lockFindings) doubtful(s *replay.State, st *standing, at tracefmt.Seq) tracefmt.Seq {
	f := l.findingOf(st)
	if f == nil {
		return 0
	}
	f.acted = at
	if f.excused(s) {
		return f.at
	}
	return 0
}

// excused reports whether the process may have left before, by what is recorded so far.
func (f *lockFinding) excused(s *replay.State) bool {
	return slices.ContainsFunc(f.exitNeeds(), func(n analyze.Need) bool {
		return s.Coverage().Missing(f.request.process, n.Fact, n.From, n.To)
	})
}

// confirmCertain confirms the findings about a process that cannot have left before.
func (l *lockFindings) confirmCertain(r *analyze.Result, s *replay.State, p tracefmt.ProcessID, at tracefmt.Seq) {
	l.findings[p] = slices.DeleteFunc(l.findings[p], func(f *lockFinding) bool {
		f.acted = at
		if f.excused(s) {
			return false
		}
		f.confirm(r)
		return true
	})
}

// resolve confirms the finding about a standing, at an event of its process.
func (l *lockFindings) resolve(r *analyze.Result, st *standing, at tracefmt.Seq, proven bool) {
	if f := l.findingOf(st); f != nil {
		f.acted, f.proven = at, proven
		f.confirm(r)
		l.findings[st.process] = slices.DeleteFunc(l.findings[st.process], func(g *lockFinding) bool { return g == f })
	}
}

// end confirms all findings: the absence of a further step proves nothing.
func (l *lockFindings) end(r *analyze.Result) {
	for _, p := range slices.Sorted(maps.Keys(l.findings)) {
		l.confirm(r, p)
	}
}

// confirm confirms all findings about p.
func (l *lockFindings) confirm(r *analyze.Result, p tracefmt.ProcessID) {
	for _, f := range l.findings[p] {
		f.confirm(r)
	}
	delete(l.findings, p)
}

// exitNeeds returns the facts by which the process may have left before the other entry: an unrecorded note or crash
// and, if it has acted since, a recovery. It returns nothing for a process that exits later.
func (f *lockFinding) exitNeeds() (needs []analyze.Need) {
	if f.proven {
		return nil
	}
	p := f.request.process
	needs = analyze.Needs(p, f.request.certainSince, f.at, unrecorded.NoteFacts...)
	up := max(f.request.since, f.request.certainSince)
	if f.acted != 0 {
		return append(needs, analyze.MayRestart(p, up, f.acted))
	}
	return append(needs, analyze.Needs(p, up, f.at, unrecorded.DownFacts...)...)
}

// confirm reports the violation, unless the process has left before.
func (f *lockFinding) confirm(r *analyze.Result) {
	for range f.times {
		r.ViolateUnless(f.exitNeeds(), func() string { return f.explanation }, f.witness...)
	}
}
