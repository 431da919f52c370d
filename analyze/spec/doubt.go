package spec

import (
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// reading collects what an evaluation rests on that may have happened without being
// recorded. A nil one collects nothing.
type reading struct{ needs []analyze.Need }

// mark is how much was read.
func (r *reading) mark() int {
	if r == nil {
		return 0
	}
	return len(r.needs)
}

// only drops what was read between two marks, since what was read later decides alone.
func (r *reading) only(from, later int) {
	if r != nil {
		r.needs = append(r.needs[:from], r.needs[later:]...)
	}
}

// add takes in that the facts may have happened at p between two events. That one was taken
// in before says nothing, since that may be dropped.
func (r *reading) add(p tracefmt.ProcessID, from, to tracefmt.Seq, facts ...tracefmt.Fact) {
	for _, f := range facts {
		r.needs = append(r.needs, analyze.Need{Process: p, Fact: f, From: from, To: to})
	}
}

// distinctNeeds are the needs, each once, in the memory of the list.
func distinctNeeds(needs []analyze.Need) []analyze.Need {
	const few = 16
	if len(needs) <= few {
		all := needs[:0]
		for _, n := range needs {
			if !slices.Contains(all, n) {
				all = append(all, n)
			}
		}
		return all
	}
	seen := make(map[analyze.Need]bool, len(needs))
	return slices.DeleteFunc(needs, func(n analyze.Need) bool {
		had := seen[n]
		seen[n] = true
		return had
	})
}

// decided evaluates tests of which one that comes to the truth decides: it rests on what that
// one does, or of several on what the one does that lacks least.
func (f *frame) decided(by truth, tests []test) truth {
	result, begin, least := -by, f.reading.mark(), -1
	for _, t := range tests {
		from := f.reading.mark()
		switch t(f) {
		case by:
			lacks := f.lacking(f.reading.needs[from:])
			if least >= 0 && lacks >= least {
				f.reading.needs = f.reading.needs[:from]
				continue
			}
			f.reading.only(begin, from)
			result, least = by, lacks
			if lacks == 0 {
				return by
			}
		case unknown:
			if least < 0 {
				result = unknown
			}
			fallthrough
		default:
			if least >= 0 {
				f.reading.needs = f.reading.needs[:from]
			}
		}
	}
	return result
}

// lacking is how many of the needs may not be recorded.
func (f *frame) lacking(needs []analyze.Need) (n int) {
	c := f.state.Coverage()
	for _, need := range needs {
		if need.Process < 0 || c.Silent() || c.Missing(need.Process, need.Fact, need.From, need.To) {
			n++
		}
	}
	return n
}

// doubts returns what an evaluation of the state and the event at hand rests on, nil in a
// run of which everything is recorded.
func (f *frame) doubts(evaluate func()) []analyze.Need {
	if !f.partial() {
		return nil
	}
	f.collect(evaluate)
	return append([]analyze.Need(nil), distinctNeeds(f.spare.needs)...)
}

// collect has spare hold what an evaluation rests on.
func (f *frame) collect(evaluate func()) {
	if f.spare == nil {
		f.spare = new(reading)
	}
	f.spare.needs = f.spare.needs[:0]
	f.reading = f.spare
	evaluate()
	f.reading = nil
}

// openDoubts is doubtsOf without what is known already to be recorded: for what is looked at
// need by need, in Lacks and ViolateUnless, where that makes no difference.
func (f *frame) openDoubts(t test, keys ...keyer) []analyze.Need {
	if !f.partial() {
		return nil
	}
	f.collect(func() { evaluate(f, t, keys) })
	needs := slices.DeleteFunc(f.spare.needs, f.recorded)
	return append([]analyze.Need(nil), distinctNeeds(needs)...)
}

// inDoubt evaluates something of the rule, and returns what it rests on that may not be
// recorded: until the next evaluation, and for what is looked at need by need.
func (b *base) inDoubt(evaluate func()) []analyze.Need {
	if len(b.program.reads) == 0 || !b.frame.partial() {
		evaluate()
		return nil
	}
	b.frame.collect(evaluate)
	return distinctNeeds(slices.DeleteFunc(b.frame.spare.needs, b.frame.recorded))
}

// recorded reports whether what is needed of a process is recorded, as the run says itself,
// and remains so: a gap that an inferred event shows later does not reach back to it.
func (f *frame) recorded(n analyze.Need) bool {
	c := f.state.Coverage()
	if n.Process < 0 || n.To == 0 || n.To > f.state.Seq || c.Silent() {
		return false
	}
	missing := func(k tracefmt.Kind) bool { return c.Missing(n.Process, tracefmt.Fact{Kind: k}, n.From, n.To) }
	return !c.Missing(n.Process, n.Fact, n.From, n.To) || n.Anew && !missing(tracefmt.Crash) && !missing(tracefmt.Halt)
}

// needed is what it rests on that a condition may be another one than is recorded.
func (f *frame) needed(condition *code) []analyze.Need {
	return f.doubts(func() { condition.possible(f) })
}

// unless is what, had it happened without being recorded, may make a condition another one
// than is recorded; nil where it is the same, whatever has happened.
func (f *frame) unless(condition *code, t truth) []analyze.Need {
	if !f.partial() || condition.possible(f) == only(t) {
		return nil
	}
	return f.needed(condition)
}

// doubtsOf is doubts of tests and values, which may be nil.
func (f *frame) doubtsOf(t test, keys ...keyer) []analyze.Need {
	return f.doubts(func() { evaluate(f, t, keys) })
}

func evaluate(f *frame, t test, keys []keyer) {
	if t != nil {
		t(f)
	}
	for _, k := range keys {
		k.key(f)
	}
}

// until is the event before which what is read may have changed.
func (f *frame) until() tracefmt.Seq {
	switch now := f.state.Now(); {
	case f.past:
		return f.event.Seq
	case f.ahead && (now != 0 || f.state.Seq == 0):
		return now + 1
	default:
		return now
	}
}

// readVariable takes in that a variable of p is read, which is recorded to have a value, or
// none: then who comes up anew has lost nothing of it.
func (f *frame) readVariable(p tracefmt.ProcessID, name string, set bool) {
	if f.reading == nil {
		return
	}
	at, to := f.assignedAt(p, name), f.until()
	f.reading.add(p, at, to, tracefmt.StateOf(name))
	if !set || !f.state.Coverage().Exists(tracefmt.StateOf(name)) {
		return // unless it occurs later, it is of no account what else happened
	}
	f.readRestart(p, at, to)
}

func (f *frame) assignedAt(p tracefmt.ProcessID, name string) tracefmt.Seq {
	if f.wasOther(p) {
		return f.former.assignedAt(name)
	}
	return f.state.AssignedAt(p, name)
}

// readRestart takes in that p has what it had after an event, so that it has not come up
// with something else since.
func (f *frame) readRestart(p tracefmt.ProcessID, at, to tracefmt.Seq) {
	f.reading.needs = append(f.reading.needs, analyze.MayRestart(p, at, to))
	switch st := f.state.Process(p); {
	case !st.Live():
		f.reading.add(p, st.Since, to, recoverFact)
	case st.Down != 0:
		f.reading.add(p, st.Down, to, recoverFact)
	}
}

// readStatus takes in that it is read whether p is up.
func (f *frame) readStatus(p tracefmt.ProcessID, live bool) {
	if f.reading == nil {
		return
	}
	st, to := f.state.Process(p), f.until()
	switch {
	case f.wasOther(p):
		f.reading.add(p, 0, to, statusFacts...)
	case live:
		f.reading.add(p, f.state.StepAt(p), to, crashFact, haltFact)
	default:
		f.reading.add(p, st.Since, to, recoverFact)
	}
}

// readLeads takes in that it is read whether p leads.
func (f *frame) readLeads(p tracefmt.ProcessID, leads bool) {
	if f.reading == nil || f.run.Part(p) == tracefmt.StandsBy {
		return
	}
	live := f.stance(p).live
	f.readStatus(p, live)
	if !live {
		return
	}
	f.readVariable(p, roleVariable, true)
	f.readVariable(p, electedVariable, true)
	if leads {
		f.readTerm(p)
	}
}

// readTerm takes in that the term of p is read.
func (f *frame) readTerm(p tracefmt.ProcessID) {
	if f.reading == nil {
		return
	}
	term := f.state.TermFact()
	if term.Variable != "" {
		f.readVariable(p, term.Variable, true)
		return
	}
	f.reading.add(p, 0, f.until(), term)
	f.readRestart(p, 0, f.until())
}

// readMerits takes in that the variables are read by which processes are better than others.
func (f *frame) readMerits() {
	if f.reading != nil {
		f.reading.add(analyze.EveryProcess, 0, f.until(), comingUp, anyVariable)
	}
}

// readAbsent takes in that the event at hand does not have a field: if it assigns
// variables, it may have assigned that one, too.
func (f *frame) readAbsent(i int) {
	if f.reading == nil || !f.event.Kind.AssignsVariables() {
		return
	}
	at, name := f.event.Seq, f.fields[i].places[0].key
	f.reading.add(f.event.Process, at-1, at+1, tracefmt.StateOf(name))
}

// read takes in that it is read whether the fluent holds at p.
func (s *fluentState) read(f *frame, p tracefmt.ProcessID) {
	if f.reading == nil {
		return
	}
	if s.def.while != nil {
		was := f.variables[0]
		f.variables[0] = p
		s.def.while(f)
		f.variables[0] = was
		return
	}
	ends, at := s.def.ends.events, s.since[p]
	if at == 0 {
		ends, at = s.def.begins.events, s.ended[p]
	}
	if f.past {
		ends, at = distinct(s.def.begins.events, s.def.ends.events), 0
	}
	f.reading.add(p, at, f.until(), ends...)
	reads := distinct(s.def.begins.reads, s.def.ends.reads)
	f.reading.add(analyze.EveryProcess, 0, f.until(), reads...)
}

// Relies are the facts on which a rule that was not broken rests.
func (b *base) Relies(s *replay.State, _ analyze.Ending) []analyze.Need {
	b.frame.state = s
	return analyze.Needs(analyze.EveryProcess, 0, 0, b.factsFor(b.relies)...)
}

// anywhere are needs of all processes, until now.
func (b *base) anywhere(facts []tracefmt.Fact) []analyze.Need {
	if b.frame.state.Coverage().Complete() {
		return nil
	}
	return analyze.Needs(analyze.EveryProcess, 0, b.frame.state.Now(), b.factsFor(facts)...)
}

// laterSteps are the events after the last one that may be missing. Any of them shows that a deadline is over.
func (b *base) laterSteps(last tracefmt.Seq) []analyze.Need {
	if b.frame.state.Coverage().Complete() {
		return nil
	}
	return analyze.Untold(b.frame.state, analyze.Needs(analyze.EveryProcess, last, 0, setOf(tracefmt.Kinds()).facts()...))
}

// between are needs of the facts at one process, or if p is 0 at all, after an event and
// until now. One that is certainly down has done nothing since.
func (b *base) between(p tracefmt.ProcessID, after tracefmt.Seq, facts []tracefmt.Fact) []analyze.Need {
	if b.frame.state.Coverage().Complete() {
		return nil
	}
	if p == 0 {
		return analyze.Needs(analyze.EveryProcess, after, b.frame.state.Now(), b.factsFor(facts)...)
	}
	needs := analyze.Needs(p, after, b.frame.state.Now(), b.factsFor(facts)...)
	if b.frame.state.Coverage().Silent() || !b.frame.staysDown(p) {
		return needs
	}
	down := b.frame.state.Process(p).Since
	for i := range needs {
		if replay.IsAct(&tracefmt.Event{Kind: needs[i].Fact.Kind}) {
			needs[i].To = down
		}
	}
	return slices.DeleteFunc(needs, func(n analyze.Need) bool { return n.To != 0 && n.To <= n.From })
}
