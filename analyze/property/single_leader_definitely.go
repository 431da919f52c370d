package property

import (
	"etrace/analyze"
	"etrace/tracefmt"
)

var singleLeaderDefinitely = analyze.Property{
	Name: "single-leader-definitely",
	Kind: analyze.Safety,
	Doc: `For any two processes, causality allows an order of the events in which never both are live and hold elected = themselves.

Two processes violate this weakest reading only if they led at one time in
whatever order concurrent events took place: each began to lead before the
other ceased to, in the sense of happened-before. While the run can go on, a
leader may cease to be one in its next step. Each pair of processes counts
once.`,
	Needs:     "state events that assign elected; receive events that name their sends",
	Source:    cooperMarzullo + ": definitely",
	Problem:   "election",
	OnRequest: true,
	New:       func(run *tracefmt.Run) analyze.Monitor { return leadersTogether(run, true) },
}
