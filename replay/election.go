package replay

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"etrace/tracefmt"
)

// The variables of elections, whatever the problem: whom a process takes for the
// leader, and what it takes itself for.
const (
	electedVariable = "elected"
	roleVariable    = "role"
)

// RoleTold is what the variable role of a process says of leading.
type RoleTold uint8

// What a process may say of its role.
const (
	RoleUntold RoleTold = iota // or that of one that stands by, such as a client, or a word that is not known
	RoleLeads
	RoleSeeks   // it is a candidate, or looks for a leader
	RoleFollows // and neither leads nor looks for a leader
)

// roleWords are the roles in the words of many systems, in lower case.
var roleWords = map[string]RoleTold{
	"leader": RoleLeads, "leading": RoleLeads, "primary": RoleLeads, "master": RoleLeads, "coordinator": RoleLeads, "stateleader": RoleLeads,
	"candidate": RoleSeeks, "pre-candidate": RoleSeeks, "precandidate": RoleSeeks, "looking": RoleSeeks,
	"electing": RoleSeeks, "election": RoleSeeks, "statecandidate": RoleSeeks, "stateprecandidate": RoleSeeks,
	"follower": RoleFollows, "following": RoleFollows, "statefollower": RoleFollows, "backup": RoleFollows,
	"learner": RoleFollows, "member": RoleFollows, "participant": RoleFollows, "replica": RoleFollows,
	"secondary": RoleFollows, "slave": RoleFollows, "standby": RoleFollows, "voter": RoleFollows,
	"arbiter": RoleFollows, "resigned": RoleFollows, "shutdown": RoleFollows, "unattached": RoleFollows, "voted": RoleFollows,
	"observing": RoleUntold, // it has no vote
}

// mostRoles bounds how many values of the variable role are remembered.
const mostRoles = 64

// role reads a value of the variable role, most of which come again.
func (s *State) role(value []byte) RoleTold {
	said, ok := s.roles[string(value)]
	if !ok {
		said.told, said.known = roleTold(value)
		if len(s.roles) < mostRoles {
			s.roles[string(value)] = said
		}
	}
	if !said.known && s.oddRole == "" {
		s.oddRole = string(value)
	}
	return said.told
}

// saidRole is what a value of the variable role says, and whether etrace knows the word.
type saidRole struct {
	told  RoleTold
	known bool
}

// OddRole returns the first value of the variable role, as JSON, that says nothing of
// leading, since etrace does not know it; "" for none.
func (s *State) OddRole() string { return s.oddRole }

// RoleWords returns the words for roles that say whether a process leads, sorted.
func RoleWords() []string { return slices.Sorted(maps.Keys(roleWords)) }

// roleTold reads a value of the variable role; null tells nothing, nor does the role
// of a member that does not take part. known is false for a word that etrace does not
// know, which tells nothing either.
func roleTold(value []byte) (told RoleTold, known bool) {
	var role string
	if string(value) == "null" {
		return RoleUntold, true
	}
	if json.Unmarshal(value, &role) != nil {
		return RoleUntold, false
	}
	role = strings.ToLower(role)
	if told, ok := roleWords[role]; ok {
		return told, true
	}
	member, err := tracefmt.MemberRoles().Lookup(role)
	return RoleUntold, err == nil && !member.Owes
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
		p.term, p.termAt = ParseTerm(value), e.Seq
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

// TellsChoice reports whether it counts whom p, a process of the run, has elected. One
// that tells which role it has does not count where it never says whom it has elected,
// nor where it has elected itself and does not lead, which is a stale belief.
func (s *State) TellsChoice(p tracefmt.ProcessID) bool {
	process := &s.processes[p]
	return process.Role == RoleUntold || process.ElectedAt != 0 && (process.Elected != p || s.Leads(p))
}

// Choice returns whom p, a process of the run, has elected, as far as that counts: 0 for
// none, [Nobody] for a value that names no process.
func (s *State) Choice(p tracefmt.ProcessID) tracefmt.ProcessID {
	if !s.TellsChoice(p) {
		return 0
	}
	return s.processes[p].Elected
}

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
