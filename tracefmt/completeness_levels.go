package tracefmt

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// levelTable is a declaration with its keys read: what it says of all processes, and of
// those that it names. To make it takes time and memory for each key once.
type levelTable struct {
	all keyLevels
	own map[ProcessID]*keyLevels
}

// keyLevels is what is said in one place of a declaration, of the run or of one process.
type keyLevels struct {
	rest      Level             // of all that is not named
	kinds     [len(kinds)]Level // by kind or group
	variables map[string]Level  // by key of their own
	// named counts the variables that have a key here, or in what is said of all processes,
	// by what holds of them here.
	named [len(levels)]int
}

// newLevelTable reads what the run declares, nothing if it declares nothing.
func newLevelTable(run *Run) *levelTable {
	table := new(levelTable)
	if run.Completeness == nil {
		return table
	}
	table.all = readLevels(run.Completeness.Levels)
	for name := range table.all.variables {
		table.all.named[table.all.of(StateOf(name))]++
	}
	for name, telling := range run.Completeness.Processes {
		p, ok := run.Process(name)
		if !ok {
			continue
		}
		if table.own == nil {
			table.own = make(map[ProcessID]*keyLevels, len(run.Completeness.Processes))
		}
		own := readLevels(telling)
		own.countOver(&table.all)
		table.own[p] = &own
	}
	return table
}

// readLevels reads the keys of one place; of a kind its own key goes before that of a group.
func readLevels(t Levels) keyLevels {
	read := keyLevels{rest: t.Default}
	for _, g := range groups {
		for _, k := range g.kinds {
			read.kinds[k] = t.Kinds[g.name]
		}
	}
	for key, level := range t.Kinds {
		if name, ok := strings.CutPrefix(key, State.String()+"."); ok {
			if read.variables == nil {
				read.variables = make(map[string]Level, len(t.Kinds))
			}
			read.variables[name] = level
		} else if k, ok := kindByName[key]; ok && level != Unsaid {
			read.kinds[k] = level
		}
	}
	return read
}

// countOver counts the variables that are named here or of all processes: those that have
// no key here by what is said here of state, where that is silent by what is said of all.
func (l *keyLevels) countOver(all *keyLevels) {
	state := l.of(Fact{Kind: State})
	if state == Unsaid {
		l.named = all.named
	} else {
		l.named[state] = len(all.variables)
	}
	for name := range l.variables {
		if all.variables[name] != Unsaid {
			l.named[cmp.Or(state, all.of(StateOf(name)))]--
		}
		l.named[cmp.Or(l.of(StateOf(name)), all.of(StateOf(name)))]++
	}
}

// of returns what is said of a fact here, Unsaid if nothing is.
func (l *keyLevels) of(f Fact) Level {
	if f.Variable != "" {
		if level := l.variables[f.Variable]; level != Unsaid {
			return level
		}
	}
	if level := l.kinds[f.Kind]; level != Unsaid {
		return level
	}
	return l.rest
}

// level returns what is said of a fact of the process; of the assignments of any variable,
// the worst of those that are named and of the others.
func (t *levelTable) level(p ProcessID, f Fact) Level {
	here := t.here(p)
	level := cmp.Or(here.of(f), t.all.of(f))
	if f != (Fact{Kind: State}) {
		return level
	}
	worst := None
	for worst > level && here.named[worst] == 0 {
		worst--
	}
	return worst
}

// here is what is said of the process.
func (t *levelTable) here(p ProcessID) *keyLevels {
	if own, ok := t.own[p]; ok {
		return own
	}
	return &t.all
}

// Says returns what t says of a fact of the process of that name, Unsaid if nothing.
func (t *Completeness) Says(process string, f Fact) Level {
	if t == nil {
		return Unsaid
	}
	if own, ok := t.Processes[process]; ok {
		here := readLevels(own)
		if level := here.of(f); level != Unsaid {
			return level
		}
	}
	all := readLevels(t.Levels)
	return all.of(f)
}

// untold reports whether nothing is recorded of the process, nor of a variable that is named.
func (t *levelTable) untold(p ProcessID) bool {
	here := t.here(p)
	for level, n := range here.named {
		if Level(level) != None && n > 0 {
			return false
		}
	}
	return !slices.ContainsFunc(Kinds(), func(k Kind) bool {
		return cmp.Or(here.of(Fact{Kind: k}), t.all.of(Fact{Kind: k})) != None
	})
}

// variables are those that the declaration names.
func (t *levelTable) variables() map[string]bool {
	names := make(map[string]bool)
	for _, place := range append(slices.Collect(maps.Values(t.own)), &t.all) {
		for name := range place.variables {
			names[name] = true
		}
	}
	return names
}
