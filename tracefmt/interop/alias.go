package interop

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"etrace/tracefmt"
)

// ruleOneName: another name of a process is that of one process.
const ruleOneName = "one-name"

// naming are the variables whose values name processes.
var naming = [...]string{"elected", "votedFor"}

// Alias says that a process has another name, and reports whether that is news. Whatever
// names it so, in entries before or after, means the process: as process, as peer, and as the
// value of a variable that names processes, elected and votedFor. Logs with vector clocks
// name processes in one way.
func (b *Builder) Alias(process, other string, line int) bool {
	process = b.Called(process)
	if process == "" || other == "" || process == other {
		return false
	}
	switch known, ok := b.aliases[other]; {
	case !ok:
		if b.aliases == nil {
			b.aliases = make(map[string]string)
		}
		b.aliases[other] = process
		return true
	case b.Called(known) != process:
		b.Find(ruleOneName, line, "%q is another name of %q here, and was one of %q before; that counts", other, process, known)
	}
	return false
}

// Called returns the name by which the run calls the process of this name, as far as
// [Builder.Alias] has said.
func (b *Builder) Called(name string) string {
	for {
		process, ok := b.aliases[name]
		if !ok {
			return name
		}
		name = process
	}
}

// mergeAliases gives what was added under other names to the processes themselves.
func (b *Builder) mergeAliases() {
	if len(b.aliases) == 0 {
		return
	}
	same := make([]hostID, len(b.hosts), len(b.hosts)+len(b.aliases))
	for id := range same {
		same[id] = b.intern(b.hosts[id].name)
	}
	for id, other := range same {
		if hostID(id) != other {
			b.merge(hostID(id), other)
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

// merge makes the host of another name the process itself.
func (b *Builder) merge(id, process hostID) {
	other, h := b.hosts[id], &b.hosts[process]
	h.member, h.acts, h.read = h.member || other.member, h.acts || other.acts, h.read || other.read
	h.unclear += other.unclear
	for _, file := range other.files {
		if !slices.Contains(h.files, file) {
			h.files = append(h.files, file)
		}
	}
	if h.process == 0 || other.process != 0 && other.process < h.process {
		h.process = other.process
	}
	b.hosts[id] = host{name: other.name}
}

// renameValues writes the names of processes in variables as the run calls them.
func (b *Builder) renameValues(e *event) {
	w := b.wordsOf(e)
	if !slices.ContainsFunc(naming[:], func(name string) bool { return bytes.Contains(w.fields, []byte(name)) }) {
		return
	}
	var fields []Field
	renamed := false
	for key, value := range tracefmt.Fields(slices.Concat([]byte{'{'}, w.fields, []byte{'}'})) {
		f := Field{string(key), value}
		if slices.Contains(naming[:], f.Key) {
			name := processIn(value)
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
		e.words = b.keepWords(&w)
	}
}

// processIn is a value that names a process: a text, or a number where names are numbers.
func processIn(value []byte) string {
	return strings.Trim(string(value), `"`)
}

func (b *Builder) noteAliases() {
	var all []string
	for _, other := range slices.Sorted(maps.Keys(b.aliases)) {
		all = append(all, fmt.Sprintf("%s is %s", other, b.Called(other)))
	}
	if more := len(all) - maxListed; more > 0 {
		all = append(all[:maxListed], fmt.Sprintf("and %d more", more))
	}
	b.Note("other names of processes: %s", strings.Join(all, ", "))
}
