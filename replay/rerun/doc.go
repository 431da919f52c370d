// Package rerun executes recorded runs again. A simulated run carries the
// scenario that made it, so that it can be executed once more and compared
// ([Verify]), or executed with one thing changed ([WhatIf]). What the
// processes of any trace did, simulated or not, can be compared with what an
// algorithm would have done in their place ([Conform], [Rank]).
//
// The algorithms of the scenarios are looked up among those that are known; the
// zero registry stands for those that come with etrace.
//
// It joins replay, which knows nothing of algorithms, and record, which knows
// nothing of traces that exist.
//
// # Execute twice instead of keeping
//
// --verify, --what-if and its comparison run the scenario again beside the recording, as streams; nothing is
// kept but the seqs of each process's last events. Who needs the same events gets them in the same pass: a
// Checker and a Counter are writers, which a comparison feeds on its way. A changed run's scenario carries the
// edits, so it can be verified, changed and hunted like any other.
//
// # What is not recorded is supposed, process by process
//
// Of a partial recording, conformance follows each process in all the states in which it may be: a state of a
// host is a value (sim.State), a step from it a function of the state and the input, which is remembered.
// Between two recorded events of a process any step is tried that its coverage says may be missing, the fewest
// first. Processes are tied only by who is up and by which messages there are; where that is not known, either
// is supposed, so that a run of the algorithm is never refused. The budget is in steps, and a search that it
// ends is open.
package rerun
