package complexity

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"etrace/tracefmt/text"
	"etrace/tracefmt/text/document"
)

// tables returns the tables of a run, first that of its counts.
func (s *Stats) tables() []*document.Table {
	list := []*document.Table{s.countTable()}
	if s.Details == nil {
		return list
	}
	if len(s.Breakdowns) == 0 && s.bounds["depth"] != notRecorded {
		list = append(list, s.processTable())
	}
	return append(list, s.detailTables()...)
}

// detailTables returns the tables of the requested details.
func (s *Stats) detailTables() (list []*document.Table) {
	for i := range s.Breakdowns {
		if len(s.Breakdowns[i].Groups) > 0 {
			list = append(list, s.breakdownTable(&s.Breakdowns[i]))
		}
	}
	if len(s.Elections) > 0 {
		list = append(list, s.electionTable())
	}
	for i := range s.Per {
		list = append(list, s.perTable(&s.Per[i]))
	}
	if s.CriticalPath != nil {
		list = append(list, s.pathTable())
	}
	if l := s.Latencies; l != nil {
		list = append(list, s.latencyTables("messages, from send to first receive", "receive", &l.Messages)...)
		list = append(list, s.latencyTables("operations, from call to return", "return", &l.Operations)...)
	}
	return list
}

// heading names the run and its size.
func (s *Stats) heading() string { return fmt.Sprintf("Run %d: %s, %s", s.Run, s.sizeText(), s.End) }

// countTable returns the table of the counts of the run.
func (s *Stats) countTable() *document.Table {
	t := &document.Table{Title: "Messages", Head: []string{"measure", "count"}, Align: "l"}
	m, b := s.Messages, s.bounds
	t.Add("sent", b.text("messages", m.Sent))
	for _, typ := range slices.Sorted(maps.Keys(m.ByType)) {
		t.Add("of the type "+typ, b.text("type", m.ByType[typ]))
	}
	t.Add("delivered", b.text("delivered", m.Delivered))
	t.Add("to crashed", b.text("to_crashed", m.ToCrashed))
	t.Add("lost", b.text("lost", m.Lost))
	t.Add("in flight", b.text("in_flight", m.InFlight))
	if m.Carried != nil {
		t.Add("payload bytes", b.text("bytes", m.Bytes))
		t.Add("bits", s.bits(m.Bits))
	}
	s.addTimes(t)
	t.Add("suspicions", b.text("suspicions", s.Suspicions))
	if s.Leader != nil {
		t.Add("leader", string(s.Leader))
	}
	return t
}

// bits returns the number of bits of the messages with its bound.
func (s *Stats) bits(n *int64) string {
	if n == nil {
		return s.bounds.text("bits", 0)
	}
	return s.bounds.text("bits", *n)
}

// processTable returns the messages sent and received by each process.
func (s *Stats) processTable() *document.Table {
	t := &document.Table{Title: "By process", Head: []string{"process", "sent", "received"}, Align: "l"}
	for _, p := range s.ByProcess {
		t.Add(p.Process, p.text("sent", p.Sent), p.text("received", p.Received))
	}
	return t
}

// tallyHeads are the columns of a tally.
var tallyHeads = []string{"sent", "delivered", "to crashed", "lost", "in flight", "bytes", "bits"}

// cells returns the columns of a tally. If uncertain is true, messages may belong to other tallies.
func (s *Stats) cells(t *Tally, uncertain bool) (cells []string) {
	for _, c := range t.counts() {
		if c.name == "bits" && t.Bits == nil {
			cells = append(cells, "-")
			continue
		}
		cells = append(cells, s.bounds.part(c.name, uncertain).text(c.count))
	}
	return cells
}

// breakdownTable returns the table of a division of the messages.
func (s *Stats) breakdownTable(d *Breakdown) *document.Table {
	t := &document.Table{
		Title: "By " + d.Grouping, Head: slices.Concat(d.heads, tallyHeads),
		Align: strings.Repeat("l", len(d.heads)),
	}
	for i := range d.Groups {
		g := &d.Groups[i]
		t.Add(slices.Concat(namesOrNone(g.Name), s.cells(&g.Tally, d.Uncertain))...)
	}
	return t
}

// namesOrNone returns the names, with "none" for an empty one.
func namesOrNone(names []string) []string {
	names = slices.Clone(names)
	for i := range names {
		names[i] = cmp.Or(names[i], "none")
	}
	return names
}

// electionTable returns a row for each election.
func (s *Stats) electionTable() *document.Table {
	title, uncertain := "Elections", slices.Contains(s.NotKnown, "elections")
	if uncertain {
		title += asRecorded
	}
	t := &document.Table{Title: title, Head: []string{
		"term", "by", s.inUnit("start"), s.inUnit("end"), "winner",
		"messages",
	}, Align: "lllll"}
	for i := range s.Elections {
		e := &s.Elections[i]
		t.Add(
			cmp.Or(string(e.Term), "-"), cmp.Or(e.By, "?"), s.timeOrWord(e.Start, "?"), s.timeOrWord(e.End, "-"),
			e.whoWon(), s.bounds.part("type", uncertain).text(e.Sent),
		)
	}
	return t
}

// whoWon names the winner, and other processes that led in the same term.
func (e *Election) whoWon() string {
	switch {
	case e.Winner == nil:
		return "none"
	case len(e.AlsoWon) > 0:
		return fmt.Sprintf("%s, and %s", e.winner, text.And(e.AlsoWon))
	case e.Agreed != nil && !*e.Agreed:
		return e.winner + ", not agreed"
	}
	return e.winner
}

// inUnit returns the head of a column of times with their unit.
func (s *Stats) inUnit(head string) string {
	if s.ofClock() {
		return head + " (elapsed)"
	}
	if unit := timeWords[s.timeUnit()][1]; unit != "" {
		return head + " (" + unit + ")"
	}
	return head
}

// timeOrWord returns a time in units, or the given word for a missing time. Times of day are relative to the first
// event.
func (s *Stats) timeOrWord(at *float64, otherwise string) string {
	switch {
	case at == nil:
		return otherwise
	case s.ofClock():
		return "+" + strconv.FormatFloat(*at-float64(s.began)/1e9, 'f', 3, 64) + "s"
	}
	return strconv.FormatFloat(*at, 'f', -1, 64)
}

// perTable returns a row for each operation, and for the messages before and after them.
func (s *Stats) perTable(p *PerOperation) *document.Table {
	t := &document.Table{
		Title: p.title(s.bounds.part("type", p.Uncertain)),
		Head:  slices.Concat([]string{"", "process", s.inUnit("start"), s.inUnit("end")}, tallyHeads),
		Align: "llll",
	}
	row := func(name, process string, start, end *float64, tally *Tally) {
		t.Add(slices.Concat([]string{name, process, s.timeOrWord(start, "-"), s.timeOrWord(end, "-")},
			s.cells(tally, p.Uncertain))...)
	}
	row("warm-up", "-", nil, nil, &p.WarmUp)
	for i := range p.Each {
		row(strconv.Itoa(i+1), cmp.Or(p.Each[i].Process, "-"), p.Each[i].Start, p.Each[i].End, &p.Each[i].Tally)
	}
	row("the rest", "-", nil, nil, &p.Rest)
	return t
}

// asRecorded ends the title of a table with incomplete data.
const asRecorded = ", as far as is recorded"

// title summarizes the cost of an operation; sent is the bound of its counts.
func (p *PerOperation) title(sent bound) string {
	s, about := "Per "+p.Operation+": ", sent.words()
	switch {
	case p.Count == 0:
		s += "no operation is recorded"
	case *p.Min == *p.Max:
		s += fmt.Sprintf(
			"%s, each with %s%s", text.Counted(p.Count, "operation", "operations"), about,
			text.Counted(*p.Min, "message", "messages"),
		)
	default:
		s += fmt.Sprintf("%d operations with %s%d to %d messages, %s%s in the mean", p.Count, about, *p.Min, *p.Max,
			about, p.Mean.text())
	}
	s += p.countOutside(about)
	if p.Uncertain {
		s += asRecorded
	}
	return s
}

// countOutside counts the messages of no operation, such as requests before the first entry. The mean excludes them;
// about is the bound of these counts.
func (p *PerOperation) countOutside(about string) string {
	var parts []string
	if before := p.WarmUp.Sent; before > 0 {
		parts = append(parts, fmt.Sprintf("%s%d before the first one", about, before))
	}
	if later := p.Rest.Sent; later > 0 {
		parts = append(parts, fmt.Sprintf("%s%d later", about, later))
	}
	if len(parts) == 0 {
		return ""
	}
	return "; messages of none: " + text.And(parts)
}

// text returns the mean for people: the fraction, and its decimal approximation.
func (m *Mean) text() string {
	if m.IsInt() {
		return m.RatString()
	}
	return fmt.Sprintf("%s (%s)", m.RatString(), m.FloatString(3))
}

// pathTable returns the messages of the longest causal chain.
func (s *Stats) pathTable() *document.Table {
	title := fmt.Sprintf("Critical path: %s%s, each sent after the one before was received",
		s.bounds["depth"].words(), text.Counted(len(s.CriticalPath), "message", "messages"))
	t := &document.Table{
		Title: title,
		Head: []string{
			"type", "from", "to", s.inUnit("sent at"), s.inUnit("received at"), "send (seq)",
			"receive (seq)",
		},
		Align: "lll",
	}
	for _, h := range s.CriticalPath {
		send := "-"
		if h.Sent > 0 {
			send = strconv.FormatInt(int64(h.Sent), 10)
		}
		t.Add(h.Type, h.From, h.To, s.timeOrWord(h.SentAt, "-"), s.timeOrWord(h.ReceivedAt, "-"), send,
			strconv.FormatInt(int64(h.Received), 10))
	}
	return t
}
