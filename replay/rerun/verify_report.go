package rerun

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"etrace/replay"
	"etrace/replay/printer"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
	"etrace/tracefmt/text/document"
)

// VerifyReport is the result of verifying the runs of files.
type VerifyReport struct {
	Files []VerifiedFile
}

// VerifiedFile is a file and the outcomes of its runs.
type VerifiedFile struct {
	Name string
	// Cases: the runs are cases of a suite, which share one line of text.
	Cases bool
	Runs  []Verification
}

// Err returns an error if nothing could be verified, or if a run failed for another reason than a missing
// scenario.
func (r *VerifyReport) Err() error {
	var first error
	done := false
	for _, f := range r.Files {
		for _, v := range f.Runs {
			switch {
			case v.Err == nil:
				done = true
			case !errors.Is(v.Err, ErrNoScenario):
				return text.InFile(f.Name, v.Err)
			case first == nil:
				first = text.InFile(f.Name, v.Err)
			}
		}
	}
	if done {
		return nil
	}
	return first
}

// Differs reports whether a run differs from its execution.
func (r *VerifyReport) Differs() bool {
	return r.any(func(v *Verification) bool { return v.Divergence != nil && !v.Divergence.interrupted() })
}

// Open reports whether some run could not be verified to the end: it has no scenario, or was interrupted.
func (r *VerifyReport) Open() bool {
	return r.any(func(v *Verification) bool {
		return v.Err != nil ||
			v.Divergence != nil && v.Divergence.interrupted()
	})
}

// any reports whether some verification matches.
func (r *VerifyReport) any(matches func(*Verification) bool) bool {
	for _, f := range r.Files {
		for i := range f.Runs {
			if matches(&f.Runs[i]) {
				return true
			}
		}
	}
	return false
}

// WriteText writes a line for each run of a trace, a line for each file of cases, and the differences.
func (r *VerifyReport) WriteText(w io.Writer) error { return r.write(w, false) }

// WriteDifferences writes the lines of runs that differ, and the differences.
func (r *VerifyReport) WriteDifferences(w io.Writer) error { return r.write(w, true) }

// write writes the report as text; quiet leaves out the runs without a difference.
func (r *VerifyReport) write(w io.Writer, quiet bool) error {
	b := bufio.NewWriter(w)
	for _, f := range r.Files {
		equalCases := 0
		for i := range f.Runs {
			v := &f.Runs[i]
			switch {
			case v.Err != nil || v.Divergence != nil:
				fmt.Fprintf(b, "%s %s", f.Name, v.problem())
			case f.Cases:
				equalCases++
			case !quiet:
				fmt.Fprintf(b, "%s %s: executes again as recorded, %d events, %s\n", f.Name, v.Subject.Name,
					v.Run.Events, v.Run.End)
			}
		}
		if f.Cases && !quiet {
			fmt.Fprintf(b, "%s: %d of %d cases execute the same way twice\n", f.Name, equalCases, len(f.Runs))
		}
	}
	return b.Flush()
}

// problem describes why a run is not verified: it has no scenario, was interrupted, or differs.
func (v *Verification) problem() string {
	name, d := text.Printable(v.Subject.Name), v.Divergence
	switch {
	case d == nil:
		return v.Subject.Name + ": not executed again, it has no scenario\n"
	case d.interrupted():
		return fmt.Sprintf("%s: executes again as recorded, %d events, but was interrupted there: the execution goes on\n", name, v.Run.Events)
	}
	place := "in its description"
	if d.Seq > 0 {
		place = fmt.Sprintf("at seq %d", d.Seq)
	}
	return fmt.Sprintf("%s: differs from its execution %s\n%s", name, place, d.Text())
}

// jsonVersion is the format mark of the JSON report.
const jsonVersion = "etrace.verify/1"

// WriteJSON writes the report as JSON.
func (r *VerifyReport) WriteJSON(w io.Writer) error {
	same := true
	var runs []document.Object
	for _, f := range r.Files {
		for i := range f.Runs {
			v := &f.Runs[i]
			same = same && v.same()
			runs = append(runs, v.json(f.Name))
		}
	}
	return tracefmt.WriteJSON(w, document.Object{"format", jsonVersion, "same", same, "runs", runs})
}

func (v *Verification) same() bool { return v.Err == nil && v.Divergence == nil }

// json returns the object of a verification. A case of a suite has no run number.
func (v *Verification) json(file string) document.Object {
	run, failure := v.Run, ""
	if run == nil {
		run = &tracefmt.Run{}
	}
	if v.Err != nil {
		failure = v.Err.Error()
	}
	return document.Object{
		"file", file,
		"run?", run.Number,
		"name", v.Subject.Name,
		"events", run.Events,
		"end", run.End,
		"same", v.same(),
		"error?", failure,
		"divergence?", v.Divergence,
	}
}

// MarshalJSON writes a divergence as etrace explain divergence describes it.
func (d *Divergence) MarshalJSON() ([]byte, error) {
	words := replay.NewSentences(d.Run)
	return document.Object{
		"seq", d.Seq,
		"differences", d.Differences,
		"recorded", printer.NewStep(words, d.Recorded, nil),
		"executed", printer.NewStep(words, d.Executed, nil),
		"recorded_past", printer.NewSteps(words, d.RecordedPast),
		"executed_past", printer.NewSteps(words, d.ExecutedPast),
	}.MarshalJSON()
}
