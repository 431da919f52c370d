package tracefmt

import (
	"slices"
	"strings"

	"etrace/tracefmt/text"
)

// Problem is what a run may be about: a word of its header, by which it is known
// which properties apply.
type Problem struct {
	Name string
	// Doc says what the processes are to bring about.
	Doc string
	// Includes are problems that a run of this one solves on the way, so that
	// their properties apply, too.
	Includes []string
	// Besides is the trait of runs of other problems whose processes solve this problem, too.
	Besides string
	// Terms: leaders are elected for a term, and two of different terms are legal.
	Terms bool
	// Term is the variable that counts the rounds of elections, where it is
	// not called term.
	Term string
	// Best are the keys by which the best process is found where the run does not
	// say any; see [Run.BestKeys].
	Best []string
	// Also are words that people use for the problem. They are not accepted in a
	// header, but lead to the right one.
	Also []string
}

// Key is the name, for the registry of problems.
func (p Problem) Key() string { return p.Name }

// The names of the problems, for those who state and read them.
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
	Problem{Name: Broadcast, Doc: "What one process broadcasts, the processes deliver, all or none of them, in orders that agree.", Also: []string{"multicast", "atomic-broadcast", "reliable-broadcast", "total-order"}},
	Problem{Name: Commit, Doc: "The processes vote, and all commit a transaction or all abort it.", Also: []string{"2pc", "3pc", "two-phase-commit", "three-phase-commit", "atomic-commit", "transaction"}},
	Problem{Name: Consensus, Doc: "The processes propose values, and decide one of them, all the same.", Also: []string{"paxos", "agreement", "pbft"}},
	Problem{Name: Election, Doc: "The processes elect one of them as their leader.", Also: []string{"leader", "leader-election", "leader election", "bully", "ring"}},
	Problem{Name: KeyValue, Doc: "Clients get, put and append the values of keys.", Also: []string{"kv", "kv-store", "store", "map"}},
	Problem{Name: Lock, Doc: "Clients acquire and release locks that a service keeps.", Also: []string{"lock-service", "lease"}},
	Problem{Name: Mutex, Besides: Locks, Doc: "At most one process at a time is in the critical section.", Also: []string{"mutual-exclusion", "mutual exclusion", "critical-section"}},
	Problem{Name: Raft, Terms: true, Doc: "A leader for each term, and a log that all servers agree on up to what is committed.", Includes: []string{Election}, Also: []string{"replicated-log", "etcd", "replication"}},
	Problem{Name: Register, Doc: "Clients read and write registers, as if each had one copy.", Also: []string{"linearizability", "linearizable-register", "atomic-register"}},
	Problem{Name: Snapshot, Doc: "The processes record a global state that the run may have been in.", Also: []string{"global-snapshot", "checkpoint"}},
	Problem{Name: Termination, Doc: "A detector announces that a computation has ended.", Also: []string{"termination-detection"}},
	Problem{Name: Wave, Doc: "Every process participates before one of them decides.", Also: []string{"traversal", "echo"}},
	Problem{Name: Zab, Terms: true, Doc: "A leader for each epoch, the one that has seen most: by epoch, zxid and id.", Includes: []string{Election}, Term: "epoch", Best: []string{"epoch", "zxid", BestID}, Also: []string{"zookeeper", "zoo-keeper", "fast-leader-election"}},
)

// Problems returns the problems that properties of etrace are about.
func Problems() text.Registry[Problem] { return problems }

// TermVariable is the variable that counts the rounds of elections in runs of a problem.
func TermVariable(problem string) string {
	if p, ok := problems.Get(problem); ok && p.Term != "" {
		return p.Term
	}
	return "term"
}

// Solves reports whether the run is about the problem: the run names the problem, its problem
// includes the problem, or a trait of the run adds the problem.
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

// UnknownProblem is the error for a word that is no problem, neither of etrace
// nor one of these; it suggests the nearest one.
func UnknownProblem(word string, known ...string) error {
	for _, p := range problems.All() {
		if slices.Contains(p.Also, strings.ToLower(word)) {
			return text.Meant("problem", word, p.Name)
		}
	}
	return text.Unknown("problem", word, slices.Concat(problems.Names(), known))
}
