package replay

import (
	"encoding/json"
	"slices"
	"strings"

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
	RoleUntold RoleTold = iota // or that of one that stands by, such as a client
	RoleLeads
	RoleSeeks   // it is a candidate, or looks for a leader
	RoleFollows // or anything else that does not lead
)

// roleWords are the roles in the words of many systems, in lower case; any other one
// follows.
var roleWords = map[string]RoleTold{
	"leader": RoleLeads, "leading": RoleLeads, "primary": RoleLeads, "master": RoleLeads, "stateleader": RoleLeads,
	"candidate": RoleSeeks, "pre-candidate": RoleSeeks, "precandidate": RoleSeeks, "looking": RoleSeeks,
	"statecandidate": RoleSeeks, "stateprecandidate": RoleSeeks,
	"observing": RoleUntold, // it has no vote
}

// mostRoles bounds how many values of the variable role are remembered.
const mostRoles = 64

// role reads a value of the variable role, most of which come again.
func (s *State) role(value []byte) RoleTold {
	told, ok := s.roles[string(value)]
	if !ok {
		if told = roleTold(value); len(s.roles) < mostRoles {
			s.roles[string(value)] = told
		}
	}
	return told
}

// roleTold reads a value of the variable role; null tells nothing, nor does the role
// of a member that does not take part.
func roleTold(value []byte) RoleTold {
	var role string
	if string(value) == "null" {
		return RoleUntold
	}
	if json.Unmarshal(value, &role) != nil {
		return RoleFollows
	}
	role = strings.ToLower(role)
	if told, ok := roleWords[role]; ok {
		return told
	}
	if member, err := tracefmt.MemberRoles().Lookup(role); err == nil && !member.Owes {
		return RoleUntold
	}
	return RoleFollows
}

// assignElection takes in a variable, if it is one of elections.
func (s *State) assignElection(p *Process, e *tracefmt.Event, name, value []byte) {
	switch {
	case string(name) == electedVariable:
		p.Elected, p.ElectedAt = s.Named(value), e.Seq
		s.hasLeader, p.speaks = true, true
		if p.Elected == e.Process {
			p.SaidAt = e.Seq
		}
	case string(name) == roleVariable:
		p.Role, p.SaidAt = s.role(value), e.Seq
		if p.Role != RoleUntold {
			s.hasRole, p.speaks = true, true
		}
	case e.Term == 0 && string(name) == s.term:
		p.term = ParseTerm(value)
	}
}

// Leads reports whether p, a process of the run, leads: it is live, is not one
// that only stands by, and its role says so. Of a process that tells no role, that
// it has elected itself says so. One that has told another term since it last said
// either, or has been down, does not lead any more.
func (s *State) Leads(p tracefmt.ProcessID) bool {
	process := &s.processes[p]
	switch {
	case !process.Live() || s.parts[p] == tracefmt.StandsBy:
		return false
	case process.SaidAt == 0:
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

// Knows reports whether p, a process of the run, knows of a leader: it has elected one,
// or, where it does not say whom it has elected, its role is not that of one that looks
// for a leader, and some process leads.
func (s *State) Knows(p tracefmt.ProcessID) bool {
	process := &s.processes[p]
	switch {
	case process.Elected != 0 || s.Leads(p):
		return true
	case process.ElectedAt != 0 || process.Role == RoleSeeks || process.Role == RoleUntold && s.hasLeader:
		return false
	}
	return s.someLeads()
}

func (s *State) someLeads() bool {
	for p := range s.Run.Members {
		if s.Leads(tracefmt.ProcessID(p + 1)) {
			return true
		}
	}
	return false
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
