package analyze

import (
	"etrace/replay"
	"etrace/tracefmt"
)

// A Fold follows a run for several monitors, so that what all of them need is
// worked out and kept once in a pass.
type Fold interface {
	// Step is called for each event, after the state has taken it in and before
	// the monitors see it. The event is lent, as in [Monitor].
	Step(s *replay.State, e *tracefmt.Event)
}

// A Follower is a [Monitor] that reads folds which it has in common with others.
type Follower interface {
	Monitor
	// Follow is called once, before the first event. The monitor asks for its
	// folds with [Shared], and keeps them.
	Follow(f *Folds)
}

// Folds are those of one pass.
type Folds struct {
	run *tracefmt.Run
	all []Fold // at most one of each type
}

// Shared returns the fold of type F, a pointer, that all monitors of the pass have
// in common. The first one that asks for it has it created.
func Shared[F Fold](f *Folds, create func(run *tracefmt.Run) F) F {
	for _, fold := range f.all {
		if shared, ok := fold.(F); ok {
			return shared
		}
	}
	created := create(f.run)
	f.all = append(f.all, created)
	return created
}

func (f *Folds) step(s *replay.State, e *tracefmt.Event) {
	for _, fold := range f.all {
		fold.Step(s, e)
	}
}
