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

// csvHeads are the columns. An algorithm has its mutant beside it. Of a run, depth, start and end are its causal depth, first event and last delivery;
// bounds names the counts that are bounds or are not known, as the keys of JSON.
var csvHeads = []string{
	"run", "algorithm", "processes", "table", "name", "to", "sent", "delivered", "lost", "to_crashed", "in_flight", "bytes", "bits",
	"depth", "start", "end", "winner", "bounds",
}

func writeCSV(out io.Writer, r *Report, _ Style) error {
	w := csv.NewWriter(out)
	rows := [][]string{csvHeads}
	for _, s := range r.Runs {
		rows = append(rows, s.csvRows()...)
	}
	for _, row := range rows {
		for i := range row {
			row[i] = formula(text.Printable(row[i]))
		}
	}
	return w.WriteAll(rows)
}

// formula keeps a name from being one in a spreadsheet, where it would be evaluated.
func formula(cell string) string {
	if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
		if _, err := strconv.ParseFloat(cell, 64); err != nil {
			return "'" + cell
		}
	}
	return cell
}

// csvRow is a line of the columns.
type csvRow struct {
	table, name, to string
	tally           Tally
	depth           string
	start, end      *float64
	winner, bounds  string
}

func (s *Stats) csvRows() (rows [][]string) {
	algorithm := s.Algorithm
	if algorithm != "" {
		algorithm = s.title
	}
	add := func(r csvRow) {
		t := r.tally
		row := []string{strconv.Itoa(s.Run), algorithm, strconv.Itoa(s.Processes), r.table, r.name, r.to}
		for _, n := range []int64{t.Sent, t.Delivered, t.Lost, t.ToCrashed, t.InFlight, t.Bytes} {
			row = append(row, strconv.FormatInt(n, 10))
		}
		rows = append(rows, append(row, optional(t.Bits), r.depth, decimal(r.start), decimal(r.end), r.winner, r.bounds))
	}
	m := s.Messages
	whole := csvRow{table: "run", name: s.Name, tally: Tally{Sent: m.Sent, Delivered: m.Delivered, Lost: m.Lost, ToCrashed: m.ToCrashed, InFlight: m.InFlight}}
	if m.Carried != nil {
		whole.tally.Carried = *m.Carried
	}
	whole.depth, whole.start, whole.end = strconv.FormatInt(s.CausalDepth, 10), s.beginning(), s.LastDelivery
	whole.winner, whole.bounds = string(s.Leader), s.csvBounds()
	add(whole)
	if s.Details == nil {
		return rows
	}
	for _, b := range s.Breakdowns {
		for _, g := range b.Groups {
			to := ""
			if len(g.Name) > 1 {
				to = g.Name[1]
			}
			add(csvRow{table: b.Grouping, name: g.Name[0], to: to, tally: g.Tally, bounds: s.tallyBounds(&g.Tally, b.Uncertain)})
		}
	}
	for i, e := range s.Elections {
		name := string(e.Term)
		if name == "" {
			name = strconv.Itoa(i + 1)
		}
		add(csvRow{table: electionWord, name: name, tally: e.Tally, start: e.Start, end: e.End, winner: strings.Join(append([]string{e.winner}, e.AlsoWon...), "; "), bounds: s.tallyBounds(&e.Tally, slices.Contains(s.NotKnown, "elections"))})
	}
	for _, p := range s.Per {
		part := func(name string, t Tally, start, end *float64) {
			add(csvRow{table: "per " + p.Operation, name: name, tally: t, start: start, end: end, bounds: s.tallyBounds(&t, p.Uncertain)})
		}
		part("warm-up", p.WarmUp, nil, nil)
		for i, one := range p.Each {
			part(strconv.Itoa(i+1), one.Tally, one.Start, one.End)
		}
		part("rest", p.Rest, nil, nil)
	}
	return rows
}

// beginning is the time of the first event, in units.
func (s *Stats) beginning() *float64 {
	if s.of == nil || s.Events == 0 {
		return nil
	}
	return units(s.of.TimeUnit.Units(s.began))
}

// tallyBounds names the counts of a part of the run that are not exact.
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

// csvWords are those of the bounds, as the keys of JSON.
var csvWords = [...]string{exact: "", atLeast: "at_least", untold: "at_least", atMost: "at_most", near: "not_known", unmeasured: "not_known"}

// csvBounds names the counts of the run that are not exact.
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

func optional(n *int64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(*n, 10)
}

func decimal(x *float64) string {
	if x == nil {
		return ""
	}
	return strconv.FormatFloat(*x, 'f', -1, 64)
}
