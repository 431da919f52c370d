package interop

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"etrace/tracefmt"
)

// ruleOneName is the rule that each additional name belongs to one process only.
const ruleOneName = "one-name"

// processVariables lists the variables whose values are names of processes.
var processVariables = [...]string{"elected", "votedFor"}

// Alias adds another name of a process, and reports whether the name is new. The name then means the process
// in all entries, before and after: as process, as peer, and as the value of a variable that names processes,
// elected and votedFor. Logs with vector clocks name processes in one way.
func (b *Builder) Alias(process, alias string, line int) bool {
	process = b.Called(process)
	if process == "" || alias == "" || process == alias {
		return false
	}
	known, ok := b.aliases[alias]
	switch {
	case !ok:
		if b.aliases == nil {
			b.aliases = make(map[string]string)
		}
		b.aliases[alias] = process
		return true
	case b.Called(known) != process:
		b.Find(ruleOneName, line, "%q is another name of %q here, and was one of %q before; that counts", alias, process, known)
	}
	return false
}

// Called returns the name that the run uses for the process of this name, according to [Builder.Alias].
func (b *Builder) Called(name string) string {
	process := name
	for next, ok := b.aliases[process]; ok; next, ok = b.aliases[process] {
		process = next
	}
	// Point each name of the chain to its end: a log may rename a process a million times.
	for name != process {
		name, b.aliases[name] = b.aliases[name], process
	}
	return process
}

// mergeAliases replaces the other names of processes by the names that the run uses, in all events, values and
// reported gaps.
func (b *Builder) mergeAliases() {
	if len(b.aliases) == 0 {
		return
	}
	same := make([]hostID, len(b.hosts), len(b.hosts)+len(b.aliases))
	for id := range same {
		same[id] = b.intern(b.hosts[id].name)
	}
	for id, alias := range same {
		if hostID(id) != alias {
			b.merge(hostID(id), alias)
		}
	}
	for id := range eventID(b.events.Len()) {
		e := b.edit(id)
		if e.host != noHost {
			e.host = same[e.host]
		}
		if e.peer != noHost {
			e.peer = same[e.peer]
		}
		if e.kind.AssignsVariables() {
			b.renameValues(e)
		}
	}
	for i := range b.reported {
		b.reported[i].process = b.Called(b.reported[i].process)
	}
	b.noteAliases()
}

// merge moves the data of the host id, which has another name of the same process, to the host process.
func (b *Builder) merge(id, process hostID) {
	duplicate, h := *b.hosts[id], b.hosts[process]
	h.member, h.acts, h.read = h.member || duplicate.member, h.acts || duplicate.acts, h.read || duplicate.read
	h.unclear += duplicate.unclear
	h.role = cmp.Or(h.role, duplicate.role)
	for _, file := range duplicate.files {
		if !slices.Contains(h.files, file) {
			h.files = append(h.files, file)
		}
	}
	if h.process == 0 || duplicate.process != 0 && duplicate.process < h.process {
		h.process = duplicate.process
	}
	*b.hosts[id] = host{name: duplicate.name}
}

// renameValues replaces other names of processes in the values of an event's variables by the names that the run
// uses.
func (b *Builder) renameValues(e *event) {
	w := b.wordsOf(e)
	if !slices.ContainsFunc(processVariables[:], func(name string) bool { return bytes.Contains(w.fields, []byte(name)) }) {
		return
	}
	var fields []Field
	renamed := false
	for key, value := range tracefmt.Fields(slices.Concat([]byte{'{'}, w.fields, []byte{'}'})) {
		f := Field{string(key), value}
		if slices.Contains(processVariables[:], f.Key) {
			name := nameInValue(value)
			if called := b.Called(name); called != name {
				renamed = true
				f = Text(f.Key, called)
				if _, number := tracefmt.NumberOf(called); number {
					f.Value = []byte(called)
				}
			}
		}
		fields = append(fields, f)
	}
	if renamed {
		w.fields = appendFields(nil, fields)
		e.words = b.storeWords(&w)
	}
}

// nameInValue returns the name in a JSON value that names a process: a text or a number.
func nameInValue(value []byte) string {
	return strings.Trim(string(value), `"`)
}

// noteAliases reports the other names of processes, the first maxListed of them.
func (b *Builder) noteAliases() {
	var names []string
	for _, alias := range slices.Sorted(maps.Keys(b.aliases)) {
		names = append(names, fmt.Sprintf("%s is %s", alias, b.Called(alias)))
	}
	if more := len(names) - maxListed; more > 0 {
		names = append(names[:maxListed], fmt.Sprintf("and %d more", more))
	}
	b.Note("other names of processes: %s", strings.Join(names, ", "))
}
