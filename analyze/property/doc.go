// Package property is the library of named properties. A property is examined on the trace alone: its monitor
// receives the events in order, with the state that follows from them, and knows nothing of the algorithm.
//
// # Contents
//
// Properties that the rule language can express are in rules/*.rules, a file for each problem, compiled by rules.go.
// The others are written in Go, a package for each problem: broadcast, consensus (and commitment), detection of
// termination, election, mutex, operation (linearizability), raft, snapshot (and waves), and network (any run). A
// property is one value in the file of its name, followed by its monitor and the texts that explain a violation. Its
// variants over all consistent cuts are in the same file (single-leader-possibly is in election/single_leader.go).
// The registry, in property.go, lists all of them. Packages with shared code:
//
//	unrecorded  what may have happened without a record, and which processes are correct
//	members     the members of a run, and the values that they assign
//	overlap     a condition at two processes in one consistent cut
//	memory      storage of monitors: bounds, sets of bits, indexes, hashes
//	paper       the sources of several properties
//
// # How a monitor reports
//
// A monitor counts in Result.Examined how often the property applied. It calls Violate with the events that show
// a violation, Owe (or owe, for what a further event may mend) for an open obligation of a stopped run, Undecided
// if something is missing, and NotApplicable if the run has nothing that the property is about. The verdict
// follows. The memory of a monitor is bounded by the processes and the messages in transit, or by package memory.
//
// CONTRIBUTING.md has the steps that add a property.
package property
