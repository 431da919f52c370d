// Package conform compares a run, simulated or not, with what an algorithm would have done in place of its processes:
// [Decide] with one algorithm, [Rank] with all.
//
// # Unrecorded steps are assumed, process by process
//
// In a partial recording, conformance follows each process in all states that it may have. A state of a host
// is a value (sim.State); a step is a function of state and input, and its outcome is cached. Between two
// recorded events of a process the search tries every step that may be missing by the coverage, fewest first.
// Processes are connected only by which of them are up and by which messages exist. Where these are unknown,
// both answers are tried, so that no run of the algorithm is refused. The budget is in steps; a search that
// exceeds it leaves the result open.
package conform
