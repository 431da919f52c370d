package modelcheck

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
)

// variables are values by name, as JSON. Most processes have a few and a state may have a million processes, so that a
// list holds them, and an index only if they are many. Nil has none.
type variables struct {
	list  []variable
	index map[string]int // of the list, nil if it is short
}

// variable is a variable with its value.
type variable struct{ name, json string }

// maxScanned is the number of variables above which find uses an index.
const maxScanned = 8

// find returns the index of a variable, -1 if it has no value.
func (v *variables) find(name string) int {
	switch {
	case v == nil:
		return -1
	case v.index == nil:
		return slices.IndexFunc(v.list, func(known variable) bool { return known.name == name })
	}
	if i, ok := v.index[name]; ok {
		return i
	}
	return -1
}

// value returns the value of a variable, and whether it has one.
func (v *variables) value(name string) (json string, ok bool) {
	if i := v.find(name); i >= 0 {
		return v.list[i].json, true
	}
	return "", false
}

// set gives a variable its value.
func (v *variables) set(name, json string) {
	if i := v.find(name); i >= 0 {
		v.list[i].json = json
		return
	}
	v.list = append(v.list, variable{name, json})
	switch {
	case v.index != nil:
		v.index[name] = len(v.list) - 1
	case len(v.list) > maxScanned:
		v.index = make(map[string]int)
		for i := range v.list {
			v.index[v.list[i].name] = i
		}
	}
}

// sorted returns the variables in the order of their names.
func (v *variables) sorted() []variable {
	if v == nil {
		return nil
	}
	return slices.SortedFunc(slices.Values(v.list), func(a, b variable) int { return strings.Compare(a.name, b.name) })
}

// snapshot is a state, divided into the variables of processes, other variables, and messages.
type snapshot struct {
	processes map[string]*variables // by process, its variables
	shared    variables             // variables of no process
	network   value
	inboxes   map[string]value
}

// snapshotOf divides a state.
func (b *behaviour) snapshotOf(s *state) snapshot {
	now := snapshot{processes: make(map[string]*variables), inboxes: make(map[string]value)}
	m := b.meaning
	shared := make([]named, 0, len(m.process))
	for _, v := range s.variables {
		v.name = b.names[v.name]
		switch {
		case m.network != nil && v.name == m.network.set:
			now.network = v.value
		case b.isIgnored(v.name):
		case b.isInboxes(v.name):
			for _, f := range entries(&v.value) {
				now.inboxes[f.name] = f.value
			}
		case slices.Contains(m.process, v.name):
			shared = append(shared, v)
			for _, f := range entries(&v.value) {
				if now.processes[f.name] == nil {
					now.processes[f.name] = new(variables)
				}
			}
		case b.system:
			if now.processes[systemProcess] == nil {
				now.processes[systemProcess] = new(variables)
			}
			b.addVariable(now.processes[systemProcess], "", v)
		default:
			b.addVariable(&now.shared, "", v)
		}
	}
	// States of one behaviour may list their variables in different orders; the events must not.
	slices.SortStableFunc(shared, func(x, y named) int { return strings.Compare(x.name, y.name) })
	for _, v := range shared {
		b.splitByProcess(&now, v)
	}
	return now
}

// isInboxes reports whether the variable is the map from processes to their inboxes.
func (b *behaviour) isInboxes(name string) bool {
	return b.meaning.network != nil && b.meaning.network.inboxes == name && name != ""
}

// entries returns the entries of a map from processes. In a list, the processes are numbers.
func entries(v *value) []named {
	if v.kind != list {
		return v.fields()
	}
	parts := make([]named, len(v.items()))
	for i := range v.items() {
		parts[i] = named{strconv.Itoa(i + 1), v.items()[i]}
	}
	return parts
}

// splitByProcess adds a variable that is a map from processes to the variables of each process. The fields of a record
// become variables of their own, except a field whose keys are processes.
func (b *behaviour) splitByProcess(now *snapshot, v named) {
	for _, part := range entries(&v.value) {
		variables := now.processes[part.name]
		fields := part.fields()
		if part.kind != record || slices.ContainsFunc(fields, func(f named) bool { return now.processes[f.name] != nil }) {
			b.addVariable(variables, "", named{v.name, part.value})
			continue
		}
		for _, f := range fields {
			if b.isInboxes(f.name) {
				now.inboxes[part.name] = f.value
			} else if !slices.Contains(b.meaning.ignore, f.name) {
				b.addVariable(variables, v.name, f)
			}
		}
	}
}

// addVariable adds a variable under the name and with the value that the file of --variables gives it. If the name is taken, the
// name becomes parent.NAME. A log becomes a variable for each entry: log[1], log[2], and so on.
func (b *behaviour) addVariable(target *variables, parent string, v named) {
	if slices.Contains(b.meaning.sets, v.name) && v.kind == list {
		v.kind = set
	}
	if alias, ok := b.meaning.variables[v.name]; ok {
		v.name = alias
	}
	if word, ok := b.meaning.values[v.name][v.plain()]; ok {
		v.value = textValue(word)
	}
	if parent != "" && target.find(v.name) >= 0 {
		v.name = parent + "." + v.name
	}
	if v.name == tracefmt.LogKey && v.kind == list {
		for i := range v.items() {
			target.set(fmt.Sprintf("%s[%d]", v.name, i+1), v.items()[i].json())
		}
		return
	}
	target.set(v.name, v.json())
}

// changes has the changed variables, by process; "" has those of no process.
type changes map[string][]interop.Field

// since returns the changes from an earlier state; a variable that disappeared has null. If the term of a
// process has changed, all its variables count as changed: a vote for the same candidate, for example, is a new
// vote in the new term.
func (s *snapshot) since(before *snapshot, term string) changes {
	changed := make(changes)
	for name, variables := range s.processes {
		old := before.processes[name]
		fields := variables.since(old)
		if len(fields) > 0 {
			was, _ := old.value(term)
			now, _ := variables.value(term)
			if was != now {
				fields = variables.since(nil)
			}
			changed[name] = fields
		}
	}
	for name, old := range before.processes {
		if s.processes[name] == nil {
			changed[name] = (*variables)(nil).since(old)
		}
	}
	if fields := s.shared.since(&before.shared); len(fields) > 0 {
		changed[""] = fields
	}
	return changed
}

// since returns the changed variables. A variable that disappeared has null.
func (v *variables) since(before *variables) (fields []interop.Field) {
	for _, now := range v.sorted() {
		if was, ok := before.value(now.name); !ok || was != now.json {
			fields = append(fields, interop.JSON(now.name, []byte(now.json)))
		}
	}
	for _, was := range before.sorted() {
		if v.find(was.name) < 0 && was.json != null.text {
			fields = append(fields, interop.JSON(was.name, []byte(null.text)))
		}
	}
	return fields
}

// processes returns the changed processes, sorted.
func (c changes) processes() []string {
	names := slices.Sorted(maps.Keys(c))
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}
