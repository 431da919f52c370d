package raft

import "etrace/analyze"

// Properties are the properties of the logs of Raft that are written in Go.
var Properties = []*analyze.Property{
	&raftLeaderAppendOnly,
	&raftLeaderCompleteness,
	&raftLogMatching,
	&raftStateMachineSafety,
}
