// Package rerun executes recorded runs again. A simulated run carries its scenario, so it can be executed once
// more and compared ([Verify]), or executed with one change ([WhatIf]). Package conform compares any trace, simulated
// or not, with an algorithm.
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
package rerun
