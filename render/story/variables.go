package story

import (
	"slices"
	"unicode/utf8"

	"etrace/tracefmt"
)

// Variable is a variable of a process with its value at the end of the window.
type Variable struct {
	// Name is that in the run, Text the two as drawn: "deficit = 2", or the name alone of a flag.
	Name, Text string
	// Processes are the processes in the value: a process, an object with a process as its id, such as
	// a request, or a list of these.
	Processes []tracefmt.ProcessID
	// Set is false for an empty value: false, null, 0, an empty text or list, an object of such.
	Set bool
	// Flag: its value is true; List: that is a list.
	Flag, List bool
	// Doubtful: the run is not recorded completely, and the value may be another.
	Doubtful bool
}

// mostVariables is how many variables of a process are kept.
const mostVariables = 64

// emptyValues are values that are not set.
var emptyValues = map[string]bool{"false": true, "null": true, "0": true, `""`: true, "[]": true}

// recordsNothing reports whether a value is empty: false, null, 0, an empty text or list, or an object of such
// values.
func recordsNothing(value []byte) bool {
	if len(value) == 0 || value[0] != '{' {
		return len(value) == 0 || emptyValues[string(value)]
	}
	for _, inner := range tracefmt.Fields(value) {
		if !emptyValues[string(inner)] {
			return false
		}
	}
	return true
}

// variables returns the variables of all processes, by process.
func (s *Story) variables() [][]Variable {
	list := make([][]Variable, len(s.Column))
	for _, p := range s.ringOrder {
		for _, name := range s.state.Variables(p) {
			if len(list[p]) == mostVariables {
				break
			}
			list[p] = append(list[p], s.variable(p, name))
		}
	}
	return list
}

// variable returns a variable of a process, with its text shortened to fit.
func (s *Story) variable(p tracefmt.ProcessID, name string) Variable {
	value, _ := s.state.Variable(p, name)
	v := Variable{Name: name, Set: !recordsNothing(value), Doubtful: s.state.Doubtful(p, name)}
	v.Flag, v.List = string(value) == "true", len(value) > 0 && value[0] == '['
	v.Processes = s.namedBy(value)
	if v.Flag {
		v.Text = Clean(name, maxLabel)
		return v
	}
	change := []change{{[]byte(name), value}}
	v.Text = listChanges(change, s.value)
	if utf8.RuneCountInString(v.Text) > maxLabel {
		v.Text = listChanges(change, s.shortValue)
	}
	v.Text = Clean(v.Text, maxLabel)
	return v
}

// idKey is the field of an object for its process: a request is identified by the requester.
const idKey = "id"

// namedBy returns the processes that a value names, each once.
func (s *Story) namedBy(value []byte) (list []tracefmt.ProcessID) {
	if len(value) == 0 || value[0] != '[' {
		if p := s.processNamed(value); p != 0 {
			list = append(list, p)
		}
		return list
	}
	for item := range tracefmt.Items(value) {
		if p := s.processNamed(item); p != 0 && !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	return list
}

// processNamed returns the process that a value names, by itself or by its field id; 0 for none.
func (s *Story) processNamed(value []byte) tracefmt.ProcessID {
	if len(value) > 0 && value[0] == '{' {
		for key, inner := range tracefmt.Fields(value) {
			if string(key) == idKey {
				return s.processNamed(inner)
			}
		}
		return 0
	}
	p, _ := s.Run.ProcessValue(value)
	return listedProcess(p)
}

// VariablesOf returns the variables of a process at the end of the window, sorted by name, at most 64. It returns
// none unless the options ask for them.
func (s *Story) VariablesOf(p tracefmt.ProcessID) []Variable {
	if s.holds == nil {
		return nil
	}
	return s.holds[p]
}
