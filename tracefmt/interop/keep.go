package interop

import "etrace/tracefmt/text"

// Parts are parts of a run.
type Parts uint16

// The parts of a run. Causality is the happened-before relation; messages are the pairs of send and receive.
const (
	Processes Parts = 1 << iota
	Messages
	Causality
	Kinds
	Types
	Times
	LamportClocks
	Terms
	Payloads
	Header
	End

	// OfEvents are the parts that events have, Everything is all parts.
	OfEvents   = Header - 1
	Everything = End<<1 - 1
)

// partNames are the names of the parts, by bit.
var partNames = []string{
	"processes", "messages", "causality", "kinds", "types", "times", "Lamport clocks", "terms", "payloads", "the header", "the end",
}

// String lists the parts.
func (p Parts) String() string {
	var list []string
	for i, word := range partNames {
		if p&(1<<i) != 0 {
			list = append(list, word)
		}
	}
	switch p {
	case Everything:
		return "everything"
	case OfEvents:
		return "all of the events"
	case 0:
		return "nothing"
	}
	return text.And(list)
}

// Survives describes in a line the parts of a run that a file of the format contains, and the parts that an
// import recovers. It is empty for a read-only format.
func (f Format) Survives() string {
	if f.Write == nil {
		return ""
	}
	said := f.Keeps.String()
	if lost := Everything &^ f.Keeps; lost != 0 {
		said += ", not " + lost.String()
	}
	if f.Read != nil && f.Returns != f.Keeps {
		said += "; import gives back " + f.Returns.String()
	}
	return said
}
