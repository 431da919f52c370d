// Package property is the library of named properties. A property is examined
// on the trace alone: its monitor sees the events one after the other, with the
// state that follows from them, and knows nothing of the algorithm.
//
// # Where things are
//
// A property is one value in the file of its name, followed by its monitor and
// the sentences that explain a violation; its readings over all consistent cuts
// are in the same file (single-leader-possibly is in single_leader.go). Those
// that the language of rules can express are in rules.go. The registry, in
// property.go, lists all of them. What several properties share is in files of
// its own:
//
//	elections.go         whom the processes have elected (the variable elected)
//	causal_pairs.go      two processes at which something holds in one consistent cut
//	promises.go          what the scenario of a run promises: faults, starts
//	consensus.go         decisions (the variables proposed and decided)
//	broadcasts.go        who broadcast and delivered what (the notes broadcast and deliver)
//	mutex_inside.go      who is in the critical section (the notes enter and exit)
//	mutex_requests.go    who waits for it (the note request)
//	raft_servers.go      logs, terms and commit indices (the variables log[1], role, commit), a fold
//	operation_models.go  the objects of linearizability, and what their operations do
//	operation_history.go what happens to one object, and the search for an order
//	operation_zones.go   registers of distinct values, without a search
//	operation_locks.go   locks, without a search
//	formulas.go          the formulas of bounds, compiled once
//	processes.go         what an event assigns; which processes are correct
//	memory.go            what monitors remember: how much, as sets of bits, by index, as hashes
//
// # How a monitor reports
//
// It counts in Result.Examined how often the property applied, calls Violate
// with the events that show a violation, Owe (or owe, for what a further event
// may mend) for what is open on a run that was stopped, Undecided where something
// is missing, and NotApplicable where the run has nothing that the property is
// about. The verdict follows. What it keeps is bounded by the processes and the
// messages on their way, or by memory.go.
//
// CONTRIBUTING.md has the steps that add a property.
package property
