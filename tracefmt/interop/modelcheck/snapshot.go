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

// variables are values by name, as JSON.
type variables map[string]string

// snapshot is a state, taken apart.
type snapshot struct {
	of      map[string]variables // by process
	rest    variables            // of no process
	network value
	inboxes map[string]value
}

// look takes a state apart.
func (b *behaviour) look(s *state) snapshot {
	now := snapshot{of: make(map[string]variables), rest: make(variables), inboxes: make(map[string]value)}
	m := b.meaning
	shared := make([]named, 0, len(m.process))
	processes := make(map[string]bool)
	for _, v := range s.variables {
		v.name = b.names[v.name]
		switch {
		case m.network != nil && v.name == m.network.set:
			now.network = v.value
		case b.ignored(v.name):
		case b.isInboxes(v.name):
			for _, f := range entries(&v.value) {
				now.inboxes[f.name] = f.value
			}
		case slices.Contains(m.process, v.name):
			shared = append(shared, v)
			for _, f := range entries(&v.value) {
				processes[f.name] = true
				if now.of[f.name] == nil {
					now.of[f.name] = make(variables)
				}
			}
		case b.system:
			if now.of[systemProcess] == nil {
				now.of[systemProcess] = make(variables)
			}
			b.put(now.of[systemProcess], "", v)
		default:
			b.put(now.rest, "", v)
		}
	}
	// States of one behaviour may list their variables in different orders; the events must not.
	slices.SortStableFunc(shared, func(one, other named) int { return strings.Compare(one.name, other.name) })
	for _, v := range shared {
		b.divide(&now, v, processes)
	}
	return now
}

// isInboxes reports whether the variable has messages by process.
func (b *behaviour) isInboxes(name string) bool {
	return b.meaning.network != nil && b.meaning.network.inboxes == name && name != ""
}

// entries are those of a map from processes; where it is a list, processes are numbers.
func entries(v *value) []named {
	if v.sort != list {
		return v.fields()
	}
	all := make([]named, len(v.items()))
	for i := range v.items() {
		all[i] = named{strconv.Itoa(i + 1), v.items()[i]}
	}
	return all
}

// divide gives each process its part of a variable. The fields of a record are variables of
// their own, except a field whose keys are processes.
func (b *behaviour) divide(now *snapshot, v named, processes map[string]bool) {
	for _, part := range entries(&v.value) {
		own := now.of[part.name]
		fields := part.fields()
		if part.sort != record || slices.ContainsFunc(fields, func(f named) bool { return processes[f.name] }) {
			b.put(own, "", named{v.name, part.value})
			continue
		}
		for _, f := range fields {
			if b.isInboxes(f.name) {
				now.inboxes[part.name] = f.value
			} else if !slices.Contains(b.meaning.ignore, f.name) {
				b.put(own, v.name, f)
			}
		}
	}
}

// put adds a variable under the name and with the words that the file gives it. If the name is taken, the name of
// the outer variable precedes it.
func (b *behaviour) put(to variables, parent string, v named) {
	if slices.Contains(b.meaning.sets, v.name) && v.sort == list {
		v.sort = set
	}
	if other, ok := b.meaning.variables[v.name]; ok {
		v.name = other
	}
	if word, ok := b.meaning.values[v.name][v.plain()]; ok {
		v.value = textValue(word)
	}
	if _, taken := to[v.name]; taken && parent != "" {
		v.name = parent + "." + v.name
	}
	if v.name == tracefmt.LogKey && v.sort == list {
		for i := range v.items() {
			to[fmt.Sprintf("%s[%d]", v.name, i+1)] = v.items()[i].json()
		}
		return
	}
	to[v.name] = v.json()
}

// changes are what is different, by process, and of no process under "".
type changes map[string][]interop.Field

// since returns what is different from an earlier state: null where a variable is gone. Where
// the term of a process is another one, all its variables are recorded anew: its vote, for example,
// is one in this term, even if it is for the same process as before.
func (s *snapshot) since(before *snapshot, term string) changes {
	all := make(changes)
	for name, own := range s.of {
		old := before.of[name]
		fields := own.since(old)
		if len(fields) > 0 && old[term] != own[term] {
			fields = own.since(nil)
		}
		if len(fields) > 0 {
			all[name] = fields
		}
	}
	for name, own := range before.of {
		if s.of[name] == nil {
			all[name] = variables(nil).since(own)
		}
	}
	if fields := s.rest.since(before.rest); len(fields) > 0 {
		all[""] = fields
	}
	return all
}

func (v variables) since(before variables) (fields []interop.Field) {
	for _, name := range slices.Sorted(maps.Keys(v)) {
		if old, ok := before[name]; !ok || old != v[name] {
			fields = append(fields, interop.JSON(name, []byte(v[name])))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if _, still := v[name]; !still && before[name] != null.text {
			fields = append(fields, interop.JSON(name, []byte(null.text)))
		}
	}
	return fields
}

// processes are the changed processes, in order.
func (c changes) processes() []string {
	names := slices.Sorted(maps.Keys(c))
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}
