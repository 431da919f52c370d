package mutex

import "etrace/analyze"

// Properties are the properties of mutual exclusion that are written in Go.
var Properties = []*analyze.Property{
	&boundedBypass,
	&mutualExclusion,
	&mutualExclusionDefinitely,
	&mutualExclusionPossibly,
	&noStarvation,
	&requestOrderFairness,
	&tokenUnique,
}
