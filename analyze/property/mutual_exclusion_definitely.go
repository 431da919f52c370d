package property

import (
	"etrace/analyze"
	"etrace/tracefmt"
)

var mutualExclusionDefinitely = analyze.Property{
	Name: "mutual-exclusion-definitely",
	Kind: analyze.Safety,
	Doc: `For any two processes, causality allows an order of the events in which they are never in the critical section together.

A process is inside from its note enter to its note exit; a crash, a halt and a
recovery take it out as well. Two processes violate this weakest reading only
if they were inside at one time in whatever order concurrent events took place:
each entered before the other left, in the sense of happened-before. While the
run can go on, a process may leave in its next step. Each pair of processes
counts once.`,
	Needs:     mutexNeeds + "; receive events that name their sends",
	Source:    cooperMarzullo + ": definitely",
	Problem:   "mutex",
	OnRequest: true,
	New:       func(run *tracefmt.Run) analyze.Monitor { return insideTogether(run, true) },
}
