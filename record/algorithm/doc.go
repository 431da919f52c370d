// Package algorithm is the contract of algorithms that etrace simulates: a
// record of a name, documentation, parameters and a protocol. The algorithms
// are in folders below, one for each problem; [etrace/record/algorithm/builtin]
// lists all of them.
package algorithm
