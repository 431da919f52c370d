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

// Grouping is a way to divide the messages of a run.
type Grouping struct {
	Name, Doc string
	// Heads are the columns that name a group.
	Heads []string

	of    func(s *replay.State, e *tracefmt.Event, on link) groupKey
	names func(run *tracefmt.Run, k groupKey) []string
}

// Key is the grouping's name; see [text.Named].
func (g *Grouping) Key() string { return g.Name }

// groupKey names a group: by processes, a word, or a value that is told.
type groupKey struct {
	on   link
	word string
	told replay.Term // a number of any size, or another JSON value
}

func (k groupKey) compare(other groupKey) int {
	return cmp.Or(cmp.Compare(k.on.from, other.on.from), cmp.Compare(k.on.to, other.on.to), cmp.Compare(k.word, other.word), k.told.Compare(other.told))
}

// groupings are those that have a name.
var groupings = text.NewRegistry("grouping of messages",
	&Grouping{
		Name: "type", Doc: "by message type", Heads: []string{"type"},
		of:    func(_ *replay.State, e *tracefmt.Event, _ link) groupKey { return groupKey{word: e.Type} },
		names: func(_ *tracefmt.Run, k groupKey) []string { return []string{k.word} },
	},
	&Grouping{
		Name: "process", Doc: "by sender", Heads: []string{"process"},
		of:    func(_ *replay.State, _ *tracefmt.Event, on link) groupKey { return groupKey{on: link{from: on.from}} },
		names: func(run *tracefmt.Run, k groupKey) []string { return []string{run.ProcessName(k.on.from)} },
	},
	&Grouping{
		Name: "link", Doc: "by sender and receiver", Heads: []string{"from", "to"},
		of: func(_ *replay.State, _ *tracefmt.Event, on link) groupKey { return groupKey{on: on} },
		names: func(run *tracefmt.Run, k groupKey) []string {
			return []string{run.ProcessName(k.on.from), run.ProcessName(k.on.to)}
		},
	},
	toldGrouping("term", "by term: that of the message, else that which its sender has told", termOfMessage),
	toldGrouping("phase", "by phase or round: the field phase or round of the message, else the variable phase or round of its sender", func(s *replay.State, e *tracefmt.Event, from tracefmt.ProcessID) replay.Term {
		for _, name := range []string{"phase", "round"} {
			if told := toldBy(s, e, from, name); told.Known() {
				return told
			}
		}
		return replay.Term{}
	}),
)

// Groupings returns the registry of the groupings that have a name.
func Groupings() text.Registry[*Grouping] { return groupings }

// valuePrefix begins the name of a grouping by any field or variable.
const valuePrefix = "value."

// GroupingWords says which groupings there are, for help texts.
func GroupingWords() string {
	return strings.Join(groupings.Names(), ", ") + ", or " + valuePrefix + "NAME, a field of the message or variable of its sender"
}

// ParseGrouping returns the grouping of that name. The error suggests the nearest.
func ParseGrouping(name string) (*Grouping, error) {
	if field, ok := strings.CutPrefix(name, valuePrefix); ok {
		if field == "" {
			return nil, errors.New("grouping " + text.Quote(name) + ": expected the name of a field or variable after the point")
		}
		return toldGrouping(name, "", func(s *replay.State, e *tracefmt.Event, from tracefmt.ProcessID) replay.Term {
			return toldBy(s, e, from, field)
		}), nil
	}
	g, err := groupings.Lookup(name)
	if err != nil {
		return nil, text.Unknown("grouping of messages", name, append(groupings.Names(), valuePrefix+"NAME"))
	}
	return g, nil
}

// toldGrouping is one by a value that the message or its sender tells.
func toldGrouping(name, doc string, of func(s *replay.State, e *tracefmt.Event, from tracefmt.ProcessID) replay.Term) *Grouping {
	return &Grouping{
		Name: name, Doc: doc, Heads: []string{strings.TrimPrefix(name, valuePrefix)},
		of: func(s *replay.State, e *tracefmt.Event, on link) groupKey { return groupKey{told: of(s, e, on.from)} },
		names: func(_ *tracefmt.Run, k groupKey) []string {
			if !k.told.Known() {
				return []string{""}
			}
			return []string{string(k.told.JSON())}
		},
	}
}

// toldBy is the field of a message, else the variable of its sender.
func toldBy(s *replay.State, e *tracefmt.Event, from tracefmt.ProcessID, name string) replay.Term {
	if value, ok := e.Field(name); ok {
		return replay.ParseTerm(value)
	}
	value, _ := s.Variable(from, name)
	return replay.ParseTerm(value)
}

// termOfMessage is the term of a message: its own, else that of its sender.
func termOfMessage(s *replay.State, e *tracefmt.Event, from tracefmt.ProcessID) replay.Term {
	if told := s.TermIn(e); told.Known() || from == 0 {
		return told
	}
	return s.Term(from)
}

// groups are the accounts of a grouping.
type groups struct {
	*Grouping
	all map[groupKey]*account
}

func newGroups(g *Grouping) *groups { return &groups{g, map[groupKey]*account{}} }

// account implements [book].
func (g *groups) account(s *replay.State, e *tracefmt.Event, on link) *account {
	k := g.of(s, e, on)
	a := g.all[k]
	if a == nil {
		a = &account{}
		g.all[k] = a
	}
	return a
}

// Breakdown is how the messages of a run divide.
type Breakdown struct {
	Grouping string  `json:"grouping"`
	Groups   []Group `json:"groups"`

	heads []string
}

// Group counts some of the messages of a run.
type Group struct {
	// Name is what they have in common: of a link sender and receiver; "" for what is not told.
	Name []string `json:"name"`
	Tally
}

// breakdown is what the groups come to, in their order. Of values that are never told there are
// no groups.
func (g *groups) breakdown(run *tracefmt.Run, measured bool) Breakdown {
	b := Breakdown{Grouping: g.Name, Groups: []Group{}, heads: g.Heads}
	for _, k := range slices.SortedFunc(maps.Keys(g.all), groupKey.compare) {
		b.Groups = append(b.Groups, Group{g.names(run, k), g.all[k].tally(measured)})
	}
	if len(b.Groups) == 1 && slices.Equal(b.Groups[0].Name, []string{""}) && g.Name != "type" {
		b.Groups = b.Groups[:0]
	}
	return b
}
