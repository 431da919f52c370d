package story

import (
	"strings"

	"etrace/replay"
	"etrace/tracefmt"
)

// attribute is the attribute of the members that decides an election, with its value at each process.
type attribute struct {
	name   string // "" for none
	values []string
}

// newAttribute returns the first key by which the run ranks processes, unless that is the id.
func newAttribute(run *tracefmt.Run) (a attribute) {
	keys := run.BestKeys()
	if len(keys) == 0 || keys[0] == tracefmt.BestID {
		return a
	}
	merits := replay.Merits(run, keys[:1])
	a.values = make([]string, len(merits))
	for p := 1; p < len(merits); p++ {
		if value := merits[p][0]; value != nil {
			a.name, _ = tracefmt.BestKey(keys[0])
			a.values[p] = Clean(a.name, maxName) + "=" + plainValue(value)
		}
	}
	return a
}

// withoutValues returns a payload without the values of the attribute that it lists by process, since the heads of the
// processes show them. If the list has one process only, value is its value.
func (a *attribute) withoutValues(payload []byte) (tail []byte, value string) {
	if a.name == "" {
		return payload, ""
	}
	found, list := false, false
	tail = append(tail, '{')
	for key, field := range tracefmt.Fields(payload) {
		list = list || len(field) > 0 && field[0] == '['
		if string(key) == a.name && len(field) > 0 && field[0] == '{' {
			found, value = true, a.singleValue(field)
			continue
		}
		if len(tail) > 1 {
			tail = append(tail, ',')
		}
		tail = append(append(tracefmt.AppendString(tail, string(key)), ':'), field...)
	}
	switch {
	case !found:
		return payload, ""
	case list:
		// The list grows on its way: a value beside its only process would vanish with the next hop.
		value = ""
	}
	return append(tail, '}'), value
}

// singleValue returns the value of an object with one field, "" for any other.
func (a *attribute) singleValue(byProcess []byte) (text string) {
	n := 0
	for _, value := range tracefmt.Fields(byProcess) {
		text = Clean(a.name, maxName) + "=" + plainValue(value)
		n++
	}
	if n != 1 {
		return ""
	}
	return text
}

// appendValue adds the value of an attribute to the text of a payload.
func appendValue(written, value string) string {
	switch {
	case value == "":
		return written
	case written == "":
		return "(" + value + ")"
	}
	return strings.TrimSuffix(written, ")") + ", " + value + ")"
}
