package whatif

import (
	"fmt"
	"io"

	"etrace/replay/rerun"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
	"etrace/tracefmt/text/document"
)

// Report compares a changed run with its parent.
type Report struct {
	// Parent is the original run, and ParentFile its trace.
	Parent     *tracefmt.Run
	ParentFile string
	// Fork is the changed run, and File its trace.
	Fork *rerun.Fork
	File string
	// Contrast compares the results of both runs.
	Contrast *Contrast
}

// WriteText writes a report for people: the first difference, and the counts and verdicts that differ. Quiet
// writes one line.
func (r *Report) WriteText(w io.Writer, quiet bool) error {
	run, result := r.Fork.Run, r.Fork.Result
	_, err := fmt.Fprintf(w, "%s run %d: %s, %d events, %d messages, %s\n",
		r.File, run.Number, text.Printable(run.Name), result.Events, result.Messages, result.End)
	if err != nil || quiet {
		return err
	}
	if r.Fork.First == nil {
		_, err := fmt.Fprintf(w, "the edits change nothing\n")
		return err
	}
	first := r.Fork.First
	if _, err := fmt.Fprintf(w, "the same up to seq %d, then\n%s", first.Seq-1, first.Text()); err != nil {
		return err
	}
	steps := fmt.Sprintf("other steps at %d of %d processes", len(r.Contrast.Processes), len(run.Members))
	if len(r.Contrast.Processes) == 0 {
		steps = "the same steps at every process, but at other times or in another order"
	}
	fmt.Fprintf(w, "%s: etrace diff '%s#%d' '%s#%d'\n", steps, r.ParentFile, r.Parent.Number, r.File, run.Number)
	return r.writeMeasures(w)
}

// writeMeasures writes the counts and verdicts that differ.
func (r *Report) writeMeasures(w io.Writer) error {
	changed := r.Contrast.Changed()
	if len(changed) == 0 {
		_, err := fmt.Fprintln(w, "the same counts and verdicts")
		return err
	}
	t := document.Table{Head: []string{
		"", fmt.Sprintf("run %d", r.Parent.Number),
		fmt.Sprintf("run %d", r.Fork.Run.Number),
	}}
	for _, row := range changed {
		cells := []string{row.Measure, string(row.Before), string(row.After)}
		if row.Detail != "" {
			cells = append(cells, row.Detail)
		}
		t.Add(cells...)
	}
	return t.WriteText(w)
}

// jsonVersion is the version mark of the report for programs.
const jsonVersion = "etrace.what-if/1"

// WriteJSON writes a report for programs. The first difference is null if the edits change nothing. Processes
// lists the processes with different steps, first those on which the edits act.
func (r *Report) WriteJSON(w io.Writer) error {
	run := func(file string, run *tracefmt.Run) document.Object {
		return document.Object{"file", file, "run", run.Number, "name?", run.Name}
	}
	return tracefmt.WriteJSON(w, document.Object{
		"format", jsonVersion,
		"parent", run(r.ParentFile, r.Parent),
		"run", run(r.File, r.Fork.Run),
		"first_difference", r.Fork.First,
		"processes", append([]string{}, r.Contrast.Processes...),
		"measures", r.Contrast.Rows,
	})
}
