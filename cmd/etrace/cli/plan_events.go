package cli

import (
	"context"
	"fmt"

	"etrace/analyze"
	"etrace/analyze/shard"
)

// planEvents splits the check of the one run of a trace, unless there are several: then there is
// nothing to be done.
func (a *app) planEvents(ctx context.Context, f *planFlags, p *shard.Plan, path string) (done bool, err error) {
	if len(f.stated.said.Crashes) > 0 { // they have no seq of their own
		return false, nil
	}
	s, err := f.open(ctx, a, path)
	if err != nil {
		return false, err
	}
	defer s.Close()
	if len(s.numbers) != 1 || len(s.Damage()) > 0 {
		return false, nil
	}
	rec, err := s.recording(ctx, a, "planning", s.numbers[0])
	if err != nil {
		return false, err
	}
	t := shard.Trace{Path: path, Runs: []shard.Run{{Number: s.numbers[0], Events: rec.Run().Events}}}
	if !s.ReadThrough() { // comparing JSON Lines would take as long as checking them
		t.Runs[0].Digest, _, err = s.Digest(s.numbers[0])
		if err != nil {
			return false, err
		}
	}
	rec, err = f.stated.said.Over(rec)
	if err != nil {
		return false, fmt.Errorf("%s: run %d: %w", path, s.numbers[0], err)
	}
	rec = a.stated(rec)
	if analyze.Weighs(rec.Run()) {
		const reason = "what the clocks, or the ends of its logs, leave open is found by examining it again"
		a.note("%s: run %d goes to one shard whole: %s", path, s.numbers[0], reason)
		return false, nil
	}
	properties, err := a.planProperties(&p.Examined)
	if err != nil {
		return false, err
	}
	planner, err := shard.NewPlanner(rec, properties, p.Options(), p.Shards)
	if err != nil {
		return false, err
	}
	for e, err := range rec.Events(1) {
		if err == nil {
			err = planner.Write(e)
		}
		if err != nil {
			return false, err
		}
	}
	planner.End(p, rec.Run())
	p.Traces = []shard.Trace{t}
	return true, nil
}
