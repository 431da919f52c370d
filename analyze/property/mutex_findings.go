package property

import (
	"maps"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// lockFindings are findings about a process that was in a critical section, or waited for
// it, when another one entered. As with [unconfirmed] ones, the process may have been killed before, where the
// recording may lack that and the process has not acted since.
//
// A recording that lacks notes, crashes or halts of the process shows even less: it may have
// left before. Then it is its exit, or its entry, that proves that it was there until then,
// and no other step does.
type lockFindings struct {
	of map[tracefmt.ProcessID][]*lockFinding
}

// lockFinding is the first of several about a standing.
type lockFinding struct {
	of          standing
	at          tracefmt.Seq // the entry of the other
	times       int
	explanation string
	witness     []tracefmt.Seq
	proven      bool
	// acted is the last step that the process has taken since, 0 for none: it was not killed
	// before that, or has recovered.
	acted tracefmt.Seq
}

// violate keeps a finding about a standing at the event of a seq.
func (l *lockFindings) violate(st *standing, at tracefmt.Seq, explain func() string, witness ...tracefmt.Seq) {
	if l.of == nil {
		l.of = make(map[tracefmt.ProcessID][]*lockFinding)
	}
	f := l.about(st)
	if f == nil {
		f = &lockFinding{of: *st, at: at, explanation: explain(), witness: witness}
		l.of[st.process] = append(l.of[st.process], f)
	}
	f.times++
}

// about returns what was found about a standing, nil for nothing.
func (l *lockFindings) about(st *standing) *lockFinding {
	for _, f := range l.of[st.process] {
		if f.of.lock == st.lock {
			return f
		}
	}
	return nil
}

// step takes in an event, and what it does.
func (l *lockFindings) step(r *analyze.Result, s *replay.State, e *tracefmt.Event, c *lockChange) {
	p := e.Process
	if l.of[p] == nil {
		return
	}
	switch {
	case e.Kind == tracefmt.Start || e.Kind == tracefmt.Recover:
		l.confirm(r, p)
		return
	case e.Kind == tracefmt.Crash || e.Kind == tracefmt.Halt: // so that it was up
		for _, f := range l.of[p] {
			f.acted = e.Seq
		}
		l.confirm(r, p)
	case c.ended != nil:
		f := l.about(c.ended)
		l.resolve(r, c.ended, e.Seq, f != nil && !s.Coverage().Missing(p, noteFact, f.of.sure, e.Seq))
	case c.again != nil:
		l.resolve(r, c.again, e.Seq, false)
	}
	if replay.IsAct(e) {
		l.confirmCertain(r, s, p, e.Seq)
	}
}

// confirmCertain confirms what was found about a process that cannot have left before.
func (l *lockFindings) confirmCertain(r *analyze.Result, s *replay.State, p tracefmt.ProcessID, at tracefmt.Seq) {
	l.of[p] = slices.DeleteFunc(l.of[p], func(f *lockFinding) bool {
		f.acted = at
		if slices.ContainsFunc(f.left(), func(n analyze.Need) bool { return s.Coverage().Missing(p, n.Fact, n.From, n.To) }) {
			return false
		}
		f.confirm(r)
		return true
	})
}

// resolve confirms what was found about a standing, at an event of its process.
func (l *lockFindings) resolve(r *analyze.Result, st *standing, at tracefmt.Seq, proven bool) {
	if f := l.about(st); f != nil {
		f.acted, f.proven = at, proven
		f.confirm(r)
		l.of[st.process] = slices.DeleteFunc(l.of[st.process], func(g *lockFinding) bool { return g == f })
	}
}

// end confirms all: that a process took no further step shows nothing.
func (l *lockFindings) end(r *analyze.Result) {
	for _, p := range slices.Sorted(maps.Keys(l.of)) {
		l.confirm(r, p)
	}
}

func (l *lockFindings) confirm(r *analyze.Result, p tracefmt.ProcessID) {
	for _, f := range l.of[p] {
		f.confirm(r)
	}
	delete(l.of, p)
}

// left are the facts by which the process may have left before without a record: by a note,
// or by going down, and if it has acted since it has come up again, too. Who exits has not.
func (f *lockFinding) left() (needs []analyze.Need) {
	if f.proven {
		return nil
	}
	p := f.of.process
	needs = analyze.Needs(p, f.of.sure, f.at, noteFacts...)
	if f.acted != 0 {
		return append(needs, analyze.MayRestart(p, f.of.since, f.acted))
	}
	return append(needs, analyze.Needs(p, f.of.since, f.at, downFacts...)...)
}

// confirm violates, unless the process has left before.
func (f *lockFinding) confirm(r *analyze.Result) {
	for range f.times {
		r.ViolateUnless(f.left(), func() string { return f.explanation }, f.witness...)
	}
}
