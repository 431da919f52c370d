package election

import "etrace/analyze"

// Properties are the properties of elections that are written in Go.
var Properties = []*analyze.Property{
	&agreement,
	&electedHasSeenMost,
	&electionLiveness,
	&electionSafety,
	&electionSafetyAlways,
	&electionSafetyAtAssignment,
	&eventualLeader,
	&leaderHasQuorum,
	&leaderIsLive,
	&namedLeaderPerTerm,
	&oneElectionAtATime,
	&recoveredRelearns,
	&ringForwardIncreasing,
	&ringListsAgree,
	&ringNoOrphan,
	&ringSuccessorOnly,
	&singleLeader,
	&singleLeaderDefinitely,
	&singleLeaderPossibly,
	&uniqueLeaderPerTerm,
}
