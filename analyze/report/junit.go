package report

import (
	"io"
	"strings"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"etrace/analyze"
	"etrace/tracefmt/text"
)

var junitFormat = Format{
	Name:  "junit",
	Doc:   "JUnit XML, for continuous integration: a suite for each run, a test case for each property",
	Write: writeJUnit,
}

// writeJUnit makes the report red exactly if the check's exit status is not
// zero: a violated property is a failure, one that stayed open or was named in vain
// an error, or skipped if that is allowed.
func writeJUnit(w io.Writer, r *Report, s Style) error {
	all := junit.Testsuites{Name: "etrace check " + plain(text.Some(r.Traces, 6))}
	inVain := r.InVain()
	for i, run := range r.Runs {
		suite := junit.Testsuite{Name: r.heading(run), ID: i, File: plain(run.Trace), Time: "0"}
		for _, p := range run.Results {
			suite.AddTestcase(r.testcase(run, p, isInVain(inVain, run, p), s))
		}
		lines := plainLines(run.Remarks)
		if assumed := run.assumed(s); assumed != "" {
			lines = append(lines, assumed)
		}
		if len(lines) > 0 {
			suite.SystemOut = &junit.Output{Data: strings.Join(lines, "\n")}
		}
		all.AddSuite(suite)
	}
	for _, missing := range r.missing() {
		if len(missing.list) > 0 {
			all.AddSuite(missing.suite(len(all.Suites)))
		}
	}
	return all.WriteXML(w)
}

// suite has an error for each thing that is missing, so that a report on traces
// that could not be read is not green.
func (m missing) suite(id int) junit.Testsuite {
	suite := junit.Testsuite{Name: m.title, ID: id, Time: "0"}
	for _, what := range m.list {
		suite.AddTestcase(junit.Testcase{Name: plain(what), Classname: m.title, Error: &junit.Result{Message: plain(what), Type: m.title}})
	}
	return suite
}

// plainLines is a line for each.
func plainLines(list []string) []string {
	lines := make([]string, len(list))
	for i, s := range list {
		lines[i] = plain(s)
	}
	return lines
}

func (r *Report) testcase(run Run, p *analyze.Result, inVain bool, s Style) junit.Testcase {
	tc := junit.Testcase{Name: plain(p.Property.Name), Classname: r.name(run), Status: string(p.Verdict)}
	result := &junit.Result{Message: run.message(p), Type: string(p.Verdict), Data: strings.Join(r.explanation(run, p), "\n")}
	switch o := outcomes[p.Verdict]; {
	case o == failed:
		tc.Failure = result
	case (o == open || inVain) && !s.AllowOpen:
		tc.Error = result
	case o != passed:
		tc.Skipped = result
	}
	return tc
}

// message is the verdict with its reason: the explanation, or what such a
// verdict means.
func (run Run) message(p *analyze.Result) string {
	if why := run.detail(p); why != "" {
		return string(p.Verdict) + ": " + why
	}
	for _, v := range analyze.Verdicts {
		if v.Verdict == p.Verdict {
			return string(p.Verdict) + ": " + v.Meaning
		}
	}
	return string(p.Verdict)
}
