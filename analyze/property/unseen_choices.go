package property

import (
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// What processes may have elected, and which of them may lead, without that being recorded.

// mayChooseInTerm is that p may have chosen in another term.
func mayChooseInTerm(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	if s.Coverage().Complete() {
		return nil
	}
	f, at := s.TermFact(), s.Process(p).ElectedAt
	if !s.ChoiceTerm(p).Known() {
		return analyze.Needs(p, 0, s.Now(), f)
	}
	if told := s.AssignedAt(p, f.Variable); f != stateFact && told <= at {
		return append(analyze.Needs(p, told, at, f), analyze.MayRestart(p, told, at))
	}
	return append(analyze.Needs(p, 0, s.Now(), f), analyze.MayRestart(p, 0, s.Now()))
}

// mayAssign is that p may have assigned the variables since the last time that it did, as
// far as is recorded.
func mayAssign(s *replay.State, p tracefmt.ProcessID, variables ...tracefmt.Fact) (needs []analyze.Need) {
	if s.Coverage().Complete() {
		return nil
	}
	for _, v := range variables {
		needs = append(needs, analyze.Needs(p, s.AssignedAt(p, v.Variable), s.Now(), v)...)
	}
	return needs
}

// mayChooseOther is that p may have chosen one that it seems not to have. A recovery brings
// no choice but one that it assigns.
func mayChooseOther(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	switch st := s.Process(p); {
	case s.Coverage().Complete():
		return nil
	case !s.Live(p):
		return mayRiseWith(s, p, electedFact)
	case st.Elected == p && s.Choice(p) == 0: // it does not lead
		return slices.Concat(mayAssign(s, p, electedFact, roleFact), mayDifferInTerm(s, p), mayRestart(s, p, 0))
	}
	return mayAssign(s, p, electedFact)
}

// mayRiseWith is that p, which is down, may have come up and assigned a variable, or may not
// have gone down.
func mayRiseWith(s *replay.State, p tracefmt.ProcessID, variable tracefmt.Fact) []analyze.Need {
	since := s.Process(p).Since
	needs := mayNotBe(s, since)
	if assigns := analyze.Needs(p, since, s.Now(), variable); !certain(s, assigns) {
		needs = append(needs, mayRise(s, p)...)
	}
	return needs
}

// maySpeak is that p, which is not known to be one of those that elect, may be: at some
// time it may have said whom it elected, or its role.
func maySpeak(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	if s.Coverage().Complete() || s.Elector(p) {
		return nil
	}
	return analyze.Needs(p, 0, s.Now(), electedFact, roleFact)
}

// mayCount is that p, which is down or not known to be an elector, may be a live one.
func mayCount(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	speaks := maySpeak(s, p)
	if !s.Elector(p) && certain(s, speaks) {
		return nil
	}
	if s.Live(p) {
		return speaks
	}
	return append(speaks, mayRise(s, p)...)
}

// mayNotBeAsked is that p, an elector without a choice, may have made one, be down, or be one
// that tells its role, and never whom it has elected.
func mayNotBeAsked(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	if s.Coverage().Complete() {
		return nil
	}
	st := s.Process(p)
	if st.Elected != 0 {
		return mayDisagree(s, p)
	}
	needs := append(mayFall(s, p), mayAssign(s, p, electedFact)...)
	role := analyze.Needs(p, max(st.ElectedAt, s.AssignedAt(p, "role")), s.Now(), roleFact)
	if st.ElectedAt == 0 {
		return append(needs, role...)
	}
	if s.AssignedAt(p, "role") >= st.ElectedAt || !certain(s, role) { // once it has forgotten that it elected nobody
		needs = append(needs, mayRestart(s, p, st.ElectedAt)...)
	}
	return needs
}

// mayLead is that p, which does not lead, may lead all the same.
func mayLead(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	st := s.Process(p)
	if !s.Live(p) {
		speaks := analyze.Needs(p, st.Since, s.Now(), electedFact, roleFact)
		needs := mayNotBe(s, st.Since)
		if certain(s, speaks) {
			return needs
		}
		return slices.Concat(needs, speaks, mayRise(s, p))
	}
	needs := mayAssign(s, p, roleFact)
	if st.Role == replay.RoleUntold {
		needs = append(needs, mayAssign(s, p, electedFact)...)
	} else if elects := mayAssign(s, p, electedFact); st.Elected == p || !certain(s, elects) { // which counts if its role is forgotten
		needs = append(needs, mayRestart(s, p, s.AssignedAt(p, "role"))...)
	}
	if st.SaidAt == 0 && (st.Elected == p || st.Role == replay.RoleLeads) { // it leads in another term
		needs = append(needs, mayDifferInTerm(s, p)...)
	}
	return needs
}

// mayCease is that p, which leads, may not.
func mayCease(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	needs := append(mayFall(s, p), mayDiffer(s, p, roleFact)...)
	if s.Process(p).Role == replay.RoleUntold {
		needs = append(needs, mayDiffer(s, p, electedFact)...)
	}
	return append(needs, mayDifferInTerm(s, p)...)
}
