package analyze

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// In a [Need], AnyProcess is every process that takes part, and EveryProcess is every
// process of the run, also one that only stands by.
const (
	AnyProcess   tracefmt.ProcessID = -1
	EveryProcess tracefmt.ProcessID = -2
)

// A Need is a stretch of a run in which a fact may have happened without being recorded,
// so that it is not known what a property comes to.
type Need struct {
	// Process is where it may have happened, 0 for what happens at no process.
	Process tracefmt.ProcessID
	Fact    tracefmt.Fact
	// From and To are the events between which it may have; 0 for From is the beginning,
	// for To the end.
	From, To tracefmt.Seq
	// Besides, unless it is the zero Fact, must have happened there, too, without being
	// recorded: a process recovers only after it has gone down.
	Besides tracefmt.Fact
}

// Needs returns a need for each of the facts.
func Needs(p tracefmt.ProcessID, from, to tracefmt.Seq, facts ...tracefmt.Fact) []Need {
	all := make([]Need, len(facts))
	for i, f := range facts {
		all[i] = Need{Process: p, Fact: f, From: from, To: to}
	}
	return all
}

// Facts returns the facts of the names that a declaration has for them, such as
// state.elected, crash, and timers. It is for tables in code, and panics on any other.
func Facts(names ...string) []tracefmt.Fact {
	var all []tracefmt.Fact
	for _, name := range names {
		facts, err := tracefmt.ParseFacts(name)
		if err != nil {
			panic(err)
		}
		all = append(all, facts...)
	}
	return all
}

// unrecorded returns those of the needs that the recording does not tell. A need of any
// process becomes one of each whose record may lack it, unless they are all.
func unrecorded(c *tracefmt.Coverage, run *tracefmt.Run, needs []Need) []Need {
	var all []Need
	for _, n := range needs {
		if n.Process != AnyProcess && n.Process != EveryProcess {
			if n.missing(c) {
				all = append(all, n)
			}
			continue
		}
		all = append(all, unrecordedAnywhere(c, run, n)...)
	}
	return all
}

// missing reports whether what is needed of one process may not be recorded.
func (n Need) missing(c *tracefmt.Coverage) bool {
	return c.Missing(n.Process, n.Fact, n.From, n.To) && (n.Besides.Kind == 0 || c.Missing(n.Process, n.Besides, n.From, n.To))
}

func unrecordedAnywhere(c *tracefmt.Coverage, run *tracefmt.Run, n Need) []Need {
	info := n.Fact.Kind.Info()
	if info.Process == tracefmt.Absent {
		n.Process = 0
		if n.missing(c) {
			return []Need{n}
		}
		return nil
	}
	var at []Need
	everywhere := true
	for i := range run.Members {
		own := n
		own.Process = tracefmt.ProcessID(i + 1)
		switch {
		case n.Process == AnyProcess && run.Part(own.Process) == tracefmt.StandsBy:
		case own.missing(c):
			at = append(at, own)
		default:
			everywhere = false
		}
	}
	if everywhere && len(at) > 1 {
		n.Process = AnyProcess
		return []Need{n}
	}
	return at
}

// tidy sorts needs and joins those of one fact whose stretches meet.
func tidy(needs []Need) []Need {
	slices.SortFunc(needs, func(a, b Need) int {
		return cmp.Or(cmp.Compare(a.Process, b.Process), strings.Compare(a.Fact.String(), b.Fact.String()), cmp.Compare(a.From, b.From), cmp.Compare(end(a), end(b)))
	})
	var all []Need
	for _, n := range needs {
		last := len(all) - 1
		if last >= 0 && all[last].Process == n.Process && all[last].Fact == n.Fact && n.From <= end(all[last]) {
			if end(n) > end(all[last]) {
				all[last].To = n.To
			}
			continue
		}
		all = append(all, n)
	}
	return all
}

// end is where a need ends, so that ends compare.
func end(n Need) tracefmt.Seq {
	if n.To == 0 {
		return 1<<63 - 1
	}
	return n.To
}

// Text says for people what is needed: "state.elected of n3 between seq 12 and 40".
func (n Need) Text(run *tracefmt.Run) string {
	s := n.Fact.String()
	switch {
	case n.Process == AnyProcess:
		s += " of any process"
	case n.Process > 0:
		s += " of " + run.ProcessName(n.Process)
	}
	switch {
	case n.From > 0 && n.To > 0:
		return s + fmt.Sprintf(" between seq %d and %d", n.From, n.To)
	case n.From > 0:
		return s + fmt.Sprintf(" after seq %d", n.From)
	case n.To > 0:
		return s + fmt.Sprintf(" before seq %d", n.To)
	}
	return s
}

// needsText lists needs for people.
func needsText(run *tracefmt.Run, needs []Need) string {
	var all []string
	for _, n := range needs {
		all = append(all, n.Text(run))
	}
	return text.Some(all, 4)
}
