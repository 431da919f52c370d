package tracefmt

import (
	"fmt"
	"strings"

	"etrace/tracefmt/text"
)

// Fact is a category of events with a level of completeness: a kind or, for state events, the assignments of
// one variable.
type Fact struct {
	Kind Kind
	// Variable is "" for every variable, and for kinds other than state.
	Variable string
}

// StateOf returns the fact that a variable changes.
func StateOf(variable string) Fact { return Fact{State, variable} }

// String returns the key of the fact in [Levels.Kinds]: a kind, or state.VARIABLE.
func (f Fact) String() string {
	if f.Variable == "" {
		return f.Kind.String()
	}
	return f.Kind.String() + "." + f.Variable
}

// ListName returns the list of an item, such as log for log[3]; it returns any other name unchanged.
func ListName[T string | []byte](name T) T {
	for i := range len(name) {
		if name[i] == '[' && i > 0 {
			return name[:i]
		}
	}
	return name
}

// groups are names for several kinds in declarations of completeness.
var groups = []struct {
	name  string
	kinds []Kind
}{
	{"messages", []Kind{Send, Receive, Lose}},
	{"states", []Kind{State}},
	{"timers", []Kind{SetTimer, CancelTimer, Timeout}},
}

// GroupNames returns the names of the groups of kinds.
func GroupNames() []string {
	var names []string
	for _, g := range groups {
		names = append(names, g.name)
	}
	return names
}

// GroupKinds returns the kinds of a group, nil for an unknown name.
func GroupKinds(name string) []Kind {
	for _, g := range groups {
		if g.name == name {
			return g.kinds
		}
	}
	return nil
}

// ParseFacts returns the facts of a key of a declaration: a kind, state.VARIABLE, or a group of kinds.
func ParseFacts(key string) ([]Fact, error) {
	if variable, ok := strings.CutPrefix(key, State.String()+"."); ok && variable != "" {
		if list := ListName(variable); list != variable {
			return nil, fmt.Errorf("%q is an item of a list, which is recorded as a whole, expected %q", key, StateOf(list))
		}
		return []Fact{StateOf(variable)}, nil
	}
	var facts []Fact
	for _, k := range GroupKinds(key) {
		facts = append(facts, Fact{Kind: k})
	}
	if facts != nil {
		return facts, nil
	}
	k, err := ParseKind(key)
	if err != nil {
		return nil, unknownFact(key)
	}
	return []Fact{{Kind: k}}, nil
}

// unknownFact returns the error for a key of a declaration that names no fact.
func unknownFact(key string) error {
	near := ""
	if word := text.Nearest(key, factNames()); word != "" {
		near = fmt.Sprintf(", did you mean %q?", word)
	} else if key != "" {
		near = fmt.Sprintf(", did you mean the variable, %q?", text.Short(StateOf(key).String(), 41))
	}
	return fmt.Errorf("unknown kind of events %s%s (known: %s)", text.Quote(key), near, strings.Join(factNames(), ", "))
}

// factNames returns the keys of a declaration, without those of single variables.
func factNames() []string {
	var names []string
	for _, k := range Kinds() {
		names = append(names, k.String())
	}
	return append(append(names, GroupNames()...), "state.VARIABLE")
}
