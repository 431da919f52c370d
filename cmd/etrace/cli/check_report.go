package cli

import (
	"io"

	"github.com/spf13/cobra"

	"etrace/analyze"
	"etrace/analyze/report"
)

// reportFlags say how the report of a check is written, and what it comes to.
type reportFlags struct {
	format    string
	json      bool
	allowOpen bool
	form      *report.Format // that of the name
}

func (f *reportFlags) flags(cmd *cobra.Command, a *app) {
	cmd.Flags().StringVar(&f.format, "format", "text", "`FORM` of the report: "+joined(a.Reports.Names()))
	cmd.Flags().BoolVar(&f.json, "json", false, "short for --format json")
	cmd.Flags().BoolVar(&f.allowOpen, "allow-open", false, "exit with 0 if no property is violated and something was examined")
	complete(cmd, "format", a.Reports.Names)
}

// lookupFormat finds the format, before anything is examined.
func (f *reportFlags) lookupFormat(a *app) (err error) {
	if f.json {
		f.format = "json"
	}
	f.form, err = a.Reports.Lookup(f.format)
	return err
}

// printReport writes the report. reasons: also why something is not applicable.
func (a *app) printReport(r *report.Report, f *reportFlags, reasons bool) error {
	return a.print(func(w io.Writer) error {
		return f.form.Write(w, r, report.Style{Color: a.color(), Width: columns(a.out), Quiet: a.quiet, Applicable: !r.Named, Reasons: reasons, AllowOpen: f.allowOpen})
	})
}

// status is what the report comes to. A property that was named and that applies
// to no run of a trace was not examined, which is not the same as fine; nor was what
// was left out of a damaged trace. Where nothing at all was examined, the user cannot allow it.
func (f *reportFlags) status(rep *report.Report) error {
	switch v := rep.Verdict(); {
	case v == analyze.Violated:
		return outcome(exitBad)
	case len(rep.Unexamined()) > 0:
		return outcome(exitOpen)
	case f.allowOpen:
		return nil
	case len(rep.LeftOut) > 0 || v == analyze.Pending || v == analyze.Unknown || len(rep.InVain()) > 0:
		return outcome(exitOpen)
	}
	return nil
}
