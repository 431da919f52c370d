package property

import (
	"etrace/analyze"
	"etrace/tracefmt"
)

// The variable in which the processes of a commitment vote, and the values of it and of
// the variable decided.
const (
	voteVariable = "vote"
	yesVote      = `"yes"`
	noVote       = `"no"`
	toCommit     = `"commit"`
	toAbort      = `"abort"`
)

// What the properties of commitment need, and the reason where a run has none of it.
const (
	commitNeeds = `state events that assign vote ("yes" or "no") and decided ("commit" or "abort")`
	noVoteTold  = "no process has a variable " + voteVariable
)

// ballotFacts are where votes change, also those with which a process begins.
var ballotFacts = analyze.Facts("state." + voteVariable)

// casts reports whether an event gives the variable vote of its process this value.
func casts(e *tracefmt.Event, vote string) bool {
	value, ok := assigned(e, voteVariable)
	return ok && sameValue(value, []byte(vote))
}

// isVote reports whether a value of the variable vote is a vote: else the process has not
// voted yet.
func isVote(value []byte) bool {
	return sameValue(value, []byte(yesVote)) || sameValue(value, []byte(noVote))
}

// isOutcome reports whether a value of the variable decided is one of a commitment.
func isOutcome(value []byte) bool {
	return sameValue(value, []byte(toCommit)) || sameValue(value, []byte(toAbort))
}
