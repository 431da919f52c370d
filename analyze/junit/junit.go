// Package junit has the types of JUnit XML, the form of test results that continuous integration systems read.
// It has what the reports of etrace fill in, and nothing more of the format.
package junit

import (
	"encoding/xml"
	"io"
)

// Report is a document: a list of suites with the sums of their counts.
type Report struct {
	XMLName  xml.Name `xml:"testsuites"`
	Name     string   `xml:"name,attr,omitempty"`
	Tests    int      `xml:"tests,attr,omitempty"`
	Errors   int      `xml:"errors,attr,omitempty"`
	Failures int      `xml:"failures,attr,omitempty"`
	Skipped  int      `xml:"skipped,attr,omitempty"`
	Suites   []Suite  `xml:"testsuite,omitempty"`
}

// Suite is a list of test cases with counts of their results. [Report.Add] sets ID and Time.
type Suite struct {
	Name      string  `xml:"name,attr"`
	Tests     int     `xml:"tests,attr"`
	Failures  int     `xml:"failures,attr"`
	Errors    int     `xml:"errors,attr"`
	ID        int     `xml:"id,attr"`
	Skipped   int     `xml:"skipped,attr,omitempty"`
	Time      string  `xml:"time,attr"`
	File      string  `xml:"file,attr,omitempty"`
	Cases     []Case  `xml:"testcase,omitempty"`
	SystemOut *Output `xml:"system-out,omitempty"`
}

// Case is one test. It passed if it has neither of Skipped, Error and Failure.
type Case struct {
	Name      string  `xml:"name,attr"`
	Classname string  `xml:"classname,attr"`
	Status    string  `xml:"status,attr,omitempty"`
	Skipped   *Result `xml:"skipped,omitempty"`
	Error     *Result `xml:"error,omitempty"`
	Failure   *Result `xml:"failure,omitempty"`
	SystemOut *Output `xml:"system-out,omitempty"`
}

// Result is the reason why a case did not pass.
type Result struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Data    string `xml:",cdata"`
}

// Output is text that a suite or a case printed.
type Output struct {
	Data string `xml:",cdata"`
}

// Add appends a suite and adds its counts to those of the report. The time of a suite is 0: equal results have
// equal bytes.
func (r *Report) Add(s Suite) {
	s.ID, s.Time = len(r.Suites), "0"
	r.Suites = append(r.Suites, s)
	r.Tests += s.Tests
	r.Errors += s.Errors
	r.Failures += s.Failures
	r.Skipped += s.Skipped
}

// Write writes the document.
func (r *Report) Write(w io.Writer) error {
	e := xml.NewEncoder(w)
	e.Indent("", "\t")
	if err := e.Encode(r); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// Add appends a case and counts its result.
func (s *Suite) Add(c Case) {
	s.Cases = append(s.Cases, c)
	s.Tests++
	if c.Error != nil {
		s.Errors++
	}
	if c.Failure != nil {
		s.Failures++
	}
	if c.Skipped != nil {
		s.Skipped++
	}
}
