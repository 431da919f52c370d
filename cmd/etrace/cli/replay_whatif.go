package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"etrace/analyze/experiment/whatif"
	"etrace/record/scenario"
	"etrace/replay/rerun"
	"etrace/tracefmt"
	"etrace/tracefmt/atomicfile"
	"etrace/tracefmt/text"
	"etrace/tracefmt/tracedb"
	"etrace/tracefmt/tracefile"
)

// whatIfFlags are the flags of replay --what-if.
type whatIfFlags struct {
	edits []string
	out   string
}

func (f *whatIfFlags) flags(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.edits, "what-if", nil, "execute again with an `EDIT` (with --node: of its input), and compare")
	outVar(cmd, &f.out, "output", "o", "append to this `TRACE` (default: that of the run)")
}

// whatIfSink is a sink that opens its trace when the run begins, because the original run may be read from the same file
// until then.
type whatIfSink struct {
	path string
	tracefile.Writer
	failed error // the error of opening the trace
}

// Begin implements [tracefmt.Sink].
func (s *whatIfSink) Begin(run *tracefmt.Run) error {
	s.Writer, s.failed = tracefile.Create(s.path)
	if s.failed != nil {
		return s.failed
	}
	run.Tool = toolName
	return s.Writer.Begin(run)
}

// check returns an error if the run cannot be appended. It is called before the execution.
func (s *whatIfSink) check() error {
	if s.path == tracefile.Stream || tracefile.IsText(s.path) || atomicfile.IsStream(s.path) {
		return fmt.Errorf("--output %s: expected a trace to append to; etrace export writes JSON Lines", s.path)
	}
	return tracefile.CheckTarget(s.path)
}

// replayWhatIf executes a run again with the edits, appends the new run to the trace, and compares it with the original run.
// The exit status is 1 if the new run violates a property.
func (a *app) replayWhatIf(ctx context.Context, f *replayFlags, args []string) error {
	var edits []scenario.Edit
	for _, text := range f.whatIf.edits {
		e, err := scenario.ParseEdit(text)
		if err != nil {
			return fmt.Errorf("--what-if: %w", err)
		}
		edits = append(edits, e)
	}
	s, err := f.open(ctx, a, tracePath(args))
	if err != nil {
		return err
	}
	defer s.Close()
	if len(s.numbers) != 1 {
		return errors.New("--what-if: expected one run, as in --run 1")
	}
	parent, err := s.verified(ctx, a, s.numbers[0])
	if err != nil {
		return err
	}
	report := &whatif.Report{Parent: parent.Run(), ParentFile: tracePath(args), File: tracePath(args)}
	switch {
	case f.whatIf.out != "":
		report.File = f.whatIf.out
	case s.DB() == nil:
		return fmt.Errorf("--what-if: %s is no trace to append to, expected --output TRACE", report.ParentFile)
	}
	sink := &whatIfSink{path: report.File}
	if err := sink.check(); err != nil {
		return err
	}
	// The sink opens its file at the first event, so an error before leaves nothing to discard.
	defer func() {
		if sink.Writer != nil {
			sink.Discard()
		}
	}()
	report.Fork, err = rerun.WhatIf(ctx, a.Algorithms, parent, edits, sink)
	if sink.failed != nil {
		return sink.failed
	} else if err != nil {
		return text.InFile(report.ParentFile, err)
	}
	if err := sink.Commit(); err != nil {
		return err
	}
	for _, remark := range report.Fork.Remarks {
		a.note("%s", remark)
	}
	if err := a.contrast(report, parent); err != nil {
		return err
	}
	write := func(w io.Writer) error { return report.WriteText(w, a.quiet) }
	if f.json {
		write = report.WriteJSON
	}
	if err := a.print(write); err != nil {
		return err
	}
	if report.Contrast.Violated {
		return outcome(exitBad)
	}
	return nil
}

// contrast compares the new run, read from its trace, with the original run.
func (a *app) contrast(report *whatif.Report, parent tracefmt.Recording) error {
	db, err := tracedb.Open(report.File)
	if err != nil {
		return err
	}
	defer db.Close()
	child, err := db.Recording(report.Fork.Run.Number)
	if err != nil {
		return err
	}
	report.Contrast, err = whatif.NewContrast(parent, child, a.Properties.Default())
	return err
}
