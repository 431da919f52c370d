package mapping

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"etrace/tracefmt/text"
)

// A file may hold several executions of a system, one after another, without a line between them. A new one
// begins where the terms of all processes fall to where they began, or where their clocks do. The fall of one
// process alone is no new execution: it has lost its memory, or another program has the same name. But a fall to term
// 0, as of unit tests that begin anew, is one if no other process goes on.
//
// Several files are read so, too, if each has lines of the same processes. Only terms count then: the clocks also fall
// where a program writes two logs at the same time.

// maxAwaited is how many lines may wait until it is clear whether a new execution begins.
const maxAwaited = 1 << 12

// past is what earlier lines of a process in this execution show.
type past struct {
	first, last time.Time
	// Without a term these are noTerm.
	firstTerm, lastTerm int64
	// number counts the programs with this name.
	number int
}

// fall is a place where the clock or term of a process fell back to its beginning. The lines after it wait until it
// is clear whether the other processes also fall. If they do, a new execution begins there.
type fall struct {
	place string
	// terms is true if terms fall, and false if clocks fall.
	terms bool
	// marked is true if a line marks a restart. Then the terms need not fall below the first ones.
	marked bool
	// toZero is true if a term falls to 0, which no process has that was ever in a term. term is the last term of the
	// process since then.
	toZero bool
	name   string
	term   int64
	fallen map[string]bool
	lines  []*common
}

// await processes the current record, or lets it wait if it is after an undecided fall.
func (l *log) await(understood bool) error {
	if l.fall == nil {
		return l.understand(understood)
	}
	name, at, term := l.position(understood)
	// A line without a term, or a time, waits with the others, since it shows nothing.
	l.fall.lines = append(l.fall.lines, l.keep(name, understood))
	switch p := l.pasts[name]; {
	case l.fall.toZero && name == l.fall.name && term != noTerm:
		if term == 0 && l.fall.term > 0 { // the next execution begins before another process went on
			return l.resume(true)
		}
		l.fall.term = term
	case p == nil || l.fall.fallen[name]: // the first line of the process, or it has begun again
	case l.fall.marked && term != noTerm && term <= p.firstTerm:
		l.fall.fallen[name] = true
	case l.fall.terms && term != noTerm && term < p.lastTerm, !l.fall.terms && !at.IsZero() && l.isEarly(at):
		l.fall.fallen[name] = true
	case l.fall.terms && (term > p.firstTerm || l.fall.toZero && term > 0), !l.fall.terms && !at.IsZero():
		return l.resume(false)
	}
	if able, fell := l.fallen(); able == fell {
		return l.resume(true)
	}
	if len(l.fall.lines) >= maxAwaited {
		return l.resume(l.mostFell() || l.fall.toZero)
	}
	return nil
}

// noTerm is a missing term.
const noTerm = -1

// position returns the process, time and term of the current record.
func (l *log) position(understood bool) (name string, at time.Time, term int64) {
	if !understood {
		return "", at, noTerm
	}
	name = l.word("process", l.process)
	at, _ = l.timeOf() // an error is reported when the line is taken in
	if i := l.rule(); i >= 0 {
		return name, at, l.termOf(&l.rules[i])
	}
	return name, at, noTerm
}

// TermFields are names of variables with a term, the likeliest first, in lower case and without signs.
var TermFields = []string{"term", "currentterm", "epoch", "currentepoch", "ballot", "view", "generation", "raftterm"}

// termOf returns the writer's term in the current record according to a rule, or noTerm.
func (l *log) termOf(r *rule) int64 {
	for i := range r.events {
		for _, a := range r.events[i].fields {
			if !slices.Contains(TermFields, a.name) {
				continue
			}
			value, _ := a.value.text(l.rec)
			if term, err := strconv.ParseInt(value, 10, 64); err == nil {
				return term
			}
		}
	}
	return noTerm
}

// awaitsClocks reports whether the current record must wait because the clock of its process falls. If the clocks of
// other processes cannot fall, the file contains the logs of several programs with the same name, one after another.
// Then the process gets another name from there on.
func (l *log) awaitsClocks() bool {
	name := l.word("process", l.process)
	at, err := l.timeOf()
	if l.time == nil || name == "" || l.again || err != nil || at.IsZero() {
		return false // an error of the time is reported where the line is taken in
	}
	p := l.past(name)
	if p.clockFalls(at) && !l.reading.Joined() {
		if l.begins(name, false, false) {
			return true
		}
		p.number++
		l.builder.Note("%s goes back in time by %v at %s, to where it began: it has the logs of several programs, one "+
			"after another. From there on the process is called %s~%d; if it is the same, give each log a file",
			text.Printable(name), p.last.Sub(at), l.reading.Place(l.rec.line), text.Printable(name), p.number)
		p.first, p.last = at, at
	}
	if p.first.IsZero() {
		p.first = at
	}
	if at.After(p.last) {
		p.last = at
	}
	return false
}

// awaitsTerms reports whether the current record must wait because the term of its process falls.
func (l *log) awaitsTerms(r *rule) bool {
	term := l.termOf(r)
	if term == noTerm || l.again {
		return false
	}
	name := l.word("process", l.process)
	p := l.past(name)
	if p.termFalls(term) && l.begins(name, true, term == 0) {
		return true
	}
	if p.firstTerm == noTerm {
		p.firstTerm = term
	}
	p.lastTerm = max(p.lastTerm, term)
	return false
}

// begins reports whether a new execution may begin with the current record, which then waits. If the mapping has
// split or runs, only that decides. If there are several files, it is false, because the other processes are in other
// files.
func (l *log) begins(name string, terms, toZero bool) bool {
	f := &fall{place: l.reading.Place(l.rec.line), terms: terms, toZero: toZero, name: name, fallen: map[string]bool{name: true}}
	if l.reading.Joined() && !(terms && l.continues()) || !l.opens(f) {
		return false
	}
	f.lines = append(f.lines, l.keep(name, true))
	return true
}

// divides reports whether the mapping has marks of executions. The marks of a ready mapping are those of tests, and count only
// if the log has one.
func (l *log) divides() bool { return l.runs != nil || l.split != nil && (!l.ready || l.splits) }

// opens lets the lines after a fall wait, if another process could show it.
func (l *log) opens(f *fall) bool {
	if l.resuming || l.divides() {
		return false
	}
	able := slices.ContainsFunc(slices.Collect(maps.Keys(l.pasts)), func(name string) bool {
		return !f.fallen[name] && l.pasts[name].shows(f)
	})
	if able || f.toZero {
		l.fall = f
	}
	return l.fall != nil
}

// continues reports whether the current record is later than everything before it, if one file continues another.
func (l *log) continues() bool {
	at, err := l.timeOf()
	if !l.inTurn || err != nil {
		return false
	}
	for _, p := range l.pasts {
		if at.Before(p.last) && !at.IsZero() {
			return false
		}
	}
	return true
}

// past returns the past of a process.
func (l *log) past(name string) *past {
	p := l.pasts[name]
	if p == nil {
		if l.pasts == nil {
			l.pasts = make(map[string]*past)
		}
		p = &past{number: 1, firstTerm: noTerm, lastTerm: noTerm}
		l.pasts[name] = p
	}
	return p
}

// clockFalls reports whether a time is near the first time of the process and far before its last time: by more than
// a second, and by more than half of the time that its log covers.
func (p *past) clockFalls(at time.Time) bool {
	if at.IsZero() || p.first.IsZero() {
		return false
	}
	took, back, apart := p.last.Sub(p.first), p.last.Sub(at), at.Sub(p.first).Abs()
	return back >= time.Second && back > took/2 && apart < took/2 && (at.Year() != 0 || back < 12*time.Hour)
}

// termFalls reports whether a term is less than the last one and may begin an execution: it is the least possible
// term, or less than the first one.
func (p *past) termFalls(term int64) bool {
	return term < p.lastTerm && (term <= 1 || term < p.firstTerm || term == afterBootstrap && term == p.firstTerm)
}

// afterBootstrap is the term of the first election if the first configuration is an entry of term 1.
const afterBootstrap = 2

// shows reports whether the process could show such a fall.
func (p *past) shows(f *fall) bool {
	if f.terms {
		return p.lastTerm > p.firstTerm || f.marked && p.firstTerm != noTerm || f.toZero && p.lastTerm > 0
	}
	return !p.first.IsZero()
}

// isEarly reports whether a time is in the first half of the time covered by all processes.
func (l *log) isEarly(at time.Time) bool {
	var first, last time.Time
	for _, p := range l.pasts {
		if p.first.IsZero() {
			continue
		}
		if first.IsZero() || p.first.Before(first) {
			first = p.first
		}
		if p.last.After(last) {
			last = p.last
		}
	}
	return at.Sub(first) < last.Sub(first)/2
}

// fallen returns how many processes could show the fall, and how many have shown it.
func (l *log) fallen() (able, fell int) {
	for name, p := range l.pasts {
		if p.shows(l.fall) {
			able++
			if l.fall.fallen[name] {
				fell++
			}
		}
	}
	return able, fell
}

// mostFell reports whether several processes have fallen, and more than half of all that could. The other processes
// may not participate in the new execution.
func (l *log) mostFell() bool {
	able, fell := l.fallen()
	return fell > 1 && 2*fell > able
}

// endFall decides at the end of the lines whether the open fall, if any, begins an execution. After a mark, one process with its first
// term is enough: within one execution, its lines would be a violation that a new execution does not have.
func (l *log) endFall() error {
	return l.resume(l.fall != nil && (l.mostFell() || l.fall.toZero || l.fall.marked && len(l.fall.fallen) > 0))
}

// resume processes the waiting lines, as a new execution if anew is true.
func (l *log) resume(anew bool) error {
	f := l.fall
	if f == nil {
		return nil
	}
	l.fall, l.resuming = nil, true
	defer func() { l.resuming = false }()
	if !anew && f.marked {
		l.gap("", 0)
	}
	if anew {
		if err := l.begin(""); err != nil {
			return err
		}
		values := "times"
		if f.terms {
			values = "terms"
		}
		l.builder.Begins = fmt.Sprintf("at %s, where the %s of %s fall to where they began", f.place, values,
			text.Counted(len(f.fallen), "process", "processes"))
		if f.marked {
			l.builder.Begins = fmt.Sprintf("at %s, which marks a restart, after which %s with their first terms", f.place,
				text.Counted(len(f.fallen), "process begins", "processes begin"))
		}
	}
	for _, k := range f.lines {
		l.restore(k)
		// The lines of a new execution may have the beginning of another one.
		l.resuming = !anew
		if err := l.await(k.understood); err != nil {
			return err
		}
	}
	return nil
}
