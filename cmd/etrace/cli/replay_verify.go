package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"etrace/analyze/experiment/suite"
	"etrace/replay/rerun"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// verified is a file and what was verified in it.
type verified struct {
	file  string
	suite bool
	runs  []rerun.Verification
}

// replayVerify executes the runs of traces and the cases of suites again.
func (a *app) replayVerify(ctx context.Context, f *replayFlags, args []string) error {
	if len(args) == 0 {
		args = []string{defaultTrace}
	}
	var all []verified
	for _, file := range args {
		v, err := a.verifyFile(ctx, f, file)
		if err != nil {
			return err
		}
		all = append(all, v)
	}
	if err := refused(all); err != nil {
		return err
	}
	write := func(w io.Writer) error { return a.printVerified(w, all) }
	if f.json {
		write = func(w io.Writer) error { return tracefmt.WriteJSON(w, newVerifyReport(all)) }
	}
	if err := a.writeFile("-", write); err != nil {
		return err
	}
	return verifyStatus(all)
}

func (a *app) verifyFile(ctx context.Context, f *replayFlags, file string) (v verified, err error) {
	v = verified{file: file, suite: slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(file))}
	var subjects []rerun.Subject
	if v.suite {
		subjects, err = a.suiteSubjects(file)
	} else {
		var s *source
		if s, subjects, err = a.traceSubjects(f, file); err == nil {
			defer s.Close()
		}
	}
	if err != nil {
		return v, err
	}
	bar := a.progress("executing runs again", int64(len(subjects)))
	v.runs, err = rerun.VerifyAll(ctx, subjects, rerun.Options{Algorithms: a.algorithms, Progress: func(done int) { bar.at(int64(done)) }})
	bar.done()
	if err != nil {
		return v, errors.New("interrupted while executing runs again")
	}
	return v, nil
}

// suiteSubjects are the cases of a suite, each executed a first time when its
// turn comes.
func (a *app) suiteSubjects(file string) ([]rerun.Subject, error) {
	s, err := suite.Load(file, a.known())
	if err != nil {
		return nil, err
	}
	var subjects []rerun.Subject
	for _, c := range s.Cases {
		subjects = append(subjects, rerun.Subject{Name: c.Name, Open: func(ctx context.Context) (tracefmt.Recording, error) {
			return rerun.Record(ctx, c.Scenario)
		}})
	}
	return subjects, nil
}

// traceSubjects are the picked runs of a trace.
func (a *app) traceSubjects(f *replayFlags, file string) (*source, []rerun.Subject, error) {
	s, err := f.open(a, file)
	if err != nil {
		return nil, nil, err
	}
	var subjects []rerun.Subject
	for _, n := range s.numbers {
		rec, err := s.Recording(n)
		if err != nil {
			s.Close()
			return nil, nil, err
		}
		name := fmt.Sprintf("run %d", n)
		subjects = append(subjects, rerun.Subject{Name: name, Open: func(context.Context) (tracefmt.Recording, error) { return rec, nil }})
	}
	return s, subjects, nil
}

// refused returns the first error that is not about a missing scenario; if
// nothing could be verified, the first of those.
func refused(all []verified) error {
	var first error
	done := false
	for _, v := range all {
		for _, r := range v.runs {
			switch {
			case r.Err == nil:
				done = true
			case !errors.Is(r.Err, rerun.ErrNoScenario):
				return fmt.Errorf("%s: %w", v.file, r.Err)
			case first == nil:
				first = fmt.Errorf("%s: %w", v.file, r.Err)
			}
		}
	}
	if done {
		return nil
	}
	return first
}

// verifyStatus is the exit status: a run without scenario stays open, and so
// does one that was interrupted.
func verifyStatus(all []verified) error {
	status := exitOK
	for _, v := range all {
		for _, r := range v.runs {
			switch {
			case r.Divergence != nil && !r.Divergence.Interrupted():
				return outcome(exitBad)
			case r.Divergence != nil || r.Err != nil:
				status = exitOpen
			}
		}
	}
	if status != exitOK {
		return outcome(status)
	}
	return nil
}

// printVerified prints a line for each run of a trace, and one for a suite;
// of what differs, how.
func (a *app) printVerified(w io.Writer, all []verified) error {
	var b bytes.Buffer
	for _, v := range all {
		same := 0
		for _, r := range v.runs {
			switch {
			case r.Divergence != nil && r.Divergence.Interrupted():
				fmt.Fprintf(&b, "%s %s: executes again as recorded, %d events, but was interrupted there: the execution goes on\n",
					v.file, text.Printable(r.Subject.Name), r.Run.Events)
			case r.Divergence != nil:
				place := "in its description"
				if r.Divergence.Seq > 0 {
					place = fmt.Sprintf("at seq %d", r.Divergence.Seq)
				}
				fmt.Fprintf(&b, "%s %s: differs from its execution %s\n%s", v.file, text.Printable(r.Subject.Name), place, r.Divergence.Text())
			case r.Err != nil:
				fmt.Fprintf(&b, "%s %s: not executed again, it has no scenario\n", v.file, r.Subject.Name)
			case v.suite:
				same++
			case !a.quiet:
				fmt.Fprintf(&b, "%s %s: executes again as recorded, %d events, %s\n", v.file, r.Subject.Name, r.Run.Events, r.Run.End)
			}
		}
		if v.suite && !a.quiet {
			fmt.Fprintf(&b, "%s: %d of %d cases execute the same way twice\n", v.file, same, len(v.runs))
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// verifyReport is what replay --verify --json prints, etrace.verify/1.
type verifyReport struct {
	Format string       `json:"format"`
	Same   bool         `json:"same"`
	Runs   []verifyJSON `json:"runs"`
}

type verifyJSON struct {
	File string `json:"file"`
	// Run is the number in the trace, absent for a case of a suite.
	Run int `json:"run,omitempty"`
	// Name is "run 1", or that of a case.
	Name       string          `json:"name"`
	Events     int64           `json:"events"`
	End        tracefmt.End    `json:"end"`
	Same       bool            `json:"same"`
	Error      string          `json:"error,omitempty"`
	Divergence *divergenceJSON `json:"divergence,omitempty"`
}

type divergenceJSON struct {
	Seq          tracefmt.Seq     `json:"seq"`
	Differences  []differenceJSON `json:"differences"`
	Recorded     *jsonStep        `json:"recorded"`
	Executed     *jsonStep        `json:"executed"`
	RecordedPast []jsonStep       `json:"recorded_past"`
	ExecutedPast []jsonStep       `json:"executed_past"`
}

type differenceJSON struct {
	Field    string `json:"field"`
	Recorded string `json:"recorded"`
	Executed string `json:"executed"`
}

func newVerifyReport(all []verified) *verifyReport {
	report := &verifyReport{Format: "etrace.verify/1", Same: true}
	for _, v := range all {
		for _, r := range v.runs {
			j := verifyJSON{File: v.file, Name: r.Subject.Name, Same: r.Err == nil && r.Divergence == nil, Divergence: newDivergenceJSON(r.Divergence)}
			if r.Err != nil {
				j.Error = r.Err.Error()
			}
			if r.Run != nil {
				j.Run, j.Events, j.End = r.Run.Number, r.Run.Events, r.Run.End
			}
			report.Same = report.Same && j.Same
			report.Runs = append(report.Runs, j)
		}
	}
	return report
}

func newDivergenceJSON(d *rerun.Divergence) *divergenceJSON {
	if d == nil {
		return nil
	}
	j := &divergenceJSON{
		Seq: d.Seq, Recorded: stepOrNil(d.Run, d.Recorded), Executed: stepOrNil(d.Run, d.Executed),
		RecordedPast: stepsJSON(d.Run, d.RecordedPast), ExecutedPast: stepsJSON(d.Run, d.ExecutedPast),
	}
	for _, x := range d.Differences {
		j.Differences = append(j.Differences, differenceJSON(x))
	}
	return j
}
