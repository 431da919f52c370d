package sweep

import (
	"io"
	"math"

	"etrace/analyze"
	"etrace/analyze/complexity"
	"etrace/tracefmt"
)

// jsonVersion is the version mark of the table for programs.
const jsonVersion = "etrace.sweep/1"

var jsonFormat = Format{Name: "json", Doc: "one JSON object for programs, version " + jsonVersion, Write: writeJSON}

type jsonTable struct {
	Format  string            `json:"format"`
	Verdict analyze.Verdict   `json:"verdict,omitempty"`
	Whole   bool              `json:"whole"`
	Fixed   map[string]string `json:"fixed"`
	Axes    []string          `json:"axes"`
	Cells   []jsonCell        `json:"cells"`

	Interrupted string `json:"interrupted,omitempty"`

	Unbounded []string      `json:"unbounded,omitempty"`
	Rankings  []Ranking     `json:"rankings,omitempty"`
	Laws      []jsonLaw     `json:"laws,omitempty"`
	Formulas  []jsonFormula `json:"formulas,omitempty"`
}

type jsonCell struct {
	At        map[string]string     `json:"at"`
	N         int                   `json:"n"`
	Runs      int64                 `json:"runs"`
	Of        int64                 `json:"of"`
	Loops     int64                 `json:"loops,omitempty"`
	Limited   int64                 `json:"limited,omitempty"`
	Exhausted bool                  `json:"exhausted"`
	Command   string                `json:"command"`
	Measures  []jsonSummary         `json:"measures"`
	Verdicts  []jsonTally           `json:"verdicts,omitempty"`
	Theory    []complexity.Compared `json:"theory,omitempty"`
}

type jsonSummary struct {
	Measure    string        `json:"measure"`
	Count      int64         `json:"count"`
	Mean       *string       `json:"mean"`
	Decimal    *float64      `json:"decimal"`
	Deviation  *float64      `json:"deviation"`
	Confidence *jsonInterval `json:"confidence"`
	Min        *float64      `json:"min"`
	Max        *float64      `json:"max"`
	MinRun     string        `json:"min_run,omitempty"`
	MaxRun     string        `json:"max_run,omitempty"`
}

type jsonInterval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

type jsonTally struct {
	Property  string                    `json:"property"`
	Counts    map[analyze.Verdict]int64 `json:"counts"`
	Violating []string                  `json:"violating,omitempty"`
}

func writeJSON(w io.Writer, t *Table) error {
	out := jsonTable{Format: jsonVersion, Verdict: t.Verdict(), Whole: t.Whole(), Fixed: map[string]string{}, Axes: t.Axes, Cells: []jsonCell{}}
	if t.Axes == nil {
		out.Axes = []string{}
	}
	for _, s := range t.Fixed {
		out.Fixed[s.Name] = s.Value
	}
	for i := range t.Cells {
		out.Cells = append(out.Cells, t.Cells[i].json(t.Axes))
	}
	if t.Interrupted {
		out.Interrupted = t.Unfinished()
	}
	out.Unbounded, out.Rankings = t.Unbounded, t.Rankings
	out.Laws, out.Formulas = t.jsonLaws()
	return tracefmt.WriteJSON(w, out)
}

func (c *Cell) json(axes []string) jsonCell {
	out := jsonCell{
		At: map[string]string{}, N: c.N, Runs: c.Runs, Of: c.Of, Loops: c.Loops, Limited: c.Limited, Exhausted: c.Exhausted,
		Command: "etrace sweep " + c.Command, Measures: []jsonSummary{}, Theory: c.Theory,
	}
	for i, axis := range axes {
		out.At[axis] = c.At[i]
	}
	for i := range c.Measures {
		out.Measures = append(out.Measures, c.Measures[i].json(c))
	}
	for _, v := range c.Verdicts {
		tally := jsonTally{Property: v.Property, Counts: v.Counts}
		for _, run := range v.Violating {
			tally.Violating = append(tally.Violating, "etrace record "+run)
		}
		out.Verdicts = append(out.Verdicts, tally)
	}
	return out
}

func (s *Summary) json(c *Cell) jsonSummary {
	out := jsonSummary{Measure: s.Measure, Count: s.Count}
	if s.Count == 0 {
		return out
	}
	mean, decimal, least, greatest := s.Mean().RatString(), number(s.Mean()), number(s.Least()), number(s.Greatest())
	out.Mean, out.Decimal, out.Min, out.Max = &mean, &decimal, &least, &greatest
	if s.MinRun != "" {
		out.MinRun, out.MaxRun = "etrace record "+s.MinRun, "etrace record "+s.MaxRun
	}
	if d, ok := s.deviation(!c.Exact()); ok && !math.IsNaN(d) {
		out.Deviation = &d
	}
	if half, ok := s.Interval(); ok && c.Sample() {
		out.Confidence = &jsonInterval{decimal - half, decimal + half}
	}
	return out
}
