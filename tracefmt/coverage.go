package tracefmt

import (
	"cmp"
	"iter"
	"maps"
	"slices"
)

// Coverage determines which events of a run are recorded, and so which others may have happened. It uses the
// declaration of the run ([Run.Completeness]). Without a declaration, every kind of event and every variable
// that occurs in the run is assumed to be recorded completely, and the others not at all. It must be shown all
// events before its answers are final. A simulated run without a declaration is complete.
type Coverage struct {
	run         *Run
	everything  bool            // the run declares that everything is recorded
	complete    bool            // everything is declared recorded, and no event so far was inferred
	silent      bool            // for some facts the run declares nothing, so the events that occur decide
	tracksLives bool            // lives is filled, see lifeline
	kinds       uint32          // kinds that occur
	stated      uint32          // kinds with a stated event
	seen        map[string]bool // variables that occur
	named       map[string]bool // variables that the declaration names
	gaps        map[ProcessID]*gapList
	lives       []lifeline  // by process
	declared    *levelTable // the parsed declaration
}

// NewCoverage returns the coverage of a run before its first event.
func NewCoverage(run *Run) *Coverage {
	declared := run.DeclaresAll()
	c := &Coverage{
		run: run, everything: declared, complete: run.RecordsAll(), tracksLives: !declared && run.Completeness != nil,
	}
	if c.complete {
		return c
	}
	c.seen = make(map[string]bool)
	for _, g := range run.InferredGaps {
		if p, ok := run.Process(g.Process); ok {
			c.addGap(p, g)
		}
	}
	if declared {
		return c
	}
	c.declared = newLevelTable(run)
	c.named = c.declared.variables()
	c.silent = run.Completeness == nil || run.Completeness.Default == Undeclared
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

// Clone returns a copy whose changes do not affect the original.
func (c *Coverage) Clone() *Coverage {
	if c == nil {
		return nil
	}
	d := *c
	d.seen, d.lives, d.gaps = maps.Clone(c.seen), slices.Clone(c.lives), maps.Clone(c.gaps)
	for p, g := range d.gaps {
		d.gaps[p] = &gapList{slices.Clone(g.gaps), slices.Clone(g.spans)}
	}
	for i := range d.lives {
		// The list only grows, so its present items can be shared.
		d.lives[i].rises = slices.Clip(d.lives[i].rises)
	}
	return &d
}

// Complete reports whether everything that happened is recorded, by the events shown so far.
func (c *Coverage) Complete() bool { return c.complete }

// Silent reports whether the run leaves the completeness of some fact undeclared, so that the events that occur
// decide.
func (c *Coverage) Silent() bool { return c.silent }

// Show adds an event of the run. The events of a process come in order, or repeat earlier ones.
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

// Guess reports whether the event is an inferred crash or halt of a process whose such events are declared
// incomplete. Its time is unknown, it shows no gap, and a run without it is equally possible.
func (c *Coverage) Guess(e *Event) bool {
	return (e.Kind == Crash || e.Kind == Halt) && e.Inferred() && c.Declared(e.Process, Fact{Kind: e.Kind}) > All
}

// Doubt adds an inferred event, after [Coverage.ShowKind]. If such events are declared complete, the inference
// shows a gap in the record of the process, from its previous step to its next. The event happened at an
// unknown moment in this gap. The run may know the whole gap already, see [WithInferredGaps].
func (c *Coverage) Doubt(e *Event) {
	if c.run.InferredGaps != nil || c.Guess(e) {
		return
	}
	if c.complete {
		c.complete, c.seen = false, make(map[string]bool)
	}
	c.addGap(e.Process, Gap{Process: c.run.ProcessName(e.Process), From: e.Seq, To: e.Seq})
}

// addGap adds a gap to the known gaps of the process.
func (c *Coverage) addGap(p ProcessID, g Gap) {
	if c.gaps == nil {
		c.gaps = make(map[ProcessID]*gapList)
	}
	if c.gaps[p] == nil {
		c.gaps[p] = new(gapList)
	}
	c.gaps[p].add(g)
}

// ShowKind adds the kind of an event. A stated event does not show that its kind is recorded. Together with
// ShowVariable it does the same as Show, for callers that read the fields of an event anyway.
func (c *Coverage) ShowKind(e *Event) {
	if c.tracksLives {
		c.addStep(e)
	}
	if !c.Occurs(e.Kind) {
		c.addKind(e)
	}
}

// addKind notes that the kind of the event occurs. A stated event shows only that its kind is stated.
func (c *Coverage) addKind(e *Event) {
	if e.Mark() != "" {
		c.stated |= 1 << e.Kind
	} else {
		c.kinds |= 1 << e.Kind
	}
}

// ShowVariable adds an assignment of the variable.
func (c *Coverage) ShowVariable(name []byte) {
	if c.complete {
		return
	}
	name = ListName(name)
	if !c.seen[string(name)] {
		c.seen[string(name)] = true
	}
}

// occurs reports whether the fact was shown; for an item of a list, whether the list was.
func (c *Coverage) occurs(f Fact) bool {
	if f.Variable != "" {
		return c.seen[ListName(f.Variable)]
	}
	return c.kinds&(1<<f.Kind) != 0
}

// Occurs reports whether an event of the kind was shown that was not merely stated.
func (c *Coverage) Occurs(k Kind) bool { return c.kinds&(1<<k) != 0 }

// OnlyStated reports whether events of the kind occur, and all of them are stated.
func (c *Coverage) OnlyStated(k Kind) bool { return c.stated&^c.kinds&(1<<k) != 0 }

// Steps returns the kinds of steps that the processes of the run take: kinds that occur, and kinds that the
// declaration names or calls recorded. No step of another kind is missing. The result is known at the end of the run.
func (c *Coverage) Steps() (facts []Fact) {
	for _, k := range Kinds() {
		f := Fact{Kind: k}
		if k.IsStep() && (c.Occurs(k) || !c.Nowhere(f) || c.names(k)) && !c.OnlyStated(k) {
			facts = append(facts, f)
		}
	}
	return facts
}

// names reports whether the declaration names the kind, or a variable of state events, for some process.
func (c *Coverage) names(k Kind) bool {
	named := func(l *keyLevels) bool {
		return l.kinds[k] != Undeclared || k == State && len(l.variables) > 0
	}
	if named(&c.declared.general) {
		return true
	}
	for _, l := range c.declared.byProcess {
		if named(l) {
			return true
		}
	}
	return false
}

// Variables returns the variables that some event assigns, sorted.
func (c *Coverage) Variables() []string { return slices.Sorted(maps.Keys(c.seen)) }

// Exists reports whether the run has the fact: a variable exists if some event assigns it, or the declaration
// names it; every kind exists.
func (c *Coverage) Exists(f Fact) bool {
	name := ListName(f.Variable)
	return name == "" || c.everything || c.seen[name] || c.named[name]
}

// Level returns the level of a fact at the process, 0 for events without a process. An item of a list, such as
// log[3], has the level of the list.
func (c *Coverage) Level(p ProcessID, f Fact) Level {
	switch l := c.Declared(p, f); {
	case l != Undeclared:
		return l
	case c.occurs(f):
		return All
	}
	return None
}

// Nowhere reports whether the fact is unrecorded at all processes or, if its kind has no process, in the run.
func (c *Coverage) Nowhere(f Fact) bool {
	if c.complete {
		return false
	}
	first := 1
	if f.Kind.Info().Process == Absent {
		first = 0
	}
	for p := first; p <= len(c.run.Members); p++ {
		if c.Level(ProcessID(p), f) != None {
			return false
		}
	}
	return true
}

// Lacks reports whether the fact is recorded completely at no process.
func (c *Coverage) Lacks(f Fact) bool {
	if c.everything || c.Level(0, f) == All { // 0 means all processes that the declaration does not name
		return false
	}
	for p := range c.declared.byProcess {
		if c.Level(p, f) == All {
			return false
		}
	}
	return true
}

// Declared returns the declared level, Undeclared if the events decide.
func (c *Coverage) Declared(p ProcessID, f Fact) Level {
	if c.everything {
		return All
	}
	f.Variable = ListName(f.Variable)
	return c.declared.level(p, f)
}

// Missing reports whether the fact may have happened unrecorded at the process, after the event after and
// before the event before. 0 for before means the end of the run, or later.
func (c *Coverage) Missing(p ProcessID, f Fact, after, before Seq) bool {
	switch {
	case c.complete || before != 0 && before <= after, c.unknownVariable(p, f):
		return false
	case c.Level(p, f) != All:
		return !c.ShowsUp(p, f) || c.lives[p].canFall(after, before)
	}
	return c.InGap(p, after, before)
}

// unknownVariable reports whether the run neither assigns the variable of the fact nor declares it, so that it
// does not exist.
func (c *Coverage) unknownVariable(p ProcessID, f Fact) bool {
	return f.Variable != "" && c.Declared(p, f) == Undeclared && !c.occurs(f)
}

// DeclaredMissing is Missing by the declaration alone, for claims of the run itself: they are compared with the
// record, unless the run declares that more happened.
func (c *Coverage) DeclaredMissing(p ProcessID, f Fact, after, before Seq) bool {
	if c.complete || before != 0 && before <= after {
		return false
	}
	return c.Declared(p, f) > All || c.InGap(p, after, before)
}

// MayRise reports whether a crashed process may have come up unrecorded between two events; 0 for before means
// the end of the run. It may have recovered, or started if the run declares that starts may be missing.
func (c *Coverage) MayRise(p ProcessID, after, before Seq) bool {
	start := Fact{Kind: Start}
	return c.Missing(p, Fact{Kind: Recover}, after, before) || c.Declared(p, start) > All && c.Missing(p, start, after, before)
}

// InGap reports whether a gap of the process lies between two events; 0 for before means the end of the run.
func (c *Coverage) InGap(p ProcessID, after, before Seq) bool {
	return c.gaps[p].meets(after, before)
}

// GapsBetween returns the gaps of the process that lie between two events or overlap this interval, in order; 0
// for before means the end of the run. It merges adjacent gaps and adds up their counts.
func (c *Coverage) GapsBetween(p ProcessID, after, before Seq) iter.Seq[Gap] {
	return func(yield func(Gap) bool) {
		for g := range c.gaps[p].between(after, before) {
			g.Process = c.run.ProcessName(p)
			if !yield(g) {
				return
			}
		}
	}
}

// Whole reports whether the run declares all facts recorded at every process, and no gap is known so far.
func (c *Coverage) Whole(facts ...Fact) bool {
	if c.Gapped() {
		return false
	}
	if c.everything {
		return true
	}
	places := append(slices.Collect(maps.Keys(c.declared.byProcess)), 0) // 0 means all other processes
	return !slices.ContainsFunc(facts, func(f Fact) bool {
		return slices.ContainsFunc(places, func(p ProcessID) bool { return c.Declared(p, f) != All })
	})
}

// Gapped reports whether some process has a known gap.
func (c *Coverage) Gapped() bool { return len(c.gaps) > 0 }

// Apart reports whether the process has its own declaration, or a known gap. All other processes have the same
// levels.
func (c *Coverage) Apart(p ProcessID) bool {
	if c.gaps[p] != nil {
		return true
	}
	return !c.everything && c.declared.byProcess[p] != nil
}

// Gaps returns the known gaps of the process.
func (c *Coverage) Gaps(p ProcessID) []Gap {
	if c.gaps[p] == nil {
		return nil
	}
	return c.gaps[p].gaps
}

// NothingRecorded reports whether the run declares that nothing is recorded of the process.
func (c *Coverage) NothingRecorded(p ProcessID) bool {
	return !c.everything && c.declared.unrecorded(p)
}

// Unrecorded returns the names of the groups of kinds, except messages, that the run declares unrecorded at all
// processes, and that do not occur.
func (c *Coverage) Unrecorded() (names []string) {
	if c.everything {
		return nil
	}
	for _, g := range groups[1:] {
		if slices.ContainsFunc(g.kinds, func(k Kind) bool { return c.occurs(Fact{Kind: k}) || c.someRecorded(k) }) {
			continue
		}
		names = append(names, g.name)
	}
	return names
}

// Lacking returns the processes without any record. For the other processes it returns the groups of kinds, or
// single kinds, that are recorded at no process, and the kinds that are not recorded completely at every process.
func (c *Coverage) Lacking() (silent []ProcessID, absent, partial []string) {
	for i := range c.run.Members {
		if p := ProcessID(i + 1); c.NothingRecorded(p) {
			silent = append(silent, p)
		}
	}
	levels := make(map[Kind]Level)
	for _, k := range Kinds() {
		if k.Info().Process != Absent {
			levels[k] = c.levelOfAll(k)
		}
	}
	list := map[Level]*[]string{None: &absent, Some: &partial, All: new([]string)} // the list for All is not returned
	for _, g := range groups {
		// A group replaces its kinds if all of them have the same level.
		level := levels[g.kinds[0]]
		if slices.ContainsFunc(g.kinds, func(k Kind) bool { return levels[k] != level }) {
			continue
		}
		*list[level] = append(*list[level], g.name)
		for _, k := range g.kinds {
			delete(levels, k)
		}
	}
	for _, k := range Kinds() {
		if level, left := levels[k]; left {
			*list[level] = append(*list[level], k.String())
		}
	}
	return silent, absent, partial
}

// levelOfAll returns the common level of a kind at all processes with a record: All, None, or otherwise Some.
func (c *Coverage) levelOfAll(k Kind) (level Level) {
	for i := range c.run.Members {
		p := ProcessID(i + 1)
		if c.NothingRecorded(p) {
			continue
		}
		declared := c.Declared(p, Fact{Kind: k})
		// A level for state may be none although single variables are recorded.
		if declared == None && k == State && c.recordsVariable(p) {
			declared = Some
		}
		if declared == Undeclared {
			declared = All // the events decide
		}
		if level != Undeclared && level != declared {
			return Some
		}
		level = declared
	}
	return cmp.Or(level, All)
}

// someRecorded reports whether the run declares the kind recorded, at least in part, at some process.
func (c *Coverage) someRecorded(k Kind) bool {
	for i := range c.run.Members {
		p := ProcessID(i + 1)
		if c.Declared(p, Fact{Kind: k}) != None || k == State && c.recordsVariable(p) {
			return true
		}
	}
	return false
}

// recordsVariable reports whether the run declares some variable recorded at the process, at least in part.
func (c *Coverage) recordsVariable(p ProcessID) bool {
	if c.everything {
		return false
	}
	named := c.declared.declaration(p).named
	return named[All]+named[Some] > 0
}

// Within reports whether the event lies in a gap of the process: events are missing directly before or after
// it.
func (c *Coverage) Within(p ProcessID, seq Seq) bool { return c.gaps[p].has(seq) }
