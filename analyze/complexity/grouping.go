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

	of    func(e *tracefmt.Event, on link) groupKey // nil of those by a value that is told
	told  teller
	names func(run *tracefmt.Run, k groupKey) []string
}

// teller says by which value messages are divided: the message tells it, or else its sender, of whose value facts are
// those that it rests on.
type teller struct {
	message func(s *replay.State, e *tracefmt.Event) replay.Term
	sender  func(s *replay.State, p tracefmt.ProcessID) replay.Term
	facts   func(s *replay.State) []tracefmt.Fact
}

// Key is the grouping's name; see [text.Named].
func (g *Grouping) Key() string { return g.Name }

// groupKey names a group: by processes, a word, or a value that is told.
type groupKey struct {
	on    link
	word  string
	value replay.Term // a number of any size, or another JSON value
}

func (k groupKey) compare(other groupKey) int {
	return cmp.Or(cmp.Compare(k.on.from, other.on.from), cmp.Compare(k.on.to, other.on.to), cmp.Compare(k.word, other.word), k.value.Compare(other.value))
}

// groupings are those that have a name.
var groupings = text.NewRegistry("grouping of messages",
	&Grouping{
		Name: "type", Doc: "by message type", Heads: []string{"type"},
		of:    func(e *tracefmt.Event, _ link) groupKey { return groupKey{word: e.Type} },
		names: func(_ *tracefmt.Run, k groupKey) []string { return []string{k.word} },
	},
	&Grouping{
		Name: "process", Doc: "by sender", Heads: []string{"process"},
		of:    func(_ *tracefmt.Event, on link) groupKey { return groupKey{on: link{from: on.from}} },
		names: func(run *tracefmt.Run, k groupKey) []string { return []string{run.ProcessName(k.on.from)} },
	},
	&Grouping{
		Name: "link", Doc: "by sender and receiver", Heads: []string{"from", "to"},
		of: func(_ *tracefmt.Event, on link) groupKey { return groupKey{on: on} },
		names: func(run *tracefmt.Run, k groupKey) []string {
			return []string{run.ProcessName(k.on.from), run.ProcessName(k.on.to)}
		},
	},
	toldGrouping("term", "by term: that of the message, else that which its sender has told", teller{
		(*replay.State).TermIn, (*replay.State).Term, func(s *replay.State) []tracefmt.Fact { return []tracefmt.Fact{s.TermFact()} },
	}),
	toldGrouping("phase", "by phase or round: the field phase or round of the message, else the variable phase or round of its sender, also where this only passes on what another has begun", toldAs("phase", "round")),
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
		return toldGrouping(name, "", toldAs(field)), nil
	}
	g, err := groupings.Lookup(name)
	if err != nil {
		// The view messages has a column for each of these.
		if meant := map[string]string{"sender": "process", "receiver": "link"}[name]; meant != "" {
			return nil, text.Meant("grouping of messages", name, meant)
		}
		return nil, text.Unknown("grouping of messages", name, append(groupings.Names(), valuePrefix+"NAME"))
	}
	return g, nil
}

// toldGrouping is one by a value that the message or its sender tells.
func toldGrouping(name, doc string, by teller) *Grouping {
	return &Grouping{
		Name: name, Doc: doc, Heads: []string{strings.TrimPrefix(name, valuePrefix)}, told: by,
		names: func(_ *tracefmt.Run, k groupKey) []string {
			if !k.value.Known() {
				return []string{""}
			}
			return []string{string(k.value.JSON())}
		},
	}
}

// toldAs is the field of that name, of the first that is known of several, else the variable of the sender.
func toldAs(names ...string) teller {
	first := func(value func(name string) []byte) (t replay.Term) {
		for i := 0; i < len(names) && !t.Known(); i++ {
			t = replay.ParseTerm(value(names[i]))
		}
		return t
	}
	return teller{
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
	// bySender: of some message it is the sender that tells in which group it is.
	bySender bool
	fields   seenNames // of messages that are in no group
}

func newGroups(g *Grouping) *groups {
	return &groups{Grouping: g, all: map[groupKey]*account{}, fields: seenNames{}}
}

// account implements [book].
func (g *groups) account(s *replay.State, e *tracefmt.Event, on link) *account {
	k := g.key(s, e, on)
	a := g.all[k]
	if a == nil {
		a = &account{}
		g.all[k] = a
	}
	return a
}

// key is the group of a message.
func (g *groups) key(s *replay.State, e *tracefmt.Event, on link) groupKey {
	if g.of != nil {
		return g.of(e, on)
	}
	value := g.told.message(s, e)
	if e.Kind == tracefmt.Send && value.Known() {
		return groupKey{value: value}
	}
	g.bySender = true
	if !value.Known() && on.from > 0 {
		value = g.told.sender(s, on.from)
	}
	if !value.Known() {
		for name := range tracefmt.Fields(e.Payload) {
			g.fields.add(string(name))
		}
	}
	return groupKey{value: value}
}

// Breakdown is how the messages of a run divide.
type Breakdown struct {
	Grouping string `json:"grouping"`
	// Uncertain: messages may belong to another group, since the run does not tell all that shows to which.
	Uncertain bool    `json:"uncertain,omitempty"`
	Groups    []Group `json:"groups"`

	heads []string
	meant string // what its name is probably meant for, where there are no groups
}

// Group counts some of the messages of a run.
type Group struct {
	// Name is what they have in common: of a link sender and receiver; "" for what is not told.
	Name []string `json:"name"`
	Tally
}

// breakdown is what the groups come to, in their order. Of values that are never told there are
// no groups.
func (g *groups) breakdown(s *replay.State, r *record, measured bool) Breakdown {
	b := Breakdown{Grouping: g.Name, Uncertain: g.uncertain(s, r), Groups: []Group{}, heads: g.Heads}
	for _, k := range slices.SortedFunc(maps.Keys(g.all), groupKey.compare) {
		b.Groups = append(b.Groups, Group{g.names(s.Run, k), g.all[k].tally(measured)})
	}
	if len(b.Groups) == 1 && slices.Equal(b.Groups[0].Name, []string{""}) && g.Name != "type" {
		b.Groups = b.Groups[:0]
		for p := range s.Run.Members {
			for _, name := range s.Variables(tracefmt.ProcessID(p + 1)) {
				g.fields.add(name)
			}
		}
		b.meant = g.fields.meant(g.Heads[0])
	}
	return b
}

// uncertain reports whether it is not known in which group each message is. What a sender told last it
// may have forgotten since, by a restart.
func (g *groups) uncertain(s *replay.State, r *record) bool {
	return g.bySender && !r.settles(append(kinds(tracefmt.Send, tracefmt.Start, tracefmt.Recover, tracefmt.Crash), g.told.facts(s)...)...)
}
