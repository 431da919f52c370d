package trial

import (
	"context"
	"fmt"
	"sync"

	"etrace/analyze"
	"etrace/analyze/complexity"
	"etrace/record/algorithm"
	"etrace/record/scenario"
	"etrace/replay/rerun"
	"etrace/tracefmt"
)

// Trial is a finished run with its results.
type Trial struct {
	Recording tracefmt.Recording
	Stats     *complexity.Stats
	Report    *analyze.RunReport

	known   algorithm.Registry
	payload func() *complexity.Payload // computed on request
}

// Run simulates a scenario in memory, and checks and counts its run. It fails if the scenario is invalid, or if
// the context ends before the run.
func Run(ctx context.Context, s *scenario.Scenario, properties []*analyze.Property, o analyze.Options) (*Trial, error) {
	rec, err := rerun.Record(ctx, s)
	if err != nil {
		return nil, err
	}
	t, err := examine(rec, properties, o)
	if err == nil {
		t.known = s.Algorithms
	}
	return t, err
}

// examine checks and counts a finished run in one pass.
func examine(rec tracefmt.Recording, properties []*analyze.Property, o analyze.Options) (*Trial, error) {
	x, err := NewExamination(rec, properties, o)
	if err != nil {
		return nil, err
	}
	for e, err := range rec.Events(1) {
		if err != nil {
			return nil, fmt.Errorf("checking: %w", err)
		}
		if err := x.Write(e); err != nil {
			return nil, err
		}
	}
	return x.Trial(), nil
}

// Examination checks and counts the events that are given to Write, in order. At the end Trial returns the
// results.
type Examination struct {
	rec     tracefmt.Recording
	checker *analyze.Checker
	counter *complexity.Counter
}

// NewExamination returns an examination of a finished run.
func NewExamination(rec tracefmt.Recording, properties []*analyze.Property, o analyze.Options) (*Examination, error) {
	checker, err := analyze.NewChecker(rec, properties, o)
	if err != nil {
		return nil, fmt.Errorf("checking: %w", err)
	}
	return &Examination{rec, checker, complexity.NewCounter(rec.Run())}, nil
}

// Write takes the next event.
func (x *Examination) Write(e *tracefmt.Event) error {
	if err := x.checker.Write(e); err != nil {
		return fmt.Errorf("checking: %w", err)
	}
	return x.counter.Write(e)
}

// Trial returns the results. It may be called once.
func (x *Examination) Trial() *Trial {
	t := &Trial{Recording: x.rec, Stats: x.counter.Stats(), Report: x.checker.Report()}
	t.payload = sync.OnceValue(t.weigh)
	return t
}
