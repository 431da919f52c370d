package suite

import (
	"context"

	"etrace/analyze"
	"etrace/analyze/experiment/trial"
	"etrace/tracefmt"
)

// Status compares the measured values with the expected ones.
type Status string

// The statuses; see the package comment.
const (
	OK        Status = "ok"
	Explained Status = "explained"
	Failed    Status = "failed"
)

// worse returns the worse of two statuses.
func worse(a, b Status) Status {
	badness := map[Status]int{OK: 0, Explained: 1, Failed: 2}
	if badness[b] > badness[a] {
		return b
	}
	return a
}

// Cell is one value of one case: expected, published and measured.
type Cell struct {
	Measure   string      `json:"measure"`
	Expected  trial.Value `json:"expected"`
	Published trial.Value `json:"published"`
	Measured  trial.Value `json:"measured"`
	Status    Status      `json:"status"`
	// Detail explains a failed value, such as why a property is violated.
	Detail string `json:"detail,omitempty"`
}

// CaseReport is the outcome of a case.
type CaseReport struct {
	Case   *Case
	Status Status
	Cells  []Cell
	// Err is the reason why there is no run to measure.
	Err error
	// Recording is the run, if [Options] asked to keep it.
	Recording tracefmt.Recording
}

// FileReport is the outcome of the cases of one suite file.
type FileReport struct {
	Suite *Suite
	Cases []*CaseReport
}

// Report is the outcome of several suites.
type Report struct {
	Suites []*FileReport
}

// Status is the worst status of all cases.
func (r *Report) Status() Status {
	status := OK
	for _, s := range r.Suites {
		for _, c := range s.Cases {
			status = worse(status, c.Status)
		}
	}
	return status
}

// Options are the options of [Run].
type Options struct {
	// Workers is the number of concurrent cases; 0 means one for each processor.
	Workers int
	// Progress, unless nil, is called with the number of finished cases, one call at a time.
	Progress func(done int)
	// Keep keeps the recordings of all runs in memory.
	Keep bool
}

// Run runs all cases of the suites, several at a time, and reports them in the order of the suites. It fails
// only if the context ends. A case without a run has its own error.
func Run(ctx context.Context, suites []*Suite, o Options) (*Report, error) {
	report := &Report{}
	var reports []*CaseReport
	for _, s := range suites {
		sr := &FileReport{Suite: s}
		for _, c := range s.Cases {
			sr.Cases = append(sr.Cases, &CaseReport{Case: c})
		}
		report.Suites = append(report.Suites, sr)
		reports = append(reports, sr.Cases...)
	}
	workers := trial.Workers{Number: o.Workers, Progress: o.Progress}
	workers.Each(ctx, len(reports), func(i int) { reports[i].run(ctx, o.Keep) })
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return report, nil
}

// run makes the run of the case, checks the named properties, and measures the run.
func (r *CaseReport) run(ctx context.Context, keep bool) {
	t, err := trial.Run(ctx, r.Case.Scenario, r.Case.properties, analyze.Options{Named: true})
	if err != nil {
		r.Status, r.Err = Failed, err
		return
	}
	if keep {
		r.Recording = t.Recording
	}
	r.Status = OK
	for _, x := range r.Case.expectations {
		cell := x.cell(t, r.Case.Note != "")
		r.Cells = append(r.Cells, cell)
		r.Status = worse(r.Status, cell.Status)
	}
}

// cell measures a value and compares it with the expected and the published one. noted is true if the case
// has a note, which explains a difference from the published value.
func (x *expectation) cell(t *trial.Trial, noted bool) Cell {
	c := Cell{
		Measure: x.measure.Name, Expected: x.expected, Published: x.published, Measured: x.measure.Of(t),
		Status: OK,
	}
	switch {
	case x.expected != "" && x.expected != c.Measured:
		c.Status = Failed
	case x.published == "" || x.published == c.Measured:
	// The run agrees with the expectation, and the note explains the other figure of the source.
	case noted && x.expected != "":
		c.Status = Explained
	default:
		c.Status = Failed
	}
	switch {
	case c.Status != Failed:
	case x.measure.Detail != nil:
		c.Detail = x.measure.Detail(t)
	case x.expected == "":
		c.Detail = "the published value differs: add the expected value, and a note that explains the difference"
	case x.expected == c.Measured:
		c.Detail = "the published value differs: add a note that explains the difference"
	}
	return c
}
