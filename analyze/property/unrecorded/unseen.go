package unrecorded

import (
	"slices"

	"etrace/analyze"
	"etrace/analyze/property/members"
	"etrace/replay"
	"etrace/tracefmt"
)

// None reports whether none of the needs can have happened. In a run without a declared completeness this is
// known only at the end.
func None(s *replay.State, needs []analyze.Need) bool {
	return len(analyze.Missing(s, needs)) == 0
}

// Crash returns the needs by which p, which is up, may have gone down since its last step.
func Crash(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	return analyze.Needs(p, s.StepAt(p), s.Now(), CrashFact, HaltFact)
}

// Recovery returns the needs by which p, which is down, may have come up, or may not have gone down.
func Recovery(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	since := s.Process(p).Since
	return append(analyze.Needs(p, since, s.Now(), RecoverFact), Absence(s, since)...)
}

// Absence returns the needs by which an inferred event may not have happened.
func Absence(s *replay.State, seq tracefmt.Seq) []analyze.Need {
	if e, inferred := s.Inferred(seq); inferred {
		return analyze.Needs(e.Process, seq-1, seq+1, tracefmt.Fact{Kind: e.Kind})
	}
	return nil
}

// Restart returns the needs by which p, which is up, may have restarted after an event without its
// variables.
func Restart(s *replay.State, p tracefmt.ProcessID, after tracefmt.Seq) []analyze.Need {
	now := s.Now()
	if st := s.Process(p); st.Down != 0 && after < st.Since {
		return analyze.Needs(p, st.Down, now, RecoverFact)
	}
	return []analyze.Need{analyze.MayRestart(p, after, now)}
}

// Difference returns the needs by which variables of p, which is up, may have other values than recorded.
func Difference(s *replay.State, p tracefmt.ProcessID, variables ...tracefmt.Fact) (needs []analyze.Need) {
	for _, v := range variables {
		assignedAt := s.AssignedAt(p, v.Variable)
		needs = append(needs, analyze.Needs(p, assignedAt, s.Now(), v)...)
		if !s.Coverage().Exists(v) {
			continue // a fact that never occurs does not matter
		}
		needs = append(needs, Restart(s, p, assignedAt)...)
	}
	return needs
}

// DifferenceInTerm returns the needs by which p may be in another term.
func DifferenceInTerm(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	f := s.TermFact()
	if f == StateFact {
		return append(analyze.Needs(p, 0, s.Now(), f), Restart(s, p, 0)...)
	}
	needs := Difference(s, p, f)
	// A leader whose term changes afterwards has stepped down, so its earlier term counts, too.
	if ledAt := s.Process(p).LeadingAt; ledAt != 0 && ledAt < s.AssignedAt(p, f.Variable) {
		needs = append(needs, analyze.Needs(p, 0, ledAt, f)...)
	}
	return needs
}

// Continuation returns the needs by which some process may be in a later term than recorded. Restarts are no such
// needs: after a restart a process is in no term, so it proves no later one.
func Continuation(s *replay.State) (needs []analyze.Need) {
	f := s.TermFact()
	if len(s.Run.Members) > FewProofs {
		return analyze.Needs(analyze.AnyProcess, 0, s.Now(), f)
	}
	for _, q := range ElectorsNow(s) {
		at := tracefmt.Seq(0)
		if f != StateFact {
			at = s.AssignedAt(q, f.Variable)
		}
		needs = append(needs, analyze.Needs(q, at, s.Now(), f)...)
	}
	return needs
}

// Choice returns the needs by which p, which is up, may have another choice, or none, or by which its
// choice may not count.
func Choice(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	q := s.Process(p).Elected
	if q != 0 && q != p {
		return Difference(s, p, ElectedFact)
	}
	needs := Difference(s, p, ElectedFact, RoleFact)
	if s.HasRole() {
		needs = append(needs, DifferenceInTerm(s, p)...)
	}
	return needs
}

// ElectorsNow returns the processes that may be electors: all except non-participants.
func ElectorsNow(s *replay.State) []tracefmt.ProcessID {
	return slices.DeleteFunc(members.All(s.Run), func(p tracefmt.ProcessID) bool { return s.Run.Part(p) == tracefmt.Bystander })
}

// BetterThan returns the needs by which q, which some process has elected and is not the best by the
// record, may be the best. They refute the first certain proof to the contrary or, if none is certain, the first
// one.
func BetterThan(s *replay.State, q tracefmt.ProcessID) []analyze.Need {
	if s.Coverage().Complete() || q == replay.Nobody {
		return nil
	}
	var first []analyze.Need
	proven := func(way []analyze.Need) bool {
		if first == nil {
			first = way
		}
		return None(s, way)
	}
	if !s.Live(q) && proven(Recovery(s, q)) {
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
		if proven(slices.Concat(Crash(s, b), Difference(s, b, Variables(s)...), Difference(s, q, Variables(s)...))) {
			return nil
		}
		if tried++; tried == FewProofs {
			break
		}
	}
	if s.Live(q) && !s.Elector(q) && proven(analyze.Needs(q, 0, s.Now(), ElectedFact, RoleFact)) {
		return nil
	}
	if first == nil {
		return analyze.Needs(analyze.AnyProcess, 0, s.Now(), CrashFact, HaltFact, RecoverFact)
	}
	return first
}

// FewProofs bounds the better processes that are searched for a process that certainly is up, and the processes with
// separate needs.
const FewProofs = 64

// Variables returns the variables among the keys by which the run ranks processes.
func Variables(s *replay.State) (facts []tracefmt.Fact) {
	for _, key := range s.Run.BestKeys() {
		if name, _ := tracefmt.BestKey(key); name != tracefmt.BestID {
			facts = append(facts, tracefmt.StateOf(name))
		}
	}
	return facts
}

// OweUnless reports an open obligation, or a violation once the run is over. excuses are the unrecorded events that
// would fulfil the obligation.
func OweUnless(
	r *analyze.Result,
	end analyze.Ending,
	excuses []analyze.Need,
	explain func() string,
	witness ...tracefmt.Seq,
) {
	if end.Final() {
		r.ViolateUnless(excuses, explain, witness...)
	} else {
		r.OweUnless(excuses, explain(), witness...)
	}
}

// StepDown returns the needs by which p, which leads, may have ceased to lead since it recorded that, or
// lead in another term.
func StepDown(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	roleFact, needs := RoleFact, DifferenceInTerm(s, p)
	if s.Process(p).Role == replay.RoleOther {
		began := max(0, s.AssignedAt(p, RoleFact.Variable)-1) // the start of p without a role may have assigned one
		roleFact, needs = ElectedFact, append(needs, analyze.Needs(p, began, s.Now(), RoleFact)...)
	}
	return append(needs, Difference(s, p, roleFact)...)
}

// Anywhere returns needs for facts of each possible elector over the whole run, or for its restart
// without state.
func Anywhere(s *replay.State, facts ...tracefmt.Fact) (needs []analyze.Need) {
	for _, p := range ElectorsNow(s) {
		needs = append(needs, possibleAt(s, p, facts...)...)
	}
	return needs
}

// possibleAt returns needs for facts of one process over the whole run, or for its restart without state.
func possibleAt(s *replay.State, p tracefmt.ProcessID, facts ...tracefmt.Fact) []analyze.Need {
	needs := append(analyze.Needs(p, 0, 0, facts...), Restart(s, p, 0)...)
	if !s.Live(p) {
		needs = append(needs, Recovery(s, p)...)
	}
	return needs
}

// Loop returns the needs of a claimed loop: it is proven only if the whole state is recorded.
func Loop(s *replay.State, end analyze.Ending) (needs []analyze.Need) {
	if s.Coverage().Complete() || end.Doubt == "" || s.Run.End != tracefmt.Stopped {
		return nil
	}
	return analyze.Needs(analyze.AnyProcess, 0, 0, StepKinds...)
}

// StepKinds are all facts but notes.
var StepKinds = func() (facts []tracefmt.Fact) {
	for _, k := range tracefmt.Kinds() {
		if k != tracefmt.Note {
			facts = append(facts, tracefmt.Fact{Kind: k})
		}
	}
	return facts
}()
