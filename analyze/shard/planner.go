package shard

import (
	"fmt"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// mostEveryone bounds the list of further events that all parts need.
const mostEveryone = 1 << 18

// Planner makes the plan of the mode events of a run that passes by.
type Planner struct {
	one      *One
	survey   *analyze.Survey
	shards   int
	groups   []*planned // of rules that may be split
	of       []int      // by rule: the place of its group, -1 for none
	reads    bool       // some rule may ask for the state
	tooMany  bool
	total    Sum
	examined []*analyze.Property
}

// planned is a group in the making.
type planned struct {
	Group
	leans  []string
	leant  bool
	fate   fate
	all    Sum // with the events that matter if a rule leans on the state
	shards []int
	read   bool
}

// fate is what decides at the end of the survey whether a rule is split after all: all of a group
// have the same, or it would expect events of rules that are not of it.
type fate struct{ timed, complete, told bool }

// NewPlanner returns a planner of the run of a recording, of which it reads no more than the
// last event.
func NewPlanner(rec tracefmt.Recording, properties []*analyze.Property, o analyze.Options, shards int) (*Planner, error) {
	header, err := headerOf(rec.Run())
	if err != nil {
		return nil, err
	}
	p := &Planner{shards: shards, examined: properties, one: &One{Header: header, Number: rec.Run().Number, Clock: Clock{Monotone: true, Block: clockBlock}}}
	if p.survey, err = analyze.NewSurvey(rec, properties, o); err != nil {
		return nil, err
	}
	for _, rule := range p.survey.Rules {
		at := -1
		if !rule.Settled && rule.Split.Whole == "" {
			at = p.group(rule)
		}
		p.of = append(p.of, at)
	}
	return p, nil
}

// group finds or makes the group of a rule.
func (p *Planner) group(rule *analyze.Surveyed) int {
	g := &planned{Group: Group{Split: ByKey, Key: rule.Split.Key, Broadcast: words(rule.Split.Reads)}, leans: words(rule.Split.Leans)}
	g.fate = fate{rule.Split.Timed, rule.Split.Complete, p.survey.State().Coverage().Whole(rule.Split.Rests...)}
	for _, k := range rule.Split.Kinds {
		g.Kinds = append(g.Kinds, k.String())
	}
	p.reads = p.reads || len(rule.Split.Reads)+len(rule.Split.Leans) > 0
	at := slices.IndexFunc(p.groups, func(h *planned) bool {
		return h.fate == g.fate && h.Key == g.Key && slices.Equal(h.Kinds, g.Kinds) && slices.Equal(h.Broadcast, g.Broadcast) && slices.Equal(h.leans, g.leans)
	})
	if at < 0 {
		at = len(p.groups)
		g.Expected = make([]Sum, p.shards)
		p.groups = append(p.groups, g)
	}
	return at
}

// Write takes in the next event.
func (p *Planner) Write(e *tracefmt.Event) error {
	if err := p.survey.Write(e); err != nil {
		return err
	}
	p.one.Clock.add(e.Seq, p.survey.State().Run.TimeUnit.Units(e.Time))
	of := seenOf(e)
	p.total.add(of)
	for _, g := range p.groups {
		g.shards, g.read, g.leant = g.shards[:0], false, false
	}
	for i, rule := range p.survey.Rules {
		if p.of[i] < 0 {
			continue
		}
		g := p.groups[p.of[i]]
		for _, hash := range rule.Keys {
			g.shards = with(g.shards, shardOf(hash, p.shards))
		}
		g.read, g.leant = g.read || rule.Everyone, g.leant || rule.Everyone || rule.Leans
	}
	if p.reads && p.survey.Further() {
		if p.tooMany = len(p.one.Everyone) >= mostEveryone; !p.tooMany {
			p.one.Everyone = append(p.one.Everyone, e.Seq)
		}
	}
	for _, g := range p.groups {
		for _, shard := range g.shards {
			g.Expected[shard].add(of)
		}
		if g.read {
			g.All.add(of)
		}
		if g.leant {
			g.all.add(of)
		}
	}
	return nil
}

// words are the facts as a plan has them.
func words(facts []tracefmt.Fact) (words []string) {
	for _, f := range facts {
		f.Variable = tracefmt.ListName(f.Variable)
		words = append(words, f.String())
	}
	return words
}

// reading tells which events all shards of a group must see.
func (g *Group) reading(s *replay.State) (analyze.Reading, error) {
	var facts []tracefmt.Fact
	for _, word := range g.Broadcast {
		of, err := tracefmt.ParseFacts(word)
		if err != nil {
			return analyze.Reading{}, fmt.Errorf("the plan: broadcast: %w", err)
		}
		facts = append(facts, of...)
	}
	return analyze.NewReading(s, facts), nil
}

func shardOf(hash uint64, shards int) int { return int(hash % uint64(shards)) }

// with is a set with an element more.
func with(set []int, element int) []int {
	if slices.Contains(set, element) {
		return set
	}
	return append(set, element)
}

// End ends the run, which the plan is then of.
func (p *Planner) End(plan *Plan, run *tracefmt.Run) {
	plan.Mode, plan.One = Events, p.one
	one := p.one
	one.Overall = p.survey.End()
	one.End, one.Events = run.End, one.Overall.Events
	if !p.reads {
		one.Everyone = nil
	}
	place := map[*planned]int{}
	wholes := map[string]int{}
	one.Alone = true
	for i, rule := range p.survey.Rules {
		r := Rule{Name: rule.Property.Name, Group: -1}
		if p.tooMany && len(rule.Split.Reads)+len(rule.Split.Leans) > 0 && rule.Split.Whole == "" {
			rule.Split.Whole = fmt.Sprintf("of the state, all would have to see more than %d events that show a restart or are first steps", mostEveryone)
		}
		switch {
		case rule.Settled:
		case rule.Split.Whole != "":
			at, known := wholes[rule.Split.Whole]
			if !known {
				at = len(one.Groups)
				wholes[rule.Split.Whole] = at
				one.Groups = append(one.Groups, Group{Split: None, Reason: rule.Split.Whole, Expected: []Sum{p.total}})
			}
			r.Group = at
		default:
			g := p.groups[p.of[i]]
			at, known := place[g]
			if !known {
				at = len(one.Groups)
				place[g] = at
				one.Groups = append(one.Groups, g.Group)
			}
			made := &one.Groups[at]
			if r.Group, r.Known = at, rule.Known; rule.Leant && !slices.Equal(made.Broadcast, slices.Concat(g.Broadcast, g.leans)) {
				made.Broadcast, made.All = slices.Concat(g.Broadcast, g.leans), g.all
			}
			one.Alone = one.Alone && len(made.Broadcast) == 0 && !rule.Split.Ordered
		}
		if r.Group >= 0 {
			one.Groups[r.Group].Rules = append(one.Groups[r.Group].Rules, r.Name)
		}
		one.Rules = append(one.Rules, r)
	}
	if one.Alone {
		one.Everyone = nil
	}
}
