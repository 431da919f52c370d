package property

import (
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// What may have happened to a process without being recorded. All of these are nil for a
// run that tells everything.

// certain reports whether nothing of that can have happened. In a run that does not say
// what it tells this is known at the end only.
func certain(s *replay.State, needs []analyze.Need) bool {
	return len(analyze.Untold(s, needs)) == 0
}

// mayFall is that p, which is up, may have gone down since its last step.
func mayFall(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	if s.Coverage().Complete() {
		return nil
	}
	return analyze.Needs(p, s.StepAt(p), s.Now(), crashFact, haltFact)
}

// mayRise is that p, which is down, may have come up, or may not have gone down.
func mayRise(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	if s.Coverage().Complete() {
		return nil
	}
	since := s.Process(p).Since
	return append(analyze.Needs(p, since, s.Now(), recoverFact), mayNotBe(s, since)...)
}

// mayNotBe is that an event was inferred, so that it may not have happened.
func mayNotBe(s *replay.State, seq tracefmt.Seq) []analyze.Need {
	if e, inferred := s.Inferred(seq); inferred {
		return analyze.Needs(e.Process, seq-1, seq+1, tracefmt.Fact{Kind: e.Kind})
	}
	return nil
}

// mayRestart is that p, which is up, may have gone down and come up again after an event,
// without the variables that it had.
func mayRestart(s *replay.State, p tracefmt.ProcessID, after tracefmt.Seq) []analyze.Need {
	now := s.Now()
	if st := s.Process(p); st.Down != 0 && after < st.Since {
		return analyze.Needs(p, st.Down, now, recoverFact)
	}
	return []analyze.Need{analyze.MayRestart(p, after, now)}
}

// mayDiffer is that variables of p, which is up, may have other values than is recorded.
func mayDiffer(s *replay.State, p tracefmt.ProcessID, variables ...tracefmt.Fact) (needs []analyze.Need) {
	if s.Coverage().Complete() {
		return nil
	}
	for _, v := range variables {
		at := s.AssignedAt(p, v.Variable)
		needs = append(needs, analyze.Needs(p, at, s.Now(), v)...)
		if !s.Coverage().Exists(v) {
			continue // unless it occurs later, none of this matters
		}
		needs = append(needs, mayRestart(s, p, at)...)
	}
	return needs
}

// mayDifferInTerm is that p may be in another term.
func mayDifferInTerm(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	if s.Coverage().Complete() {
		return nil
	}
	f := s.TermFact()
	if f == stateFact {
		return append(analyze.Needs(p, 0, s.Now(), f), mayRestart(s, p, 0)...)
	}
	needs := mayDiffer(s, p, f)
	if said := s.Process(p).SaidAt; said != 0 && said < s.AssignedAt(p, f.Variable) { // it has stepped down if it had another one before
		needs = append(needs, analyze.Needs(p, 0, said, f)...)
	}
	return needs
}

// mayGoOn is that some process may have gone on to another term than is recorded. One that
// restarts is in none, which makes no other term an earlier one.
func mayGoOn(s *replay.State) (needs []analyze.Need) {
	if s.Coverage().Complete() {
		return nil
	}
	f := s.TermFact()
	if len(s.Run.Members) > fewProofs {
		return analyze.Needs(analyze.AnyProcess, 0, s.Now(), f)
	}
	for _, q := range mayElect(s) {
		at := tracefmt.Seq(0)
		if f != stateFact {
			at = s.AssignedAt(q, f.Variable)
		}
		needs = append(needs, analyze.Needs(q, at, s.Now(), f)...)
	}
	return needs
}

// mayChoose is that p, which is up, may have elected another one, or none, or that its
// choice may not count.
func mayChoose(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	if s.Coverage().Complete() {
		return nil
	}
	q := s.Process(p).Elected
	if q != 0 && q != p {
		return mayDiffer(s, p, electedFact)
	}
	needs := mayDiffer(s, p, electedFact, roleFact)
	if s.TellsRole() {
		needs = append(needs, mayDifferInTerm(s, p)...)
	}
	return needs
}

// mayElect are the processes that may turn out to be electors: all but those that stand
// by.
func mayElect(s *replay.State) []tracefmt.ProcessID {
	return slices.DeleteFunc(allProcesses(s.Run), func(p tracefmt.ProcessID) bool { return s.Run.Part(p) == tracefmt.StandsBy })
}

// mayBeBetter is that q, which some process has elected and is not the best, may be the
// best after all: of all that proves it wrong it is the first that is certain, or, if none
// is, the first.
func mayBeBetter(s *replay.State, q tracefmt.ProcessID) []analyze.Need {
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
	if !s.Live(q) && proven(mayRise(s, q)) {
		return nil
	}
	keys := s.Run.BestKeys()
	tried := 0
	// Not Electors: a list of all of them for each process that has elected another one is quadratic.
	for b := tracefmt.ProcessID(len(s.Run.Members)); b > 0; b-- {
		if !s.Live(b) || !s.Elector(b) {
			continue
		}
		if order, lacks := s.Compare(b, q, keys); order <= 0 || lacks != "" {
			continue
		}
		if proven(slices.Concat(mayFall(s, b), mayDiffer(s, b, variableKeys(s)...), mayDiffer(s, q, variableKeys(s)...))) {
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

// fewProofs is how many better processes are looked at for one that certainly is up, and
// for how many processes needs are given one by one.
const fewProofs = 64

// variableKeys are the keys by which the run says who is best that are variables.
func variableKeys(s *replay.State) (facts []tracefmt.Fact) {
	for _, key := range s.Run.BestKeys() {
		if name, _ := tracefmt.BestKey(key); name != tracefmt.BestID {
			facts = append(facts, tracefmt.StateOf(name))
		}
	}
	return facts
}

// oweUnless is owe for what the excuses would mend: what may have happened without being
// recorded.
func oweUnless(r *analyze.Result, end analyze.Ending, excuses []analyze.Need, explain func() string, witness ...tracefmt.Seq) {
	if end.Final() {
		r.ViolateUnless(excuses, explain, witness...)
	} else {
		r.OweUnless(excuses, explain(), witness...)
	}
}

// mayStopLeading is that p, which leads, may have ceased to since it said so, or lead in
// another term.
func mayStopLeading(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	if s.Coverage().Complete() {
		return nil
	}
	says, needs := roleFact, mayDifferInTerm(s, p)
	if s.Process(p).Role == replay.RoleUntold {
		began := max(0, s.AssignedAt(p, roleFact.Variable)-1) // the event with which p began without a role may have had one
		says, needs = electedFact, append(needs, analyze.Needs(p, began, s.Now(), roleFact)...)
	}
	return append(needs, mayDiffer(s, p, says)...)
}

// mayBe are facts of each process that may elect, over the whole run, or that it comes
// up without what it had.
func mayBe(s *replay.State, facts ...tracefmt.Fact) (needs []analyze.Need) {
	if s.Coverage().Complete() {
		return nil
	}
	for _, p := range mayElect(s) {
		needs = append(needs, mayBeAt(s, p, facts...)...)
	}
	return needs
}

// mayBeAt are facts of one process, over the whole run, or that it comes up without
// what it had.
func mayBeAt(s *replay.State, p tracefmt.ProcessID, facts ...tracefmt.Fact) []analyze.Need {
	needs := append(analyze.Needs(p, 0, 0, facts...), mayRestart(s, p, 0)...)
	if !s.Live(p) {
		needs = append(needs, mayRise(s, p)...)
	}
	return needs
}

// mayLoop is all that a loop that the run claims may lack: it is proven only where the
// whole state is told.
func mayLoop(s *replay.State, end analyze.Ending) (needs []analyze.Need) {
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
