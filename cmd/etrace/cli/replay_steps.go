package cli

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"etrace/replay"
	"etrace/tracefmt"
)

// replaySteps prints a stretch of events in words.
func (a *app) replaySteps(ctx context.Context, f *replayFlags, args []string) error {
	from, to, err := stretch(f.steps)
	if err != nil {
		return err
	}
	return a.replayEach(ctx, f, args, func(p replayPrinter, rec tracefmt.Recording) error {
		c := replay.NewCursor(rec)
		last, err := c.Last()
		switch {
		case err != nil:
			return err
		case from > last:
			return fmt.Errorf("--steps %s: there is no event %d, the run has %d", f.steps, from, last)
		}
		if err := c.Seek(from - 1); err != nil {
			return err
		}
		for c.Seq() < to {
			if moved, err := c.Step(); err != nil || !moved {
				return err
			}
			if err := p.step(rec.Run(), c.Event(), c.Changes()); err != nil {
				return err
			}
		}
		return nil
	})
}

// stretch reads A..B, A.., ..B or one seq.
func stretch(text string) (from, to tracefmt.Seq, err error) {
	first, last, dotted := strings.Cut(text, "..")
	if !dotted {
		last = first
	}
	from, to = 1, math.MaxInt64
	for _, end := range []struct {
		text string
		seq  *tracefmt.Seq
	}{{first, &from}, {last, &to}} {
		if end.text == "" && dotted && text != ".." {
			continue
		}
		n, err := strconv.ParseInt(end.text, 10, 64)
		if err != nil || n < 1 {
			return 0, 0, fmt.Errorf("--steps %q: expected seqs from 1 on, A..B, A.., ..B or one alone", text)
		}
		*end.seq = tracefmt.Seq(n)
	}
	if from > to {
		return 0, 0, fmt.Errorf("--steps %s: the end lies before the beginning", text)
	}
	return from, to, nil
}

// replayFind prints every event that matches a pattern.
func (a *app) replayFind(ctx context.Context, f *replayFlags, args []string) error {
	return a.replayEach(ctx, f, args, func(p replayPrinter, rec tracefmt.Recording) error {
		pattern, err := replay.ParsePattern(f.find, rec.Run())
		if err != nil {
			return fmt.Errorf("--find: %w", err)
		}
		found := false
		for e, err := range rec.Events(1) {
			if err != nil {
				return err
			}
			if !pattern.Match(e) {
				continue
			}
			found = true
			if err := p.step(rec.Run(), e, nil); err != nil {
				return err
			}
		}
		if found {
			return nil
		}
		if err := replay.Misspelt(rec, pattern); err != nil {
			return fmt.Errorf("--find: %w", err)
		}
		return p.nothing("no event matches " + f.find)
	})
}

// replayWatch prints what becomes of a variable.
func (a *app) replayWatch(ctx context.Context, f *replayFlags, args []string) error {
	return a.replayEach(ctx, f, args, func(p replayPrinter, rec tracefmt.Recording) error {
		pattern, err := replay.ParsePattern("state "+f.watch, rec.Run())
		if err == nil && (pattern.Name == "" || pattern.Value != nil || pattern.Peer != 0) {
			err = fmt.Errorf("expected VARIABLE or VARIABLE@PROCESS")
		}
		if err != nil {
			return fmt.Errorf("--watch %s: %w", f.watch, err)
		}
		changed := false
		for m, err := range replay.Watch(rec, pattern.Name, pattern.Process) {
			if err != nil {
				return err
			}
			changed = true
			if err := p.step(rec.Run(), m.Event, []replay.Change{m.Change}); err != nil {
				return err
			}
		}
		if changed {
			return nil
		}
		if err := replay.Misspelt(rec, pattern); err != nil {
			return fmt.Errorf("--watch: %w", err)
		}
		return p.nothing(f.watch + " never changes")
	})
}
