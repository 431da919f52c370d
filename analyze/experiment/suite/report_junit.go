package suite

import (
	"fmt"
	"io"
	"strings"

	"etrace/analyze/junit"
)

var junitFormat = Format{
	Name:  "junit",
	Doc:   "JUnit XML, for continuous integration: a test case for each case",
	Write: writeJUnit,
}

// writeJUnit writes a test suite for each suite, and a test case for each case.
func writeJUnit(w io.Writer, r *Report, _ Style) error {
	report := junit.Report{Name: "etrace suite"}
	for _, s := range r.Suites {
		suite := junit.Suite{Name: s.title(), File: line(s.Suite.File)}
		for _, c := range s.Cases {
			suite.Add(c.junit(s))
		}
		report.Add(suite)
	}
	return report.Write(w)
}

// junit returns the test case of a case.
func (r *CaseReport) junit(s *FileReport) junit.Case {
	tc := junit.Case{Name: line(r.Case.Name), Classname: s.title()}
	switch {
	case r.Err != nil:
		tc.Error = &junit.Result{Message: line(r.Err.Error())}
	case r.Status == Failed:
		failed := r.lines(Failed)
		tc.Failure = &junit.Result{Message: failed[0], Data: strings.Join(failed, "\n")}
	case r.Status == Explained:
		tc.SystemOut = &junit.Output{Data: strings.Join(append(r.lines(Explained), "note: "+line(r.Case.Note)), "\n")}
	}
	return tc
}

// lines returns a line for each measure that has the status.
func (r *CaseReport) lines(status Status) []string {
	var lines []string
	for _, cell := range r.Cells {
		if cell.Status != status {
			continue
		}
		text := fmt.Sprintf("%s: measured %s", line(cell.Measure), shownValue(cell.Measured))
		if cell.Expected != "" {
			text += ", expected " + shownValue(cell.Expected)
		}
		if cell.Published != "" {
			text += ", published " + shownValue(cell.Published)
		}
		if cell.Detail != "" {
			text += ": " + line(cell.Detail)
		}
		lines = append(lines, text)
	}
	return lines
}
