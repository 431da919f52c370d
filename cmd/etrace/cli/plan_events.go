package cli

import (
	"context"
	"os"

	"etrace/analyze"
	"etrace/analyze/shard"
	"etrace/tracefmt/tracefile"
)

// longText is the size in bytes from which plan assumes that a file in JSON Lines has one run: counting its runs would take
// a pass over the file.
const longText = 8 << 20

// planEvents splits the check of a trace with one run into shards of its events. done is false if the runs must be split
// instead: there are several runs, or the run must be examined as a whole. It reads the header of the run, but no event of a
// database or a long text.
func (a *app) planEvents(ctx context.Context, f *planFlags, p *shard.Plan, path string) (done bool, err error) {
	if len(f.stated.statement.Crashes) > 0 { // a stated crash has no seq, so it belongs to no shard
		return false, nil
	}
	args := f.traceArgs
	info, err := os.Stat(path)
	args.passing = err == nil && info.Size() > longText && f.runs == "all" && !f.salvage && tracefile.NoDatabase(path)
	s, err := args.open(ctx, a, path)
	if err != nil {
		return false, err
	}
	defer s.Close()
	coming, number := s.Coming(), 1
	if !coming {
		s.numbers, err = s.Numbers(s.picked)
		if err != nil || len(s.numbers) != 1 || len(s.Damage()) > 0 {
			return false, err
		}
		number = s.numbers[0]
	}
	rec, err := s.recording(ctx, a, "planning", number)
	if err != nil {
		return false, err
	}
	run := *a.withTraits(rec).Run()
	if analyze.Weighs(&run) {
		const reason = "what the clocks, or the ends of its logs, leave open is found by examining it again"
		a.note("%s: run %d goes to one shard whole: %s", path, number, reason)
		return false, nil
	}
	t := shard.Trace{Path: path, Runs: []shard.Run{{Number: number, Events: run.Events}}}
	if s.DB() != nil {
		t.Runs[0].Digest, _, err = s.Digest(number)
		if err != nil {
			return false, err
		}
	}
	properties, err := a.planProperties(&p.Examined)
	if err != nil {
		return false, err
	}
	if err := p.SplitEvents(&run, properties); err != nil {
		return false, err
	}
	p.One.Only, p.Traces = coming, []shard.Trace{t}
	return true, nil
}
