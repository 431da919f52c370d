package conform

import (
	"bufio"
	"fmt"
	"io"

	"etrace/replay"
	"etrace/replay/printer"
	"etrace/tracefmt"
	"etrace/tracefmt/text/document"
)

// Report is the result of comparing the runs of a file with algorithms.
type Report struct {
	// File of the runs.
	File string
	// Ranked: each run was compared with all algorithms, see [Rank].
	Ranked bool
	Runs   []RunConformance
}

// RunConformance is the result for one run: one conformance, or the ranked ones of all algorithms.
type RunConformance struct {
	Run          *tracefmt.Run
	Conformances []*Conformance
}

// Deviates reports whether a run does not conform to the algorithm. A ranking is no verdict.
func (r *Report) Deviates() bool {
	for _, run := range r.Runs {
		if best := run.Conformances[0]; !r.Ranked && best.Events > 0 && best.Open() == "" && !best.Conforms() {
			return true
		}
	}
	return false
}

// Open reports whether some run has no events to compare, or was not decided.
func (r *Report) Open() bool {
	for _, run := range r.Runs {
		if best := run.Conformances[0]; best.Events == 0 || !r.Ranked && best.Open() != "" {
			return true
		}
	}
	return false
}

// WriteText writes how each run leaves the algorithm, or a table of the algorithms.
func (r *Report) WriteText(w io.Writer) error {
	if r.Ranked {
		return r.writeRanking(w)
	}
	b := bufio.NewWriter(w)
	for _, run := range r.Runs {
		c := run.Conformances[0]
		if c.Mismatch != "" && c.Open() == "" {
			fmt.Fprintf(b, "%s run %d: %s\n", r.File, run.Run.Number, c.Mismatch)
		}
		fmt.Fprintf(b, "%s run %d: %s\n%s", r.File, run.Run.Number, c.Summary(), c.Text())
	}
	return b.Flush()
}

// writeRanking writes a table of the algorithms for each run, the best first.
func (r *Report) writeRanking(w io.Writer) error {
	t := &document.Table{Head: []string{
		"run", "place", "algorithm", "events explained", "processes that conform",
		"variables shared",
	}}
	part := func(some, total any) string { return fmt.Sprint(some, " of ", total) }
	var lines []string
	for _, run := range r.Runs {
		for i, c := range run.Conformances {
			t.Add(fmt.Sprint(run.Run.Number), fmt.Sprint(Place(run.Conformances, i)), c.Algorithm,
				part(c.Explained, c.Events), part(c.conforming(), c.compared()), part(c.Shared, c.Variables))
		}
		switch best := run.Conformances[0]; {
		case best.Explained > 0: // the table shows the run
		case best.Events == 0:
			lines = append(lines, fmt.Sprintf("run %d: no event is a step that an algorithm takes", run.Run.Number))
		default:
			lines = append(lines, fmt.Sprintf("run %d: no algorithm explains any of it", run.Run.Number))
		}
	}
	d := &document.Document{}
	d.Table(t)
	d.Paragraph(lines...)
	return d.WriteText(w)
}

// conformVersion is the format mark of the JSON report.
const conformVersion = "etrace.conform/1"

// WriteJSON writes the report as JSON.
func (r *Report) WriteJSON(w io.Writer) error {
	var runs []document.Object
	for _, run := range r.Runs {
		var reports []document.Object
		for i, c := range run.Conformances {
			place := 0
			if r.Ranked {
				place = Place(run.Conformances, i)
			}
			reports = append(reports, c.json(place))
		}
		runs = append(runs, document.Object{"run", run.Run.Number, "reports", reports})
	}
	return tracefmt.WriteJSON(w, document.Object{"format", conformVersion, "runs", runs})
}

// json returns the report as an object; place 0 means that the run was compared with one algorithm only.
func (c *Conformance) json(place int) document.Object {
	supposed := map[string]int64{}
	for k, n := range c.assumedSteps() {
		supposed[k.String()] = n
	}
	words := replay.NewSentences(c.Run)
	step := func(e *tracefmt.Event) *printer.Step { return printer.NewStep(words, e, nil) }
	var processes []document.Object
	for _, p := range c.Processes {
		processes = append(processes, document.Object{
			"process", c.Run.ProcessName(p.Process),
			"byzantine?", p.Byzantine,
			"events", p.Events,
			"explained", p.Explained,
			"deviation?", p.Deviation.json(step),
		})
	}
	return document.Object{
		"algorithm", c.Algorithm,
		"place?", place,
		"params", c.Params,
		"mismatch?", c.Mismatch,
		"conforms", c.Conforms(),
		"open?", c.Open(),
		"supposed?", supposed,
		"tried?", c.Tried,
		"events", c.Events,
		"explained", c.Explained,
		"share", c.Explanation(),
		"variables", c.Variables,
		"shared", c.Shared,
		"processes", processes,
	}
}

// json returns the deviation as an object; nil for no deviation.
func (d *Deviation) json(step func(e *tracefmt.Event) *printer.Step) document.Object {
	if d == nil {
		return nil
	}
	return document.Object{
		"step", step(d.Step),
		"recorded", step(d.Recorded),
		"expected", step(d.Expected),
		"reason?", d.Reason,
		"explanations?", d.Explanations.json(step),
	}
}
