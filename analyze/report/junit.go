package report

import (
	"io"
	"strings"

	"etrace/analyze"
	"etrace/analyze/junit"
	"etrace/tracefmt/text"
)

var junitFormat = Format{
	Name:  "junit",
	Doc:   "JUnit XML, for continuous integration: a suite for each run, a test case for each property",
	Write: writeJUnit,
}

// writeJUnit writes a failure for a violated property. An open property is an error, as is a named property
// that applies to no run; both are skipped if the style allows open results. So the report is red
// exactly if the exit status of the check is not 0.
func writeJUnit(w io.Writer, r *Report, s Style) error {
	suites := junit.Report{Name: "etrace check " + harmless(text.Some(r.files(), 6))}
	inVain := r.InVain()
	for _, run := range r.Runs {
		suite := junit.Suite{Name: r.heading(run), File: harmless(run.Trace)}
		for _, p := range run.Results {
			suite.Add(r.testcase(run, p, isInVain(inVain, run, p), s))
		}
		lines := plainLines(run.Remarks)
		if assumed := run.assumed(s); assumed != "" {
			lines = append(lines, assumed)
		}
		if len(lines) > 0 {
			suite.SystemOut = &junit.Output{Data: strings.Join(lines, "\n")}
		}
		suites.Add(suite)
	}
	for _, missing := range r.unexaminedSorts() {
		if len(missing.list) > 0 {
			suites.Add(r.missingSuite(missing))
		}
	}
	return suites.Write(w)
}

// missingSuite returns a suite with an error for each thing that was not examined, so that the report is not
// green. It has the name of the file if all are of one file.
func (r *Report) missingSuite(m unexamined) junit.Suite {
	suite := junit.Suite{Name: m.title, File: harmless(r.fileOf(m.list[0]))}
	for _, fact := range m.list {
		if harmless(r.fileOf(fact)) != suite.File {
			suite.File = ""
		}
		suite.Add(junit.Case{
			Name: harmless(fact), Classname: m.title,
			Error: &junit.Result{Message: harmless(fact), Type: m.title},
		})
	}
	return suite
}

// plainLines makes each text harmless for a terminal.
func plainLines(list []string) []string {
	lines := make([]string, len(list))
	for i, s := range list {
		lines[i] = harmless(s)
	}
	return lines
}

// testcase returns the test case of a result.
func (r *Report) testcase(run Run, p *analyze.Result, inVain bool, s Style) junit.Case {
	tc := junit.Case{Name: harmless(p.Property.Name), Classname: r.name(run), Status: string(p.Verdict)}
	result := &junit.Result{
		Message: run.message(p), Type: string(p.Verdict),
		Data: strings.Join(r.explanation(run, p), "\n"),
	}
	switch o := outcomes[p.Verdict]; {
	case o == failed:
		tc.Failure = result
	case s.failsCheck(p) || inVain && !s.AllowOpen:
		tc.Error = result
	case o != passed:
		tc.Skipped = result
	}
	return tc
}

// message returns the verdict of a result with its reason, else with the meaning of the verdict.
func (run Run) message(p *analyze.Result) string {
	if reason := run.detail(p); reason != "" {
		return string(p.Verdict) + ": " + reason
	}
	for _, v := range analyze.Verdicts {
		if v.Verdict == p.Verdict {
			return string(p.Verdict) + ": " + v.Meaning
		}
	}
	return string(p.Verdict)
}
