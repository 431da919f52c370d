package algorithm

import (
	"errors"
	"fmt"
	"slices"

	"etrace/tracefmt/text"
)

// Mutant is a variant of an algorithm with a deliberate fault: one rule is left out or changed. It shows the
// purpose of the rule, and that a property detects its absence. It has the messages and the variables of the
// algorithm.
//
// Only a run with the parameter mutant is made by a mutant, and such a run states no traits and bounds.
type Mutant struct {
	// Name is the value of the parameter mutant, such as nobody-waits.
	Name string
	// Doc describes the changed rule and its consequence.
	Doc string
	// Breaks names the properties that detect the fault: mutual-exclusion, bounded-bypass(2).
	Breaks []string
	// Shows is a scenario in which the algorithm satisfies each of these properties and the mutant violates it. It has
	// the keys and values of a scenario file, without the algorithm and the mutant: "nodes: 3, start: [2, 3]".
	Shows string
}

// MutantParam is the additional parameter of every algorithm with mutants. Its default NoMutant means the correct algorithm.
const (
	MutantParam = "mutant"
	NoMutant    = "none"
)

// Parameters returns Params and, if the algorithm has mutants, the parameter mutant.
func (a *Algorithm) Parameters() []Param {
	if len(a.Mutants) == 0 {
		return a.Params
	}
	words := []string{NoMutant}
	for _, m := range a.Mutants {
		words = append(words, m.Name)
	}
	return append(slices.Clone(a.Params), Param{
		Name: MutantParam, Default: NoMutant, Words: words,
		Doc: "a deliberate fault; a run with one claims no traits of the algorithm",
	})
}

// Mutant returns the mutant that the values select, nil for none.
func (a *Algorithm) Mutant(v Values) *Mutant {
	for i := range a.Mutants {
		if v[MutantParam] == a.Mutants[i].Name {
			return &a.Mutants[i]
		}
	}
	return nil
}

// checkMutants returns an error for an incomplete mutant.
func (a *Algorithm) checkMutants() error {
	if len(a.Mutants) > 0 && slices.ContainsFunc(a.Params, func(p Param) bool { return p.Name == MutantParam }) {
		return errors.New("a parameter mutant beside mutants, expected one of them")
	}
	for i, m := range a.Mutants {
		switch {
		case m.Name == "" || m.Name == NoMutant:
			return fmt.Errorf("mutant %d: expected a name other than %s", i+1, NoMutant)
		case slices.ContainsFunc(a.Mutants[:i], func(o Mutant) bool { return o.Name == m.Name }):
			return fmt.Errorf("two mutants are named %s", text.Quote(m.Name))
		case m.Doc == "" || len(m.Breaks) == 0 || m.Shows == "":
			return fmt.Errorf("mutant %s: expected a doc, the properties that it breaks, and a scenario that shows it", text.Quote(m.Name))
		}
	}
	return nil
}

// Is reports whether the parameter has this value, one of its words.
func (v Values) Is(name, word string) bool { return v[name] == word }

// Mutant reports whether the values select the mutant with the name.
func (v Values) Mutant(name string) bool { return v.Is(MutantParam, name) }
