package tracefmt

import (
	"cmp"
	"maps"
	"slices"
)

// Over returns the declaration that says what t does, and what under says where t is silent.
// Who declares that all of something is recorded says with it that the logs are no parts of longer ones.
// Gaps add up, unless t says in so many words, as JSON can, that there are none.
func (t *Completeness) Over(under *Completeness) *Completeness {
	if t == nil || under == nil {
		if t == nil {
			return under
		}
		return t
	}
	both := Completeness{Levels: t.Levels.over(under.Levels), Gaps: t.gapsOver(under), Suspected: slices.Concat(under.Suspected, t.Suspected), Unplaced: cmp.Or(t.Unplaced, under.Unplaced), Clocks: cmp.Or(t.Clocks, under.Clocks)}
	if t.Default == All || slices.Contains(slices.Collect(maps.Values(t.Kinds)), All) { // who says that knows that the log is no part
		both.Suspected = t.Suspected
	}
	if t.Default != Unsaid { // it is for all that t does not name
		both.Levels, both.Processes = t.Levels, t.Processes
		if t.Default == All { // nor is there a gap but those that t names
			both.Gaps, both.Unplaced = t.Gaps, t.Unplaced
		}
		return &both
	}
	both.Processes = make(map[string]Levels)
	for name, own := range under.Processes {
		if left := t.Levels.within(own); left.Default != Unsaid || len(left.Kinds) > 0 {
			both.Processes[name] = left
		}
	}
	for name, own := range t.Processes {
		both.Processes[name] = own.over(both.Processes[name])
	}
	return &both
}

// gapsOver are the gaps of t and of under, each once.
func (t *Completeness) gapsOver(under *Completeness) []Gap {
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

// over is the telling that says what t does, and what under says where t is silent.
func (t Levels) over(under Levels) Levels {
	if t.Default != Unsaid {
		return t
	}
	both := Levels{under.Default, t.uncovered(under.Kinds)}
	for key, level := range t.Kinds {
		both.Kinds[key] = level
	}
	return both
}

// within is what is left of own, which a declaration under t says of one process: it has
// the keys of t on which own would go before them.
func (t Levels) within(own Levels) Levels {
	left := Levels{own.Default, t.uncovered(own.Kinds)}
	said := left
	said.Kinds = maps.Clone(left.Kinds)
	for key, level := range t.Kinds {
		if facts, err := ParseFacts(key); err == nil && said.level(facts[0]) != Unsaid {
			left.Kinds[key] = level
		}
	}
	return left
}

// uncovered returns those of the keys of which t does not say everything.
func (t Levels) uncovered(kinds map[string]Level) map[string]Level {
	left := make(map[string]Level)
	for key, level := range kinds {
		if !t.covers(key) {
			left[key] = level
		}
	}
	return left
}

// covers reports whether one of the keys of t is for all the facts for which another is.
func (t Levels) covers(key string) bool {
	facts, err := ParseFacts(key)
	if err != nil {
		return false
	}
	for own := range t.Kinds {
		wide, _ := ParseFacts(own)
		if !slices.ContainsFunc(facts, func(f Fact) bool { return !f.among(wide) }) {
			return true
		}
	}
	return false
}

// among reports whether the fact is one of others, or of a variable of one of them.
func (f Fact) among(others []Fact) bool {
	return slices.Contains(others, f) || slices.Contains(others, Fact{Kind: f.Kind})
}

// Declare replaces the completeness that the run declares by t. Where t is silent, the former
// declaration stays; a simulated run without one is complete. The error is that t names a process
// which the run does not have: then nothing has changed. nil changes nothing.
func (r *Run) Declare(t *Completeness) error {
	if t == nil {
		return nil
	}
	declared := *r
	declared.Completeness = t.Over(r.declared())
	if err := declared.validateCompleteness(); err != nil {
		return err
	}
	r.Completeness = declared.Completeness
	return nil
}

// declared is what the run declares, in words or by being simulated.
func (r *Run) declared() *Completeness {
	if r.Completeness == nil && r.Source == Simulated {
		return &Completeness{Levels: Levels{Default: All}}
	}
	return r.Completeness
}

// WithCompleteness returns the recording with a run that declares t, see [Run.Declare]. nil changes
// nothing.
func WithCompleteness(rec Recording, t *Completeness) (Recording, error) {
	if t == nil {
		return rec, nil
	}
	run := *rec.Run()
	if err := run.Declare(t); err != nil {
		return nil, err
	}
	return Described(rec, &run), nil
}

// Described is the recording under another description, which says how the run ends and how
// many events it has once the recording does.
func Described(rec Recording, as *Run) Recording { return &redescribed{retold{rec, as}} }

type redescribed struct{ retold }

func (d *redescribed) Run() *Run {
	if is := d.Recording.Run(); d.run.End != is.End || d.run.Events != is.Events {
		d.run.End, d.run.Events = is.End, is.Events // of a stream it is known now
	}
	return d.run
}

// retold is a recording under another description.
type retold struct {
	Recording
	run *Run
}

func (r *retold) Run() *Run { return r.run }
