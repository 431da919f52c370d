package rerun

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"etrace/replay"
	"etrace/replay/printer"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// VerifyReport is what came of verifying the runs of files.
type VerifyReport struct {
	Files []VerifiedFile
}

// VerifiedFile is a file and what was verified in it.
type VerifiedFile struct {
	Name string
	// Cases: the runs are cases, of which people want one line for all.
	Cases bool
	Runs  []Verification
}

// Err is an error if nothing could be verified, or if a run could not for
// another reason than that it has no scenario.
func (r *VerifyReport) Err() error {
	var first error
	done := false
	for _, f := range r.Files {
		for _, v := range f.Runs {
			switch {
			case v.Err == nil:
				done = true
			case !errors.Is(v.Err, ErrNoScenario):
				return fmt.Errorf("%s: %w", f.Name, v.Err)
			case first == nil:
				first = fmt.Errorf("%s: %w", f.Name, v.Err)
			}
		}
	}
	if done {
		return nil
	}
	return first
}

// Differs reports whether a run is another than its execution.
func (r *VerifyReport) Differs() bool {
	return r.any(func(v *Verification) bool { return v.Divergence != nil && !v.Divergence.interrupted() })
}

// Open reports whether of some run it is not known if it is the same: it has no
// scenario, or was interrupted.
func (r *VerifyReport) Open() bool {
	return r.any(func(v *Verification) bool { return v.Err != nil || v.Divergence != nil && v.Divergence.interrupted() })
}

func (r *VerifyReport) any(is func(*Verification) bool) bool {
	for _, f := range r.Files {
		for i := range f.Runs {
			if is(&f.Runs[i]) {
				return true
			}
		}
	}
	return false
}

// WriteText writes a line for each run of a trace, and one for a file of cases;
// of what differs, how. Quiet writes only what is not the same.
func (r *VerifyReport) WriteText(w io.Writer, quiet bool) error {
	b := bufio.NewWriter(w)
	for _, f := range r.Files {
		same := 0
		for i := range f.Runs {
			v := &f.Runs[i]
			switch {
			case v.Err != nil || v.Divergence != nil:
				fmt.Fprintf(b, "%s %s", f.Name, v.problem())
			case f.Cases:
				same++
			case !quiet:
				fmt.Fprintf(b, "%s %s: executes again as recorded, %d events, %s\n", f.Name, v.Subject.Name, v.Run.Events, v.Run.End)
			}
		}
		if f.Cases && !quiet {
			fmt.Fprintf(b, "%s: %d of %d cases execute the same way twice\n", f.Name, same, len(f.Runs))
		}
	}
	return b.Flush()
}

// problem says why a run is not verified.
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

// jsonVersion is the version mark of the report for programs.
const jsonVersion = "etrace.verify/1"

type jsonVerifyReport struct {
	Format string             `json:"format"`
	Same   bool               `json:"same"`
	Runs   []jsonVerification `json:"runs"`
}

type jsonVerification struct {
	File string `json:"file"`
	// Run is the number in the trace, absent for a case of a suite.
	Run int `json:"run,omitempty"`
	// Name is "run 1", or that of a case.
	Name       string       `json:"name"`
	Events     int64        `json:"events"`
	End        tracefmt.End `json:"end"`
	Same       bool         `json:"same"`
	Error      string       `json:"error,omitempty"`
	Divergence *Divergence  `json:"divergence,omitempty"`
}

// WriteJSON writes a report for programs.
func (r *VerifyReport) WriteJSON(w io.Writer) error {
	out := jsonVerifyReport{Format: jsonVersion, Same: true}
	for _, f := range r.Files {
		for i := range f.Runs {
			v := f.Runs[i].json(f.Name)
			out.Same = out.Same && v.Same
			out.Runs = append(out.Runs, v)
		}
	}
	return tracefmt.WriteJSON(w, out)
}

func (v *Verification) json(file string) jsonVerification {
	out := jsonVerification{File: file, Name: v.Subject.Name, Same: v.Err == nil && v.Divergence == nil, Divergence: v.Divergence}
	if v.Err != nil {
		out.Error = v.Err.Error()
	}
	if v.Run != nil {
		out.Run, out.Events, out.End = v.Run.Number, v.Run.Events, v.Run.End
	}
	return out
}

type jsonDivergence struct {
	Seq          tracefmt.Seq   `json:"seq"`
	Differences  []Difference   `json:"differences"`
	Recorded     *printer.Step  `json:"recorded"`
	Executed     *printer.Step  `json:"executed"`
	RecordedPast []printer.Step `json:"recorded_past"`
	ExecutedPast []printer.Step `json:"executed_past"`
}

// MarshalJSON writes a divergence as docs/json.md describes it.
func (d *Divergence) MarshalJSON() ([]byte, error) {
	words := replay.NewSentences(d.Run)
	out := jsonDivergence{
		Seq: d.Seq, Differences: d.Differences, Recorded: printer.NewStep(words, d.Recorded, nil), Executed: printer.NewStep(words, d.Executed, nil),
		RecordedPast: printer.NewSteps(words, d.RecordedPast), ExecutedPast: printer.NewSteps(words, d.ExecutedPast),
	}
	var b bytes.Buffer
	err := tracefmt.WriteJSON(&b, out) // which leaves <, > and & as they are
	return b.Bytes(), err
}
