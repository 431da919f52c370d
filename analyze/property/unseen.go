package property

import (
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// The functions below return the needs for unrecorded events of a process. All return nil in a complete
// recording.

// certain reports whether none of the needs can have happened. In a run without a declared completeness this is
// known only at the end.
func certain(s *replay.State, needs []analyze.Need) bool {
	return len(analyze.Missing(s, needs)) == 0
}

// possibleCrash returns the needs by which p, which is up, may have gone down since its last step.
func possibleCrash(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	if s.Coverage().Complete() {
		return nil
	}
	return analyze.Needs(p, s.StepAt(p), s.Now(), crashFact, haltFact)
}

// possibleRecovery returns the needs by which p, which is down, may have come up, or may not have gone down.
func possibleRecovery(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	if s.Coverage().Complete() {
		return nil
	}
	since := s.Process(p).Since
	return append(analyze.Needs(p, since, s.Now(), recoverFact), possiblyAbsent(s, since)...)
}

// possiblyAbsent returns the needs by which an inferred event may not have happened.
func possiblyAbsent(s *replay.State, seq tracefmt.Seq) []analyze.Need {
	if e, inferred := s.Inferred(seq); inferred {
		return analyze.Needs(e.Process, seq-1, seq+1, tracefmt.Fact{Kind: e.Kind})
	}
	return nil
}

// possibleRestart returns the needs by which p, which is up, may have restarted after an event without its
// variables.
func possibleRestart(s *replay.State, p tracefmt.ProcessID, after tracefmt.Seq) []analyze.Need {
	now := s.Now()
	if st := s.Process(p); st.Down != 0 && after < st.Since {
		return analyze.Needs(p, st.Down, now, recoverFact)
	}
	return []analyze.Need{analyze.MayRestart(p, after, now)}
}

// possibleDifference returns the needs by which variables of p, which is up, may have other values than recorded.
func possibleDifference(s *replay.State, p tracefmt.ProcessID, variables ...tracefmt.Fact) (needs []analyze.Need) {
	if s.Coverage().Complete() {
		return nil
	}
	for _, v := range variables {
		at := s.AssignedAt(p, v.Variable)
		needs = append(needs, analyze.Needs(p, at, s.Now(), v)...)
		if !s.Coverage().Exists(v) {
			continue // a fact that never occurs does not matter
		}
		needs = append(needs, possibleRestart(s, p, at)...)
	}
	return needs
}

// possibleDifferenceInTerm returns the needs by which p may be in another term.
func possibleDifferenceInTerm(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	if s.Coverage().Complete() {
		return nil
	}
	f := s.TermFact()
	if f == stateFact {
		return append(analyze.Needs(p, 0, s.Now(), f), possibleRestart(s, p, 0)...)
	}
	needs := possibleDifference(s, p, f)
	if said := s.Process(p).LeadingAt; said != 0 && said < s.AssignedAt(p, f.Variable) { // a change of term made it step down
		needs = append(needs, analyze.Needs(p, 0, said, f)...)
	}
	return needs
}

// possibleContinuation returns the needs by which some process may be in a later term than recorded. A process
// that restarts is in no term, which makes no other term an earlier one.
func possibleContinuation(s *replay.State) (needs []analyze.Need) {
	if s.Coverage().Complete() {
		return nil
	}
	f := s.TermFact()
	if len(s.Run.Members) > fewProofs {
		return analyze.Needs(analyze.AnyProcess, 0, s.Now(), f)
	}
	for _, q := range possibleElectorsNow(s) {
		at := tracefmt.Seq(0)
		if f != stateFact {
			at = s.AssignedAt(q, f.Variable)
		}
		needs = append(needs, analyze.Needs(q, at, s.Now(), f)...)
	}
	return needs
}

// possibleChoice returns the needs by which p, which is up, may have another choice, or none, or by which its
// choice may not count.
func possibleChoice(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	if s.Coverage().Complete() {
		return nil
	}
	q := s.Process(p).Elected
	if q != 0 && q != p {
		return possibleDifference(s, p, electedFact)
	}
	needs := possibleDifference(s, p, electedFact, roleFact)
	if s.HasRole() {
		needs = append(needs, possibleDifferenceInTerm(s, p)...)
	}
	return needs
}

// possibleElectorsNow returns the processes that may be electors: all except non-participants.
func possibleElectorsNow(s *replay.State) []tracefmt.ProcessID {
	return slices.DeleteFunc(allProcesses(s.Run), func(p tracefmt.ProcessID) bool { return s.Run.Part(p) == tracefmt.Bystander })
}

// possiblyBetterThan returns the needs by which q, which some process has elected and is not the best by the
// record, may be the best. They refute the first certain proof to the contrary or, if none is certain, the first
// one.
func possiblyBetterThan(s *replay.State, q tracefmt.ProcessID) []analyze.Need {
	if s.Coverage().Complete() || q == replay.Nobody {
		return nil
	}
	var first []analyze.Need
	proven := func(way []analyze.Need) bool {
		if first == nil {
			first = way
		}
		return certain(s, way)
	}
	if !s.Live(q) && proven(possibleRecovery(s, q)) {
		return nil
	}
	keys := s.Run.BestKeys()
	tried := 0
	// The loop avoids Electors: building the list for each process with a wrong choice would be quadratic.
	for b := tracefmt.ProcessID(len(s.Run.Members)); b > 0; b-- {
		if !s.Live(b) || !s.Elector(b) {
			continue
		}
		if order, lacks := s.Compare(b, q, keys); order <= 0 || lacks != "" {
			continue
		}
		if proven(slices.Concat(possibleCrash(s, b), possibleDifference(s, b, variableKeys(s)...),
			possibleDifference(s, q, variableKeys(s)...))) {
			return nil
		}
		if tried++; tried == fewProofs {
			break
		}
	}
	if s.Live(q) && !s.Elector(q) && proven(analyze.Needs(q, 0, s.Now(), electedFact, roleFact)) {
		return nil
	}
	if first == nil {
		return analyze.Needs(analyze.AnyProcess, 0, s.Now(), crashFact, haltFact, recoverFact)
	}
	return first
}

// fewProofs bounds the better processes that are searched for a process that certainly is up, and the processes with
// separate needs.
const fewProofs = 64

// variableKeys returns the variables among the keys by which the run ranks processes.
func variableKeys(s *replay.State) (facts []tracefmt.Fact) {
	for _, key := range s.Run.BestKeys() {
		if name, _ := tracefmt.BestKey(key); name != tracefmt.BestID {
			facts = append(facts, tracefmt.StateOf(name))
		}
	}
	return facts
}

// oweUnless is owe with excuses: unrecorded events that would fulfil the obligation.
func oweUnless(r *analyze.Result, end analyze.Ending, excuses []analyze.Need, explain func() string, witness ...tracefmt.Seq) {
	if end.Final() {
		r.ViolateUnless(excuses, explain, witness...)
	} else {
		r.OweUnless(excuses, explain(), witness...)
	}
}

// possibleStepDown returns the needs by which p, which leads, may have ceased to lead since it recorded that, or
// lead in another term.
func possibleStepDown(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	if s.Coverage().Complete() {
		return nil
	}
	says, needs := roleFact, possibleDifferenceInTerm(s, p)
	if s.Process(p).Role == replay.RoleOther {
		began := max(0, s.AssignedAt(p, roleFact.Variable)-1) // the start of p without a role may have assigned one
		says, needs = electedFact, append(needs, analyze.Needs(p, began, s.Now(), roleFact)...)
	}
	return append(needs, possibleDifference(s, p, says)...)
}

// possibleAnywhere returns needs for facts of each possible elector over the whole run, or for its restart
// without state.
func possibleAnywhere(s *replay.State, facts ...tracefmt.Fact) (needs []analyze.Need) {
	if s.Coverage().Complete() {
		return nil
	}
	for _, p := range possibleElectorsNow(s) {
		needs = append(needs, possibleAt(s, p, facts...)...)
	}
	return needs
}

// possibleAt returns needs for facts of one process over the whole run, or for its restart without state.
func possibleAt(s *replay.State, p tracefmt.ProcessID, facts ...tracefmt.Fact) []analyze.Need {
	needs := append(analyze.Needs(p, 0, 0, facts...), possibleRestart(s, p, 0)...)
	if !s.Live(p) {
		needs = append(needs, possibleRecovery(s, p)...)
	}
	return needs
}

// possibleLoop returns the needs of a claimed loop: it is proven only if the whole state is recorded.
func possibleLoop(s *replay.State, end analyze.Ending) (needs []analyze.Need) {
	if s.Coverage().Complete() || end.Doubt == "" || s.Run.End != tracefmt.Stopped {
		return nil
	}
	return analyze.Needs(analyze.AnyProcess, 0, 0, stepKinds...)
}

// stepKinds are all facts but notes.
var stepKinds = func() (facts []tracefmt.Fact) {
	for _, k := range tracefmt.Kinds() {
		if k != tracefmt.Note {
			facts = append(facts, tracefmt.Fact{Kind: k})
		}
	}
	return facts
}()
