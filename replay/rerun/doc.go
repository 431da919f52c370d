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
package rerun
