package tracefmt

import (
	"maps"
	"slices"
	"strings"

	"etrace/tracefmt/text"
)

// Level says how much of what happened a recording has.
type Level uint8

// The levels. Unsaid is the zero value: nothing is said, and what the events
// themselves show decides, see [Coverage].
const (
	Unsaid Level = iota
	// All: every such event that happened is recorded.
	All
	// Some: what is recorded happened, more may have.
	Some
	// None: none is recorded, though some may have happened.
	None
)

// formerNone is what None was called before; it is read still.
const formerNone = "nothing"

var levels = [...]string{Unsaid: "", All: "all", Some: "some", None: "none"}

func (l Level) String() string { return levels[l%Level(len(levels))] }

// MarshalText writes the word for the level.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads the word for a level.
func (l *Level) UnmarshalText(b []byte) error {
	word := string(b)
	if word == formerNone {
		word = levels[None]
	}
	i := slices.Index(levels[1:], word)
	if i < 0 {
		return text.Unknown("level", word, levels[1:])
	}
	*l = Level(i + 1)
	return nil
}

// Levels says how much of the events of a run, or of one of its processes, is recorded.
type Levels struct {
	// Default is for all that Kinds does not name.
	Default Level `json:"default,omitempty"`
	// Kinds are by [Fact], as text, or by group of kinds: see [GroupNames].
	Kinds map[string]Level `json:"kinds,omitempty"`
}

// Completeness declares what a recording contains. A declaration for a process goes before that for
// all, and the narrowest key counts: state.elected, then state, then states, then the default.
type Completeness struct {
	Levels
	// Processes are by name.
	Processes map[string]Levels `json:"processes,omitempty"`
	// Gaps are stretches of which events are known to be missing.
	Gaps []Gap `json:"gaps,omitempty"`
	// Suspected are stretches of which events may be missing, though nothing shows it: before the first line of a log that
	// does not begin with a start, and after the last of one that ends before others. No violation rests on these.
	Suspected []Gap `json:"suspected,omitempty"`
	// Unplaced is how many lines of the log were recognised as events and could not be placed, as they name no
	// process or no partner. What they may have been is recorded in part.
	Unplaced int64 `json:"unplaced,omitempty"`
	// Clocks are those by which events of different processes are ordered where no message orders them; nil where
	// the record itself has them in one order.
	Clocks *Clocks `json:"clocks,omitempty"`
}

// Clocks say how far the order of events of different processes can be trusted.
type Clocks struct {
	// Skew is by how much two clocks may differ, as far as the record shows: at least its resolution.
	Skew Time `json:"skew"`
	// Shared are the groups of processes that have one clock, by name; each other process has its own.
	Shared [][]string `json:"shared,omitempty"`
}

// Groups returns the number of its clock by process; 0, for no process, has clock 0.
func (c *Clocks) Groups(run *Run) []int {
	clocks := make([]int, len(run.Members)+1)
	shared := make(map[string]int)
	for i, group := range c.Shared {
		for _, name := range group {
			shared[name] = i + 1
		}
	}
	next := len(c.Shared)
	for i, m := range run.Members {
		if clocks[i+1] = shared[m.Name]; clocks[i+1] == 0 {
			next++
			clocks[i+1] = next
		}
	}
	return clocks
}

// Gap is a stretch in which events of a process were not recorded, whatever is said of
// their kinds.
type Gap struct {
	Process string `json:"process"`
	// From and To are the first and the last recorded event beside which some may be
	// missing: they happened after the event before From, and before the event after To.
	// To is 0 where the record was not taken up again.
	From Seq `json:"from"`
	To   Seq `json:"to"`
	// Dropped is how many events are missing, 0 where it is not known.
	Dropped int64 `json:"dropped,omitempty"`
}

// Variables returns the variables that the declaration names, sorted.
func (t *Completeness) Variables() []string {
	var names []string
	for _, own := range append(slices.Collect(maps.Values(t.Processes)), t.Levels) {
		for key := range own.Kinds {
			if name, ok := strings.CutPrefix(key, State.String()+"."); ok {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// level returns what is said of a fact, Unsaid if nothing is.
func (t *Levels) level(f Fact) Level {
	if t.Kinds != nil {
		for _, key := range [...]string{f.String(), f.Kind.String()} {
			if l := t.Kinds[key]; l != Unsaid {
				return l
			}
		}
		for _, g := range groups {
			if l := t.Kinds[g.name]; l != Unsaid && slices.Contains(g.kinds, f.Kind) {
				return l
			}
		}
	}
	return t.Default
}

// Whole reports whether everything is declared recorded.
func (t *Completeness) Whole() bool {
	if t == nil || t.Default != All || len(t.Gaps) > 0 || !t.Levels.all() {
		return false
	}
	for _, own := range t.Processes {
		if !own.all() {
			return false
		}
	}
	return true
}

// all reports whether nothing is said that is less than all.
func (t *Levels) all() bool {
	for _, l := range t.Kinds {
		if l > All {
			return false
		}
	}
	return t.Default <= All
}
