package rerun

import (
	"bufio"
	"fmt"
	"io"

	"etrace/replay"
	"etrace/replay/printer"
	"etrace/tracefmt"
	"etrace/tracefmt/text/document"
)

// ConformReport is what came of comparing the runs of a file with algorithms.
type ConformReport struct {
	// File of the runs.
	File string
	// Ranked: each run was compared with all algorithms, see [Rank].
	Ranked bool
	Runs   []RunConformance
}

// RunConformance is what came of one run: a single conformance, or the ranked
// ones of all algorithms.
type RunConformance struct {
	Run          *tracefmt.Run
	Conformances []*Conformance
}

// Deviates reports whether a run does not conform to the algorithm. A ranking
// is no verdict on a run.
func (r *ConformReport) Deviates() bool {
	for _, run := range r.Runs {
		if best := run.Conformances[0]; !r.Ranked && best.Events > 0 && best.Open() == "" && !best.Conforms() {
			return true
		}
	}
	return false
}

// Open reports whether some run shows nothing, or whether it conforms was not decided.
func (r *ConformReport) Open() bool {
	for _, run := range r.Runs {
		if best := run.Conformances[0]; best.Events == 0 || !r.Ranked && best.Open() != "" {
			return true
		}
	}
	return false
}

// WriteText writes a report for people: how each run leaves the algorithm, or a
// table of the algorithms.
func (r *ConformReport) WriteText(w io.Writer) error {
	if r.Ranked {
		return r.writeRanking(w)
	}
	b := bufio.NewWriter(w)
	for _, run := range r.Runs {
		c := run.Conformances[0]
		if c.Mismatch != "" {
			fmt.Fprintf(b, "%s run %d: %s\n", r.File, run.Run.Number, c.Mismatch)
		}
		fmt.Fprintf(b, "%s run %d: %s\n%s", r.File, run.Run.Number, c.Summary(), c.Text())
	}
	return b.Flush()
}

func (r *ConformReport) writeRanking(w io.Writer) error {
	t := &document.Table{Head: []string{"run", "place", "algorithm", "events explained", "processes that conform", "variables shared"}}
	part := func(some, all any) string { return fmt.Sprint(some, " of ", all) }
	var lines []string
	for _, run := range r.Runs {
		for i, c := range run.Conformances {
			t.Add(fmt.Sprint(run.Run.Number), fmt.Sprint(Place(run.Conformances, i)), c.Algorithm,
				part(c.Explained, c.Events), part(c.conforming(), c.compared()), part(c.Shared, c.Variables))
		}
		switch best := run.Conformances[0]; {
		case best.Explained > 0:
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

// conformVersion is the version mark of the report for programs.
const conformVersion = "etrace.conform/1"

type jsonConformReport struct {
	Format string               `json:"format"`
	Runs   []jsonRunConformance `json:"runs"`
}

type jsonRunConformance struct {
	Run     int               `json:"run"`
	Reports []jsonConformance `json:"reports"`
}

type jsonConformance struct {
	Algorithm string            `json:"algorithm"`
	Place     int               `json:"place,omitempty"`
	Params    map[string]string `json:"params"`
	Mismatch  string            `json:"mismatch,omitempty"`
	Conforms  bool              `json:"conforms"`
	// Open says why it was not decided.
	Open string `json:"open,omitempty"`
	// Supposed steps by kind, if the recording is partial, and how many were tried.
	Supposed  map[string]int64 `json:"supposed,omitempty"`
	Tried     int64            `json:"tried,omitempty"`
	Events    int64            `json:"events"`
	Explained int64            `json:"explained"`
	// Share of the events that the algorithm explains.
	Share     float64                  `json:"share"`
	Variables int                      `json:"variables"`
	Shared    int                      `json:"shared"`
	Processes []jsonProcessConformance `json:"processes"`
}

type jsonProcessConformance struct {
	Process string `json:"process"`
	// Byzantine: it is not compared.
	Byzantine bool  `json:"byzantine,omitempty"`
	Events    int64 `json:"events"`
	Explained int64 `json:"explained"`
	// Deviation is the first event that the algorithm would not have made.
	Deviation *jsonDeviation `json:"deviation,omitempty"`
}

type jsonDeviation struct {
	Step     *printer.Step `json:"step"`
	Recorded *printer.Step `json:"recorded"`
	Expected *printer.Step `json:"expected"`
	Reason   string        `json:"reason,omitempty"`
	// Explanations are of a partial recording, where the first process leaves the algorithm.
	Explanations *jsonExplanations `json:"explanations,omitempty"`
}

// WriteJSON writes a report for programs.
func (r *ConformReport) WriteJSON(w io.Writer) error {
	out := jsonConformReport{Format: conformVersion}
	for _, run := range r.Runs {
		j := jsonRunConformance{Run: run.Run.Number}
		for i, c := range run.Conformances {
			conformance := c.json()
			if r.Ranked {
				conformance.Place = Place(run.Conformances, i)
			}
			j.Reports = append(j.Reports, conformance)
		}
		out.Runs = append(out.Runs, j)
	}
	return tracefmt.WriteJSON(w, out)
}

func (c *Conformance) json() jsonConformance {
	out := jsonConformance{
		Algorithm: c.Algorithm, Params: c.Params, Mismatch: c.Mismatch, Conforms: c.Conforms(), Events: c.Events, Explained: c.Explained,
		Share: c.Explanation(), Variables: c.Variables, Shared: c.Shared, Open: c.Open(), Tried: c.Tried,
	}
	for k, n := range c.supposed() {
		if out.Supposed == nil {
			out.Supposed = map[string]int64{}
		}
		out.Supposed[k.String()] = n
	}
	words := replay.NewSentences(c.Run)
	step := func(e *tracefmt.Event) *printer.Step { return printer.NewStep(words, e, nil) }
	for _, p := range c.Processes {
		process := jsonProcessConformance{Process: c.Run.ProcessName(p.Process), Byzantine: p.Byzantine, Events: p.Events, Explained: p.Explained}
		if d := p.Deviation; d != nil {
			process.Deviation = &jsonDeviation{step(d.Step), step(d.Recorded), step(d.Expected), d.Reason, d.Explanations.json(step)}
		}
		out.Processes = append(out.Processes, process)
	}
	return out
}
