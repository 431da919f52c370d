package tracefmt

import (
	"slices"
	"strings"

	"etrace/tracefmt/text"
)

// Problem is the problem that a run solves. It is a word of the header, and determines which properties apply.
type Problem struct {
	Name string
	// Doc states what the processes have to achieve.
	Doc string
	// Includes are problems that a run of this problem also solves, so their properties apply, too.
	Includes []string
	// Besides is the trait of runs of other problems whose processes solve this problem, too.
	Besides string
	// Terms: each term has its own leader, so two leaders of different terms are legal.
	Terms bool
	// Term is the variable that counts the rounds of elections, if its name is not term.
	Term string
	// Best are the keys that define the best process if the run has none; see [Run.BestKeys].
	Best []string
	// Also are other words for the problem. A header may not use them, but the error suggests the right word.
	Also []string
}

// Key returns the name, for the registry of problems.
func (p Problem) Key() string { return p.Name }

// The names of the problems.
const (
	Broadcast   = "broadcast"
	Commit      = "commit"
	Consensus   = "consensus"
	Election    = "election"
	KeyValue    = "key-value"
	Lock        = "lock"
	Mutex       = "mutex"
	Raft        = "raft"
	Register    = "register"
	Snapshot    = "snapshot"
	Termination = "termination"
	Wave        = "wave"
	Zab         = "zab"
)

var problems = text.NewRegistry(
	"problem",
	Problem{
		Name: Broadcast,
		Doc:  "A process broadcasts a message, and all processes or none deliver it, in orders that agree.",
		Also: []string{"multicast", "atomic-broadcast", "reliable-broadcast", "total-order"},
	},
	Problem{
		Name: Commit, Doc: "The processes vote, and all commit a transaction or all abort it.",
		Also: []string{"2pc", "3pc", "two-phase-commit", "three-phase-commit", "atomic-commit", "transaction"},
	},
	Problem{
		Name: Consensus, Doc: "The processes propose values, and all decide the same proposal.",
		Also: []string{"paxos", "agreement", "pbft"},
	},
	Problem{
		Name: Election, Doc: "The processes elect one of them as their leader.",
		Also: []string{"leader", "leader-election", "leader election", "bully", "ring"},
	},
	Problem{Name: KeyValue, Doc: "Clients get, put and append the values of keys.", Also: []string{"kv", "kv-store", "store", "map"}},
	Problem{Name: Lock, Doc: "Clients acquire and release locks that a service keeps.", Also: []string{"lock-service", "lease"}},
	Problem{
		Name: Mutex, Besides: Locks, Doc: "At most one process at a time is in the critical section.",
		Also: []string{"mutual-exclusion", "mutual exclusion", "critical-section"},
	},
	Problem{
		Name: Raft, Terms: true,
		Doc:      "The servers elect a leader for each term, and agree on all committed entries of a log.",
		Includes: []string{Election}, Also: []string{"replicated-log", "etcd", "replication"},
	},
	Problem{
		Name: Register, Doc: "Clients read and write registers, as if each had one copy.",
		Also: []string{"linearizability", "linearizable-register", "atomic-register"},
	},
	Problem{
		Name: Snapshot, Doc: "The processes record a global state in which the run may have been.",
		Also: []string{"global-snapshot", "checkpoint"},
	},
	Problem{Name: Termination, Doc: "A detector announces that a computation has ended.", Also: []string{"termination-detection"}},
	Problem{Name: Wave, Doc: "Every process participates before one of them decides.", Also: []string{"traversal", "echo"}},
	Problem{
		Name: Zab, Terms: true, Doc: "The servers elect for each epoch the leader that has seen most, by epoch, zxid and id.",
		Includes: []string{Election}, Term: "epoch", Best: []string{"epoch", "zxid", BestID},
		Also: []string{"zookeeper", "zoo-keeper", "fast-leader-election"},
	},
)

// Problems returns the registry of the problems with properties.
func Problems() text.Registry[Problem] { return problems }

// TermVariable returns the variable that counts the rounds of elections in runs of a problem.
func TermVariable(problem string) string {
	if p, ok := problems.Get(problem); ok && p.Term != "" {
		return p.Term
	}
	return "term"
}

// Solves reports whether the run is about the problem: the run names it, the run's own
// problem includes it, or a trait of the run adds it.
func (r *Run) Solves(problem string) bool {
	if r.Problem == problem {
		return true
	}
	if p, ok := problems.Get(r.Problem); ok && slices.Contains(p.Includes, problem) {
		return true
	}
	p, ok := problems.Get(problem)
	return ok && p.Besides != "" && r.States(p.Besides)
}

// UnknownProblem returns the error for an unknown problem; it suggests the closest known word.
func UnknownProblem(word string, known ...string) error {
	for _, p := range problems.All() {
		if slices.Contains(p.Also, strings.ToLower(word)) {
			return text.Meant("problem", word, p.Name)
		}
	}
	return text.Unknown("problem", word, slices.Concat(problems.Names(), known))
}
