package report

import (
	"context"
	"fmt"
	"slices"

	"etrace/analyze"
	"etrace/analyze/explain"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
	"etrace/tracefmt/text/document"
)

// Report is the outcome of a check over the runs of one trace or several.
type Report struct {
	Traces []string // the files' names
	// Joined has, by the first log of an execution, its other logs.
	Joined map[string][]string
	Tool   string // the program that checked, a name and a version
	Runs   []Run
	// Failures list the files that could not be examined, a line each with the reason.
	Failures []string
	// LeftOut lists in the same form the skipped parts of damaged traces, if only the sound parts were
	// to be read.
	LeftOut []string
	// Explanations of violated properties, if they were asked for.
	Explanations map[*analyze.Result]*explain.Explanation
	// LogNext lists the events to record to decide unknown properties. It is empty without --explain.
	LogNext map[*analyze.Result][]analyze.Wanted

	plainKey map[plainKey]*analyze.Result // see [Report.Add]
}

// Run is the outcome for a run of a trace.
type Run struct {
	Trace string // the file's name
	*analyze.RunReport
	// Origins are the places of the log from which the events of witnesses were imported;
	// see [Origins].
	Origins map[tracefmt.Seq]tracefmt.Origin
}

// assumed returns a line on the assumed completeness of the run. It returns "" if the run declares its
// completeness, and in quiet reports.
func (run Run) assumed(s Style) string {
	if run.Assumed == "" || s.Quiet {
		return ""
	}
	return "assumed: " + harmless(run.Assumed)
}

// name returns the name of the run in the report.
func (r *Report) name(run Run) string {
	if len(r.Traces) > 1 {
		return fmt.Sprintf("%s#%d", harmless(run.Trace), run.Run.Number)
	}
	return fmt.Sprintf("run %d", run.Run.Number)
}

// files returns the names of all files, with each log of an execution.
func (r *Report) files() (files []string) {
	for _, trace := range r.Traces {
		files = append(append(files, trace), r.Joined[trace]...)
	}
	return files
}

// traceName returns the name of a trace: its first file, and the number of further files.
func (r *Report) traceName(trace string) string {
	if n := len(r.Joined[trace]); n > 0 {
		return fmt.Sprintf("%s and %s", trace, text.Counted(n, "more file", "more files"))
	}
	return trace
}

// Verdict is the worst of the runs' verdicts.
func (r *Report) Verdict() analyze.Verdict {
	var verdicts []analyze.Verdict
	for _, run := range r.Runs {
		verdicts = append(verdicts, run.Verdict)
	}
	return analyze.Worst(verdicts...)
}

// Overall returns the worst verdict of the runs. It is unknown if nothing is violated but some file or run
// was not examined.
func (r *Report) Overall() analyze.Verdict {
	v := r.Verdict()
	if v == analyze.Violated {
		return v
	}
	// A file or run that was not examined may hold a violation.
	if examined := v != analyze.Vacuous && v != analyze.NotApplicable; examined && len(r.Unexamined()) > 0 {
		return analyze.Unknown
	}
	if len(r.Failures) > 0 || len(r.LeftOut) > 0 {
		return analyze.Unknown
	}
	return v
}

// Explain explains the violated properties in a run of the report, and lists what to record for the
// unknown properties. The recording must be that of the run.
func (r *Report) Explain(ctx context.Context, rec tracefmt.Recording, run *analyze.RunReport) error {
	for _, p := range run.Results {
		if p.Verdict != analyze.Violated {
			r.logNext(run, p)
			continue
		}
		e, err := explain.Violation(ctx, rec, p, run.Ending, explain.Options{})
		if err != nil {
			return err
		}
		if r.Explanations == nil {
			r.Explanations = make(map[*analyze.Result]*explain.Explanation)
		}
		r.Explanations[p] = e
	}
	return nil
}

// logNext keeps what to log next for a property. It keeps a declaration of completeness only if a check
// showed that it helps.
func (r *Report) logNext(run *analyze.RunReport, p *analyze.Result) {
	wanted := slices.Clone(p.LogNext)
	if len(wanted) == 0 {
		return
	}
	for i := range wanted {
		if run.Advice == nil || !slices.Contains(run.Advice.Complete, wanted[i].Complete) {
			wanted[i].Complete = ""
		}
	}
	if r.LogNext == nil {
		r.LogNext = make(map[*analyze.Result][]analyze.Wanted)
	}
	r.LogNext[p] = wanted
}

// Style selects the form of a report.
type Style struct {
	Color bool
	// Width is that of the terminal in columns, 0 for none: then no line of
	// text is broken.
	Width int
	// Quiet leaves out runs and properties without violations or open results.
	Quiet bool
	// Applicable makes reports for people only count the properties that do not apply.
	Applicable bool
	// Reasons makes the text list these properties nevertheless, with the reasons.
	Reasons bool
	// AllowOpen lets open results pass. Strict makes all open results fail, also where the recording cannot decide.
	AllowOpen, Strict bool
}

// Format is a form of report.
type Format = document.Format[*Report, Style]

var formats = text.NewRegistry("report format", &githubFormat, &jsonFormat, &junitFormat, &markdownFormat,
	&sarifFormat, &textFormat)

// Formats returns the registry of the forms of report.
func Formats() text.Registry[*Format] { return formats }

// outcome is the class of a verdict: whether the user has to act.
type outcome uint8

const (
	passed  outcome = iota
	skipped         // there was nothing to examine
	open            // not decided: it may still go either way
	failed
)

var outcomes = map[analyze.Verdict]outcome{
	analyze.Violated:      failed,
	analyze.Unknown:       open,
	analyze.Pending:       open,
	analyze.HoldsSoFar:    passed,
	analyze.Satisfied:     passed,
	analyze.Vacuous:       skipped,
	analyze.NotApplicable: skipped,
}
