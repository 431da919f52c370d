package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"etrace/replay"
	"etrace/replay/printer"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// replayEach calls show for each selected run, with a printer of text or JSON.
func (a *app) replayEach(ctx context.Context, f *replayFlags, args []string, show func(printer.Printer, tracefmt.Recording) error) error {
	p := printer.NewText(a.out, printer.TextOptions{Color: a.color()})
	if f.json {
		p = printer.NewJSON(a.out)
	}
	err := f.each(ctx, a, "replaying events", args, func(rec tracefmt.Recording) error {
		rec, err := a.assume(rec)
		if err != nil {
			return err
		}
		if err := p.Begin(rec.Run()); err != nil {
			return err
		}
		return show(p, rec)
	})
	if err != nil {
		return err
	}
	return p.End()
}

// replayState prints the state at the place of --at, by default at the end.
func (a *app) replayState(ctx context.Context, f *replayFlags, args []string) error {
	return a.replayEach(ctx, f, args, func(p printer.Printer, rec tracefmt.Recording) error {
		position, err := f.place(rec, replay.Position{End: true})
		if err != nil {
			return err
		}
		c, err := cursorAt(rec, position, f.at)
		if err != nil {
			return err
		}
		return p.State(c)
	})
}

// cursorAt returns a cursor at the position; written is the place as the user wrote it, for the error.
func cursorAt(rec tracefmt.Recording, position replay.Position, written string) (*replay.Cursor, error) {
	c := replay.NewCursor(rec)
	err := c.Go(position)
	if errors.Is(err, replay.ErrNoMatch) {
		err = noMatchError(rec, position.Pattern, written)
	}
	return c, err
}

// replayPast prints the events that happened before the event of --past.
func (a *app) replayPast(ctx context.Context, f *replayFlags, args []string) error {
	return a.replayEach(ctx, f, args, func(p printer.Printer, rec tracefmt.Recording) error {
		position, err := parsePlace("past", f.past, rec)
		if err != nil {
			return err
		}
		c, err := cursorAt(rec, position, f.past)
		if err != nil {
			return err
		}
		if c.Seq() == 0 {
			return p.Nothing("nothing happened before the first event")
		}
		past, err := replay.PastOf(ctx, rec, c.Seq())
		if err != nil {
			return err
		}
		return printer.Past(p, rec, past)
	})
}

// noMatchError returns the error for a pattern that no event matches: a word in it is misspelt, or there is no such event.
// at is the pattern as the user wrote it.
func noMatchError(rec tracefmt.Recording, p *replay.Pattern, at string) error {
	if err := replay.Misspelt(rec, p); err != nil {
		return err
	}
	return fmt.Errorf("run %d: no event matches %s%s", rec.Run().Number, at, incompleteHint(rec.Run(), p.Process))
}

// incompleteHint says that events of the process are not recorded, so the event may have happened; "" for a complete
// recording.
func incompleteHint(run *tracefmt.Run, p tracefmt.ProcessID) string {
	c := tracefmt.NewCoverage(run)
	if p == 0 || c.Complete() {
		return ""
	}
	quantity := "; not all of "
	switch missing := func(k tracefmt.Kind) bool { return c.DeclaredMissing(p, tracefmt.Fact{Kind: k}, 0, 0) }; {
	case c.NothingRecorded(p):
		quantity = "; nothing of "
	case !slices.ContainsFunc(tracefmt.Kinds(), missing):
		return ""
	}
	return quantity + text.Printable(run.ProcessName(p)) + " is recorded"
}

// replaySteps prints the events of --steps in words.
func (a *app) replaySteps(ctx context.Context, f *replayFlags, args []string) error {
	stretch, err := printer.ParseStretch(f.steps)
	if err != nil {
		return fmt.Errorf("--steps %w", err)
	}
	return a.replayEach(ctx, f, args, func(p printer.Printer, rec tracefmt.Recording) error {
		c := replay.NewCursor(rec)
		last, err := c.Last()
		switch {
		case err != nil:
			return err
		case stretch.From > last:
			return fmt.Errorf("--steps %s: there is no event %d, the run has %d", f.steps, stretch.From, last)
		}
		return printer.Steps(p, c, stretch)
	})
}

// replayFind prints every event that matches the pattern of --find.
func (a *app) replayFind(ctx context.Context, f *replayFlags, args []string) error {
	return a.replayEach(ctx, f, args, func(p printer.Printer, rec tracefmt.Recording) error {
		pattern, err := replay.ParsePattern(f.find, rec.Run())
		if err != nil {
			return fmt.Errorf("--find: %w", err)
		}
		found, err := printer.Find(p, rec, pattern)
		if err != nil || found {
			return err
		}
		if err := replay.Misspelt(rec, pattern); err != nil {
			return fmt.Errorf("--find: %w", err)
		}
		return p.Nothing("no event matches " + f.find + incompleteHint(rec.Run(), pattern.Process))
	})
}

// replayWatch prints every change of the variable of --watch.
func (a *app) replayWatch(ctx context.Context, f *replayFlags, args []string) error {
	return a.replayEach(ctx, f, args, func(p printer.Printer, rec tracefmt.Recording) error {
		pattern, err := replay.ParsePattern("state "+f.watch, rec.Run())
		if err == nil && (pattern.Name == "" || pattern.Value != nil || pattern.Peer != 0) {
			err = fmt.Errorf("expected VARIABLE or VARIABLE@PROCESS")
		}
		if err != nil {
			return fmt.Errorf("--watch %s: %w", f.watch, err)
		}
		changed, err := printer.Watch(p, rec, pattern.Name, pattern.Process)
		if err != nil || changed {
			return err
		}
		if err := replay.Misspelt(rec, pattern); err != nil {
			return fmt.Errorf("--watch: %w", err)
		}
		return p.Nothing(f.watch + " never changes")
	})
}
