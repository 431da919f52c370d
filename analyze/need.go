package analyze

import (
	"cmp"
	"slices"
	"strings"

	"etrace/replay"
	"etrace/tracefmt"
)

// In a [Need], AnyProcess means every participant, and EveryProcess every process of the run, with
// non-participants.
const (
	AnyProcess   tracefmt.ProcessID = -1
	EveryProcess tracefmt.ProcessID = -2
)

// Need is a fact, and a stretch of the run in which it may have happened unrecorded, so that a verdict is
// unknown.
type Need struct {
	// Process is the process of the fact, 0 for a fact of no process.
	Process tracefmt.ProcessID `json:"process,omitempty"`
	Fact    tracefmt.Fact      `json:"fact"`
	// From and To are the events around the stretch; 0 for From is the beginning, for To the end.
	From tracefmt.Seq `json:"from,omitempty"`
	To   tracefmt.Seq `json:"to,omitempty"`
	// Anew is set for a recovery of a process that is up by the record: then its crash must be unrecorded, too. A
	// halted process does not recover.
	Anew bool `json:"anew,omitempty"`
	// Dropped is the number of events that the gap lacks, 0 if the stretch is no gap or the number is unknown.
	Dropped int64 `json:"dropped,omitempty"`
}

// crashFact is the fact before a restart.
var crashFact = tracefmt.Fact{Kind: tracefmt.Crash}

// The facts by which a crashed process comes up: its next life begins with either.
var recoverFact, startFact = tracefmt.Fact{Kind: tracefmt.Recover}, tracefmt.Fact{Kind: tracefmt.Start}

// withStarts adds to each recovery among the needs the same need for a start, since either begins the next life
// of a process. It adds none if all starts are declared recorded: a gap that may hide a start may also hide a
// recovery.
func withStarts(c *tracefmt.Coverage, run *tracefmt.Run, needs []Need) []Need {
	for _, n := range needs[:len(needs):len(needs)] {
		if start, may := n.startInstead(c, run); may {
			needs = append(needs[:len(needs):len(needs)], start)
		}
	}
	return needs
}

// startInstead returns the need for a start instead of its recovery, and whether some start may be unrecorded.
func (n Need) startInstead(c *tracefmt.Coverage, run *tracefmt.Run) (Need, bool) {
	if n.Fact != recoverFact || c.Silent() {
		return n, false
	}
	n.Fact = startFact
	return n, slices.ContainsFunc(n.processes(run), func(p tracefmt.ProcessID) bool {
		return c.Declared(p, startFact) > tracefmt.All
	})
}

// MayRestart returns the need that a process which is up crashed and recovered between two events; until 0 is
// the end of the run.
func MayRestart(p tracefmt.ProcessID, from, until tracefmt.Seq) Need {
	return Need{Process: p, Fact: tracefmt.Fact{Kind: tracefmt.Recover}, From: from, To: until, Anew: true}
}

// Needs returns a need for each of the facts at p between two events; until 0 is the end of the run.
func Needs(p tracefmt.ProcessID, from, until tracefmt.Seq, facts ...tracefmt.Fact) []Need {
	list := make([]Need, len(facts))
	for i, f := range facts {
		list[i] = Need{Process: p, Fact: f, From: from, To: until}
	}
	return list
}

// Facts returns the facts with these names, such as state.elected, crash and timers. It panics on an unknown
// name, so it is only for tables in code.
func Facts(names ...string) []tracefmt.Fact {
	var list []tracefmt.Fact
	for _, name := range names {
		facts, err := tracefmt.ParseFacts(name)
		if err != nil {
			panic(err)
		}
		list = append(list, facts...)
	}
	return list
}

// Missing returns those needs that the recording may lack. Without a declaration of completeness, this is
// known only at the end of the run.
func Missing(s *replay.State, needs []Need) []Need {
	c := s.Coverage()
	needs = inGaps(c, s.Run, slices.DeleteFunc(unrecorded(c, s.Run, needs),
		func(n Need) bool { return !c.Exists(n.Fact) }))
	for i := range needs {
		if needs[i].Process == EveryProcess { // both words mean the same here
			needs[i].Process = AnyProcess
		}
		if s.Now() == 0 && s.Seq > 0 && needs[i].To > s.Seq { // a gap that reaches beyond the last event
			needs[i].To = 0
		}
	}
	return needs
}

// processes returns the processes of the need; all of the run for AnyProcess and EveryProcess.
func (n Need) processes(run *tracefmt.Run) []tracefmt.ProcessID {
	if n.Process != AnyProcess && n.Process != EveryProcess {
		return []tracefmt.ProcessID{n.Process}
	}
	list := make([]tracefmt.ProcessID, len(run.Members))
	for i := range list {
		list[i] = tracefmt.ProcessID(i + 1)
	}
	return list
}

// unrecorded returns those needs that the recording may lack. A need of any process becomes one need for each
// process whose record may lack it, unless that holds for all.
func unrecorded(c *tracefmt.Coverage, run *tracefmt.Run, needs []Need) []Need {
	var list []Need
	for _, n := range withStarts(c, run, needs) {
		if n.Process != AnyProcess && n.Process != EveryProcess {
			if n.missing(c) {
				list = append(list, n)
			}
			continue
		}
		list = append(list, unrecordedAnywhere(c, run, n)...)
	}
	return list
}

// missing reports whether the recording may lack the fact of a need of one process.
func (n Need) missing(c *tracefmt.Coverage) bool {
	missing := func(f tracefmt.Fact) bool { return c.Missing(n.Process, f, n.From, n.To) }
	return missing(n.Fact) && (!n.Anew || missing(crashFact) && n.fitsCrashAndFact(c))
}

// missingAnywhere reports whether the recording may lack the fact at one of the processes of the need.
func (n Need) missingAnywhere(c *tracefmt.Coverage, run *tracefmt.Run) bool {
	process := n.Process
	switch {
	case process != AnyProcess && process != EveryProcess:
		return n.missing(c)
	case n.Fact.Kind.Info().Process == tracefmt.Absent:
		n.Process = 0
		return n.missing(c)
	}
	isMissingAt := missingAt(c, n)
	for i := range run.Members {
		p := tracefmt.ProcessID(i + 1)
		if (process != AnyProcess || run.Part(p) != tracefmt.Bystander) && isMissingAt(p) {
			return true
		}
	}
	return false
}

// unrecordedAnywhere is unrecorded for a need of AnyProcess or EveryProcess.
func unrecordedAnywhere(c *tracefmt.Coverage, run *tracefmt.Run, n Need) []Need {
	info := n.Fact.Kind.Info()
	if info.Process == tracefmt.Absent {
		n.Process = 0
		if n.missing(c) {
			return []Need{n}
		}
		return nil
	}
	var at []tracefmt.ProcessID
	everywhere := true
	isMissingAt := missingAt(c, n)
	for i := range run.Members {
		p := tracefmt.ProcessID(i + 1)
		switch {
		case n.Process == AnyProcess && run.Part(p) == tracefmt.Bystander:
		case isMissingAt(p):
			at = append(at, p)
		default:
			everywhere = false
		}
	}
	if everywhere && len(at) > 1 || len(at) > maxNamed {
		return []Need{n}
	}
	needs := make([]Need, len(at))
	for i, p := range at {
		needs[i] = n
		needs[i].Process = p
	}
	return needs
}

// maxNamed is the greatest number of processes with a need each; the need of more processes names none of them.
const maxNamed = 1024

// missingAt returns a function that reports whether the recording may lack the fact of n at a process. It
// computes the answer once for all processes without their own declarations.
func missingAt(c *tracefmt.Coverage, n Need) func(tracefmt.ProcessID) bool {
	known, remaining := false, false
	return func(p tracefmt.ProcessID) bool {
		apart := c.Apart(p) || c.ShowsUp(p, n.Fact)
		if known && !apart {
			return remaining
		}
		single := n
		single.Process = p
		missing := single.missing(c)
		if !apart {
			known, remaining = true, missing
		}
		return missing
	}
}

// mergeNeeds sorts needs and joins those of the same fact whose stretches touch. It drops a need for a restart if
// another need includes it.
func mergeNeeds(needs []Need) []Need {
	list := joinStretches(needs)
	kept := list[:0:0]
	for _, n := range list {
		if !n.Anew || !n.isAmong(kept) {
			kept = append(kept, n)
		}
	}
	return kept
}

// isAmong reports whether the last needs of a sorted list include n, a need for a restart.
func (n Need) isAmong(sorted []Need) bool {
	for _, m := range slices.Backward(sorted) {
		if m.Process != n.Process || m.Fact != n.Fact {
			return false
		}
		if !m.Anew && m.From <= n.From && endOf(n) <= endOf(m) {
			return true
		}
	}
	return false
}

// joinStretches sorts needs, and joins those of the same fact and process whose stretches touch.
func joinStretches(needs []Need) []Need {
	var list []Need
	for _, n := range sortNeeds(needs) {
		last := len(list) - 1
		if last < 0 || !list[last].touches(n) {
			list = append(list, n)
			continue
		}
		if n.To != list[last].To || n.From != list[last].From {
			list[last].Dropped = 0
		}
		if endOf(n) > endOf(list[last]) {
			list[last].To = n.To
		}
	}
	return list
}

// touches reports whether two needs can be joined; second must not begin before n. Gaps that only touch stay
// apart, since each has its own number of dropped events.
func (n Need) touches(second Need) bool {
	if n.Process != second.Process || n.Fact != second.Fact || n.Anew != second.Anew {
		return false
	}
	return second.From < endOf(n) || second.From == endOf(n) && n.Dropped == 0 && second.Dropped == 0
}

// sortNeeds sorts needs by process, fact and place.
func sortNeeds(needs []Need) []Need {
	slices.SortFunc(needs, compareNeeds)
	return needs
}

// compareNeeds orders needs by process, fact and place.
func compareNeeds(a, b Need) int {
	if a.Process != b.Process { // most needs differ here, and to compare facts allocates their names
		return cmp.Compare(a.Process, b.Process)
	}
	return cmp.Or(compareFacts(a.Fact, b.Fact), compareBools(a.Anew, b.Anew),
		cmp.Compare(a.From, b.From), cmp.Compare(endOf(a), endOf(b)), cmp.Compare(a.Dropped, b.Dropped))
}

// compareFacts orders facts by their names.
func compareFacts(a, b tracefmt.Fact) int {
	if a == b {
		return 0
	}
	return strings.Compare(a.String(), b.String())
}

// needKey identifies the needs that can be joined: those of one fact of one process.
type needKey struct {
	process tracefmt.ProcessID
	fact    tracefmt.Fact
	anew    bool
}

// needList is a set of needs. It has the stretches of a fact of a process separately up to a limit, else the stretch
// around all. The set depends only on the needs added, in whatever order, so sets of parts can be joined.
type needList struct {
	list   []Need
	limit  int
	merged map[needKey]bool // the facts with one stretch around them
}

// maxStretches bounds the separate stretches of a fact.
const maxStretches = 256

// add adds needs. It tidies the list each time that its length has doubled, so that adding is linear.
func (l *needList) add(needs ...Need) {
	const minLimit = 1 << 12
	l.list = append(l.list, needs...)
	if len(l.list) > max(l.limit, minLimit) {
		l.limit = 2 * len(l.sorted())
	}
}

// sorted returns the needs in order.
func (l *needList) sorted() []Need {
	slices.SortFunc(l.list, compareNeeds)
	kept := l.list[:0] // in the same memory
	for remaining := slices.Compact(l.list); len(remaining) > 0; {
		key := remaining[0].key()
		n := slices.IndexFunc(remaining, func(n Need) bool { return n.key() != key })
		if n < 0 {
			n = len(remaining)
		}
		sameKey := remaining[:n]
		remaining = remaining[n:]
		if n <= maxStretches && !l.merged[key] {
			kept = append(kept, sameKey...)
			continue
		}
		if l.merged == nil {
			l.merged = make(map[needKey]bool)
		}
		l.merged[key] = true
		kept = append(kept, stretchAround(sameKey))
	}
	l.list = kept
	return kept
}

// lists returns the needs that are separate, and those joined to one stretch.
func (l *needList) lists() (separate, joined []Need) {
	for _, n := range l.sorted() {
		if l.merged[n.key()] {
			joined = append(joined, n)
		} else {
			separate = append(separate, n)
		}
	}
	return separate, joined
}

// take adds the needs of a part.
func (l *needList) take(p Part) {
	for _, n := range p.Joined {
		if l.merged == nil {
			l.merged = make(map[needKey]bool)
		}
		l.merged[n.key()] = true
	}
	l.add(p.Joined...)
	l.add(p.Lacking...)
}

// lackingNeeds returns the needs of a part.
func (p Part) lackingNeeds() *needList {
	var list needList
	list.take(p)
	return &list
}

// stretchAround returns the stretch around needs of one key, sorted by their beginnings.
func stretchAround(sorted []Need) Need {
	around := sorted[0]
	for _, n := range sorted {
		if endOf(n) > endOf(around) {
			around.To = n.To
		}
	}
	around.Dropped = 0
	return around
}

func (n Need) key() needKey { return needKey{n.Process, n.Fact, n.Anew} }

// compareBools orders false before true.
func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// endOf returns the end of a need as a number that can be compared.
func endOf(n Need) tracefmt.Seq {
	if n.To == 0 {
		return 1<<63 - 1
	}
	return n.To
}
