package consensus

import (
	"slices"

	"etrace/analyze"
	"etrace/analyze/property/paper"
	"etrace/tracefmt"
)

var commitTermination = analyze.Property{
	Name: "commit-termination",
	Kind: analyze.Liveness,
	Doc: `Once some process has voted, each correct process eventually decides.

A process is correct if it participates, and neither crashes nor halts in the whole run. If the run does not state
whether a process participates, it participates if it votes or decides. If it only starts or has other states, timers
or notes, or if such events may be unrecorded, the property is unknown; otherwise the process counts as a
non-participant. A process that crashed is not correct, so after recovery it need not decide; correct processes that
wait for it forever violate the property. The property is vacuous if no process votes. While the run can go on, a
correct process that has not decided is an open obligation.`,
	Needs:      commitNeeds,
	Source:     paper.ReliableProgramming + ", 6.6: NBAC1, termination; Skeen, Nonblocking Commit Protocols, 1981",
	Problem:    tracefmt.Commit,
	ViolatedBy: slices.Concat(ballotFacts, decisionFacts),
	ExcusedBy:  append(analyze.Facts("crash", "halt"), decisionFacts...),
	Triggers:   ballotFacts,
	New: func(run *tracefmt.Run) analyze.Monitor {
		return newTermination(run, voteVariable, ballotFacts, isVote, isOutcome)
	},
}
