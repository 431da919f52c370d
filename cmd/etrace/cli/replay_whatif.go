package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"etrace/analyze"
	"etrace/analyze/experiment/trial"
	"etrace/analyze/experiment/whatif"
	"etrace/record/scenario"
	"etrace/replay/rerun"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
	"etrace/tracefmt/tracedb"
)

type whatIfFlags struct {
	edits []string
	out   string
}

func (f *whatIfFlags) flags(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.edits, "what-if", nil, "execute again with an `EDIT`, append that run, and compare; repeatable")
	cmd.Flags().StringVarP(&f.out, "output", "o", "", "with --what-if: the `TRACE` to append to, by default the one of the run")
}

// whatIfSink opens the trace to append to when the run begins: until then the
// run before may be read from the same file.
type whatIfSink struct {
	path string
	*tracedb.Appender
	failed error // of opening, which names the path
}

func (s *whatIfSink) Begin(run *tracefmt.Run) error {
	if s.path == "-" || strings.HasSuffix(s.path, ".jsonl") {
		s.failed = fmt.Errorf("--output %s: expected a trace to append to; etrace export writes JSON Lines", s.path)
	} else {
		s.Appender, s.failed = tracedb.OpenAppend(s.path)
	}
	if s.failed != nil {
		return s.failed
	}
	run.Tool = toolName
	return s.Appender.Begin(run)
}

// replayWhatIf executes a run again with edits.
func (a *app) replayWhatIf(ctx context.Context, f *replayFlags, args []string) error {
	var edits []scenario.Edit
	for _, text := range f.whatIf.edits {
		e, err := scenario.ParseEdit(text)
		if err != nil {
			return fmt.Errorf("--what-if: %w", err)
		}
		edits = append(edits, e)
	}
	s, err := f.open(a, tracePath(args))
	if err != nil {
		return err
	}
	defer s.Close()
	if len(s.numbers) != 1 {
		return errors.New("--what-if: expected one run, as in --run 1")
	}
	parent, err := s.Recording(s.numbers[0])
	if err != nil {
		return err
	}
	w := whatIf{parentPath: tracePath(args), parent: parent.Run(), path: tracePath(args)}
	switch {
	case f.whatIf.out != "":
		w.path = f.whatIf.out
	case s.DB() == nil:
		return fmt.Errorf("--what-if: %s is no trace to append to, expected --output TRACE", w.parentPath)
	}
	sink := &whatIfSink{path: w.path}
	defer func() {
		if sink.Appender != nil {
			sink.Discard()
		}
	}()
	if w.fork, err = rerun.WhatIf(ctx, a.algorithms, parent, edits, sink); sink.failed != nil {
		return sink.failed
	} else if err != nil {
		return fmt.Errorf("%s: %w", w.parentPath, err)
	}
	if err := sink.Commit(); err != nil {
		return err
	}
	if err := w.compare(parent, a.properties.Default()); err != nil {
		return err
	}
	if err := a.writeFile("-", w.writer(a, f.json)); err != nil {
		return err
	}
	if w.contrast.Violated {
		return outcome(exitBad)
	}
	return nil
}

// whatIf is what there is to say about a fork.
type whatIf struct {
	parentPath, path string
	parent           *tracefmt.Run
	fork             *rerun.Fork
	contrast         *whatif.Contrast
}

// compare holds the fork, as it stands in its trace, against its parent.
func (w *whatIf) compare(parent tracefmt.Recording, properties []*analyze.Property) error {
	db, err := tracedb.Open(w.path)
	if err != nil {
		return err
	}
	defer db.Close()
	child, err := db.Recording(w.fork.Run.Number)
	if err != nil {
		return err
	}
	w.contrast, err = whatif.NewContrast(parent, child, properties)
	return err
}

func (w *whatIf) writer(a *app, json bool) func(io.Writer) error {
	if json {
		return func(out io.Writer) error { return tracefmt.WriteJSON(out, w.json()) }
	}
	return func(out io.Writer) error { return w.print(out, a.quiet) }
}

func (w *whatIf) print(out io.Writer, quiet bool) error {
	run, result := w.fork.Run, w.fork.Result
	if _, err := fmt.Fprintf(out, "%s run %d: %s, %d events, %d messages, %s\n",
		w.path, run.Number, text.Printable(run.Name), result.Events, result.Messages, result.End); err != nil || quiet {
		return err
	}
	if w.fork.First == nil {
		_, err := fmt.Fprintf(out, "the edits change nothing\n")
		return err
	}
	if _, err := fmt.Fprintf(out, "the same up to seq %d, then\n%s", w.fork.First.Seq-1, w.fork.First.Text()); err != nil {
		return err
	}
	steps := fmt.Sprintf("other steps at %d of %d processes", len(w.contrast.Processes), len(run.Members))
	if len(w.contrast.Processes) == 0 {
		steps = "the same steps at every process, but at other times or in another order"
	}
	fmt.Fprintf(out, "%s: etrace diff '%s#%d' '%s#%d'\n", steps, w.parentPath, w.parent.Number, w.path, run.Number)
	return w.printMeasures(out)
}

// printMeasures prints what is counted and decided otherwise than before.
func (w *whatIf) printMeasures(out io.Writer) error {
	changed := w.contrast.Changed()
	if len(changed) == 0 {
		_, err := fmt.Fprintln(out, "the same counts and verdicts")
		return err
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "\trun %d\trun %d\n", w.parent.Number, w.fork.Run.Number)
	for _, row := range changed {
		fmt.Fprintf(t, "%s\t%s\t%s", row.Measure, row.Before, row.After)
		if row.Detail != "" {
			fmt.Fprintf(t, "\t%s", text.Printable(row.Detail))
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}

// whatIfReport is what replay --what-if --json prints, etrace.what-if/1.
type whatIfReport struct {
	Format string `json:"format"`
	Parent runRef `json:"parent"`
	Run    runRef `json:"run"`
	// First is the first difference, null if the edits change nothing.
	First *divergenceJSON `json:"first_difference"`
	// Processes take other steps, those first on which the edits act.
	Processes []string        `json:"processes"`
	Measures  []whatIfMeasure `json:"measures"`
}

type runRef struct {
	File string `json:"file"`
	Run  int    `json:"run"`
	Name string `json:"name,omitempty"`
}

type whatIfMeasure struct {
	Name    string      `json:"name"`
	Before  trial.Value `json:"before"`
	After   trial.Value `json:"after"`
	Changed bool        `json:"changed"`
	Detail  string      `json:"detail,omitempty"`
}

func (w *whatIf) json() *whatIfReport {
	report := &whatIfReport{
		Format: "etrace.what-if/1",
		Parent: runRef{w.parentPath, w.parent.Number, w.parent.Name},
		Run:    runRef{w.path, w.fork.Run.Number, w.fork.Run.Name},
		First:  newDivergenceJSON(w.fork.First), Processes: append([]string{}, w.contrast.Processes...),
	}
	for _, r := range w.contrast.Rows {
		report.Measures = append(report.Measures, whatIfMeasure{r.Measure, r.Before, r.After, r.Before != r.After, r.Detail})
	}
	return report
}
