package shard

import (
	"fmt"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// mostEveryone is the limit for the list of further events that all parts need.
const mostEveryone = 1 << 18

// Planner makes the plan of a run in mode events from its events.
type Planner struct {
	run      *One
	survey   *analyze.Survey
	shards   int
	groups   []*planned // of the rules that may be split
	groupOf  []int      // by rule: the index of its group, -1 for none
	reads    bool       // some rule may read the state
	tooMany  bool
	total    Sum
	examined []*analyze.Property
}

// planned is a group that is still being built.
type planned struct {
	Group
	leans        []string
	leant        bool
	fate         fate
	allWithState Sum // also includes the events needed if a rule depends on the state
	shards       []int
	read         bool
}

// fate has the facts that decide, at the end of the survey, whether a rule is split. All rules of a group must
// have the same fate, because they share their expected events.
type fate struct{ timed, complete, recorded bool }

// NewPlanner returns a planner of the run of a recording. It reads at most the last event.
func NewPlanner(rec tracefmt.Recording, properties []*analyze.Property, o analyze.Options, shards int) (*Planner, error) {
	header, err := headerOf(rec.Run())
	if err != nil {
		return nil, err
	}
	p := &Planner{
		shards: shards, examined: properties,
		run: &One{Header: header, Number: rec.Run().Number, Clock: Clock{Monotone: true, Block: clockBlock}},
	}
	p.survey, err = analyze.NewSurvey(rec, properties, o)
	if err != nil {
		return nil, err
	}
	for _, rule := range p.survey.Rules {
		at := -1
		if !rule.Settled && rule.Split.Whole == "" {
			at = p.group(rule)
		}
		p.groupOf = append(p.groupOf, at)
	}
	return p, nil
}

// group returns the index of the group of a rule, and creates the group if necessary.
func (p *Planner) group(rule *analyze.Surveyed) int {
	g := &planned{Group: Group{Split: ByKey, Key: rule.Split.Key, Broadcast: words(rule.Split.Reads)}, leans: words(rule.Split.Leans)}
	g.fate = fate{rule.Split.Timed, rule.Split.Complete, p.survey.State().Coverage().Whole(rule.Split.Rests...)}
	for _, k := range rule.Split.Kinds {
		g.Kinds = append(g.Kinds, k.String())
	}
	p.reads = p.reads || len(rule.Split.Reads)+len(rule.Split.Leans) > 0
	at := slices.IndexFunc(p.groups, func(h *planned) bool {
		return h.fate == g.fate && h.Key == g.Key && slices.Equal(h.Kinds, g.Kinds) &&
			slices.Equal(h.Broadcast, g.Broadcast) && slices.Equal(h.leans, g.leans)
	})
	if at < 0 {
		at = len(p.groups)
		g.Expected = make([]Sum, p.shards)
		p.groups = append(p.groups, g)
	}
	return at
}

// Write takes the next event.
func (p *Planner) Write(e *tracefmt.Event) error {
	if err := p.survey.Write(e); err != nil {
		return err
	}
	p.run.Clock.add(e.Seq, p.survey.State().Run.TimeUnit.Units(e.Time))
	hashes := seenOf(e)
	p.total.add(hashes)
	for _, g := range p.groups {
		g.shards, g.read, g.leant = g.shards[:0], false, false
	}
	// Several rules of a group may need the event; each shard counts it only once.
	for i, rule := range p.survey.Rules {
		if p.groupOf[i] < 0 {
			continue
		}
		g := p.groups[p.groupOf[i]]
		for _, hash := range rule.Keys {
			g.shards = withElement(g.shards, shardOf(hash, p.shards))
		}
		g.read, g.leant = g.read || rule.Everyone, g.leant || rule.Everyone || rule.Leans
	}
	if p.reads && p.survey.Further() {
		p.tooMany = len(p.run.Everyone) >= mostEveryone
		if !p.tooMany {
			p.run.Everyone = append(p.run.Everyone, e.Seq)
		}
	}
	for _, g := range p.groups {
		for _, shard := range g.shards {
			g.Expected[shard].add(hashes)
		}
		if g.read {
			g.All.add(hashes)
		}
		if g.leant {
			g.allWithState.add(hashes)
		}
	}
	return nil
}

// words returns the facts as texts of a plan.
func words(facts []tracefmt.Fact) (words []string) {
	for _, f := range facts {
		f.Variable = tracefmt.ListName(f.Variable)
		words = append(words, f.String())
	}
	return words
}

// reading returns the filter for the events that all shards of a group need.
func (g *Group) reading(s *replay.State) (analyze.Reading, error) {
	var facts []tracefmt.Fact
	for _, word := range g.Broadcast {
		parsed, err := tracefmt.ParseFacts(word)
		if err != nil {
			return analyze.Reading{}, fmt.Errorf("the plan: broadcast: %w", err)
		}
		facts = append(facts, parsed...)
	}
	return analyze.NewReading(s, facts), nil
}

// shardOf maps the hash of a key to a shard.
func shardOf(hash uint64, shards int) int { return int(hash % uint64(shards)) }

// withElement returns a set with one more element.
func withElement(set []int, element int) []int {
	if slices.Contains(set, element) {
		return set
	}
	return append(set, element)
}

// End ends the run and completes the plan.
func (p *Planner) End(plan *Plan, run *tracefmt.Run) {
	plan.Mode, plan.One = Events, p.run
	result := p.run
	result.Overall = p.survey.End()
	result.End, result.Events = run.End, result.Overall.Events
	if !p.reads {
		result.Everyone = nil
	}
	place := map[*planned]int{}
	wholes := map[string]int{}
	result.Alone = true
	// Only now is it known whether the list of further events is short enough, so rules may still lose their
	// split.
	for i, rule := range p.survey.Rules {
		r := Rule{Name: rule.Property.Name, Group: -1}
		if p.tooMany && len(rule.Split.Reads)+len(rule.Split.Leans) > 0 && rule.Split.Whole == "" {
			rule.Split.Whole = fmt.Sprintf(
				"the rule reads the state: all shards would need more than %d events that show a restart or are first steps",
				mostEveryone,
			)
		}
		switch {
		case rule.Settled:
		case rule.Split.Whole != "":
			at, known := wholes[rule.Split.Whole]
			if !known {
				at = len(result.Groups)
				wholes[rule.Split.Whole] = at
				result.Groups = append(result.Groups, Group{Split: None, Reason: rule.Split.Whole, Expected: []Sum{p.total}})
			}
			r.Group = at
		default:
			g := p.groups[p.groupOf[i]]
			at, known := place[g]
			if !known {
				at = len(result.Groups)
				place[g] = at
				result.Groups = append(result.Groups, g.Group)
			}
			made := &result.Groups[at]
			r.Group, r.Known = at, rule.Known
			if rule.Leant && !slices.Equal(made.Broadcast, slices.Concat(g.Broadcast, g.leans)) {
				made.Broadcast, made.All = slices.Concat(g.Broadcast, g.leans), g.allWithState
			}
			result.Alone = result.Alone && len(made.Broadcast) == 0 && !rule.Split.Ordered
		}
		if r.Group >= 0 {
			result.Groups[r.Group].Rules = append(result.Groups[r.Group].Rules, r.Name)
		}
		result.Rules = append(result.Rules, r)
	}
	if result.Alone {
		result.Everyone = nil
	}
}
