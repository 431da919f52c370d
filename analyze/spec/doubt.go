package spec

import (
	"iter"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// reading collects the unrecorded facts on which the result of an evaluation depends. A nil reading collects nothing.
type reading struct{ needs []analyze.Need }

// mark returns the number of needs read so far.
func (r *reading) mark() int {
	if r == nil {
		return 0
	}
	return len(r.needs)
}

// drop removes the needs read between two marks; the needs read later decide alone.
func (r *reading) drop(from, later int) {
	if r != nil {
		r.needs = append(r.needs[:from], r.needs[later:]...)
	}
}

// add records that the facts may have happened at p between two events. It keeps duplicates, since drop may remove
// the earlier one.
func (r *reading) add(p tracefmt.ProcessID, from, end tracefmt.Seq, facts ...tracefmt.Fact) {
	for _, f := range facts {
		r.needs = append(r.needs, analyze.Need{Process: p, Fact: f, From: from, To: end})
	}
}

// distinctNeeds removes duplicates, in the memory of the list.
func distinctNeeds(needs []analyze.Need) []analyze.Need {
	const few = 16
	if len(needs) <= few {
		kept := needs[:0]
		for _, n := range needs {
			if !slices.Contains(kept, n) {
				kept = append(kept, n)
			}
		}
		return kept
	}
	seen := make(map[analyze.Need]bool, len(needs))
	return slices.DeleteFunc(needs, func(n analyze.Need) bool {
		had := seen[n]
		seen[n] = true
		return had
	})
}

// decided evaluates tests until one settles the result: a test with the truth deciding does. If several do, the
// result rests on the test with the fewest missing facts.
func (f *frame) decided(deciding truth, tests []test) truth {
	result, begin, fewest := -deciding, f.reading.mark(), -1
	for _, t := range tests {
		from := f.reading.mark()
		switch t(f) {
		case deciding:
			lacks := f.lacking(f.reading.needs[from:])
			if fewest >= 0 && lacks >= fewest {
				f.reading.needs = f.reading.needs[:from]
				continue
			}
			f.reading.drop(begin, from)
			result, fewest = deciding, lacks
			if lacks == 0 {
				return deciding
			}
			// An undecided test matters only while no test has decided; its needs are kept with the others.
		case unknown:
			if fewest < 0 {
				result = unknown
			}
			fallthrough
		default:
			if fewest >= 0 {
				f.reading.needs = f.reading.needs[:from]
			}
		}
	}
	return result
}

// lacking returns how many of the needs may be unrecorded.
func (f *frame) lacking(needs []analyze.Need) (n int) {
	c := f.state.Coverage()
	for _, need := range needs {
		if need.Process < 0 || c.Silent() || c.Missing(need.Process, need.Fact, need.From, need.To) {
			n++
		}
	}
	return n
}

// doubts returns the needs on which the result of an evaluation depends; nil in a complete recording.
func (f *frame) doubts(evaluate func()) []analyze.Need {
	if !f.partial() {
		return nil
	}
	f.collect(evaluate)
	return append([]analyze.Need(nil), distinctNeeds(f.spare.needs)...)
}

// collect evaluates, and collects the needs in spare.
func (f *frame) collect(evaluate func()) {
	if f.spare == nil {
		f.spare = new(reading)
	}
	f.spare.needs = f.spare.needs[:0]
	f.reading = f.spare
	evaluate()
	f.reading = nil
}

// openDoubts is doubtsOf without the needs that are known to be recorded. It is for callers that treat each need on
// its own, Lacks and ViolateUnless, where recorded needs make no difference.
func (f *frame) openDoubts(t test, keys ...keyer) []analyze.Need {
	if !f.partial() {
		return nil
	}
	f.collect(func() { evaluate(f, t, keys) })
	needs := slices.DeleteFunc(f.spare.needs, f.recorded)
	return append([]analyze.Need(nil), distinctNeeds(needs)...)
}

// inDoubt evaluates a part of the rule, and returns the unrecorded needs on which the result depends. They are valid
// until the next evaluation.
func (b *base) inDoubt(evaluate func()) []analyze.Need {
	if len(b.program.reads) == 0 || !b.frame.partial() {
		evaluate()
		return nil
	}
	b.frame.collect(evaluate)
	return distinctNeeds(slices.DeleteFunc(b.frame.spare.needs, b.frame.recorded))
}

// recorded reports whether a need is recorded by the run's own declaration, which stays so: a gap that an inferred
// event shows later does not reach back to it.
func (f *frame) recorded(n analyze.Need) bool {
	c := f.state.Coverage()
	if n.Process < 0 || n.To == 0 || n.To > f.state.Seq || c.Silent() {
		return false
	}
	missing := func(k tracefmt.Kind) bool { return c.Missing(n.Process, tracefmt.Fact{Kind: k}, n.From, n.To) }
	return !c.Missing(n.Process, n.Fact, n.From, n.To) || n.Anew && !missing(tracefmt.Crash) && !missing(tracefmt.Halt)
}

// needed returns the needs by which a condition may have another truth than the recorded one.
func (f *frame) needed(condition *code) []analyze.Need {
	return f.doubts(func() { condition.possible(f) })
}

// unless returns the needs by which a condition may have another truth than t, the recorded one; nil if no
// completion changes it.
func (f *frame) unless(condition *code, t truth) []analyze.Need {
	if !f.partial() || condition.possible(f) == setOfTruth(t) {
		return nil
	}
	return f.needed(condition)
}

// doubtsOf returns the doubts of a test and of keys, which may be nil.
func (f *frame) doubtsOf(t test, keys ...keyer) []analyze.Need {
	return f.doubts(func() { evaluate(f, t, keys) })
}

// evaluate calls the test and the keys for their reads alone, which the frame collects; the results are ignored.
func evaluate(f *frame, t test, keys []keyer) {
	if t != nil {
		t(f)
	}
	for _, k := range keys {
		k.key(f)
	}
}

// until returns the event before which any unrecorded change of the read state must have happened.
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

// readVariable records that a variable of p is read; set is false if it is recorded without a value. Then a restart
// without variables makes no difference.
func (f *frame) readVariable(p tracefmt.ProcessID, name string, set bool) {
	if f.reading == nil {
		return
	}
	at, end := f.assignedAt(p, name), f.until()
	f.reading.add(p, at, end, tracefmt.StateOf(name))
	if !set || !f.state.Coverage().Exists(tracefmt.StateOf(name)) {
		return // a restart makes no difference to a variable without a value
	}
	f.readRestart(p, at, end)
}

// assignedAt returns the event that assigned the variable of p in the state that the expression reads; 0 for an
// initial value. For a variable without a value it is the event before, see [frame.assignedSince].
func (f *frame) assignedAt(p tracefmt.ProcessID, name string) tracefmt.Seq {
	if f.wasOther(p) {
		return f.former.assignedSince(name)
	}
	return f.assignedSince(p, name)
}

// readRestart records that p still has the state of an earlier event, so that it has not restarted since.
func (f *frame) readRestart(p tracefmt.ProcessID, at, end tracefmt.Seq) {
	f.reading.needs = append(f.reading.needs, analyze.MayRestart(p, at, end))
	st := f.state.Process(p)
	if !st.Live() {
		f.reading.add(p, st.Since, end, recoverFact)
		end = st.Since
	}
	if st.Down != 0 {
		f.reading.add(p, st.Down, end, recoverFact)
	}
}

// readStatus records that the status of p is read.
func (f *frame) readStatus(p tracefmt.ProcessID, live bool) {
	if f.reading == nil {
		return
	}
	st, end := f.state.Process(p), f.until()
	switch {
	case f.wasOther(p):
		f.reading.add(p, 0, end, statusFacts...)
	case live:
		f.reading.add(p, f.state.StepAt(p), end, crashFact, haltFact)
	default:
		f.reading.add(p, st.Since, end, recoverFact)
	}
}

// readLeads records that the leadership of p is read.
func (f *frame) readLeads(p tracefmt.ProcessID, leads bool) {
	if f.reading == nil || f.run.Part(p) == tracefmt.Bystander {
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

// readTerm records that the term of p is read.
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

// readMerits records that the variables are read by which the run ranks processes.
func (f *frame) readMerits() {
	if f.reading != nil {
		f.reading.add(analyze.EveryProcess, 0, f.until(), comingUp, anyVariable)
	}
}

// readAbsent records that the current event lacks a field. If the event can assign variables, it may have
// assigned the variable of that name without a record.
func (f *frame) readAbsent(i int) {
	if f.reading == nil || !f.event.Kind.AssignsVariables() {
		return
	}
	at, name := f.event.Seq, f.fields[i].places[0].key
	f.reading.add(f.event.Process, at-1, at+1, tracefmt.StateOf(name))
}

// read records that the fluent is read at p, for a key if it has one.
func (s *fluentState) read(f *frame, p tracefmt.ProcessID, key value) {
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
	at, facts := s.changing(f, p, key)
	f.reading.add(p, at, f.until(), facts...)
	reads := distinct(s.def.beginFacts.reads, s.def.endFacts.reads)
	f.reading.add(analyze.EveryProcess, 0, f.until(), reads...)
}

// changing returns the facts that would have begun or ended a fluent with patterns, unrecorded, since the event at.
func (s *fluentState) changing(f *frame, p tracefmt.ProcessID, key value) (at tracefmt.Seq, facts []tracefmt.Fact) {
	last := s.turn(f, p, key)
	at, facts = last.since, s.def.endFacts.events
	if at == 0 {
		at, facts = last.ended, s.def.beginFacts.events
	}
	// As for the status of processes, a process came up by a start only if the run declares that starts may be missing.
	if slices.Contains(facts, comingUp) && !f.state.Coverage().DeclaredMissing(p, startFact, at, f.until()) {
		facts = slices.DeleteFunc(slices.Clone(facts), func(fact tracefmt.Fact) bool { return fact == startFact })
	}
	return at, facts
}

// Relies returns the facts on which a rule without a violation rests.
func (b *base) Relies(s *replay.State, _ analyze.Ending) iter.Seq[analyze.Need] {
	b.frame.state = s
	return slices.Values(analyze.Needs(analyze.EveryProcess, 0, 0, b.factsFor(b.relies)...))
}

// anywhere returns needs for the facts at all processes, until now.
func (b *base) anywhere(facts []tracefmt.Fact) []analyze.Need {
	if b.frame.state.Coverage().Settled() {
		return nil
	}
	return analyze.Needs(analyze.EveryProcess, 0, b.frame.state.Now(), b.factsFor(facts)...)
}

// laterSteps returns the needs for events after the last one. Any such event may show that a deadline has
// passed.
func (b *base) laterSteps(last tracefmt.Seq) []analyze.Need {
	if b.frame.state.Coverage().Settled() {
		return nil
	}
	return analyze.Missing(b.frame.state, analyze.Needs(analyze.EveryProcess, last, 0, setOf(tracefmt.Kinds()).facts()...))
}

// between returns the needs for the facts at p, or at all processes if p is 0, from an event until now. A process
// that is certainly down has done nothing since its crash.
func (b *base) between(p tracefmt.ProcessID, after tracefmt.Seq, facts []tracefmt.Fact) []analyze.Need {
	if b.frame.state.Coverage().Settled() {
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
