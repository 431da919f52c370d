package complexity

import (
	"fmt"
	"strconv"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
	"etrace/tracefmt/text/document"
)

// latencyHeads are the columns of latencies.
var latencyHeads = []string{"count", "p50", "p90", "p99", "max"}

// cells returns the columns of latencies for people.
func (p *Percentiles) cells() []string {
	list := []string{fmt.Sprint(p.Count)}
	for _, value := range []*float64{p.P50, p.P90, p.P99, p.Max} {
		list = append(list, shortTime(value))
	}
	return list
}

// shortTime writes a time in units with three digits, or more in its integer part; "-" for nil.
func shortTime(units *float64) string {
	if units == nil {
		return "-"
	}
	digits := strconv.FormatFloat(*units, 'e', 2, 64)
	if *units >= 1000 {
		digits = strconv.FormatFloat(*units, 'f', 0, 64)
	}
	short, _ := strconv.ParseFloat(digits, 64) // cannot fail: FormatFloat wrote the digits
	return decimal(&short)
}

// latencyTables returns the latencies by type and over time. The title names what takes so long; end is the
// event that ends it. Without messages or operations there is no table.
func (s *Stats) latencyTables(title, end string, l *Latency) (list []*document.Table) {
	if !l.found {
		return nil
	}
	unit := timeWords[s.timeUnit()][1]
	byType := &document.Table{
		Title: "Latency of " + title + " (" + unit + ")" + l.remarks(end),
		Head:  append([]string{"type"}, latencyHeads...), Align: "l",
	}
	for _, t := range l.ByType {
		byType.Add(append([]string{t.title()}, t.cells()...)...)
	}
	if len(l.ByType) != 1 {
		byType.Add(append([]string{"all"}, l.cells()...)...)
	}
	list = append(list, byType)
	if len(l.OverTime) < 2 {
		return list
	}
	noun, _, _ := strings.Cut(title, ",")
	timeTable := &document.Table{
		Title: "Latency of " + noun + " over time (" + unit + "), by their beginning",
		Head:  append([]string{s.inUnit("from"), s.inUnit("to")}, latencyHeads...), Align: "ll",
	}
	for i := range l.OverTime {
		t := &l.OverTime[i]
		timeTable.Add(append([]string{s.limit(t.start), s.limit(t.end)}, t.cells()...)...)
	}
	return append(list, timeTable)
}

// limit returns an end of a stretch, exactly: those of a short run differ by less than a millisecond.
func (s *Stats) limit(at tracefmt.Time) string {
	switch {
	case !s.ofClock():
		return at.String()
	case at < 0:
		return at.String() + "s"
	}
	return "+" + at.String() + "s"
}

// title returns the type, and what sets its messages or operations apart.
func (t *TypeLatency) title() string {
	switch {
	case t.Failed:
		return t.Type + ", failed"
	case t.Inferred:
		return t.Type + ", inferred"
	}
	return t.Type
}

// leftOut is the number of messages or operations that the latencies leave out for one reason.
type leftOut struct {
	count            int64
	key              string // the key in JSON
	singular, plural string
}

// leftOut counts what has no latency, by reason; end is the event that ends it.
func (l *Latency) leftOut(end string) []leftOut {
	return []leftOut{
		{l.Open, "open", "has no " + end, "have no " + end},
		{l.Unmatched, "unmatched", end + " has no recorded beginning", end + "s have no recorded beginning"},
		{l.BetweenClocks, "between_clocks", "is between two clocks", "are between two clocks"},
		{l.Backwards, "backwards", "ends before it begins by the clocks", "end before they begin by the clocks"},
		{l.OneLine, "one_line", "begins and ends in one line", "begin and end in one line"},
		{l.Inferred, "inferred", "is matched by inference, apart", "are matched by inference, apart"},
	}
}

// remarks counts what has no latency, and states what makes the others doubtful.
func (l *Latency) remarks(end string) (words string) {
	for _, part := range l.leftOut(end) {
		if part.count > 0 {
			words += "; " + text.Counted(part.count, part.singular, part.plural)
		}
	}
	if l.NotKnown != "" {
		return words + "; not known: " + l.NotKnown
	}
	if l.Uncertain {
		words += asRecorded
	}
	return words
}

// csvRows returns a line for all latencies, for each type, for each stretch of time, and for each reason why
// there is no latency.
func (l *Latency) csvRows(table string) []csvRow {
	bounds := ""
	if l.Uncertain || l.NotKnown != "" {
		bounds = csvWords[near] + ":latency"
	}
	row := func(name string, p *Percentiles) csvRow {
		return csvRow{table: table, name: name, bounds: bounds, latency: p}
	}
	rows := []csvRow{row("", &l.Percentiles)}
	for i := range l.ByType {
		t := &l.ByType[i]
		rows = append(rows, row(t.title(), &t.Percentiles))
	}
	for i := range l.OverTime {
		t := &l.OverTime[i]
		r := row("", &t.Percentiles)
		r.table, r.start, r.end = table+" over time", &t.Start, &t.End
		rows = append(rows, r)
	}
	for _, part := range l.leftOut("") {
		if part.count > 0 {
			r := row(part.key, &Percentiles{Count: part.count})
			r.table = table + ", left out"
			rows = append(rows, r)
		}
	}
	return rows
}
