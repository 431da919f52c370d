package tracefmt

import (
	"maps"
	"slices"
	"strings"

	"etrace/tracefmt/text"
)

// Level is the level of completeness of a recording.
type Level uint8

// The levels. Undeclared is the zero value: the run declares nothing, and the events themselves decide, see
// [Coverage].
const (
	Undeclared Level = iota
	// All: every event that happened is recorded.
	All
	// Some: the recorded events happened, and more may have happened.
	Some
	// None: no event is recorded, though some may have happened.
	None
)

// formerNone is the old word for None, which is still read.
const formerNone = "nothing"

var levels = [...]string{Undeclared: "", All: "all", Some: "some", None: "none"}

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

// Levels are the levels of completeness of a run, or of one of its processes.
type Levels struct {
	// Default applies to everything that Kinds does not name.
	Default Level `json:"default,omitempty"`
	// Kinds maps a [Fact], as text, or a group of kinds to its level: see [GroupNames].
	Kinds map[string]Level `json:"kinds,omitempty"`
}

// Completeness declares the contents of a recording. A declaration for a process precedes that for all, and the
// narrowest key applies: state.elected, then state, then states, then the default.
type Completeness struct {
	Levels
	// Processes has the declarations for processes, by name.
	Processes map[string]Levels `json:"processes,omitempty"`
	// Gaps are stretches that are known to lack events.
	Gaps []Gap `json:"gaps,omitempty"`
	// Suspected are stretches that may lack events, though nothing shows it: before the first line of a log
	// that does not begin with a start, and after the last line of a log that ends before others. They do not
	// affect verdicts of violation.
	Suspected []Gap `json:"suspected,omitempty"`
	// Unplaced is the number of log lines that are events but could not be placed, since they name no process
	// or no partner. Events of their kinds are recorded only in part.
	Unplaced int64 `json:"unplaced,omitempty"`
	// NotUnderstood counts the log lines of processes that have lines in the log, but no event.
	NotUnderstood map[string]int64 `json:"not_understood,omitempty"`
	// Clocks order the events of different processes that no message orders; they are nil if the record itself
	// orders them.
	Clocks *Clocks `json:"clocks,omitempty"`
}

// Clocks describe how far the order of events of different processes can be trusted.
type Clocks struct {
	// Skew is the maximum difference of two clocks, as far as the record shows; at least its resolution.
	Skew Time `json:"skew"`
	// Shared are the groups of processes that share a clock, by name; each other process has its own.
	Shared [][]string `json:"shared,omitempty"`
}

// Groups returns the number of the clock of each process; 0, for no process, has clock 0.
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
		clocks[i+1] = shared[m.Name]
		if clocks[i+1] == 0 {
			next++
			clocks[i+1] = next
		}
	}
	return clocks
}

// Gap is a stretch in which events of a process were not recorded, regardless of the levels of their kinds.
type Gap struct {
	Process string `json:"process"`
	// From and To are the first and the last recorded event next to missing events. The missing events happened
	// after the event before From, and before the event after To. To is 0 if the gap reaches the end of the
	// record.
	From Seq `json:"from"`
	To   Seq `json:"to"`
	// Dropped is the number of missing events, 0 if unknown.
	Dropped int64 `json:"dropped,omitempty"`
}

// Variables returns the variables that the declaration names, sorted.
func (t *Completeness) Variables() []string {
	var names []string
	for _, levels := range append(slices.Collect(maps.Values(t.Processes)), t.Levels) {
		for key := range levels.Kinds {
			if name, ok := strings.CutPrefix(key, State.String()+"."); ok {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// level returns the declared level of a fact, Undeclared without a declaration.
func (t *Levels) level(f Fact) Level {
	if t.Kinds != nil {
		for _, key := range [...]string{f.String(), f.Kind.String()} {
			if l := t.Kinds[key]; l != Undeclared {
				return l
			}
		}
		for _, g := range groups {
			if l := t.Kinds[g.name]; l != Undeclared && slices.Contains(g.kinds, f.Kind) {
				return l
			}
		}
	}
	return t.Default
}

// Whole reports whether everything is declared recorded, without gaps.
func (t *Completeness) Whole() bool {
	if t == nil || t.Default != All || len(t.Gaps) > 0 || !t.Levels.complete() {
		return false
	}
	for _, levels := range t.Processes {
		if !levels.complete() {
			return false
		}
	}
	return true
}

// complete reports whether no declared level is below All.
func (t *Levels) complete() bool {
	for _, l := range t.Kinds {
		if l > All {
			return false
		}
	}
	return t.Default <= All
}
