package election

import "etrace/tracefmt"

// The bounds of the algorithms count every send, also to a process that is
// down. Their names are those of [tracefmt.Bound].

// atMost returns an upper bound for any delays.
func atMost(messages, condition, source string) tracefmt.Bound {
	return tracefmt.Bound{Messages: messages, If: condition, Counts: tracefmt.CountsSent, Source: source}
}

// inTime returns an upper bound that requires unit delays: with other delays, timeouts may expire too early.
func inTime(messages, condition, source string) tracefmt.Bound {
	b := atMost(messages, condition, source)
	b.Delays = tracefmt.UnitDelays
	return b
}

// kind returns the bound with another kind.
func kind(counted string, b tracefmt.Bound) tracefmt.Bound {
	b.Kind = counted
	return b
}

// exactly returns a bound on the exact number of messages.
func exactly(messages, condition, source string) tracefmt.Bound {
	return kind(tracefmt.ExactCase, atMost(messages, condition, source))
}

// boundInWords returns a bound in words, for people.
func boundInWords(order, condition, source string) tracefmt.Bound {
	return kind(tracefmt.OrderOf, atMost(order, condition, source))
}

// without returns the bound without messages of the given types.
func without(b tracefmt.Bound, types ...string) tracefmt.Bound {
	b.Without = types
	return b
}

// holdingBounds are the bounds of the texts in which a process that gets ELECTION holds an election, too. If several
// processes start and the greatest id is up, its announcements cross the questions, and no bound is stated.
var holdingBounds = []tracefmt.Bound{
	// Each process above, and the lowest, asks all above it, and the live ones answer: above*(above+1)/2 +
	// above*(above-1)/2. The greatest of them announces itself.
	inTime("above**2 + n-1", "not top", holdingRules),
	// All are answered, and the greatest announces itself whenever it is asked.
	inTime("above*(above+1) + max(1, above)*(n-1)", "top and starts == 1", holdingRules),
	boundInWords("O(n^2)", "", holdingSource),
}

const (
	holdingSource = "Garcia-Molina 1982; slides, Algorithm 3: O(N^2)"
	holdingRules  = "by the rules of Garcia-Molina 1982 and the slides, Algorithm 3, which say O(N^2)"
)

// ringBounds are the bounds of the ring algorithms that collect a list of ids.
var ringBounds = []tracefmt.Bound{
	atMost("starts * 2*live", "", "slides, Algorithm 2: 2N; the list once round, and the result"),
}
