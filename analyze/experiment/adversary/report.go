package adversary

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"etrace/analyze/complexity"
	"etrace/analyze/experiment/sweep"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
	"etrace/tracefmt/text/document"
)

// Known describes how certain the value is: proven, the greatest or least seen, or that of a run without end.
// It also mentions an interrupt.
func (r *Result) Known() string {
	if r.Interrupted {
		return r.kind() + ", interrupted"
	}
	return r.kind()
}

// kind is Known without the interrupt.
func (r *Result) kind() string {
	switch {
	case r.Recording.Run().End == tracefmt.Deadline:
		return fmt.Sprintf("cut at %d events", r.Scenario.MaxEvents)
	case r.Endless:
		return "a run without end"
	case r.Proven:
		return proven
	case r.Minimize:
		return "smallest seen"
	}
	return "largest seen"
}

// known is [Result.Known] with what the proof assumes.
func (r *Result) known() string {
	if known := r.Known(); known != proven || r.Assumes == "" {
		return known
	}
	return proven + ", " + r.Assumes
}

const proven = "proven"

// orders returns how many orders of the ring were examined, and how many exist.
func (r *Row) orders() string {
	switch {
	case !r.Ordering:
		return "as given"
	case r.AllRings == 0 && r.Rings == 0:
		return "some random"
	case r.Rings == r.AllRings:
		return fmt.Sprintf("%d, all", r.Rings)
	case r.Rings == 0:
		return fmt.Sprintf("some random of %d", r.AllRings)
	}
	return fmt.Sprintf("%d of %d", r.Rings, r.AllRings)
}

// runsForProof returns the least --max-runs with which a search examines all orders of the ring; 0 if more runs
// would not give a proof.
func (r *Row) runsForProof() int64 {
	// The proof exists, or more orders of the ring would not help.
	if r.Proven || r.Interrupted || !r.Ordering || r.Rings == r.AllRings {
		return 0
	}
	return r.AllRings
}

// schedules returns how the schedules of the orders were examined.
func (r *Result) schedules() string {
	switch {
	case r.Certified > 0 && r.Certified == r.Rings:
		return "all, by certificate"
	case r.Exhausted > 0 && r.Exhausted == r.Rings:
		return "all, explored"
	case r.Rings > 0 && r.Certified+r.Exhausted == r.Rings:
		return "all, by certificate or explored"
	}
	return "some of them"
}

// WriteText writes a table for people, with the command line that makes each run again.
func (t *Table) WriteText(w io.Writer) error {
	end := "greatest "
	if t.Minimize {
		end = "least "
	}
	table := &document.Table{Head: slices.Concat(t.Axes,
		[]string{end + t.Measure, "known", "published", "orders of the ring", "schedules"})}
	legend := new(sweep.Legend)
	for i := range t.Rows {
		r := &t.Rows[i]
		table.Add(slices.Concat(r.At, []string{
			strconv.FormatInt(r.Value, 10), r.known(), r.published(legend),
			r.orders(), r.schedules(),
		})...)
	}
	d := &document.Document{}
	d.Paragraph(t.title)
	d.Table(table)
	d.Paragraph(append(legend.Lines(), t.Unbounded...)...)
	for i := range t.Rows {
		t.addCommand(d, &t.Rows[i])
	}
	for _, a := range assumptions {
		if slices.ContainsFunc(t.Rows, func(w Row) bool { return strings.Contains(w.Assumes, a.name) }) {
			d.Paragraph(a.name + ": " + a.doc)
		}
	}
	d.Paragraph(t.Interrupted)
	return d.WriteText(w)
}

// addCommand adds the command line of a row's run, and why its value is not proven.
func (t *Table) addCommand(d *document.Document, r *Row) {
	line := r.command()
	if place := t.place(r); place != "" {
		line = place + ": " + line
	}
	if number := r.Recording.Run().Number; number > 0 {
		line += fmt.Sprintf(" (saved as run %d)", number)
	}
	d.Paragraph(line)
	if r.Doubt != "" {
		d.Paragraph("  not proven: " + r.Doubt)
	}
	if enough := r.runsForProof(); enough > 0 {
		d.Paragraph(fmt.Sprintf("  a proof goes through all orders of the ring: --max-runs %d or more", enough))
	}
}

// published lists the bounds that have a value. Each has its mark, and the measured value by the bound's own
// convention.
func (r *Result) published(legend *sweep.Legend) string {
	var list []string
	for i := range r.Theory {
		c := &r.Theory[i]
		words, ok := map[string]string{
			tracefmt.WorstCase: "at most", tracefmt.ExactCase: "exactly", tracefmt.LeastCase: "at least",
		}[c.Bound.KindOf()]
		if !ok {
			continue
		}
		s := fmt.Sprintf("%s %s", words, strconv.FormatFloat(c.Value, 'f', -1, 64))
		if c.Measured != r.Value {
			s += fmt.Sprintf(" (counts %d)", c.Measured)
		}
		s += " " + legend.Mark(c.Bound)
		if c.Kept == complexity.Broken {
			s += " BROKEN"
		}
		list = append(list, s)
	}
	if list == nil {
		return "none"
	}
	return strings.Join(list, ", ")
}

// Broken reports whether a run exceeds a published bound.
func (t *Table) Broken() bool {
	return slices.ContainsFunc(t.Rows, func(w Row) bool {
		return slices.ContainsFunc(w.Theory, func(c complexity.Compared) bool { return c.Kept == complexity.Broken })
	})
}

// command returns the command line that makes the run again.
func (r *Result) command() string { return "etrace record " + text.Printable(r.Scenario.CommandLine()) }

// jsonVersion is the version mark of the table for programs.
const jsonVersion = "etrace.adversary/1"

// WriteJSON writes a table for programs.
func (t *Table) WriteJSON(w io.Writer) error {
	goal, fixed := "maximum", map[string]string{}
	if t.Minimize {
		goal = "minimum"
	}
	for _, s := range t.Fixed {
		fixed[s.Name] = s.Value
	}
	return tracefmt.WriteJSON(w, document.Object{
		"format", jsonVersion,
		"measure", t.Measure,
		"goal", goal,
		"proven", t.Whole(),
		"fixed", fixed,
		"axes", append([]string{}, t.Axes...),
		"cells", document.List(t.Rows, func(r Row) document.Object { return r.json(t.Axes) }),
		"unbounded?", t.Unbounded,
		"interrupted?", t.Interrupted,
	})
}

// json returns the object of a row.
func (r *Row) json(axes []string) document.Object {
	at := map[string]string{}
	for i, axis := range axes {
		at[axis] = r.At[i]
	}
	var allOrders *int64
	if r.AllRings > 0 {
		allOrders = &r.AllRings
	}
	return document.Object{
		"at", at,
		"n", r.N,
		"value", r.Value,
		"known", r.Known(),
		"proven", r.Proven,
		"assumes?", r.Assumes,
		"endless", r.Endless,
		"searches", r.Searches,
		"ordering", r.Ordering,
		"runs", r.Runs,
		"orders", r.Rings,
		"all_orders", allOrders,
		"certified", r.Certified,
		"exhausted", r.Exhausted,
		"doubt?", strings.ToValidUTF8(r.Doubt, "\uFFFD"),
		"enough_runs?", r.runsForProof(),
		"run?", r.Recording.Run().Number,
		"scenario", json.RawMessage(r.Recording.Run().Scenario),
		"command", "etrace record " + r.Scenario.CommandLine(),
		"theory", append([]complexity.Compared{}, r.Theory...),
	}
}
