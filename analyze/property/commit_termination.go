package property

import (
	"slices"

	"etrace/analyze"
	"etrace/tracefmt"
)

var commitTermination = analyze.Property{
	Name: "commit-termination",
	Kind: analyze.Liveness,
	Doc: `Once some process has voted, each correct process decides in the end.

A process is correct if it takes part, and neither crashes nor halts in the whole run;
one of which the run does not say whether it takes part does if it votes or decides, may if it starts or has other
states, timers or notes, or may without a record, so that the property is unknown, and is else taken for one that stands by. So a
process that recovers owes no decision, and those that wait for it block. The property
is vacuous where no process votes. While the run can go on, a correct process that has
not decided is an open obligation.`,
	Needs:    commitNeeds,
	Source:   reliableProgramming + ", 6.6: NBAC1, termination; Skeen, Nonblocking Commit Protocols, 1981",
	Problem:  tracefmt.Commit,
	Convicts: slices.Concat(ballotFacts, decisionFacts),
	Acquits:  append(analyze.Facts("crash", "halt"), decisionFacts...),
	Triggers: ballotFacts,
	New: func(run *tracefmt.Run) analyze.Monitor {
		return newTermination(run, voteVariable, ballotFacts, isVote, isOutcome)
	},
}
