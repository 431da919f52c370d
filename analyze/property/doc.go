// Package property is the library of named properties. A property is examined
// on the trace alone: its monitor sees the events one after the other, with the
// state that they tell, and knows nothing of the algorithm.
//
// # Where things are
//
// A property is one value in the file of its name (single-leader is in
// single_leader.go), followed by its monitor and the sentences that explain a
// violation; those that the language of rules can say are in rules.go. The slice
// all, in property.go, lists them. What several properties share is in files of
// its own:
//
//	elections.go      whom the processes have elected (the variable elected)
//	together.go       two processes at which something holds in one consistent cut
//	plan.go           what the scenario of a run promises: faults, starts
//	consensus.go      decisions (the variables proposed and decided)
//	broadcasts.go     who broadcast and delivered what (the notes broadcast and deliver)
//	mutex_inside.go   who is in the critical section (the notes enter and exit)
//	mutex_requests.go who waits for it (the note request)
//	raft_servers.go   logs, terms and commit indices (the variables log[1], role, commit)
//	objects.go        the objects of linearizability, and what their operations do
//	history.go        what happens to one object, and the search for an order
//	formulas.go       the formulas of bounds, compiled once
//	channels.go       pairs of processes, sets of events
//	variables.go      what an event assigns
//	faults.go         the processes that are correct in the sense of the literature
//	room.go           how much a monitor may remember
//	hash.go           messages and entries that are told apart by hashes
//	sources.go        texts that several properties are from
//	argument.go       properties that take an argument, such as termination-within(20)
//
// # How a monitor speaks
//
// It counts in Result.Examined how often the property had something to say,
// calls Violate with the events that show a violation, Owe (or owe, for what a
// further event may mend) for what is open on a run that was stopped, Undecided
// where something is missing, and NotApplicable where the run has nothing that
// the property speaks of. The verdict follows. What it keeps is bounded by the
// processes and the messages on their way, or by room.go.
//
// CONTRIBUTING.md has the steps that add a property.
package property
