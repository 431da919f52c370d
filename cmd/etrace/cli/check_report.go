package cli

import (
	"io"

	"github.com/spf13/cobra"

	"etrace/analyze"
	"etrace/analyze/report"
)

// reportFlags select the form of the report and the exit status.
type reportFlags struct {
	formFlags
	allowOpen bool
	strict    bool
	// form is the format that lookupFormat has found.
	form *report.Format
}

func (f *reportFlags) flags(cmd *cobra.Command, a *app) {
	f.formFlags.flags(cmd, "report", a.Reports.Names)
	cmd.Flags().BoolVar(&f.allowOpen, "allow-open", false, "exit with 0 instead of 3, if something was examined")
	cmd.Flags().BoolVar(&f.strict, "strict", false, "exit with 3 if anything stayed open")
}

// lookupFormat looks up the format of the report. The command calls it before it examines anything.
func (f *reportFlags) lookupFormat(a *app) (err error) {
	f.form, err = a.Reports.Lookup(f.name())
	return err
}

// printReport writes the report to stdout. With reasons, it explains why properties do not apply.
func (a *app) printReport(r *report.Report, f *reportFlags, reasons bool) error {
	return a.print(func(w io.Writer) error {
		style := f.style()
		style.Color, style.Width, style.Quiet, style.Reasons = a.color(), terminalWidth(a.out), a.quiet, reasons
		return f.form.Write(w, r, style)
	})
}

// style returns the style of the report that the flags select.
func (f *reportFlags) style() report.Style {
	return report.Style{Applicable: true, AllowOpen: f.allowOpen, Strict: f.strict}
}

// status returns the exit status of the report as an [outcome], nil for 0. A property that was named and applies to
// no run of a trace counts as open, and so do the damaged parts of a trace. --allow-open does not excuse a trace in
// which no property was examined.
func (f *reportFlags) status(rep *report.Report) error {
	switch {
	case rep.Verdict() == analyze.Violated:
		return outcome(exitBad)
	case len(rep.Unexamined()) > 0:
		return outcome(exitOpen)
	case f.allowOpen:
		return nil
	case len(rep.LeftOut) > 0 || len(rep.InVain()) > 0 || rep.Open(f.style()):
		return outcome(exitOpen)
	}
	return nil
}
