package tracefmt

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// levelTable is a declaration in parsed form: for all processes, and for the processes that it names. Each key
// is parsed only once.
type levelTable struct {
	general   keyLevels
	byProcess map[ProcessID]*keyLevels
}

// keyLevels is the parsed declaration for all processes or for one.
type keyLevels struct {
	fallback  Level             // the level of everything that is not named
	kinds     [len(kinds)]Level // by kind or group
	variables map[string]Level  // by name
	// named counts the variables with a key here or in the declaration for all processes, by their level here.
	named [len(levels)]int
}

// newLevelTable parses the declaration of the run, which may be missing.
func newLevelTable(run *Run) *levelTable {
	table := new(levelTable)
	if run.Completeness == nil {
		return table
	}
	table.general = readLevels(run.Completeness.Levels)
	for name := range table.general.variables {
		table.general.named[table.general.level(StateOf(name))]++
	}
	for name, declared := range run.Completeness.Processes {
		p, ok := run.Process(name)
		if !ok {
			continue
		}
		if table.byProcess == nil {
			table.byProcess = make(map[ProcessID]*keyLevels, len(run.Completeness.Processes))
		}
		levels := readLevels(declared)
		levels.countOver(&table.general)
		table.byProcess[p] = &levels
	}
	return table
}

// readLevels parses the keys for one place; the key of a kind precedes that of its group.
func readLevels(t Levels) keyLevels {
	read := keyLevels{fallback: t.Default}
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
		} else if k, ok := kindByName[key]; ok && level != Undeclared {
			read.kinds[k] = level
		}
	}
	return read
}

// countOver counts, by level, the variables with a key here or in the declaration for all processes. A variable
// without a key here has the level of state here or, if that is missing, the level in the declaration for all.
func (l *keyLevels) countOver(common *keyLevels) {
	state := l.level(Fact{Kind: State})
	// First every variable with a common key counts at the level that it has without a key here.
	if state == Undeclared {
		l.named = common.named
	} else {
		l.named[state] = len(common.variables)
	}
	// Then each variable with a key here moves from that level to its own.
	for name := range l.variables {
		if common.variables[name] != Undeclared {
			l.named[cmp.Or(state, common.level(StateOf(name)))]--
		}
		l.named[cmp.Or(l.level(StateOf(name)), common.level(StateOf(name)))]++
	}
}

// level returns the declared level of a fact, Undeclared without a declaration.
func (l *keyLevels) level(f Fact) Level {
	if f.Variable != "" {
		if level := l.variables[f.Variable]; level != Undeclared {
			return level
		}
	}
	if level := l.kinds[f.Kind]; level != Undeclared {
		return level
	}
	return l.fallback
}

// level returns the level of a fact at the process. For assignments of any variable it is the worst level of
// the named variables and of the others.
func (t *levelTable) level(p ProcessID, f Fact) Level {
	local := t.declaration(p)
	level := cmp.Or(local.level(f), t.general.level(f))
	if f != (Fact{Kind: State}) {
		return level
	}
	// Levels below All have greater numbers: take the greatest that occurs, but at least level.
	worst := None
	for worst > level && local.named[worst] == 0 {
		worst--
	}
	return worst
}

// declaration returns the declaration that applies to the process.
func (t *levelTable) declaration(p ProcessID) *keyLevels {
	if levels, ok := t.byProcess[p]; ok {
		return levels
	}
	return &t.general
}

// Declared returns the level that t declares for a fact of the named process, Undeclared without a declaration.
func (t *Completeness) Declared(process string, f Fact) Level {
	if t == nil {
		return Undeclared
	}
	if declared, ok := t.Processes[process]; ok {
		local := readLevels(declared)
		if level := local.level(f); level != Undeclared {
			return level
		}
	}
	common := readLevels(t.Levels)
	return common.level(f)
}

// unrecorded reports whether nothing is recorded of the process, including all named variables.
func (t *levelTable) unrecorded(p ProcessID) bool {
	local := t.declaration(p)
	for level, n := range local.named {
		if Level(level) != None && n > 0 {
			return false
		}
	}
	return !slices.ContainsFunc(Kinds(), func(k Kind) bool {
		return cmp.Or(local.level(Fact{Kind: k}), t.general.level(Fact{Kind: k})) != None
	})
}

// variables returns the variables that the declaration names.
func (t *levelTable) variables() map[string]bool {
	names := make(map[string]bool)
	for _, place := range append(slices.Collect(maps.Values(t.byProcess)), &t.general) {
		for name := range place.variables {
			names[name] = true
		}
	}
	return names
}
