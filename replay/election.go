package replay

import (
	"bytes"
	"slices"

	"etrace/tracefmt"
)

// The variables of elections, whatever the problem: whom a process takes for the
// leader, and what it takes itself for.
const (
	electedVariable = "elected"
	roleVariable    = "role"
	termVariable    = "term"
)

// RoleTold is what the variable role of a process says of leading.
type RoleTold uint8

// What a process may say of its role.
const (
	RoleUntold RoleTold = iota
	RoleLeads
	RoleFollows // or is a candidate, or anything else that does not lead
)

// leading are the roles of processes that lead, in the words of many systems.
var leading = [][]byte{[]byte("leader"), []byte("leading"), []byte("primary"), []byte("master")}

// roleTold reads a value of the variable role; null tells nothing.
func roleTold(value []byte) RoleTold {
	role := bytes.Trim(value, `"`)
	switch {
	case string(value) == "null":
		return RoleUntold
	case slices.ContainsFunc(leading, func(word []byte) bool { return bytes.EqualFold(role, word) }):
		return RoleLeads
	}
	return RoleFollows
}

// termOf is the variable that is the term of the processes of a run.
func termOf(run *tracefmt.Run) string {
	if p, err := tracefmt.Problems().Lookup(run.Problem); err == nil && p.Term != "" {
		return p.Term
	}
	return termVariable
}

// assignElection takes in a variable, if it is one of elections.
func (s *State) assignElection(p *Process, e *tracefmt.Event, name, value []byte) {
	switch {
	case string(name) == electedVariable:
		p.Elected, p.ElectedAt = s.Named(value), e.Seq
		s.hasLeader, p.speaks = true, true
	case string(name) == roleVariable:
		p.Role = roleTold(value)
		s.hasRole, p.speaks = true, true
	case e.Term == 0 && (string(name) == termVariable || string(name) == s.term):
		p.term, p.termTold = tracefmt.ParseInteger(value)
	}
}

// Leads reports whether p, a process of the run, leads: it is live, is not one
// that only stands by, and its role says so. Of a process that tells no role, that
// it has elected itself says so.
func (s *State) Leads(p tracefmt.ProcessID) bool {
	process := &s.processes[p]
	switch {
	case !process.Live() || s.parts[p] == tracefmt.StandsBy:
		return false
	case process.Role != RoleUntold:
		return process.Role == RoleLeads
	}
	return process.Elected == p
}

// TellsLeader reports whether any process ever assigned the variable elected or
// role, without which it is not known who leads.
func (s *State) TellsLeader() bool { return s.hasLeader || s.hasRole }

// TellsRole reports whether any process ever assigned the variable role.
func (s *State) TellsRole() bool { return s.hasRole }

// Term returns the term of p, a process of the run: that of the last event in which
// it told one, as the event's own or as a variable; ok is false where none is known.
func (s *State) Term(p tracefmt.ProcessID) (term int64, ok bool) {
	return s.processes[p].term, s.processes[p].termTold
}

// Elector reports whether p, a process of the run, is one of those that elect and may
// be elected: it takes part in the run, or, where the run does not say, it has told
// whom it has elected or which role it has.
func (s *State) Elector(p tracefmt.ProcessID) bool {
	return s.parts[p] == tracefmt.TakesPart || s.parts[p] == tracefmt.PartUnknown && s.processes[p].speaks
}

// Electors returns the live electors, in ascending order: those that an
// election is about.
func (s *State) Electors() []tracefmt.ProcessID {
	return slices.DeleteFunc(s.LiveProcesses(), func(p tracefmt.ProcessID) bool { return !s.Elector(p) })
}
