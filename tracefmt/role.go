package tracefmt

import (
	"encoding/json"
	"slices"
	"strings"

	"etrace/tracefmt/text"
)

// MemberRole is what a member of a run takes part as: the text under the key role
// of its attributes. Any other word than these is a role of the algorithm, and its
// member takes part.
type MemberRole struct {
	Name, Doc string
	// Owes: the member is one of those that are to agree, elect, decide, deliver:
	// liveness, agreement and termination are about it.
	Owes bool
	// Counts: the member is one of the n processes of the algorithm, of which a
	// majority is more than n/2; see [Run.Size].
	Counts bool
	// Binds: what the member says and does is evidence. So is that a client enters a
	// critical section, though it owes nothing.
	Binds bool
	// Replicates: the member has a copy of the log that the servers agree on, which is compared with
	// theirs; see [Run.Replicates].
	Replicates bool
	// In is the problem to which the word belongs, "" for any: in a run of another
	// one it is a role of the algorithm, and in a run of none it says nothing.
	In string
}

// Key is the name, for the registry of roles.
func (r MemberRole) Key() string { return r.Name }

// Byzantine is the role of a member that need not keep to its algorithm: it may
// be silent, lie, and say different things to different processes. What it says
// and does binds no other, and it owes nothing.
const Byzantine = "byzantine"

// Coordinator is the role of a member that leads the others through the algorithm: in a
// commitment it need not vote.
const Coordinator = "coordinator"

// Server is the role of a member that executes the algorithm like others.
const Server = "server"

var memberRoles = text.NewRegistry(
	"role",
	MemberRole{Byzantine, "It need not keep to its algorithm: what it says and does binds no other, and it owes nothing.", false, true, false, false, ""},
	MemberRole{"client", "It asks the others to do something, and does not take part in how they do it.", false, false, true, false, ""},
	MemberRole{"controller", "It drives or watches the run from outside: a test, a load generator, a console.", false, false, true, false, ""},
	MemberRole{Coordinator, "A server that leads the others through the algorithm, fixed from the start.", true, true, true, true, ""},
	MemberRole{"learner", "It gets the log of Raft, which is compared with the others, but has no vote and cannot be elected.", false, false, true, true, Raft},
	MemberRole{"observer", "It learns results, but has no vote and cannot be elected.", false, false, true, true, ""},
	MemberRole{Server, "It executes the algorithm.", true, true, true, true, ""},
)

// MemberRoles returns the roles that properties of etrace read.
func MemberRoles() text.Registry[MemberRole] { return memberRoles }

// Role returns what p takes part as, the text under the key role of its
// attributes: "" for none, and the name of a known role whatever its case, or in the
// plural.
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

// algorithmRoles are roles of algorithms, which are not those of the same letters that
// stand by.
var algorithmRoles = []string{"leader", "follower", "candidate"}

// RoleMeant returns the known role, of those that do not take part, that a member of
// another role may have been meant to have: it differs from it by a slip of the pen. ""
// is none.
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

// Part says whether a member takes part in what its run is about.
type Part uint8

// The parts of members. A member of unknown part takes part if it uses the words
// of the problem itself: one that merely sends and receives owes nothing.
const (
	PartUnknown Part = iota
	TakesPart
	StandsBy
)

// Binds reports whether what p says and does is evidence, by its role.
func (r *Run) Binds(p ProcessID) bool {
	role, known := memberRole(r.Role(p))
	return !known || role.Binds
}

// Replicates reports whether p may have a copy of the log that the servers agree on: all members
// may, without those whose role is client, controller or byzantine.
func (r *Run) Replicates(p ProcessID) bool {
	role, known := memberRole(r.Role(p))
	return !known || role.Replicates
}

// Part returns the part of p: by its role, if it has one; without one, every
// process of a simulated run takes part, and of other runs it is not known.
func (r *Run) Part(p ProcessID) Part {
	word := r.Role(p)
	role, known := memberRole(word)
	foreign := known && role.In != "" && !r.Solves(role.In)
	switch {
	case known && !role.Owes && !foreign:
		return StandsBy
	case word != "" && !(foreign && r.Problem == ""), r.Source == Simulated:
		return TakesPart
	}
	return PartUnknown
}

// Size is the number of processes that rules, bounds and budgets call n: all that
// count, whether they are up or not.
func (r *Run) Size() int {
	n := 0
	for p := range r.Members {
		if r.Counts(ProcessID(p + 1)) {
			n++
		}
	}
	return n
}

// Counts reports whether p is one of the n processes of the algorithm: all members
// are, without those whose role is client, controller or observer or, in runs of raft, learner.
func (r *Run) Counts(p ProcessID) bool {
	role, known := memberRole(r.Role(p))
	return !known || role.Counts || role.In != "" && !r.Solves(role.In)
}
