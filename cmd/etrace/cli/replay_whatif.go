package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"etrace/analyze/property"
	"etrace/record/scenario"
	"etrace/replay/diff"
	"etrace/replay/experiment"
	"etrace/replay/rerun"
	"etrace/tracefmt"
	"etrace/tracefmt/tracedb"
)

type whatIfFlags struct {
	edits []string
	out   string
}

func (f *whatIfFlags) flags(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.edits, "what-if", nil, "execute again with an `EDIT`, append that run, and compare; repeatable")
	cmd.Flags().StringVarP(&f.out, "output", "o", "", "what-if: the `TRACE` to append to, by default the one of the run")
}

// editForms lists the edits for the help text.
func editForms() string {
	var b strings.Builder
	for _, f := range scenario.EditForms {
		fmt.Fprintf(&b, "  %-18s %s\n", f.Form, f.Doc)
	}
	fmt.Fprintf(&b, "  %-18s %s", "PARAM=VALUE@WHEN", "a parameter of the algorithm changes")
	return b.String()
}

// whatIfSink opens the trace to append to when the run begins: until then the
// run before may be read from the same file.
type whatIfSink struct {
	path string
	*tracedb.Appender
}

func (s *whatIfSink) Begin(run *tracefmt.Run) (err error) {
	if s.path == "-" || strings.HasSuffix(s.path, ".jsonl") {
		return fmt.Errorf("--output %s: expected a trace to append to; etrace export writes JSON Lines", s.path)
	}
	if s.Appender, err = tracedb.OpenAppend(s.path); err != nil {
		return err
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
	db, numbers, err := f.open(args)
	if err != nil {
		return err
	}
	defer db.Close()
	if len(numbers) != 1 {
		return errors.New("--what-if: expected one run, as in --run 1")
	}
	parent, err := db.Recording(numbers[0])
	if err != nil {
		return err
	}
	w := whatIf{parentPath: tracePath(args), parent: parent.Run(), path: tracePath(args)}
	if f.whatIf.out != "" {
		w.path = f.whatIf.out
	}
	sink := &whatIfSink{path: w.path}
	defer func() {
		if sink.Appender != nil {
			sink.Discard()
		}
	}()
	if w.fork, err = rerun.WhatIf(ctx, parent, edits, sink); err != nil {
		return fmt.Errorf("%s: %w", w.parentPath, err)
	}
	if err := sink.Commit(); err != nil {
		return err
	}
	if err := w.compare(parent); err != nil {
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
	contrast         *experiment.Contrast
	// others are the processes that take other steps than before.
	others []string
}

// compare holds the fork, as it stands in its trace, against its parent.
func (w *whatIf) compare(parent tracefmt.Recording) error {
	db, err := tracedb.Open(w.path)
	if err != nil {
		return err
	}
	defer db.Close()
	child, err := db.Recording(w.fork.Run.Number)
	if err != nil {
		return err
	}
	if w.contrast, err = experiment.NewContrast(parent, child, property.Default()); err != nil {
		return err
	}
	report, err := diff.Compare(parent, child, diff.Options{})
	if err != nil {
		return err
	}
	for _, d := range report.Divergences {
		if d.Process != "" {
			w.others = append(w.others, d.Process)
		}
	}
	return nil
}

func (w *whatIf) writer(a *app, json bool) func(io.Writer) error {
	if json {
		return func(out io.Writer) error { return (&app{out: out}).printJSON(w.json()) }
	}
	return func(out io.Writer) error { return w.print(out, a.quiet) }
}

func (w *whatIf) print(out io.Writer, quiet bool) error {
	run, result := w.fork.Run, w.fork.Result
	if _, err := fmt.Fprintf(out, "%s run %d: %s, %d events, %d messages, %s\n",
		w.path, run.Number, tracefmt.Printable(run.Name), result.Events, result.Messages, result.End); err != nil || quiet {
		return err
	}
	if w.fork.First == nil {
		_, err := fmt.Fprintf(out, "the edits change nothing\n")
		return err
	}
	if _, err := fmt.Fprintf(out, "the same up to seq %d, then\n%s", w.fork.First.Seq-1, w.fork.First.Text()); err != nil {
		return err
	}
	fmt.Fprintf(out, "other steps at %d of %d processes: etrace diff '%s#%d' '%s#%d'\n",
		len(w.others), len(run.Members), w.parentPath, w.parent.Number, w.path, run.Number)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "\trun %d\trun %d\n", w.parent.Number, run.Number)
	for _, row := range w.contrast.Changed() {
		fmt.Fprintf(t, "%s\t%s\t%s", row.Measure, row.Before, row.After)
		if row.Detail != "" {
			fmt.Fprintf(t, "\t%s", tracefmt.Printable(row.Detail))
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
	Name    string           `json:"name"`
	Before  experiment.Value `json:"before"`
	After   experiment.Value `json:"after"`
	Changed bool             `json:"changed"`
	Detail  string           `json:"detail,omitempty"`
}

func (w *whatIf) json() *whatIfReport {
	report := &whatIfReport{
		Format: "etrace.what-if/1",
		Parent: runRef{w.parentPath, w.parent.Number, w.parent.Name},
		Run:    runRef{w.path, w.fork.Run.Number, w.fork.Run.Name},
		First:  newDivergenceJSON(w.fork.First), Processes: append([]string{}, w.others...),
	}
	for _, r := range w.contrast.Rows {
		report.Measures = append(report.Measures, whatIfMeasure{r.Measure, r.Before, r.After, r.Before != r.After, r.Detail})
	}
	return report
}
