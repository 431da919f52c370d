package sweep

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"etrace/record/scenario"
	"etrace/record/sim/network"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// choosers are the choosers of a cell.
type choosers []*chooser

// find returns the chooser of a key, or nil.
func (c choosers) find(key *chooserKey) *chooser {
	if i := slices.IndexFunc(c, func(c *chooser) bool { return c.key == key }); i >= 0 {
		return c[i]
	}
	return nil
}

// chooser is a value of an axis that names processes by symbols, such as "lowest" or "highest@3,2@5". They
// start, crash, are down, or coordinate, by its key.
type chooser struct {
	key   *chooserKey
	parts []chosen
}

// chooserKey is a key whose values may contain symbols.
type chooserKey struct {
	name string
	// timed is true if a symbol may have a time, "@T", needed if it must.
	timed, needed bool
	// single is true if the key names one process.
	single bool
	// word makes the random choices of different keys independent.
	word uint64
	add  func(s *scenario.Scenario, id int64, at tracefmt.Time)
}

// chooserKeys are in the order in which they are applied: a process that is down neither starts nor crashes.
var chooserKeys = []*chooserKey{
	{name: "down", word: 0xa0761d6478bd642f, add: func(s *scenario.Scenario, id int64, _ tracefmt.Time) {
		if !slices.Contains(s.Down, id) {
			s.Down = append(s.Down, id)
		}
	}},
	{name: "coordinator", single: true, add: func(s *scenario.Scenario, id int64, _ tracefmt.Time) {
		s.Coordinator = &id
	}},
	{name: "start", timed: true, word: 0xe7037ed1a0b428db, add: func(s *scenario.Scenario, id int64, at tracefmt.Time) {
		s.Start = append(s.Start, scenario.At{Process: id, Time: at})
	}},
	{
		name: "crash", timed: true, needed: true, word: 0x8ebc6af09c88c6e3,
		add: func(s *scenario.Scenario, id int64, at tracefmt.Time) {
			s.Crash = append(s.Crash, scenario.At{Process: id, Time: at})
		},
	},
}

// symbolic reports whether the values of a key may contain symbols.
func symbolic(key string) bool { return keyOf(key) != nil }

// keyOf returns the key with the name; nil if its values have no symbols.
func keyOf(name string) *chooserKey {
	i := slices.IndexFunc(chooserKeys, func(k *chooserKey) bool { return k.name == name })
	if i < 0 {
		return nil
	}
	return chooserKeys[i]
}

// symbol names processes by their rank, or draws them.
type symbol struct {
	name, doc string
	// pick returns the chosen processes among the sorted ids. It is nil for the random symbols and for each.
	pick func(ids []int64) []int64
}

// Key implements [text.Named].
func (s *symbol) Key() string { return s.name }

var symbols = text.NewRegistry("symbol",
	&symbol{name: "lowest", doc: "the process with the lowest id", pick: func(ids []int64) []int64 { return ids[:1] }},
	&symbol{
		name: "second-highest", doc: "the one below the highest",
		pick: func(ids []int64) []int64 { return ids[max(len(ids)-2, 0):][:1] },
	},
	&symbol{
		name: "highest", doc: "the process with the highest id",
		pick: func(ids []int64) []int64 { return ids[len(ids)-1:] },
	},
	&symbol{name: "all", doc: "all of them, together", pick: func(ids []int64) []int64 { return ids }},
	&symbol{name: "each", doc: "each of them in a run of its own"},
	&symbol{
		name: "random",
		doc:  "a schedule that the seed draws; random(K) draws K different ones, random(any) any number, all sets equally likely",
	},
)

// Symbols returns the names of the symbols with their explanations.
func Symbols() (names, docs []string) {
	for _, s := range symbols.All() {
		names, docs = append(names, s.name), append(docs, s.doc)
	}
	return names, docs
}

// HasSymbol reports whether a value of a key names processes by symbols, such as highest or lowest@2.5. Only
// sweeps accept these.
func HasSymbol(key, value string) bool {
	if !symbolic(key) {
		return false
	}
	c, err := parseChooser(key, value)
	return err == nil && c != nil
}

// chosen is a part of a chooser: a symbol, or a text without one, which the scenario key itself reads.
type chosen struct {
	text   string
	symbol *symbol
	// many is the number of processes to draw, 0 for any number.
	many int
	at   tracefmt.Time
}

// parseChooser reads a value of a key. It returns nil for a value without symbols, and fails for symbols that
// do not fit together.
func parseChooser(key, value string) (*chooser, error) {
	c := &chooser{key: keyOf(key)}
	anySymbol, eachCount := false, 0
	for word := range strings.SplitSeq(value, ",") {
		part, err := c.key.parse(strings.TrimSpace(word))
		if err != nil {
			return nil, err
		}
		c.parts = append(c.parts, part)
		anySymbol = anySymbol || part.symbol != nil
		if part.symbol != nil && part.symbol.name == "each" {
			eachCount++
		}
	}
	switch {
	// Scenarios accept "start: all", too.
	case !anySymbol || value == "all" && key == "start":
		return nil, nil
	case eachCount > 1:
		return nil, fmt.Errorf("%q: each is there twice, expected it once", value)
	case eachCount > 0 && len(c.parts) > 1 && key == "down":
		return nil, fmt.Errorf("%q: expected each alone", value)
	case c.key.single && len(c.parts) > 1:
		return nil, fmt.Errorf("%q: expected one process", value)
	}
	return c, nil
}

// parse reads one process or symbol.
func (k *chooserKey) parse(part string) (chosen, error) {
	word, when, timed := strings.Cut(part, "@")
	name, argument, called := strings.Cut(word, "(")
	// A word close to a symbol is probably a misspelled symbol, and not a process.
	if !slices.Contains(symbols.Names(), name) {
		if near := text.Nearest(name, symbols.Names()); near != "" {
			return chosen{}, fmt.Errorf("%w; or the id of a process", text.Unknown("symbol", name, symbols.Names()))
		}
		return chosen{text: part}, nil
	}
	found, err := symbols.Lookup(name)
	if err != nil {
		return chosen{}, err
	}
	c := chosen{text: part, symbol: found, many: 1}
	if called {
		c.many, err = parseMany(name, argument)
		if err != nil {
			return c, fmt.Errorf("%q: %w", part, err)
		}
	}
	switch {
	case k.single && (found.pick == nil || name == "all"):
		return c, fmt.Errorf("%q: expected lowest, second-highest, highest or the id of a process", part)
	case timed != k.timed && (timed || k.needed):
		expected := "no time"
		if k.timed {
			expected = name + "@TIME, such as " + name + "@2.5"
		}
		return c, fmt.Errorf("%q: expected %s", part, expected)
	case timed:
		c.at, err = network.ParseTime(when)
	}
	return c, err
}

// parseMany reads the argument of random(K) or random(any).
func parseMany(name, argument string) (int, error) {
	argument, closed := strings.CutSuffix(argument, ")")
	k, err := strconv.Atoi(argument)
	switch {
	case name != "random" || !closed: // refused below
	case argument == "any":
		return 0, nil
	case err == nil && k > 0:
		return k, nil
	}
	return 0, fmt.Errorf("expected a symbol, random(K) or random(any)")
}

// variants returns the number of variants of a run: one for each candidate if the chooser has the symbol each,
// otherwise 1.
func (c *chooser) variants(s *scenario.Scenario) int64 {
	if slices.ContainsFunc(c.parts, func(p chosen) bool { return p.symbol != nil && p.symbol.name == "each" }) {
		return int64(len(c.candidates(s)))
	}
	return 1
}

// drawn reports whether the seed decides which processes are chosen.
func (c *chooser) drawn() bool {
	return slices.ContainsFunc(c.parts, func(p chosen) bool { return p.symbol != nil && p.symbol.name == "random" })
}

// candidates returns the processes from which the symbols choose, by rank.
func (c *chooser) candidates(s *scenario.Scenario) []int64 {
	return slices.DeleteFunc(s.Ranked(), func(id int64) bool {
		return c.key.name != "down" && c.key.name != "coordinator" && slices.Contains(s.Down, id)
	})
}

// hasFixedSize reports whether the number of chosen processes is the same for every seed.
func (c *chooser) hasFixedSize() bool {
	return !slices.ContainsFunc(c.parts, func(p chosen) bool { return p.symbol != nil && p.many == 0 })
}

// apply adds the chosen processes to the scenario; number selects the candidate of the symbol each.
func (c *chooser) apply(s *scenario.Scenario, number int64) error {
	ranked := s.Ranked()
	candidates := c.candidates(s)
	words := rand.NewPCG(uint64(s.Seed), c.key.word)
	for _, part := range c.parts {
		ids, err := part.choose(ranked, candidates, number, words)
		if err != nil {
			return fmt.Errorf("%s %s: %w", c.key.name, part.text, err)
		}
		if part.symbol == nil {
			i := slices.IndexFunc(scenario.Keys, func(k scenario.Key) bool { return k.Name == c.key.name })
			if err := scenario.Keys[i].Set(s, part.text); err != nil {
				return err
			}
		}
		for _, id := range ids {
			c.key.add(s, id, part.at)
		}
	}
	return nil
}

// choose returns the processes of a symbol, nil without a symbol. A rank counts all processes; the other
// symbols choose from the candidates.
func (p *chosen) choose(ranked, candidates []int64, number int64, words *rand.PCG) ([]int64, error) {
	switch {
	case p.symbol == nil:
		return nil, nil
	case len(candidates) == 0:
		return nil, fmt.Errorf("all processes are down")
	case p.symbol.name == "each":
		return candidates[number : number+1], nil
	case p.symbol.name == "all":
		return candidates, nil
	case p.symbol.pick != nil:
		return p.symbol.pick(ranked), nil
	case p.many > len(candidates):
		return nil, fmt.Errorf("there are %s that are up", text.Counted(len(candidates), "process", "processes"))
	case p.many == 0:
		return drawAny(candidates, words), nil
	}
	return drawMany(candidates, p.many, words), nil
}
