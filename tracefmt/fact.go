package tracefmt

import (
	"fmt"
	"strings"

	"etrace/tracefmt/text"
)

// Fact is a sort of event of which a recording has all, some or none: a kind or,
// of state events, the assignments of one variable.
type Fact struct {
	Kind Kind
	// Variable is "" for every variable, and for kinds other than state.
	Variable string
}

// StateOf is the fact that a variable changes.
func StateOf(variable string) Fact { return Fact{State, variable} }

// String is the key of the fact in [Levels.Kinds]: a kind, or state.VARIABLE.
func (f Fact) String() string {
	if f.Variable == "" {
		return f.Kind.String()
	}
	return f.Kind.String() + "." + f.Variable
}

// ListName is the variable of which a name is an item, as log is of log[3], and any other
// name itself.
func ListName[T string | []byte](name T) T {
	for i := range len(name) {
		if name[i] == '[' && i > 0 {
			return name[:i]
		}
	}
	return name
}

// groups are names for several kinds, in the declaration of what is told.
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

// GroupKinds returns the kinds of a group, nil for a name that is none.
func GroupKinds(name string) []Kind {
	for _, g := range groups {
		if g.name == name {
			return g.kinds
		}
	}
	return nil
}

// ParseFacts returns the facts that a key of a declaration names: a kind, state.VARIABLE,
// or a group of kinds.
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

// unknownFact is the error for a key of a declaration that names no fact.
func unknownFact(key string) error {
	near := ""
	if word := text.Nearest(key, factNames()); word != "" {
		near = fmt.Sprintf(", did you mean %q?", word)
	} else if key != "" {
		near = fmt.Sprintf(", did you mean the variable, %q?", text.Short(StateOf(key).String(), 41))
	}
	return fmt.Errorf("unknown kind of events %s%s (known: %s)", text.Quote(key), near, strings.Join(factNames(), ", "))
}

// factNames are the keys that a declaration may have, but for those of variables.
func factNames() []string {
	var names []string
	for _, k := range Kinds() {
		names = append(names, k.String())
	}
	return append(append(names, GroupNames()...), "state.VARIABLE")
}
