// Package property is the library of named properties. A property is examined on the trace alone: its monitor
// receives the events in order, with the state that follows from them, and knows nothing of the algorithm.
//
// # Contents
//
// A property is one value in the file of its name, followed by its monitor and the texts that explain a
// violation. Its variants over all consistent cuts are in the same file (single-leader-possibly is in
// single_leader.go). Properties that the rule language can express are in rules/*.rules, compiled by rules.go.
// The registry, in property.go, lists all of them. Files with shared code:
//
//	elections.go         the choices of leaders (the variable elected)
//	causal_pairs.go      a condition at two processes in one consistent cut
//	consensus.go         decisions (the variables proposed and decided)
//	broadcasts.go        broadcasts and deliveries (the notes broadcast and deliver)
//	mutex_locks.go       processes in critical sections, and waiting for them (the notes request, enter and exit)
//	raft_servers.go      logs, terms and commit indices (the variables log[1], role, commit), a fold
//	operation_models.go  the objects of linearizability, and the effects of their operations
//	operation_history.go the history of one object, and the search for an order
//	operation_zones.go   registers with distinct values, without a search
//	operation_locks.go   locks, without a search
//	processes.go         assignments of an event; correct processes
//	memory.go            storage of monitors: bounds, sets of bits, indexes, hashes
//
// # How a monitor reports
//
// A monitor counts in Result.Examined how often the property applied. It calls Violate with the events that show
// a violation, Owe (or owe, for what a further event may mend) for an open obligation of a stopped run, Undecided
// if something is missing, and NotApplicable if the run has nothing that the property is about. The verdict
// follows. The memory of a monitor is bounded by the processes and the messages in transit, or by memory.go.
//
// CONTRIBUTING.md has the steps that add a property.
package property
