// Package rerun executes recorded runs again. A simulated run carries its scenario, so it can be executed once
// more and compared ([Verify]), or executed with one change ([WhatIf]). Any trace, simulated or not, can be
// compared with what an algorithm would have done in place of its processes ([Conform], [Rank]).
//
// The algorithms of scenarios are looked up in a registry. The zero registry contains the algorithms that come
// with etrace.
//
// This package joins replay, which knows no algorithms, and record, which knows no existing traces.
//
// # Execute twice instead of keeping
//
// --verify, --what-if and its comparison execute the scenario beside the recording, as streams. They keep only
// the seqs of each process's last events. Checker and Counter are writers, so a comparison can feed them in
// the same pass. The scenario of a changed run contains the edits, so the run can be verified, changed and
// hunted like any other.
//
// # Unrecorded steps are assumed, process by process
//
// In a partial recording, conformance follows each process in all states that it may have. A state of a host
// is a value (sim.State); a step is a function of state and input, and its outcome is cached. Between two
// recorded events of a process the search tries every step that may be missing by the coverage, fewest first.
// Processes are connected only by which of them are up and by which messages exist. Where these are unknown,
// both answers are tried, so that no run of the algorithm is refused. The budget is in steps; a search that
// exceeds it leaves the result open.
package rerun
