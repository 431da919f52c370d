// Package complexity counts what a run costs: its messages by type, process,
// link and fate, the longest causal chain, and when it decided.
//
// # What is not asked for is not counted
//
// A Counter counts what every run is asked for, as fast as it can. All else (divisions, elections, operations,
// the longest chain, bits) is in a pass beside it which follows the messages on its own (ledger) and enters each
// into the accounts that were asked for; a test compares the two. What an operation is comes from outside, as
// events or spans: the language of rules makes them, and analyze/complexity does not know it.
//
// # Bits are those of the declaration
//
// An algorithm declares the fields of its messages as Go types, and their codecs know how many bits a value
// needs (sim.WidthWords). What a recording shows of a message is JSON of some recorder: of it only the bytes are
// counted.
package complexity
