package complexity

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"strings"

	"etrace/tracefmt/text"
)

var csvFormat = Format{
	Name:  "csv",
	Doc:   "comma-separated values: a line for each run, and one for each part that its messages divide into, named by the column table",
	Write: writeCSV,
}

// csvHeads are the columns. The column algorithm also has the mutant. For a run, depth, start and end are its
// causal depth, first event and last delivery. The column bounds names the counts that are bounds or unknown,
// by their JSON keys. Lines of latencies have only names, start, end, bounds, and the last six columns.
var csvHeads = []string{
	"run", "algorithm", "processes", "table", "name", "to", "sent", "delivered", "lost", "to_crashed", "in_flight",
	"bytes", "bits",
	"depth", "start", "end", "winner", "bounds", "count", "p50", "p90", "p99", "max", "unit",
}

// writeCSV writes a line for each run, and one for each part of its messages.
func writeCSV(out io.Writer, r *Report, _ Style) error {
	w := csv.NewWriter(out)
	rows := [][]string{csvHeads}
	for _, s := range r.Runs {
		rows = append(rows, s.csvRows()...)
	}
	for _, row := range rows {
		for i := range row {
			row[i] = escapeFormula(text.Printable(row[i]))
		}
	}
	return w.WriteAll(rows)
}

// escapeFormula puts ' before a cell that a spreadsheet would evaluate as a formula. Numbers stay.
func escapeFormula(cell string) string {
	if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
		if _, err := strconv.ParseFloat(cell, 64); err != nil {
			return "'" + cell
		}
	}
	return cell
}

// csvRow is a line of the table.
type csvRow struct {
	table, name, target string
	tally               Tally
	depth               string
	start, end          *float64
	winner, bounds      string

	latency *Percentiles // nil for counts of messages
}

// csvRows returns the line of a run, and those of its groups, elections and operations.
func (s *Stats) csvRows() (rows [][]string) {
	algorithm := s.Algorithm
	if algorithm != "" {
		algorithm = s.title
	}
	// The rows share one function, so all tables have the same columns.
	add := func(r csvRow) {
		t := r.tally
		row := []string{strconv.Itoa(s.Run), algorithm, strconv.Itoa(s.Processes), r.table, r.name, r.target}
		for _, n := range []int64{t.Sent, t.Delivered, t.Lost, t.ToCrashed, t.InFlight, t.Bytes} {
			if r.latency != nil {
				row = append(row, "")
				continue
			}
			row = append(row, strconv.FormatInt(n, 10))
		}
		row = append(row, optionalText(t.Bits), r.depth, decimal(r.start), decimal(r.end), r.winner, r.bounds)
		if l := r.latency; l != nil {
			row = append(row, strconv.FormatInt(l.Count, 10), decimal(l.P50), decimal(l.P90), decimal(l.P99),
				decimal(l.Max), s.Latencies.Unit)
		}
		rows = append(rows, slices.Concat(row, make([]string, len(csvHeads)-len(row))))
	}
	m := s.Messages
	total := csvRow{
		table: "run", name: s.Name,
		tally: Tally{Sent: m.Sent, Delivered: m.Delivered, Lost: m.Lost, ToCrashed: m.ToCrashed, InFlight: m.InFlight},
	}
	if m.Carried != nil {
		total.tally.Carried = *m.Carried
	}
	total.depth, total.start, total.end = strconv.FormatInt(s.CausalDepth, 10), s.beginning(), s.LastDelivery
	total.winner, total.bounds = string(s.Leader), s.csvBounds()
	add(total)
	if s.Details == nil {
		return rows
	}
	for _, b := range s.Breakdowns {
		for _, g := range b.Groups {
			receiver := ""
			if len(g.Name) > 1 {
				receiver = g.Name[1]
			}
			add(csvRow{
				table: b.Grouping, name: g.Name[0], target: receiver, tally: g.Tally,
				bounds: s.tallyBounds(&g.Tally, b.Uncertain),
			})
		}
	}
	for i, e := range s.Elections {
		name := string(e.Term)
		if name == "" {
			name = strconv.Itoa(i + 1)
		}
		add(
			csvRow{
				table: electionWord, name: name, tally: e.Tally, start: e.Start, end: e.End,
				winner: strings.Join(append([]string{e.winner}, e.AlsoWon...), "; "),
				bounds: s.tallyBounds(&e.Tally, slices.Contains(s.NotKnown, "elections")),
			},
		)
	}
	for _, p := range s.Per {
		part := func(name string, t Tally, start, end *float64) {
			add(csvRow{
				table: "per " + p.Operation, name: name, tally: t, start: start, end: end,
				bounds: s.tallyBounds(&t, p.Uncertain),
			})
		}
		part("warm-up", p.WarmUp, nil, nil)
		for i, operation := range p.Each {
			part(strconv.Itoa(i+1), operation.Tally, operation.Start, operation.End)
		}
		part("rest", p.Rest, nil, nil)
	}
	if l := s.Latencies; l != nil {
		for _, r := range append(l.Messages.csvRows("message latency"), l.Operations.csvRows("operation latency")...) {
			add(r)
		}
	}
	return rows
}

// beginning returns the time of the first event, in units.
func (s *Stats) beginning() *float64 {
	if s.run == nil || s.Events == 0 {
		return nil
	}
	return units(s.run.TimeUnit.Units(s.began))
}

// tallyBounds names the inexact counts of a part of the run.
func (s *Stats) tallyBounds(t *Tally, uncertain bool) string {
	var list []string
	for _, c := range t.counts() {
		if word := csvWords[s.bounds.part(c.name, uncertain)]; word != "" && (c.name != "bits" || t.Bits != nil) {
			list = append(list, word+":"+c.key)
		}
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

// csvWords are the names of the bounds, as in the JSON keys.
var csvWords = [...]string{
	exact: "", atLeast: "at_least", notRecorded: "at_least", atMost: "at_most", near: "not_known",
	unmeasured: "not_known",
}

// csvBounds names the inexact counts of the run.
func (s *Stats) csvBounds() string {
	var list []string
	for _, kind := range []struct {
		word string
		keys []string
	}{{"at_least", s.AtLeast}, {"at_most", s.AtMost}, {"not_known", s.NotKnown}} {
		for _, key := range kind.keys {
			list = append(list, kind.word+":"+key)
		}
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

// optionalText returns a number as text; "" for nil.
func optionalText(n *int64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(*n, 10)
}

// decimal returns a number as a decimal; "" for nil.
func decimal(x *float64) string {
	if x == nil {
		return ""
	}
	return strconv.FormatFloat(*x, 'f', -1, 64)
}
