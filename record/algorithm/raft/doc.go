// Package raft holds Raft: servers that elect a leader for each term, and keep a log whose committed entries are the same
// at all servers.
//
// A command is the id of the leader that appends it, so that the log shows the leader. When a server sends to several
// others, it does so in ascending order; it sends nothing to itself.
package raft

import "etrace/record/algorithm"

// All returns the algorithms of Raft, sorted by name.
func All() []*algorithm.Algorithm { return []*algorithm.Algorithm{&raftAlgorithm} }
