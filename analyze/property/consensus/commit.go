package consensus

import (
	"etrace/analyze"
	"etrace/analyze/property/members"
	"etrace/tracefmt"
)

// The variables of a commitment, and their values.
const (
	voteVariable = "vote"
	yesVote      = `"yes"`
	noVote       = `"no"`
	toCommit     = `"commit"`
	toAbort      = `"abort"`
)

// The needs of the properties of commitment, and the reason if a run has no votes.
const (
	commitNeeds    = `state events that assign vote ("yes" or "no") and decided ("commit" or "abort")`
	noVoteRecorded = "no process has a variable " + voteVariable
)

// ballotFacts are the facts of votes, with the votes that a process starts with.
var ballotFacts = analyze.Facts("state." + voteVariable)

// casts reports whether an event assigns this vote to its process.
func casts(e *tracefmt.Event, vote string) bool {
	value, ok := members.Assigned(e, voteVariable)
	return ok && members.SameValue(value, []byte(vote))
}

// isVote reports whether a value of the variable vote is a vote.
func isVote(value []byte) bool {
	return members.SameValue(value, []byte(yesVote)) || members.SameValue(value, []byte(noVote))
}

// isOutcome reports whether a value of the variable "decided" is an outcome of atomic commitment: commit or abort.
func isOutcome(value []byte) bool {
	return members.SameValue(value, []byte(toCommit)) || members.SameValue(value, []byte(toAbort))
}
