package spec

import (
	"iter"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// dependencies collects the unrecorded facts on which the result of an evaluation depends. A nil value collects
// nothing.
type dependencies struct{ needs []analyze.Need }

// length returns the number of needs collected so far; drop takes such lengths.
func (r *dependencies) length() int {
	if r == nil {
		return 0
	}
	return len(r.needs)
}

// drop removes the needs collected between two lengths. The needs collected later decide alone.
func (r *dependencies) drop(from, later int) {
	if r != nil {
		r.needs = append(r.needs[:from], r.needs[later:]...)
	}
}

// add records that the facts may have happened at p between two events. It keeps duplicates, since drop may remove
// the earlier one.
func (r *dependencies) add(p tracefmt.ProcessID, from, end tracefmt.Seq, facts ...tracefmt.Fact) {
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

// evaluateTests evaluates tests until one has the truth deciding, which settles the result. If several tests settle it,
// the result rests on the one with the fewest missing facts.
func (f *frame) evaluateTests(deciding truth, tests []test) truth {
	result, begin, fewest := -deciding, f.dependencies.length(), -1
	for _, t := range tests {
		from := f.dependencies.length()
		switch t(f) {
		case deciding:
			lacks := f.countMissing(f.dependencies.needs[from:])
			if fewest >= 0 && lacks >= fewest {
				f.dependencies.needs = f.dependencies.needs[:from]
				continue
			}
			f.dependencies.drop(begin, from)
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
				f.dependencies.needs = f.dependencies.needs[:from]
			}
		}
	}
	return result
}

// countMissing returns how many of the needs may be unrecorded.
func (f *frame) countMissing(needs []analyze.Need) (n int) {
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
	return append([]analyze.Need(nil), distinctNeeds(f.spareDependencies.needs)...)
}

// collect evaluates, and collects the needs in spare.
func (f *frame) collect(evaluate func()) {
	if f.spareDependencies == nil {
		f.spareDependencies = new(dependencies)
	}
	f.spareDependencies.needs = f.spareDependencies.needs[:0]
	f.dependencies = f.spareDependencies
	evaluate()
	f.dependencies = nil
}

// missingDoubtsOf is doubtsOf without the needs that are known to be recorded. Lacks and ViolateUnless treat each need
// on its own, and a recorded need makes no difference to them.
func (f *frame) missingDoubtsOf(t test, keys ...keyer) []analyze.Need {
	if !f.partial() {
		return nil
	}
	f.collect(func() { readAll(f, t, keys) })
	needs := slices.DeleteFunc(f.spareDependencies.needs, f.recorded)
	return append([]analyze.Need(nil), distinctNeeds(needs)...)
}

// missingNeeds evaluates a part of the rule, and returns the needs that decide the result and are missing from the
// recording. They are valid until the next evaluation.
func (b *base) missingNeeds(evaluate func()) []analyze.Need {
	if len(b.program.facts) == 0 || !b.frame.partial() {
		evaluate()
		return nil
	}
	b.frame.collect(evaluate)
	return distinctNeeds(slices.DeleteFunc(b.frame.spareDependencies.needs, b.frame.recorded))
}

// recorded reports whether a need is recorded by the run's own declaration, which later events do not change.
func (f *frame) recorded(n analyze.Need) bool {
	c := f.state.Coverage()
	// Without a declaration, the record is known only at the end of the run. So is a stretch up to the end.
	if n.Process < 0 || n.To == 0 || n.To > f.state.Seq || c.Silent() {
		return false
	}
	missing := func(k tracefmt.Kind) bool { return c.Missing(n.Process, tracefmt.Fact{Kind: k}, n.From, n.To) }
	return !c.Missing(n.Process, n.Fact, n.From, n.To) || n.Anew && !missing(tracefmt.Crash) && !missing(tracefmt.Halt)
}

// needsToDiffer returns the needs by which a condition may have another truth than the recorded one.
func (f *frame) needsToDiffer(condition *code) []analyze.Need {
	return f.doubts(func() { condition.conditionTruths(f) })
}

// needsToDifferFrom returns the needs by which a condition may have another truth than t, the recorded one; nil if it
// has this truth in every completion.
func (f *frame) needsToDifferFrom(condition *code, t truth) []analyze.Need {
	if !f.partial() || condition.conditionTruths(f) == setOfTruth(t) {
		return nil
	}
	return f.needsToDiffer(condition)
}

// doubtsOf returns the doubts of a test and of keys, which may be nil.
func (f *frame) doubtsOf(t test, keys ...keyer) []analyze.Need {
	return f.doubts(func() { readAll(f, t, keys) })
}

// readAll calls the test and the keys only for the facts that they read, which the frame collects.
func readAll(f *frame, t test, keys []keyer) {
	if t != nil {
		t(f)
	}
	for _, k := range keys {
		k.key(f)
	}
}

// changeLimit returns the event before which any unrecorded change of the read state must have happened.
func (f *frame) changeLimit() tracefmt.Seq {
	switch now := f.state.Now(); {
	case f.readingFormer:
		return f.event.Seq
	case f.untilNext && (now != 0 || f.state.Seq == 0):
		return now + 1
	default:
		return now
	}
}

// readVariable records that a variable of p is read; set is false if it is recorded without a value. Then a restart
// without variables makes no difference.
func (f *frame) readVariable(p tracefmt.ProcessID, name string, set bool) {
	if f.dependencies == nil {
		return
	}
	assignedAt, end := f.assignedAt(p, name), f.changeLimit()
	f.dependencies.add(p, assignedAt, end, tracefmt.StateOf(name))
	if !set || !f.state.Coverage().Exists(tracefmt.StateOf(name)) {
		return // a restart makes no difference to a variable without a value
	}
	f.readRestart(p, assignedAt, end)
}

// assignedAt returns the event that assigned the variable of p in the state that the expression reads; 0 for an
// initial value. For a variable without a value it is the event before, see [frame.assignedSince].
func (f *frame) assignedAt(p tracefmt.ProcessID, name string) tracefmt.Seq {
	if f.readsFormer(p) {
		return f.former.assignedSince(name)
	}
	return f.assignedSince(p, name)
}

// readRestart records that p still has the state of an earlier event, so that it has not restarted since.
func (f *frame) readRestart(p tracefmt.ProcessID, at, end tracefmt.Seq) {
	f.dependencies.needs = append(f.dependencies.needs, analyze.MayRestart(p, at, end))
	st := f.state.Process(p)
	if !st.Live() {
		f.dependencies.add(p, st.Since, end, recoverFact)
		end = st.Since
	}
	if st.Down != 0 {
		f.dependencies.add(p, st.Down, end, recoverFact)
	}
}

// readStatus records that the status of p is read.
func (f *frame) readStatus(p tracefmt.ProcessID, live bool) {
	if f.dependencies == nil {
		return
	}
	st, end := f.state.Process(p), f.changeLimit()
	if st.Inferred {
		inferred, _ := f.state.Inferred(st.Since)
		f.dependencies.add(p, st.Since-1, st.Since+1, tracefmt.Fact{Kind: inferred.Kind})
	}
	switch {
	case f.readsFormer(p):
		f.dependencies.add(p, 0, end, statusFacts...)
	case live:
		f.dependencies.add(p, f.state.StepAt(p), end, crashFact, haltFact)
	default:
		f.dependencies.add(p, st.Since, end, recoverFact)
	}
}

// readLeads records that the leadership of p is read.
func (f *frame) readLeads(p tracefmt.ProcessID, leads bool) {
	if f.dependencies == nil || f.run.Part(p) == tracefmt.Bystander {
		return
	}
	live := f.coreState(p).live
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
	if f.dependencies == nil {
		return
	}
	term := f.state.TermFact()
	if term.Variable != "" {
		f.readVariable(p, term.Variable, true)
		return
	}
	f.dependencies.add(p, 0, f.changeLimit(), term)
	f.readRestart(p, 0, f.changeLimit())
}

// readMerits records that the variables are read by which the run ranks processes.
func (f *frame) readMerits() {
	if f.dependencies != nil {
		f.dependencies.add(analyze.EveryProcess, 0, f.changeLimit(), comingUp, anyVariable)
	}
}

// readAbsent records that the current event lacks a field. If the event can assign variables, it may have
// assigned the variable of that name without a record.
func (f *frame) readAbsent(i int) {
	if f.dependencies == nil || !f.event.Kind.AssignsVariables() {
		return
	}
	at, name := f.event.Seq, f.fields[i].places[0].key
	f.dependencies.add(f.event.Process, at-1, at+1, tracefmt.StateOf(name))
}

// noteRead records that the fluent is read at p, for a key if it has one.
func (s *fluentState) noteRead(f *frame, p tracefmt.ProcessID, key value) {
	if f.dependencies == nil {
		return
	}
	if s.def.while != nil {
		was := f.variables[0]
		f.variables[0] = p
		s.def.while(f)
		f.variables[0] = was
		return
	}
	at, facts := s.factsSince(f, p, key)
	f.dependencies.add(p, at, f.changeLimit(), facts...)
	reads := distinct(s.def.beginFacts.reads, s.def.endFacts.reads)
	f.dependencies.add(analyze.EveryProcess, 0, f.changeLimit(), reads...)
}

// factsSince returns the facts that would have begun or ended a fluent with patterns, unrecorded, since the event at.
func (s *fluentState) factsSince(f *frame, p tracefmt.ProcessID, key value) (at tracefmt.Seq, facts []tracefmt.Fact) {
	last := s.turn(f, p, key)
	at, facts = last.since, s.def.endFacts.events
	if at == 0 {
		at, facts = last.ended, s.def.beginFacts.events
	}
	// As for the status of processes, a process came up by a start only if the run declares that starts may be missing.
	if slices.Contains(facts, comingUp) && !f.state.Coverage().DeclaredMissing(p, startFact, at, f.changeLimit()) {
		facts = slices.DeleteFunc(slices.Clone(facts), func(fact tracefmt.Fact) bool { return fact == startFact })
	}
	return at, facts
}

// Relies returns the facts on which a rule without a violation rests.
func (b *base) Relies(s *replay.State, _ analyze.Ending) iter.Seq[analyze.Need] {
	b.frame.state = s
	return slices.Values(analyze.Needs(analyze.EveryProcess, 0, 0, b.factsFor(b.relies)...))
}

// needsAnywhere returns needs for the facts at all processes, until now.
func (b *base) needsAnywhere(facts []tracefmt.Fact) []analyze.Need {
	if b.frame.state.Coverage().Complete() {
		return nil
	}
	return analyze.Needs(analyze.EveryProcess, 0, b.frame.state.Now(), b.factsFor(facts)...)
}

// laterSteps returns the needs for events after the last one. Any such event may show that a deadline has
// passed.
func (b *base) laterSteps(last tracefmt.Seq) []analyze.Need {
	if b.frame.state.Coverage().Complete() {
		return nil
	}
	return analyze.Missing(b.frame.state, analyze.Needs(analyze.EveryProcess, last, 0,
		setOf(tracefmt.Kinds()).facts()...))
}

// needsSince returns the needs for the facts at p, or at all processes if p is 0, from an event until now. A process
// that is certainly down has done nothing since its crash.
func (b *base) needsSince(p tracefmt.ProcessID, after tracefmt.Seq, facts []tracefmt.Fact) []analyze.Need {
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
