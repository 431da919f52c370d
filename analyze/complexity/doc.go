// Package complexity counts what a run costs: its messages by type, process, link and fate, the longest causal
// chain, and the time of the decision.
//
// # Optional counts
//
// A Counter makes the counts that every run needs, as fast as it can. The optional counts (divisions,
// elections, operations, the longest chain, bits) are made by a ledger beside it. The ledger follows the
// messages on its own and enters each into the requested accounts; a test compares the two. Operations are
// defined outside, as events or spans, by the language of rules, which analyze/complexity does not import.
//
// # Bits
//
// An algorithm declares the fields of its messages as Go types, and their codecs determine the number of bits
// of a value (sim.WidthWords). A recording has only the JSON of some recorder, so only its bytes are counted.
package complexity
