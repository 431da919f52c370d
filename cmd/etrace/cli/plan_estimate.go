package cli

import (
	"context"
	"errors"
	"io"
	"os"

	"etrace/analyze/shard"
)

// mostSampled is the number of events that an estimate measures.
const mostSampled = 100_000

// estimate measures a sample of the run, and prints the expected time and memory of the shards.
func (a *app) estimate(ctx context.Context, f *planFlags, p *shard.Plan) error {
	if p.Mode != shard.Events {
		return errors.New("--estimate: the traces have several runs, which are checked apart; expected one run that is split by keys")
	}
	properties, err := a.planProperties(&p.Examined)
	if err != nil {
		return err
	}
	s, rec, err := a.runOf(ctx, p, p.Traces[0].Path, "measuring")
	if err != nil {
		return err
	}
	defer s.Close()
	sample, begun := shard.Sample{Of: rec.Run().Events}, cpuTime()
	bytes := int64(0) // of the sample, in JSON Lines
	for e, err := range rec.Events(1) {
		if err != nil {
			return err
		}
		sample.Events = append(sample.Events, e.Clone())
		bytes += int64(len(e.Payload)) + lineBytes
		if len(sample.Events) == mostSampled {
			break
		}
	}
	sample.Read = cpuTime() - begun
	// The number of events of a long text is not known before its end.
	if info, err := os.Stat(s.Path()); s.DB() == nil && err == nil && len(sample.Events) == mostSampled {
		sample.Of, sample.About = int64(float64(info.Size())/float64(bytes)*mostSampled), true
	}
	e, err := shard.NewEstimate(p, properties, sample, cpuTime)
	if err != nil {
		return err
	}
	if f.json {
		return a.print(e.WriteJSON)
	}
	return a.print(func(w io.Writer) error { return e.WriteText(w) })
}

// lineBytes is the usual length of an event in JSON Lines without its payload, in bytes. With it, the size of a file gives
// the number of its events.
const lineBytes = 110
