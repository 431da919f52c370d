package complexity

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"

	"etrace/replay"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Grouping is a way to divide the messages of a run into groups, such as by type.
type Grouping struct {
	Name, Doc string
	// Heads are the columns that name a group.
	Heads []string

	key    func(e *tracefmt.Event, on link) groupKey // nil for groupings by a recorded value
	source valueSource
	names  func(run *tracefmt.Run, k groupKey) []string
}

// valueSource defines the value by which a grouping divides: the value of the message itself or, if it has
// none, of its sender. facts are the facts that determine the value of the sender.
type valueSource struct {
	message func(s *replay.State, e *tracefmt.Event) replay.Term
	sender  func(s *replay.State, p tracefmt.ProcessID) replay.Term
	facts   func(s *replay.State) []tracefmt.Fact
}

// Key is the grouping's name; see [text.Named].
func (g *Grouping) Key() string { return g.Name }

// groupKey identifies a group: by processes, a word, or a recorded value.
type groupKey struct {
	on    link
	word  string
	value replay.Term // a number of any size, or another JSON value
}

// compare orders groups by sender, receiver, word and value.
func (k groupKey) compare(other groupKey) int {
	return cmp.Or(
		cmp.Compare(k.on.sender, other.on.sender), cmp.Compare(k.on.receiver, other.on.receiver),
		cmp.Compare(k.word, other.word), k.value.Compare(other.value),
	)
}

// groupings are the named groupings.
var groupings = text.NewRegistry("grouping of messages",
	&Grouping{
		Name: "type", Doc: "by message type", Heads: []string{"type"},
		key:   func(e *tracefmt.Event, _ link) groupKey { return groupKey{word: e.Type} },
		names: func(_ *tracefmt.Run, k groupKey) []string { return []string{k.word} },
	},
	&Grouping{
		Name: "process", Doc: "by sender", Heads: []string{"process"},
		key:   func(_ *tracefmt.Event, on link) groupKey { return groupKey{on: link{sender: on.sender}} },
		names: func(run *tracefmt.Run, k groupKey) []string { return []string{run.ProcessName(k.on.sender)} },
	},
	&Grouping{
		Name: "link", Doc: "by sender and receiver", Heads: []string{"from", "to"},
		key: func(_ *tracefmt.Event, on link) groupKey { return groupKey{on: on} },
		names: func(run *tracefmt.Run, k groupKey) []string {
			return []string{run.ProcessName(k.on.sender), run.ProcessName(k.on.receiver)}
		},
	},
	valueGrouping("term", "by term: that of the message, otherwise that of its sender", valueSource{
		(*replay.State).TermIn, (*replay.State).Term, func(s *replay.State) []tracefmt.Fact { return []tracefmt.Fact{s.TermFact()} },
	}),
	valueGrouping(
		"phase",
		"by phase or round: the field phase or round of the message, otherwise the variable phase or round of its sender, "+
			"also if the sender only forwards the message of another process",
		fieldOrVariable("phase", "round"),
	),
)

// Groupings returns the registry of the named groupings.
func Groupings() text.Registry[*Grouping] { return groupings }

// valuePrefix is the prefix of the groupings by any field or variable.
const valuePrefix = "value."

// GroupingWords lists the groupings for help texts.
func GroupingWords() string {
	return strings.Join(groupings.Names(), ", ") + ", or " + valuePrefix + "NAME, a field of the message or variable of its sender"
}

// ParseGrouping returns the grouping with the given name. The error suggests the closest name.
func ParseGrouping(name string) (*Grouping, error) {
	if field, ok := strings.CutPrefix(name, valuePrefix); ok {
		if field == "" {
			return nil, errors.New("grouping " + text.Quote(name) + ": expected the name of a field or variable after the point")
		}
		return valueGrouping(name, "", fieldOrVariable(field)), nil
	}
	g, err := groupings.Lookup(name)
	if err != nil {
		// The view messages has a column for each of these names.
		if meant := map[string]string{"sender": "process", "receiver": "link"}[name]; meant != "" {
			return nil, text.Meant("grouping of messages", name, meant)
		}
		return nil, text.Unknown("grouping of messages", name, append(groupings.Names(), valuePrefix+"NAME"))
	}
	return g, nil
}

// valueGrouping returns a grouping by a value of the message or its sender.
func valueGrouping(name, doc string, source valueSource) *Grouping {
	return &Grouping{
		Name: name, Doc: doc, Heads: []string{strings.TrimPrefix(name, valuePrefix)}, source: source,
		names: func(_ *tracefmt.Run, k groupKey) []string {
			if !k.value.Known() {
				return []string{""}
			}
			return []string{string(k.value.JSON())}
		},
	}
}

// fieldOrVariable returns the source of a value: the first known field with one of the names, otherwise the
// first known variable of the sender.
func fieldOrVariable(names ...string) valueSource {
	first := func(value func(name string) []byte) (t replay.Term) {
		for i := 0; i < len(names) && !t.Known(); i++ {
			t = replay.ParseTerm(value(names[i]))
		}
		return t
	}
	return valueSource{
		func(_ *replay.State, e *tracefmt.Event) replay.Term {
			return first(func(name string) []byte {
				value, _ := e.Field(name)
				return value
			})
		},
		func(s *replay.State, p tracefmt.ProcessID) replay.Term {
			return first(func(name string) []byte {
				value, _ := s.Variable(p, name)
				return value
			})
		},
		func(*replay.State) (facts []tracefmt.Fact) {
			for _, name := range names {
				facts = append(facts, tracefmt.StateOf(name))
			}
			return facts
		},
	}
}

// termOfMessage returns the term of a message: its own, otherwise that of its sender.
func termOfMessage(s *replay.State, e *tracefmt.Event, from tracefmt.ProcessID) replay.Term {
	if term := s.TermIn(e); term.Known() || from == 0 {
		return term
	}
	return s.Term(from)
}

// groups counts the messages of each group of a grouping.
type groups struct {
	*Grouping
	accounts map[groupKey]*account
	// bySender is true if the group of some message depends on its sender.
	bySender bool
	fields   seenNames // the fields of messages without a group, for suggestions
}

// newGroups returns the groups of a grouping, without messages.
func newGroups(g *Grouping) *groups {
	return &groups{Grouping: g, accounts: map[groupKey]*account{}, fields: seenNames{}}
}

// account implements [book]: it returns the account of the group of a message.
func (g *groups) account(s *replay.State, e *tracefmt.Event, on link) *account {
	k := g.groupOf(s, e, on)
	a := g.accounts[k]
	if a == nil {
		a = &account{}
		g.accounts[k] = a
	}
	return a
}

// groupOf returns the group of a message.
func (g *groups) groupOf(s *replay.State, e *tracefmt.Event, on link) groupKey {
	if g.key != nil {
		return g.key(e, on)
	}
	value := g.source.message(s, e)
	if e.Kind == tracefmt.Send && value.Known() {
		return groupKey{value: value}
	}
	// The message has no recorded send, or no value of its own.
	g.bySender = true
	if !value.Known() && on.sender > 0 {
		value = g.source.sender(s, on.sender)
	}
	if !value.Known() {
		for name := range tracefmt.Fields(e.Payload) {
			g.fields.add(string(name))
		}
	}
	return groupKey{value: value}
}

// Breakdown is the division of the messages of a run into groups.
type Breakdown struct {
	Grouping string `json:"grouping"`
	// Uncertain: messages may belong to other groups, since the recording lacks facts that determine them.
	Uncertain bool    `json:"uncertain,omitempty"`
	Groups    []Group `json:"groups"`

	heads []string
	meant string // the probable meaning of a name without groups
}

// Group counts some of the messages of a run.
type Group struct {
	// Name identifies the group: for a link, sender and receiver; "" for an unrecorded value.
	Name []string `json:"name"`
	Tally
}

// breakdown returns the groups in order. A value that is never recorded has no groups.
func (g *groups) breakdown(s *replay.State, r *record, measured bool) Breakdown {
	b := Breakdown{Grouping: g.Name, Uncertain: g.uncertain(s, r), Groups: []Group{}, heads: g.Heads}
	for _, k := range slices.SortedFunc(maps.Keys(g.accounts), groupKey.compare) {
		b.Groups = append(b.Groups, Group{g.names(s.Run, k), g.accounts[k].tally(measured)})
	}
	if len(b.Groups) == 1 && slices.Equal(b.Groups[0].Name, []string{""}) && g.Name != "type" {
		b.Groups = b.Groups[:0]
		for p := range s.Run.Members {
			for _, name := range s.Variables(tracefmt.ProcessID(p + 1)) {
				g.fields.add(name)
			}
		}
		b.meant = g.fields.nearest(g.Heads[0])
	}
	return b
}

// uncertain reports whether the group of some message is unknown, because unrecorded events may have changed
// the value of its sender.
func (g *groups) uncertain(s *replay.State, r *record) bool {
	return g.bySender && !r.determinesOrder(append(kinds(tracefmt.Send, tracefmt.Start, tracefmt.Recover,
		tracefmt.Crash), g.source.facts(s)...)...)
}
