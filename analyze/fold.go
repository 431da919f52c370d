package analyze

import (
	"etrace/replay"
	"etrace/tracefmt"
)

// A Fold follows a run for several monitors, so that their common state is computed and stored once in a pass.
type Fold interface {
	// Step is called for each event, after the state was updated and before the monitors. The event is lent, as in
	// [Monitor].
	Step(s *replay.State, e *tracefmt.Event)
}

// A Follower is a [Monitor] that shares folds with others.
type Follower interface {
	Monitor
	// Follow is called once, before the first event. The monitor gets its folds from [Shared], and stores them.
	Follow(f *Folds)
}

// Folds are the folds of one pass.
type Folds struct {
	run  *tracefmt.Run
	list []Fold // at most one of each type
}

// Shared returns the fold of type F, a pointer, that all monitors of the pass share. The first call creates it.
func Shared[F Fold](f *Folds, create func(run *tracefmt.Run) F) F {
	for _, fold := range f.list {
		if shared, ok := fold.(F); ok {
			return shared
		}
	}
	created := create(f.run)
	f.list = append(f.list, created)
	return created
}

// step passes the event to each fold.
func (f *Folds) step(s *replay.State, e *tracefmt.Event) {
	for _, fold := range f.list {
		fold.Step(s, e)
	}
}
