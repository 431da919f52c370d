// Package raft holds Raft: servers that elect a leader for each term, and keep a log that
// all agree on up to what is committed.
//
// A command is the id of the server that is asked for it, so that one sees in a log who
// led when it was appended. When a server sends to several others, it does so in
// ascending order; it sends nothing to itself.
package raft

import "etrace/record/algorithm"

// All returns the algorithms of Raft, sorted by name.
func All() []*algorithm.Algorithm { return []*algorithm.Algorithm{&raftAlgorithm} }
