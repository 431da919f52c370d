package tracefmt

import (
	"encoding/json"
	"slices"
	"strings"

	"etrace/tracefmt/text"
)

// MemberRole is a role of a member: the text under the key role of its attributes. Any other word is a role of
// the algorithm, and its member is a participant.
type MemberRole struct {
	Name, Doc string
	// Owes: the member has to agree, elect, decide or deliver; liveness, agreement and termination apply to it.
	Owes bool
	// Counts: the member is one of the n processes of the algorithm, for which a majority is more than n/2; see
	// [Run.Size].
	Counts bool
	// Binds: the actions of the member are evidence. A client that enters a critical section is evidence,
	// though the client owes nothing.
	Binds bool
	// Replicates: the member has a copy of the servers' log, which is compared with theirs; see
	// [Run.Replicates].
	Replicates bool
	// In is the problem of the role, "" for any. In runs of other problems the word is a role of the algorithm,
	// and in runs without a problem it has no meaning.
	In string
}

// Key returns the name, for the registry of roles.
func (r MemberRole) Key() string { return r.Name }

// Byzantine is the role of a member that need not follow its algorithm: it may be silent, lie, and contradict
// itself. Its actions are no evidence about other processes, and it owes nothing.
const Byzantine = "byzantine"

// Coordinator is the role of a member that leads the others through the algorithm. In a commitment it need not
// vote.
const Coordinator = "coordinator"

// Server is the role of an ordinary member.
const Server = "server"

var memberRoles = text.NewRegistry(
	"role",
	MemberRole{
		Byzantine,
		"It may deviate from its algorithm, so its events are no evidence about other processes.",
		false, true, false, false, "",
	},
	MemberRole{"client", "It sends requests to the others, and does not execute the algorithm.", false, false, true, false, ""},
	MemberRole{
		"controller", "It controls or watches the run from outside, such as a test or a load generator.",
		false, false, true, false, "",
	},
	MemberRole{Coordinator, "A server that coordinates the others; it is fixed before the run.", true, true, true, true, ""},
	MemberRole{
		"learner",
		"It receives the log of Raft, but has no vote and cannot be elected. Its log is compared with the other logs.", false,
		false, true, true, Raft,
	},
	MemberRole{"observer", "It learns results, but has no vote and cannot be elected.", false, false, true, true, ""},
	MemberRole{Server, "It executes the algorithm.", true, true, true, true, ""},
)

// MemberRoles returns the registry of the roles with a meaning for properties.
func MemberRoles() text.Registry[MemberRole] { return memberRoles }

// Role returns the role of p, the text under the key role of its attributes, "" without one. It normalizes case
// and plural of the known roles.
func (r *Run) Role(p ProcessID) string {
	if p < 1 || int(p) > len(r.Members) || r.Members[p-1].Attributes == nil {
		return ""
	}
	for key, value := range Fields(r.Members[p-1].Attributes) {
		var role string
		if string(key) == "role" && json.Unmarshal(value, &role) == nil {
			if known, ok := memberRole(role); ok {
				return known.Name
			}
			return role
		}
	}
	return ""
}

// memberRole returns the known role that a word names.
func memberRole(word string) (role MemberRole, ok bool) {
	if word == "" {
		return role, false
	}
	word = strings.ToLower(word)
	return memberRoles.Find(func(role MemberRole) bool { return strings.TrimSuffix(word, "s") == role.Name })
}

// algorithmRoles are roles of algorithms. RoleMeant must not confuse them with non-participants of similar
// spelling.
var algorithmRoles = []string{"leader", "follower", "candidate"}

// RoleMeant returns the non-participant role that the word probably misspells, "" without one.
func RoleMeant(word string) string {
	if _, known := memberRole(word); known || word == "" {
		return ""
	}
	near := text.Nearest(word, slices.Concat(memberRoles.Names(), algorithmRoles))
	role, known := memberRole(near)
	if !known || role.Owes || !strings.EqualFold(near[:1], word[:1]) {
		return ""
	}
	return near
}

// Part is the participation of a member in the problem of its run.
type Part uint8

// The parts of members. A member of unknown part is a participant if it uses the words of the problem itself; a
// member that only sends and receives owes nothing.
const (
	PartUnknown Part = iota
	TakesPart
	Bystander
)

// Binds reports whether the actions of p are evidence, by its role.
func (r *Run) Binds(p ProcessID) bool {
	role, known := memberRole(r.Role(p))
	return !known || role.Binds
}

// Replicates reports whether p may have a copy of the servers' log: all members may, except those with the role
// client, controller or byzantine.
func (r *Run) Replicates(p ProcessID) bool {
	role, known := memberRole(r.Role(p))
	return !known || role.Replicates
}

// Part returns the part of p by its role. Without a role, every process of a simulated run is a participant,
// and the part of others is unknown.
func (r *Run) Part(p ProcessID) Part {
	word := r.Role(p)
	role, known := memberRole(word)
	// A role of another problem is a role of the algorithm, so its member is a participant. In a run without a problem
	// the word has no meaning.
	foreign := known && role.In != "" && !r.Solves(role.In)
	meaningless := word == "" || foreign && r.Problem == ""
	switch {
	case known && !role.Owes && !foreign:
		return Bystander
	case !meaningless || r.Source == Simulated:
		return TakesPart
	}
	return PartUnknown
}

// Size returns the number of processes that rules, bounds and budgets call n: all that count, whether they are
// up or not.
func (r *Run) Size() int {
	n := 0
	for p := range r.Members {
		if r.Counts(ProcessID(p + 1)) {
			n++
		}
	}
	return n
}

// Counts reports whether p is one of the n processes of the algorithm: all members are, except those with the
// role client, controller or observer or, in runs of raft, learner.
func (r *Run) Counts(p ProcessID) bool {
	role, known := memberRole(r.Role(p))
	return !known || role.Counts || role.In != "" && !r.Solves(role.In)
}
