package tracefmt

import (
	"cmp"
	"iter"
	"maps"
	"slices"
)

// Coverage says what of a run is recorded, and so what else may have happened. It is what
// the run declares ([Run.Completeness]); where that is silent, of each kind of event and each
// variable that occurs anywhere in the run all is recorded, and of the others nothing. What
// occurs it must be shown, so that its answers are final only when all events have been.
// A simulated run that declares nothing is recorded whole.
type Coverage struct {
	run      *Run
	whole    bool            // all is recorded, as the run says
	complete bool            // and no event is in doubt
	silent   bool            // for some fact the events decide
	follows  bool            // the steps of the processes, see lifeline
	kinds    uint32          // that occur
	stated   uint32          // kinds of which an event is stated
	seen     map[string]bool // variables that occur
	named    map[string]bool // variables that the declaration names
	gaps     map[ProcessID]*gapList
	lives    []lifeline  // by process
	said     *levelTable // the declaration
}

// NewCoverage returns the coverage of a run of which no event was shown yet.
func NewCoverage(run *Run) *Coverage {
	whole := run.RecordsAll()
	c := &Coverage{run: run, whole: whole, complete: whole, follows: !whole && run.Completeness != nil}
	if whole {
		return c
	}
	c.seen, c.said = make(map[string]bool), newLevelTable(run)
	c.named = c.said.variables()
	c.silent = run.Completeness == nil || run.Completeness.Default == Unsaid
	if run.Completeness == nil {
		return c
	}
	for _, g := range run.Completeness.Gaps {
		if p, ok := run.Process(g.Process); ok {
			c.addGap(p, g)
		}
	}
	return c
}

// Clone returns a copy that shares nothing that changes with it.
func (c *Coverage) Clone() *Coverage {
	if c == nil {
		return nil
	}
	d := *c
	d.seen, d.lives, d.gaps = maps.Clone(c.seen), slices.Clone(c.lives), maps.Clone(c.gaps)
	for p, g := range d.gaps {
		d.gaps[p] = &gapList{slices.Clone(g.all), slices.Clone(g.spans)}
	}
	for i := range d.lives {
		d.lives[i].rises = slices.Clip(d.lives[i].rises) // it grows only: what is there is shared
	}
	return &d
}

// Complete reports whether everything that happened is recorded.
func (c *Coverage) Complete() bool { return c.complete }

// Silent reports whether what is recorded depends on which events occur.
func (c *Coverage) Silent() bool { return c.silent }

// Show takes in an event of the run. Those of a process come in their order, or again.
func (c *Coverage) Show(e *Event) {
	if c.complete && !e.Inferred() {
		return
	}
	c.ShowKind(e)
	if e.Inferred() {
		c.Doubt(e)
	}
	if !e.Kind.AssignsVariables() {
		return
	}
	for name, value := range Fields(e.Payload) {
		if IsVariable(e.Kind, name, value) {
			c.ShowVariable(name)
		}
	}
}

// Guess reports whether the event is a crash or halt that was inferred, of a process of which
// the run says not to tell all such: nothing shows when it was, nor a gap, and a run without
// it is no other.
func (c *Coverage) Guess(e *Event) bool {
	return (e.Kind == Crash || e.Kind == Halt) && e.Inferred() && c.Said(e.Process, Fact{Kind: e.Kind}) > All
}

// Doubt takes in an event that is inferred, after [Coverage.ShowKind]. That it had to be,
// though such are told, shows that the record of the process has a gap, from its step before
// to the next: there it happened, at a moment that nothing shows.
func (c *Coverage) Doubt(e *Event) {
	if c.Guess(e) {
		return
	}
	if c.complete {
		c.complete, c.seen = false, make(map[string]bool)
	}
	c.addGap(e.Process, Gap{Process: c.run.ProcessName(e.Process), From: e.Seq, To: e.Seq})
}

func (c *Coverage) addGap(p ProcessID, g Gap) {
	if c.gaps == nil {
		c.gaps = make(map[ProcessID]*gapList)
	}
	if c.gaps[p] == nil {
		c.gaps[p] = new(gapList)
	}
	c.gaps[p].add(g)
}

// ShowKind takes in that an event of that kind occurs; one that is stated does not show that
// such are recorded. It is Show in two parts, for who reads the fields of an event anyway.
func (c *Coverage) ShowKind(e *Event) {
	if c.follows {
		c.live(e)
	}
	if c.kinds&(1<<e.Kind) == 0 {
		c.begin(e)
	}
}

// begin takes in the first event of a kind.
func (c *Coverage) begin(e *Event) {
	if e.Mark() != "" {
		c.stated |= 1 << e.Kind
	} else {
		c.kinds |= 1 << e.Kind
	}
}

// ShowVariable takes in that the variable is assigned.
func (c *Coverage) ShowVariable(name []byte) {
	if c.complete {
		return
	}
	if name = ListName(name); !c.seen[string(name)] {
		c.seen[string(name)] = true
	}
}

// occurs reports whether the fact was shown, an item of a list by any of it.
func (c *Coverage) occurs(f Fact) bool {
	if f.Variable != "" {
		return c.seen[ListName(f.Variable)]
	}
	return c.kinds&(1<<f.Kind) != 0
}

// Occurs reports whether an event of the kind was shown that was not stated.
func (c *Coverage) Occurs(k Kind) bool { return c.kinds&(1<<k) != 0 }

// OnlyStated reports whether events of the kind occur, and all of them were stated and not
// recorded.
func (c *Coverage) OnlyStated(k Kind) bool { return c.stated&^c.kinds&(1<<k) != 0 }

// Variables returns the variables that some event assigns, sorted.
func (c *Coverage) Variables() []string { return slices.Sorted(maps.Keys(c.seen)) }

// Exists reports whether the run has a word for the fact: a variable exists if some event
// assigns it, or the declaration names it; every kind does.
func (c *Coverage) Exists(f Fact) bool {
	name := ListName(f.Variable)
	return name == "" || c.whole || c.seen[name] || c.named[name]
}

// Level returns how much of a fact is recorded of the process, 0 for events of none. An
// item of a list, such as log[3], is told as the list is.
func (c *Coverage) Level(p ProcessID, f Fact) Level {
	switch l := c.Said(p, f); {
	case l != Unsaid:
		return l
	case c.occurs(f):
		return All
	}
	return None
}

// Nowhere reports whether nothing of a fact is recorded of any process or, of a kind that
// happens at none, of the run.
func (c *Coverage) Nowhere(f Fact) bool {
	if c.complete {
		return false
	}
	from := 1
	if f.Kind.Info().Process == Absent {
		from = 0
	}
	for p := from; p <= len(c.run.Members); p++ {
		if c.Level(ProcessID(p), f) != None {
			return false
		}
	}
	return true
}

// Said is Level as the run says it, Unsaid where it is for the events to say.
func (c *Coverage) Said(p ProcessID, f Fact) Level {
	if c.whole {
		return All
	}
	f.Variable = ListName(f.Variable)
	return c.said.level(p, f)
}

// Missing reports whether the fact may have happened at the process without being
// recorded, after the event after and before the event before; 0 for before is the end of
// the run, or later.
func (c *Coverage) Missing(p ProcessID, f Fact, after, before Seq) bool {
	switch {
	case c.complete || before != 0 && before <= after, c.unheardOf(p, f):
		return false
	case c.Level(p, f) != All:
		return !c.ShowsUp(p, f) || c.lives[p].mayFall(after, before)
	}
	return c.InGap(p, after, before)
}

// unheardOf reports whether the fact is of a variable that the run neither has nor speaks
// of, so that there is none such.
func (c *Coverage) unheardOf(p ProcessID, f Fact) bool {
	return f.Variable != "" && c.Said(p, f) == Unsaid && !c.occurs(f)
}

// SaidMissing is Missing as the run says it, for claims of the run itself: they are
// compared with all that is recorded unless it says that more happened.
func (c *Coverage) SaidMissing(p ProcessID, f Fact, after, before Seq) bool {
	if c.complete || before != 0 && before <= after {
		return false
	}
	return c.Said(p, f) > All || c.InGap(p, after, before)
}

// MayRise reports whether a process that crashed may have come up between two events without
// that being recorded, 0 for before is the end of the run: by a recovery, or by a start where
// the run itself says that it may lack one.
func (c *Coverage) MayRise(p ProcessID, after, before Seq) bool {
	start := Fact{Kind: Start}
	return c.Missing(p, Fact{Kind: Recover}, after, before) || c.Said(p, start) > All && c.Missing(p, start, after, before)
}

// InGap reports whether a gap of the process lies between two events, 0 for before is the
// end of the run.
func (c *Coverage) InGap(p ProcessID, after, before Seq) bool {
	return c.gaps[p].meets(after, before)
}

// GapsBetween returns the gaps of the process that lie between two events or reach in, 0
// for before is the end of the run: in order, as one where no event lies between them, which
// lacks so many events as they do together.
func (c *Coverage) GapsBetween(p ProcessID, after, before Seq) iter.Seq[Gap] {
	return func(yield func(Gap) bool) {
		for g := range c.gaps[p].between(after, before) {
			if g.Process = c.run.ProcessName(p); !yield(g) {
				return
			}
		}
	}
}

// Whole reports whether the run says that all of the facts is recorded of every process,
// and nothing has shown so far that a stretch of any is not.
func (c *Coverage) Whole(facts ...Fact) bool {
	if c.Gapped() {
		return false
	}
	if c.whole {
		return true
	}
	places := append(slices.Collect(maps.Keys(c.said.own)), 0) // 0 stands for all others
	return !slices.ContainsFunc(facts, func(f Fact) bool {
		return slices.ContainsFunc(places, func(p ProcessID) bool { return c.Said(p, f) != All })
	})
}

// Gapped reports whether a stretch of some process is known not to be recorded.
func (c *Coverage) Gapped() bool { return len(c.gaps) > 0 }

// Apart reports whether something is said of the process that is not said of all, or is
// shown by its events: of the others the same is recorded.
func (c *Coverage) Apart(p ProcessID) bool {
	if c.gaps[p] != nil {
		return true
	}
	return !c.whole && c.said.own[p] != nil
}

// Gaps returns the stretches of the process of which events are known to be missing.
func (c *Coverage) Gaps(p ProcessID) []Gap {
	if c.gaps[p] == nil {
		return nil
	}
	return c.gaps[p].all
}

// Untold reports whether the run says that it tells nothing of the process.
func (c *Coverage) Untold(p ProcessID) bool { return !c.whole && c.said.untold(p) }

// Unrecorded returns the names of the groups of kinds, but for messages, of which the run
// tells nothing of any process, and no event was shown.
func (c *Coverage) Unrecorded() (names []string) {
	if c.whole {
		return nil
	}
	for _, g := range groups[1:] {
		if slices.ContainsFunc(g.kinds, func(k Kind) bool { return c.occurs(Fact{Kind: k}) || c.toldOfSome(k) }) {
			continue
		}
		names = append(names, g.name)
	}
	return names
}

// Lacking returns the processes of which the run tells nothing and, of the others, the
// groups of kinds, else the kinds, of which it tells nothing of any, and those of which it
// does not tell all of each.
func (c *Coverage) Lacking() (silent []ProcessID, none, some []string) {
	for i := range c.run.Members {
		if p := ProcessID(i + 1); c.Untold(p) {
			silent = append(silent, p)
		}
	}
	all := make(map[Kind]Level)
	for _, k := range Kinds() {
		if k.Info().Process != Absent {
			all[k] = c.levelOfAll(k)
		}
	}
	list := map[Level]*[]string{None: &none, Some: &some, All: new([]string)}
	for _, g := range groups {
		level := all[g.kinds[0]]
		if slices.ContainsFunc(g.kinds, func(k Kind) bool { return all[k] != level }) {
			continue
		}
		*list[level] = append(*list[level], g.name)
		for _, k := range g.kinds {
			delete(all, k)
		}
	}
	for _, k := range Kinds() {
		if level, left := all[k]; left {
			*list[level] = append(*list[level], k.String())
		}
	}
	return silent, none, some
}

// levelOfAll is what is recorded of a kind of all processes of which anything is: all,
// nothing, or else some.
func (c *Coverage) levelOfAll(k Kind) (level Level) {
	for i := range c.run.Members {
		p := ProcessID(i + 1)
		if c.Untold(p) {
			continue
		}
		own := c.Said(p, Fact{Kind: k})
		if here := c.said.here(p); !c.whole && k == State && own == None && here.named[All]+here.named[Some] > 0 {
			own = Some
		}
		if own == Unsaid {
			own = All // the events say more
		}
		if level != Unsaid && level != own {
			return Some
		}
		level = own
	}
	return cmp.Or(level, All)
}

// toldOfSome reports whether the run says of some process that it tells of events of the kind.
func (c *Coverage) toldOfSome(k Kind) bool {
	for i := range c.run.Members {
		if p := ProcessID(i + 1); c.Said(p, Fact{Kind: k}) != None || k == State && c.said.here(p).named[All]+c.said.here(p).named[Some] > 0 {
			return true
		}
	}
	return false
}

// Within reports whether the event lies in a gap of the process: events of it are missing
// right before or after it.
func (c *Coverage) Within(p ProcessID, seq Seq) bool { return c.gaps[p].has(seq) }
