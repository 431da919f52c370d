package property

import (
	"etrace/analyze"
	"etrace/tracefmt"
)

var singleLeaderDefinitely = analyze.Property{
	Name: "single-leader-definitely",
	Kind: analyze.Safety,
	Doc: `Not on every way through the consistent cuts are there two live processes that both hold elected = themselves.

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
