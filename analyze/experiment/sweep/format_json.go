package sweep

import (
	"io"
	"math"

	"etrace/tracefmt"
	"etrace/tracefmt/text/document"
)

// jsonVersion is the version mark of the table for programs.
const jsonVersion = "etrace.sweep/1"

var jsonFormat = Format{Name: "json", Doc: "one JSON object for programs, version " + jsonVersion, Write: writeJSON}

// writeJSON writes the table as one JSON object.
func writeJSON(w io.Writer, t *Table) error {
	interrupted, fixed := "", map[string]string{}
	if t.Interrupted {
		interrupted = t.Unfinished()
	}
	for _, s := range t.Fixed {
		fixed[s.Name] = s.Value
	}
	return tracefmt.WriteJSON(w, document.Object{
		"format", jsonVersion,
		"verdict?", t.Verdict(),
		"whole", t.Whole(),
		"fixed", fixed,
		"axes", append([]string{}, t.Axes...),
		"cells", document.List(t.Cells, func(c Cell) document.Object { return c.json(t.Axes) }),
		"interrupted?", interrupted,
		"unbounded?", t.Unbounded,
		"rankings?", t.Rankings,
		"fitted_formulas?", t.fittedJSON("found"),
		"laws?", t.fittedJSON("law"), // the former names, for one version
		"formulas?", document.List(t.Formulas, func(c Checked) document.Object {
			return append(c.Sequence.json(), "compared", c.Comparison.JSON())
		}),
	})
}

// fittedJSON returns the results of --fit-formula, each with its formula under the given key.
func (t *Table) fittedJSON(key string) []document.Object {
	return document.List(t.ClosedForms, func(f Finding) document.Object {
		return append(f.Sequence.json(), "variables", f.Sequence.Variables, key, f.Result.JSON())
	})
}

// json returns the object of a cell.
func (c *Cell) json(axes []string) document.Object {
	at := map[string]string{}
	for i, axis := range axes {
		at[axis] = c.At[i]
	}
	return document.Object{
		"at", at,
		"n", c.N,
		"runs", c.Runs,
		"of", c.Of,
		"loops?", c.Loops,
		"limited?", c.Limited,
		"exhausted", c.Exhausted,
		"command", "etrace sweep " + c.Command,
		"measures", document.List(c.Measures, func(s Summary) document.Object { return s.json(c) }),
		"verdicts?", document.List(c.Verdicts, Tally.json),
		"theory?", c.Theory,
	}
}

// json returns the counts of the verdicts of a property.
func (t Tally) json() document.Object {
	return document.Object{"property", t.Property, "counts", t.Counts, "violating?", commands(t.Violating...)}
}

// commands returns the commands that make runs again.
func commands(runs ...string) (lines []string) {
	for _, run := range runs {
		lines = append(lines, "etrace record "+run)
	}
	return lines
}

// json returns the statistics of a measure in cell c. Values that do not exist are null.
func (s *Summary) json(c *Cell) document.Object {
	out := document.Object{"measure", s.Measure, "count", s.Count}
	if s.Count == 0 {
		return append(out, "mean", nil, "decimal", nil, "deviation", nil, "confidence", nil, "min", nil, "max", nil)
	}
	mean := number(s.Mean())
	var deviation *float64
	if d, ok := s.deviation(!c.Exact()); ok && !math.IsNaN(d) {
		deviation = &d
	}
	var confidence document.Object
	if half, ok := s.Interval(); ok && c.Sample() {
		confidence = document.Object{"low", mean - half, "high", mean + half}
	}
	out = append(
		out, "mean", s.Mean(), "decimal", mean, "deviation", deviation, "confidence", confidence, "min",
		number(s.Least()), "max", number(s.Greatest()),
	)
	if s.MinRun == "" {
		return out
	}
	return append(out, "min_run", "etrace record "+s.MinRun, "max_run", "etrace record "+s.MaxRun)
}
