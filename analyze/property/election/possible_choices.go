package election

import (
	"slices"

	"etrace/analyze"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

// This file has the needs for unrecorded choices of processes, and for unrecorded leaders.

// possibleChoiceInTerm returns the needs by which p may have chosen in another term.
func possibleChoiceInTerm(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	f, chosenAt := s.TermFact(), s.Process(p).ElectedAt
	if !s.ChoiceTerm(p).Known() {
		return analyze.Needs(p, 0, s.Now(), f)
	}
	if recorded := s.AssignedAt(p, f.Variable); f != unrecorded.StateFact && recorded <= chosenAt {
		return append(analyze.Needs(p, recorded, chosenAt, f), analyze.MayRestart(p, recorded, chosenAt))
	}
	return append(analyze.Needs(p, 0, s.Now(), f), analyze.MayRestart(p, 0, s.Now()))
}

// possibleValue returns the needs by which p may have assigned the variables since its last recorded assignment.
func possibleValue(s *replay.State, p tracefmt.ProcessID, variables ...tracefmt.Fact) (needs []analyze.Need) {
	for _, v := range variables {
		needs = append(needs, analyze.Needs(p, s.AssignedAt(p, v.Variable), s.Now(), v)...)
	}
	return needs
}

// possibleOtherChoice returns the needs by which p may have an unrecorded choice. A recovery brings a choice only
// by an assignment.
func possibleOtherChoice(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	switch st := s.Process(p); {
	case s.Coverage().Complete():
		return nil
	case !s.Live(p):
		return possibleRecoveryWith(s, p, unrecorded.ElectedFact)
	case st.Elected == p && s.Choice(p) == 0: // it does not lead
		return slices.Concat(possibleValue(s, p, unrecorded.ElectedFact, unrecorded.RoleFact),
			unrecorded.DifferenceInTerm(s, p), unrecorded.Restart(s, p, 0))
	}
	return possibleValue(s, p, unrecorded.ElectedFact)
}

// possibleRecoveryWith returns the needs by which p, which is down, may have come up and assigned a variable, or
// may not have gone down.
func possibleRecoveryWith(s *replay.State, p tracefmt.ProcessID, variable tracefmt.Fact) []analyze.Need {
	since := s.Process(p).Since
	needs := unrecorded.Absence(s, since)
	if assigns := analyze.Needs(p, since, s.Now(), variable); !unrecorded.None(s, assigns) {
		needs = append(needs, unrecorded.Recovery(s, p)...)
	}
	return needs
}

// possibleStatement returns the needs by which p, which is not known to be an elector, may have recorded a choice
// or a role.
func possibleStatement(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	if s.Coverage().Complete() || s.Elector(p) {
		return nil
	}
	return analyze.Needs(p, 0, s.Now(), unrecorded.ElectedFact, unrecorded.RoleFact)
}

// possibleCounting returns the needs by which p, which is down or not known to be an elector, may be a live
// elector.
func possibleCounting(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	statement := possibleStatement(s, p)
	if !s.Elector(p) && unrecorded.None(s, statement) {
		return nil
	}
	if s.Live(p) {
		return statement
	}
	return append(statement, unrecorded.Recovery(s, p)...)
}

// possibleExemption returns the needs by which p, an elector without a choice, may have made one, be down, or
// record its role but never a choice.
func possibleExemption(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	st := s.Process(p)
	if st.Elected != 0 {
		return possibleDisagreement(s, p)
	}
	needs := append(unrecorded.Crash(s, p), possibleValue(s, p, unrecorded.ElectedFact)...)
	role := analyze.Needs(p, max(st.ElectedAt, s.AssignedAt(p, "role")), s.Now(), unrecorded.RoleFact)
	if st.ElectedAt == 0 {
		return append(needs, role...)
	}
	// A restart matters unless the record of no choice is later than any role, recorded or not.
	if s.AssignedAt(p, "role") >= st.ElectedAt || !unrecorded.None(s, role) {
		needs = append(needs, unrecorded.Restart(s, p, st.ElectedAt)...)
	}
	return needs
}

// possibleLeader returns the needs by which p, which does not lead by the record, may lead.
func possibleLeader(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	st := s.Process(p)
	if !s.Live(p) {
		statements := analyze.Needs(p, st.Since, s.Now(), unrecorded.ElectedFact, unrecorded.RoleFact)
		needs := unrecorded.Absence(s, st.Since)
		if unrecorded.None(s, statements) {
			return needs
		}
		return slices.Concat(needs, statements, unrecorded.Recovery(s, p))
	}
	needs := possibleValue(s, p, unrecorded.RoleFact)
	if st.Role == replay.RoleOther {
		needs = append(needs, possibleValue(s, p, unrecorded.ElectedFact)...)
		// its choice counts after a loss of its role
	} else if elects := possibleValue(s, p, unrecorded.ElectedFact); st.Elected == p || !unrecorded.None(s, elects) {
		needs = append(needs, unrecorded.Restart(s, p, s.AssignedAt(p, "role"))...)
	}
	if st.LeadingAt == 0 && (st.Elected == p || st.Role == replay.RoleLeads) { // it would lead in another term
		needs = append(needs, unrecorded.DifferenceInTerm(s, p)...)
	}
	return needs
}

// possibleEndOfLeadership returns the needs by which p, which leads by the record, may not lead.
func possibleEndOfLeadership(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	needs := append(unrecorded.Crash(s, p), unrecorded.Difference(s, p, unrecorded.RoleFact)...)
	if s.Process(p).Role == replay.RoleOther {
		needs = append(needs, unrecorded.Difference(s, p, unrecorded.ElectedFact)...)
	}
	return append(needs, unrecorded.DifferenceInTerm(s, p)...)
}
