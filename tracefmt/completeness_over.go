package tracefmt

import (
	"cmp"
	"maps"
	"slices"
)

// Over returns t completed by under, which applies where t declares nothing. A declaration that everything is
// recorded implies that the logs are complete, so it removes suspected gaps. Gaps add up, unless t has an
// explicit empty list of gaps, which only JSON can express.
func (t *Completeness) Over(under *Completeness) *Completeness {
	if t == nil || under == nil {
		if t == nil {
			return under
		}
		return t
	}
	both := Completeness{
		Levels: t.Levels.over(under.Levels), Gaps: t.gapsOver(under),
		Suspected: slices.Concat(under.Suspected, t.Suspected),
		Unplaced:  cmp.Or(t.Unplaced, under.Unplaced), Clocks: cmp.Or(t.Clocks, under.Clocks),
		NotUnderstood: t.NotUnderstood,
	}
	if both.NotUnderstood == nil {
		both.NotUnderstood = under.NotUnderstood
	}
	// Such a declaration excludes that the log is a part of a longer one.
	if t.Default == All || slices.Contains(slices.Collect(maps.Values(t.Kinds)), All) {
		both.Suspected = t.Suspected
	}
	// The default applies to everything that t does not name.
	if t.Default != Undeclared {
		both.Levels, both.Processes = t.Levels, t.Processes
		// The gaps of t are then the only ones.
		if t.Default == All {
			both.Gaps, both.Unplaced, both.NotUnderstood = t.Gaps, t.Unplaced, t.NotUnderstood
		}
		return &both
	}
	both.Processes = make(map[string]Levels)
	for name, declared := range under.Processes {
		if left := t.Levels.within(declared); left.Default != Undeclared || len(left.Kinds) > 0 {
			both.Processes[name] = left
		}
	}
	for name, declared := range t.Processes {
		both.Processes[name] = declared.over(both.Processes[name])
	}
	return &both
}

// gapsOver returns the gaps of t and of under, each once.
func (t *Completeness) gapsOver(under *Completeness) []Gap {
	if t.Gaps != nil && len(t.Gaps) == 0 {
		return nil
	}
	gaps := slices.Clip(under.Gaps)
	for _, g := range t.Gaps {
		if !slices.Contains(gaps, g) {
			gaps = append(gaps, g)
		}
	}
	return gaps
}

// over returns t completed by under.
func (t Levels) over(under Levels) Levels {
	if t.Default != Undeclared {
		return t
	}
	both := Levels{under.Default, t.uncovered(under.Kinds)}
	for key, level := range t.Kinds {
		both.Kinds[key] = level
	}
	return both
}

// within returns the declaration of one process, as far as t leaves it in force. It repeats the keys of t that the
// rest of the declaration would otherwise override.
func (t Levels) within(declared Levels) Levels {
	left := Levels{declared.Default, t.uncovered(declared.Kinds)}
	// The loop adds keys to left, so it asks a copy which keys the process declares itself.
	copied := Levels{left.Default, maps.Clone(left.Kinds)}
	for key, level := range t.Kinds {
		if facts, err := ParseFacts(key); err == nil && copied.level(facts[0]) != Undeclared {
			left.Kinds[key] = level
		}
	}
	return left
}

// uncovered returns the keys whose facts the keys of t do not cover.
func (t Levels) uncovered(kinds map[string]Level) map[string]Level {
	left := make(map[string]Level)
	for key, level := range kinds {
		if !t.covers(key) {
			left[key] = level
		}
	}
	return left
}

// covers reports whether some key of t covers all facts of another key.
func (t Levels) covers(key string) bool {
	facts, err := ParseFacts(key)
	if err != nil {
		return false
	}
	for ownKey := range t.Kinds {
		wide, _ := ParseFacts(ownKey)
		if !slices.ContainsFunc(facts, func(f Fact) bool { return !f.among(wide) }) {
			return true
		}
	}
	return false
}

// among reports whether the fact is in the list, or is a variable of a fact in it.
func (f Fact) among(facts []Fact) bool {
	return slices.Contains(facts, f) || slices.Contains(facts, Fact{Kind: f.Kind})
}

// Declare completes t by the present declaration and makes it that of the run; a simulated run without a
// declaration is complete. It fails without a change if t names an unknown process. A nil t changes nothing.
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

// declared returns the declaration of the run, explicit or implied by its simulation.
func (r *Run) declared() *Completeness {
	if r.Completeness == nil && r.Source == Simulated {
		return &Completeness{Levels: Levels{Default: All}}
	}
	return r.Completeness
}

// WithCompleteness returns the recording with a run that declares t, see [Run.Declare]. A nil t changes
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

// Described returns the recording with another description. End and number of events follow those of the
// recording.
func Described(rec Recording, description *Run) Recording {
	return &redescribed{relabelled{rec, description}}
}

type redescribed struct{ relabelled }

func (d *redescribed) Run() *Run {
	if now := d.Recording.Run(); d.run.End != now.End || d.run.Events != now.Events {
		d.run.End, d.run.Events, d.run.Surveyed = now.End, now.Events, now.Surveyed // known only at the end of a stream
	}
	return d.run
}

// relabelled is a recording with another description.
type relabelled struct {
	Recording
	run *Run
}

func (r *relabelled) Run() *Run { return r.run }
