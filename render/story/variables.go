package story

import (
	"unicode/utf8"

	"etrace/tracefmt"
)

// Variable is what a variable of a process is when the window ends.
type Variable struct {
	// Name is that in the run, Text the two as drawn: "deficit = 2".
	Name, Text string
	// Process is the one that the value names, if it names any.
	Process tracefmt.ProcessID
	// Set is false of a value that says nothing: false, null, 0, an empty text or list, an object of such.
	Set bool
	// Doubtful: it may have another value, since the run does not tell everything.
	Doubtful bool
}

// mostVariables is how many variables of a process are kept.
const mostVariables = 64

// nothing are values that are not set.
var nothing = map[string]bool{"false": true, "null": true, "0": true, `""`: true, "[]": true}

func saysNothing(value []byte) bool {
	if len(value) == 0 || value[0] != '{' {
		return len(value) == 0 || nothing[string(value)]
	}
	for _, inner := range tracefmt.Fields(value) {
		if !nothing[string(inner)] {
			return false
		}
	}
	return true
}

// variables returns those of all processes, by process.
func (s *Story) variables() [][]Variable {
	list := make([][]Variable, len(s.Column))
	for _, p := range s.Order {
		for _, name := range s.state.Variables(p) {
			if len(list[p]) == mostVariables {
				break
			}
			list[p] = append(list[p], s.variable(p, name))
		}
	}
	return list
}

func (s *Story) variable(p tracefmt.ProcessID, name string) Variable {
	value, _ := s.state.Variable(p, name)
	v := Variable{Name: name, Set: !saysNothing(value), Doubtful: s.state.Doubtful(p, name)}
	if q, ok := s.Run.ProcessValue(value); ok {
		v.Process = known(q)
	}
	change := []change{{[]byte(name), value}}
	v.Text = listChanges(change, s.value)
	if utf8.RuneCountInString(v.Text) > maxLabel {
		v.Text = listChanges(change, s.shortValue)
	}
	v.Text = Clean(v.Text, maxLabel)
	return v
}

// VariablesOf are those of a process when the window ends, sorted by name, at most 64; none unless the
// options ask for them.
func (s *Story) VariablesOf(p tracefmt.ProcessID) []Variable {
	if s.holds == nil {
		return nil
	}
	return s.holds[p]
}
