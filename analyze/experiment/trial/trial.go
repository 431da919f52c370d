package trial

import (
	"context"
	"fmt"

	"etrace/analyze"
	"etrace/analyze/complexity"
	"etrace/record/scenario"
	"etrace/replay/rerun"
	"etrace/tracefmt"
)

// Trial is a run that is over, with what was found out about it.
type Trial struct {
	Recording tracefmt.Recording
	Stats     *complexity.Stats
	Report    *analyze.RunReport
}

// Run simulates a scenario in memory, and checks and counts its run. The error
// is one of the scenario, or says that the context ended before the run did.
func Run(ctx context.Context, s *scenario.Scenario, properties []*analyze.Property, o analyze.Options) (*Trial, error) {
	rec, err := rerun.Record(ctx, s)
	if err != nil {
		return nil, err
	}
	return Examine(rec, properties, o)
}

// Examine checks and counts a run that is over.
func Examine(rec tracefmt.Recording, properties []*analyze.Property, o analyze.Options) (*Trial, error) {
	report, err := analyze.Check(rec, properties, o)
	if err != nil {
		return nil, fmt.Errorf("checking: %w", err)
	}
	stats, err := complexity.Count(rec)
	if err != nil {
		return nil, fmt.Errorf("counting: %w", err)
	}
	return &Trial{rec, stats, report}, nil
}
