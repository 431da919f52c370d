package spec

import (
	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// The facts by which a process goes down and comes up.
var (
	startFact   = tracefmt.Fact{Kind: tracefmt.Start}
	crashFact   = tracefmt.Fact{Kind: tracefmt.Crash}
	haltFact    = tracefmt.Fact{Kind: tracefmt.Halt}
	recoverFact = tracefmt.Fact{Kind: tracefmt.Recover}
)

// possibleRecovery reports whether p, which is down, may have come up.
func (f *frame) possibleRecovery(p tracefmt.ProcessID) bool {
	return f.possibleEvent(p, f.state.Process(p).Since, f.changeLimit(), recoverFact)
}

// staysDown reports whether p is certainly down, so that it has done nothing since.
func (f *frame) staysDown(p tracefmt.ProcessID) bool {
	st := f.state.Process(p)
	return !st.Live() && !f.state.Coverage().MayRise(p, st.Since, f.changeLimit())
}

// actedUntil returns the event before which p took all its steps.
func (f *frame) actedUntil(p tracefmt.ProcessID) tracefmt.Seq {
	if f.staysDown(p) {
		return f.state.Process(p).Since
	}
	return f.changeLimit()
}

// possibleRestart reports whether p may have restarted after an event, without its variables.
func (f *frame) possibleRestart(p tracefmt.ProcessID, at tracefmt.Seq) (possible bool) {
	st, end := f.state.Process(p), f.changeLimit()
	if !st.Live() {
		possible = f.possibleRecovery(p)
		end = st.Since
	}
	if st.Down != 0 && at < st.Since {
		possible = f.possibleEvent(p, st.Down, end, recoverFact) || possible
	}
	return f.possibleRestartBetween(p, at, end) || possible
}

// possibleRestartBetween reports whether p may have gone down and come up between two events.
func (f *frame) possibleRestartBetween(p tracefmt.ProcessID, from, end tracefmt.Seq) bool {
	return (end == 0 || from < end) && f.readIfMissing(analyze.MayRestart(p, from, end))
}

// assignedSince returns the event that assigned a variable. A recorded start or recovery without the variable may have
// assigned it, too.
func (f *frame) assignedSince(p tracefmt.ProcessID, name string) tracefmt.Seq {
	at := f.state.AssignedAt(p, name)
	if _, set := f.state.Variable(p, name); !set && at > 0 {
		return at - 1
	}
	return at
}

// liveTruths returns the possible truths of p being up.
func (f *frame) liveTruths(p tracefmt.ProcessID) truths {
	st := f.state.Process(p)
	switch {
	case st.Live() && f.possibleEvent(p, f.state.StepAt(p), f.changeLimit(), crashFact, haltFact), !st.Live() &&
		f.possibleRecovery(p):
		return undecided
	case st.Inferred:
		inferred, _ := f.state.Inferred(st.Since)
		// The event that gave the status may have happened later, or not at all.
		if f.possibleEvent(p, st.Since-1, st.Since+1, tracefmt.Fact{Kind: inferred.Kind}) {
			return undecided
		}
	}
	return setOfTruth(truthOf(st.Live()))
}

// variableChoices returns the possible values of a variable of p with that recorded value.
func (f *frame) variableChoices(p tracefmt.ProcessID, name string, recorded value) choices {
	assignedAt := f.assignedSince(p, name)
	if f.possibleEvent(p, assignedAt, f.actedUntil(p), tracefmt.StateOf(name)) {
		return choices{anyValue: true}
	}
	choice := oneChoice(recorded)
	if recorded.sort != null && f.possibleRestart(p, assignedAt) {
		choice.add(value{sort: null})
	}
	return choice
}

// termChoices returns the possible terms of p.
func (f *frame) termChoices(p tracefmt.ProcessID) choices {
	term, recordedAt := f.termAt(p)
	if f.possibleEvent(p, recordedAt, f.actedUntil(p), term) {
		return choices{anyValue: true}
	}
	choice := oneChoice(f.parse(f.state.Term(p).JSON()))
	if f.state.Term(p).Known() && f.possibleRestart(p, recordedAt) {
		choice.add(value{sort: null})
	}
	return choice
}

// termAt returns the fact that records terms, and the event that recorded the term of p.
func (f *frame) termAt(p tracefmt.ProcessID) (term tracefmt.Fact, at tracefmt.Seq) {
	term = f.state.TermFact()
	if term.Variable != "" {
		at = f.assignedSince(p, term.Variable)
	}
	return term, at
}

// leadsTruths returns the possible truths of p being a leader; see [replay.State.Leads].
func (f *frame) leadsTruths(p tracefmt.ProcessID) truths {
	st := f.state.Process(p)
	switch {
	case f.run.Part(p) == tracefmt.Bystander || f.staysDown(p):
		return mayBeNo
	case f.state.Leads(p) && f.possibleStepDown(p), !f.state.Leads(p) && f.possibleTakeover(p):
		if !st.Live() {
			f.possibleRecovery(p)
		}
		return undecided
	}
	return setOfTruth(truthOf(f.state.Leads(p)))
}

// possibleStepDown reports whether p, which leads by the record, may have ceased to lead.
func (f *frame) possibleStepDown(p tracefmt.ProcessID) (possible bool) {
	end, variable := f.changeLimit(), roleVariable
	possible = f.possibleEvent(p, f.state.StepAt(p), end, crashFact, haltFact)
	possible = f.possibleEvent(p, f.assignedSince(p, roleVariable), end, tracefmt.StateOf(roleVariable)) || possible
	if f.state.Process(p).Role == replay.RoleOther {
		variable = electedVariable
		possible = f.possibleEvent(p, f.assignedSince(p, variable), end, tracefmt.StateOf(variable)) || possible
	}
	possible = f.possibleRestart(p, f.assignedSince(p, variable)) || possible
	term, at := f.termAt(p)
	if at > f.state.Process(p).LeadingAt { // p may have led in another term
		at = 0
	}
	return f.possibleEvent(p, at, end, term) || possible
}

// possibleTakeover reports whether p, which does not lead by the record, may lead: it may have assigned its role
// or elected since, may have lost the contrary assignment in a restart, or may be in another term.
func (f *frame) possibleTakeover(p tracefmt.ProcessID) (possible bool) {
	st, end := f.state.Process(p), f.changeLimit()
	roleAt, electedAt := f.assignedSince(p, roleVariable), f.assignedSince(p, electedVariable)
	possible = f.possibleEvent(p, roleAt, end, tracefmt.StateOf(roleVariable))
	from := f.dependencies.length()
	// An election of itself makes p a leader only if no role contradicts it.
	switch elects := f.possibleEvent(p, electedAt, end, tracefmt.StateOf(electedVariable)); {
	case !elects:
	case st.Role == replay.RoleOther || !st.Live() || f.possibleRestart(p, roleAt):
		possible = true
	default:
		f.drop(from)
	}
	if !st.Live() {
		return possible
	}
	if st.Elected == p && roleAt < electedAt {
		possible = f.possibleRestartBetween(p, roleAt, electedAt) || possible
	}
	if st.Role == replay.RoleLeads || st.Role == replay.RoleOther && st.Elected == p {
		term, _ := f.termAt(p)
		possible = f.possibleEvent(p, 0, end, term) || possible
		possible = f.possibleRestartBetween(p, 0, end) || possible
	}
	return possible
}

// holdsTruths returns the possible truths of the fluent at p, for a key if it has one.
func (s *fluentState) holdsTruths(f *frame, p tracefmt.ProcessID, key value) truths {
	if s.def.while != nil {
		was := f.variables[0]
		f.variables[0] = p
		t := s.def.condition.conditionTruths(f)
		f.variables[0] = was
		if t&mayBeUnknown != 0 { // a fluent whose condition is unknown does not hold
			t = t&^mayBeUnknown | mayBeNo
		}
		return t
	}
	at, facts := s.factsSince(f, p, key)
	possible := f.possibleEvent(p, at, f.changeLimit(), facts...)
	for _, fact := range distinct(s.def.beginFacts.reads, s.def.endFacts.reads) {
		possible = f.readIfMissing(analyze.Need{Process: analyze.EveryProcess, Fact: fact, To: f.changeLimit()}) ||
			possible
	}
	if possible {
		return undecided
	}
	return setOfTruth(truthOf(s.turn(f, p, key).since != 0))
}

// bestChoices returns the processes that may have the greatest id in a set.
func (f *frame) bestChoices(set func(tracefmt.ProcessID) truths) choices {
	bestCertain := tracefmt.ProcessID(0)
	begin := f.dependencies.length()
	for p := tracefmt.ProcessID(1); int(p) <= len(f.run.Members); p++ {
		if set(p) == mayBeYes && (bestCertain == 0 || f.rank(p) > f.rank(bestCertain)) {
			bestCertain = p
		}
	}
	// The certain members were searched only to bound the others, so what that read does not matter.
	f.drop(begin)
	choice := oneChoice(value{sort: null})
	if bestCertain != 0 {
		choice = oneChoice(processValue(bestCertain))
	}
	for p := tracefmt.ProcessID(1); int(p) <= len(f.run.Members); p++ {
		// The best certain member excludes all members that rank lower.
		if bestCertain != 0 && f.rank(p) <= f.rank(bestCertain) {
			continue
		}
		from := f.dependencies.length()
		if set(p)&mayBeYes != 0 {
			choice.add(processValue(p))
		} else {
			f.drop(from)
		}
	}
	return choice
}

// electorTruths returns the possible truths of p being an elector; see [replay.State.Elector].
func (f *frame) electorTruths(p tracefmt.ProcessID) truths {
	if f.state.Elector(p) {
		return mayBeYes
	}
	if f.run.Part(p) == tracefmt.PartUnknown &&
		f.possibleEvent(p, 0, f.actedUntil(p), tracefmt.StateOf(electedVariable), tracefmt.StateOf(roleVariable)) {
		return undecided
	}
	return mayBeNo
}
