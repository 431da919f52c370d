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
	form      *report.Format // that of the name
}

func (f *reportFlags) flags(cmd *cobra.Command, a *app) {
	f.formFlags.flags(cmd, "report", a.Reports.Names)
	cmd.Flags().BoolVar(&f.allowOpen, "allow-open", false, "exit with 0 instead of 3, if something was examined")
	cmd.Flags().BoolVar(&f.strict, "strict", false, "exit with 3 if anything stayed open")
}

// lookupFormat finds the format, before anything is examined.
func (f *reportFlags) lookupFormat(a *app) (err error) {
	f.form, err = a.Reports.Lookup(f.name())
	return err
}

// printReport writes the report. reasons: also why something is not applicable.
func (a *app) printReport(r *report.Report, f *reportFlags, reasons bool) error {
	return a.print(func(w io.Writer) error {
		style := f.style()
		style.Color, style.Width, style.Quiet, style.Reasons = a.color(), columns(a.out), a.quiet, reasons
		return f.form.Write(w, r, style)
	})
}

// style returns the style of the report that the flags select.
func (f *reportFlags) style() report.Style {
	return report.Style{Applicable: true, AllowOpen: f.allowOpen, Strict: f.strict}
}

// status returns the exit status of the report. A property that was named and that applies
// to no run of a trace was not examined, which is not the same as fine; nor was what
// was left out of a damaged trace. Where nothing at all was examined, the user cannot allow it.
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
