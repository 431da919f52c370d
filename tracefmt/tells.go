package tracefmt

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"etrace/tracefmt/text"
)

// Level says how much of what happened a recording has.
type Level uint8

// The levels. Unsaid is the zero value: nothing is said, and what the events
// themselves show decides, see [Coverage].
const (
	Unsaid Level = iota
	// All: every such event that happened is recorded.
	All
	// Some: what is recorded happened, more may have.
	Some
	// Nothing: none is recorded, though some may have happened.
	Nothing
)

var levels = [...]string{Unsaid: "", All: "all", Some: "some", Nothing: "nothing"}

func (l Level) String() string { return levels[l%Level(len(levels))] }

// MarshalText writes the word for the level.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads the word for a level.
func (l *Level) UnmarshalText(b []byte) error {
	i := slices.Index(levels[1:], string(b))
	if i < 0 {
		return text.Unknown("level", string(b), levels[1:])
	}
	*l = Level(i + 1)
	return nil
}

// Telling is what a recording undertakes to tell of the events of a run, or of one of its
// processes.
type Telling struct {
	// Default is for all that Kinds does not name.
	Default Level `json:"default,omitempty"`
	// Kinds are by [Fact], as text, or by group of kinds: see [GroupNames].
	Kinds map[string]Level `json:"kinds,omitempty"`
}

// Tells is what a recording undertakes to tell. What it says of a process goes before what
// it says of all, and of the keys the narrowest counts: state.elected, then state,
// then states, then the default.
type Tells struct {
	Telling
	// Processes are by name.
	Processes map[string]Telling `json:"processes,omitempty"`
	// Gaps are stretches of which events are known to be missing.
	Gaps []Gap `json:"gaps,omitempty"`
}

// Gap is a stretch in which events of a process were not recorded, whatever is said of
// their kinds.
type Gap struct {
	Process string `json:"process"`
	// From and To are the first and the last recorded event beside which some may be
	// missing: they happened after the event before From, and before the event after To.
	// To is 0 where the record was not taken up again.
	From Seq `json:"from"`
	To   Seq `json:"to"`
	// Dropped is how many events are missing, 0 where it is not known.
	Dropped int64 `json:"dropped,omitempty"`
}

// Fact is a sort of event of which a recording tells all, some or nothing: a kind or,
// of state events, the assignments of one variable.
type Fact struct {
	Kind Kind
	// Variable is "" for every variable, and for kinds other than state.
	Variable string
}

// StateOf is the fact that a variable changes.
func StateOf(variable string) Fact { return Fact{State, variable} }

// String is the key of the fact in [Telling.Kinds]: a kind, or state.VARIABLE.
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

// Variables returns the variables that the declaration names, sorted.
func (t *Tells) Variables() []string {
	var names []string
	for _, own := range append(slices.Collect(maps.Values(t.Processes)), t.Telling) {
		for key := range own.Kinds {
			if name, ok := strings.CutPrefix(key, State.String()+"."); ok {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// level returns what is said of a fact, Unsaid if nothing is.
func (t *Telling) level(f Fact) Level {
	if t.Kinds != nil {
		for _, key := range [...]string{f.String(), f.Kind.String()} {
			if l := t.Kinds[key]; l != Unsaid {
				return l
			}
		}
		for _, g := range groups {
			if l := t.Kinds[g.name]; l != Unsaid && slices.Contains(g.kinds, f.Kind) {
				return l
			}
		}
	}
	return t.Default
}

// Complete reports whether everything is told.
func (t *Tells) Complete() bool {
	if t == nil || t.Default != All || len(t.Gaps) > 0 || !t.Telling.all() {
		return false
	}
	for _, own := range t.Processes {
		if !own.all() {
			return false
		}
	}
	return true
}

// all reports whether nothing is said that is less than all.
func (t *Telling) all() bool {
	for _, l := range t.Kinds {
		if l > All {
			return false
		}
	}
	return t.Default <= All
}

// gapsOver are the gaps of t and of under, each once.
func (t *Tells) gapsOver(under *Tells) []Gap {
	if t.Gaps != nil && len(t.Gaps) == 0 {
		return nil
	}
	all := slices.Clip(under.Gaps)
	for _, g := range t.Gaps {
		if !slices.Contains(all, g) {
			all = append(all, g)
		}
	}
	return all
}

// UnmarshalJSON refuses keys and values that mean nothing.
func (t *Tells) UnmarshalJSON(data []byte) error {
	err := t.unmarshal(data)
	if wrong := new(json.UnmarshalTypeError); err == nil || errors.As(err, &wrong) {
		return err
	}
	return fmt.Errorf(`"tells": %w`, err)
}

func (t *Tells) unmarshal(data []byte) error {
	if level := new(Level); json.Unmarshal(data, level) == nil && *level != Unsaid {
		return fmt.Errorf(`expected an object, {"default":"%s"}`, level)
	}
	type fields struct {
		Default   Level                      `json:"default"`
		Kinds     strict[map[string]Level]   `json:"kinds"`
		Processes strict[map[string]Telling] `json:"processes"`
		Gaps      []Gap                      `json:"gaps"`
	}
	var read fields
	if err := unmarshalKeys(data, &read, tellsKeys); err != nil {
		return err
	}
	*t = Tells{Telling: Telling{read.Default, read.Kinds.v}, Processes: read.Processes.v, Gaps: read.Gaps}
	return nil
}

// UnmarshalJSON refuses keys and values that mean nothing.
func (t *Telling) UnmarshalJSON(data []byte) error {
	var read struct {
		Default Level                    `json:"default"`
		Kinds   strict[map[string]Level] `json:"kinds"`
	}
	if err := unmarshalKeys(data, &read, tellingKeys); err != nil {
		return err
	}
	*t = Telling{read.Default, read.Kinds.v}
	return nil
}

// UnmarshalJSON refuses keys that a gap does not have.
func (g *Gap) UnmarshalJSON(data []byte) error {
	type fields Gap
	return unmarshalKeys(data, (*fields)(g), gapKeys)
}

// strict is a JSON object in which no key is given twice.
type strict[T any] struct{ v T }

func (s *strict[T]) UnmarshalJSON(data []byte) error {
	seen := make(map[string]bool)
	for key := range Fields(data) {
		if seen[string(key)] {
			return fmt.Errorf("the key %q is given twice", key)
		}
		seen[string(key)] = true
	}
	return json.Unmarshal(data, &s.v)
}

// The limits of what a header may say about what is told: the keys of one object, and all.
const (
	maxTelling = 4096
	maxTold    = 16 * maxTelling
)

// validateTells reports the first thing that is wrong with what the run says of its record.
func (r *Run) validateTells() error {
	if r.Tells == nil {
		return nil
	}
	if err := r.Tells.validate(); err != nil {
		return fmt.Errorf(`"tells": %w`, err)
	}
	var names []string
	for name := range r.Tells.Processes {
		names = append(names, name)
	}
	for _, g := range r.Tells.Gaps {
		names = append(names, g.Process)
	}
	slices.Sort(names)
	for _, name := range names {
		if _, ok := r.Process(name); !ok {
			return fmt.Errorf(`"tells": %w`, r.unknownProcess(name))
		}
	}
	return nil
}

// unknownProcess is the error for a name that no process has.
func (r *Run) unknownProcess(name string) error {
	var members []string
	for _, m := range r.Members {
		members = append(members, m.Name)
	}
	return text.Unknown("process", name, members)
}

func (t *Tells) validate() error {
	keys := len(t.Kinds) + len(t.Processes) + len(t.Gaps)
	if keys > maxTelling {
		return fmt.Errorf("%d keys, expected at most %d", keys, maxTelling)
	}
	for _, own := range t.Processes {
		keys += len(own.Kinds)
	}
	if keys > maxTold {
		return fmt.Errorf("%d keys in all, expected at most %d", keys, maxTold)
	}
	if err := t.Telling.validate(); err != nil {
		return err
	}
	for name, own := range t.Processes {
		if err := own.validate(); err != nil {
			return fmt.Errorf("process %s: %w", text.Quote(name), err)
		}
	}
	for i, g := range t.Gaps {
		switch {
		case g.From < 0 || g.To < 0 || g.Dropped < 0:
			return fmt.Errorf("gap %d: a number below 0", i+1)
		case g.To != 0 && g.From-1 > g.To:
			return fmt.Errorf("gap %d is from seq %d to seq %d, expected it the other way round", i+1, g.From, g.To)
		}
	}
	return nil
}

func (t *Telling) validate() error {
	if len(t.Kinds) > maxTelling {
		return fmt.Errorf("%d kinds, expected at most %d", len(t.Kinds), maxTelling)
	}
	for key := range t.Kinds {
		if _, err := ParseFacts(key); err != nil {
			return err
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
