package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"etrace/analyze/experiment/suite"
	"etrace/replay/rerun"
	"etrace/tracefmt"
)

// replayVerify executes the runs of traces and the cases of suites again, and compares. The exit status is 1 if a run
// differs.
func (a *app) replayVerify(ctx context.Context, f *replayFlags, args []string) error {
	if len(args) == 0 {
		args = []string{defaultTrace}
	}
	report := &rerun.VerifyReport{}
	for _, file := range args {
		v, err := a.verifyFile(ctx, f, file)
		if err != nil {
			return err
		}
		report.Files = append(report.Files, v)
	}
	if err := report.Err(); err != nil {
		return err
	}
	write := report.WriteText
	switch {
	case f.json:
		write = report.WriteJSON
	case a.quiet:
		write = report.WriteDifferences
	}
	if err := a.print(write); err != nil {
		return err
	}
	switch {
	case report.Differs():
		return outcome(exitBad)
	case report.Open():
		return outcome(exitOpen)
	}
	return nil
}

// verifyFile executes the runs of one trace, or the cases of one suite, again.
func (a *app) verifyFile(ctx context.Context, f *replayFlags, file string) (v rerun.VerifiedFile, err error) {
	v = rerun.VerifiedFile{Name: file, Cases: slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(file))}
	var subjects []rerun.Subject
	if v.Cases {
		subjects, err = a.suiteSubjects(file)
	} else {
		var s *source
		s, subjects, err = a.traceSubjects(ctx, f, file)
		if err == nil {
			defer s.Close()
		}
	}
	if err != nil {
		return v, err
	}
	bar := a.progress("executing runs again", int64(len(subjects)))
	v.Runs, err = rerun.VerifyAll(ctx, subjects, rerun.Options{Algorithms: a.Algorithms, Progress: func(done int) { bar.update(int64(done)) }})
	bar.done()
	return v, interrupted(ctx, "executing runs again", err)
}

// suiteSubjects returns the cases of a suite. Each case is executed a first time when its comparison begins.
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

// traceSubjects returns the selected runs of a trace, and the open trace, which the caller closes.
func (a *app) traceSubjects(ctx context.Context, f *replayFlags, file string) (*source, []rerun.Subject, error) {
	s, err := f.open(ctx, a, file)
	if err != nil {
		return nil, nil, err
	}
	var subjects []rerun.Subject
	for _, n := range s.numbers {
		rec, err := s.verified(ctx, a, n)
		if err != nil {
			s.Close()
			return nil, nil, err
		}
		name := fmt.Sprintf("run %d", n)
		subjects = append(subjects, rerun.Subject{Name: name, Open: func(context.Context) (tracefmt.Recording, error) { return rec, nil }})
	}
	return s, subjects, nil
}
