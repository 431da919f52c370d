package replay

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"etrace/tracefmt"
)

// The variables of elections, for every problem: the process's leader and its own role.
const (
	electedVariable = "elected"
	roleVariable    = "role"
)

// RoleClass classifies the variable role of a process by what it means for leading.
type RoleClass uint8

// The classes of roles.
const (
	RoleOther RoleClass = iota // unknown, or a non-participant such as a client
	RoleLeads
	RoleSeeks   // a candidate, or looking for a leader
	RoleFollows // neither leads nor looks for a leader
)

// roleWords classifies the roles of many systems, in lower case.
var roleWords = map[string]RoleClass{
	"leader": RoleLeads, "leading": RoleLeads, "primary": RoleLeads, "master": RoleLeads, "coordinator": RoleLeads,
	"stateleader": RoleLeads,
	"candidate":   RoleSeeks, "pre-candidate": RoleSeeks, "precandidate": RoleSeeks, "looking": RoleSeeks,
	"electing": RoleSeeks, "election": RoleSeeks, "statecandidate": RoleSeeks, "stateprecandidate": RoleSeeks,
	"follower": RoleFollows, "following": RoleFollows, "statefollower": RoleFollows, "backup": RoleFollows,
	"learner": RoleFollows, "member": RoleFollows, "participant": RoleFollows, "replica": RoleFollows,
	"secondary": RoleFollows, "slave": RoleFollows, "standby": RoleFollows, "voter": RoleFollows,
	"arbiter": RoleFollows, "resigned": RoleFollows, "shutdown": RoleFollows, "unattached": RoleFollows,
	"voted":     RoleFollows,
	"observing": RoleOther, // it has no vote
}

// maxRoles is the number of values of the variable role to cache.
const maxRoles = 64

// role classifies a value of the variable role. It caches values, since most recur.
func (s *State) role(value []byte) RoleClass {
	classified, ok := s.roles[string(value)]
	if !ok {
		classified.class, classified.known = classifyRole(value)
		if len(s.roles) < maxRoles {
			s.roles[string(value)] = classified
		}
	}
	if !classified.known && s.oddRole == "" {
		s.oddRole = string(value)
	}
	return classified.class
}

// classifiedRole is the class of a role, and whether etrace knows the word.
type classifiedRole struct {
	class RoleClass
	known bool
}

// OddRole returns the first value of the variable role, as JSON, that etrace cannot classify; "" if etrace knows
// all roles.
func (s *State) OddRole() string { return s.oddRole }

// RoleWords returns the words for roles that show whether a process leads, sorted.
func RoleWords() []string { return slices.Sorted(maps.Keys(roleWords)) }

// classifyRole returns the class of a value of the variable role. Null and the roles of non-participants have the
// class RoleOther. A word that etrace does not know has, too; then known is false.
func classifyRole(value []byte) (class RoleClass, known bool) {
	var role string
	if string(value) == "null" {
		return RoleOther, true
	}
	if json.Unmarshal(value, &role) != nil {
		return RoleOther, false
	}
	role = strings.ToLower(role)
	if class, ok := roleWords[role]; ok {
		return class, true
	}
	member, err := tracefmt.MemberRoles().Lookup(role)
	return RoleOther, err == nil && !member.Owes
}

// assignElection applies an assignment of elected, role or the term; it ignores other variables.
func (s *State) assignElection(p *Process, e *tracefmt.Event, name, value []byte) {
	switch {
	case string(name) == electedVariable:
		p.Elected, p.ElectedAt = s.Named(value), e.Seq
		s.hasLeader, p.assignedElection = true, true
		if p.Elected == e.Process {
			p.LeadingAt = e.Seq
		}
	case string(name) == roleVariable:
		p.Role, p.LeadingAt = s.role(value), e.Seq
		if p.Role != RoleOther {
			s.hasRole, p.assignedElection = true, true
		}
	case e.Term == 0 && string(name) == s.term:
		p.term, p.termAt = ParseTerm(value), e.Seq
	}
}

// Leads reports whether p, a process of the run, leads: it is live, participates, and its role is that of a
// leader. A process without a recorded role leads if it has elected itself. It stops leading when it records
// another term without repeating this, or has been down.
func (s *State) Leads(p tracefmt.ProcessID) bool {
	process := &s.processes[p]
	switch {
	case !process.Live() || s.parts[p] == tracefmt.Bystander:
		return false
	case process.LeadingAt == 0:
		return false
	case process.Role != RoleOther:
		return process.Role == RoleLeads
	}
	return process.Elected == p
}

// HasLeader reports whether any process ever assigned the variable elected or role; otherwise the leader is
// unknown.
func (s *State) HasLeader() bool { return s.hasLeader || s.hasRole }

// HasRole reports whether any process ever assigned the variable role.
func (s *State) HasRole() bool { return s.hasRole }

// HasChoice reports whether the elected process of p counts. It does not if p records its role and either
// never assigned elected, or has elected itself without leading: the latter is a stale belief.
func (s *State) HasChoice(p tracefmt.ProcessID) bool {
	process := &s.processes[p]
	return process.Role == RoleOther || process.ElectedAt != 0 && (process.Elected != p || s.Leads(p))
}

// Choice returns the process that p, a process of the run, has elected, if that counts: 0 for no process,
// [Nobody] for a value that names no process.
func (s *State) Choice(p tracefmt.ProcessID) tracefmt.ProcessID {
	if !s.HasChoice(p) {
		return 0
	}
	return s.processes[p].Elected
}

// Knows reports whether p, a process of the run, knows a leader. It does if it has elected one. A process that
// does not record the elected knows a leader if its role is not looking for one and some process leads.
func (s *State) Knows(p tracefmt.ProcessID) bool {
	process := &s.processes[p]
	switch {
	case process.Elected != 0 || s.Leads(p):
		return true
	// It has chosen no process, looks for a leader, or records neither role nor choice in a run that records them.
	case process.ElectedAt != 0 || process.Role == RoleSeeks || process.Role == RoleOther && s.hasLeader:
		return false
	}
	return s.someLeads()
}

// someLeads reports whether any process leads.
func (s *State) someLeads() bool {
	for p := range s.Run.Members {
		if s.Leads(tracefmt.ProcessID(p + 1)) {
			return true
		}
	}
	return false
}

// Elector reports whether p, a process of the run, elects and may be elected: it participates by the run's
// description or, if that has no roles, has assigned elected or role.
func (s *State) Elector(p tracefmt.ProcessID) bool {
	return s.parts[p] == tracefmt.TakesPart || s.parts[p] == tracefmt.PartUnknown && s.processes[p].assignedElection
}

// Electors returns the live electors, in ascending order.
func (s *State) Electors() []tracefmt.ProcessID {
	return slices.DeleteFunc(s.LiveProcesses(), func(p tracefmt.ProcessID) bool { return !s.Elector(p) })
}
