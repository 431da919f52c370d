// Package report writes the outcome of a check, one format a file.
package report

import (
	"io"
	"slices"

	"etrace/analyze"
	"etrace/tracefmt"
)

// Report is the outcome of a check over the runs of one trace.
type Report struct {
	Trace string // the file's name, for people
	Runs  []*analyze.RunReport
}

// Verdict is the worst of the runs' verdicts.
func (r *Report) Verdict() analyze.Verdict {
	var all []analyze.Verdict
	for _, run := range r.Runs {
		all = append(all, run.Verdict)
	}
	return analyze.Worst(all...)
}

// Style says how text is to look.
type Style struct {
	Color bool
	// Quiet leaves out the properties of which nothing is wrong or open.
	Quiet bool
}

// Format is a form of report.
type Format struct {
	Name, Doc string
	Write     func(w io.Writer, r *Report, s Style) error
}

var all = []*Format{&jsonFormat, &textFormat}

// All returns the formats, sorted by name.
func All() []*Format { return slices.Clone(all) }

// Lookup returns the format of that name. The error suggests the nearest.
func Lookup(name string) (*Format, error) {
	var names []string
	for _, f := range all {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return nil, tracefmt.Unknown("report format", name, names)
}
