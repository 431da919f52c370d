package complexity

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
	"etrace/tracefmt/text/document"
)

// Report is what the runs of a trace come to, and the budgets that they do not
// keep.
type Report struct {
	Runs     []*Stats
	Exceeded []Exceeded
	// Open are the budgets of which the runs do not tell whether they keep them.
	Open []Exceeded

	// Remarks are sentences about budgets that may not mean what they say.
	Remarks []string

	kept []Exceeded // budgets that runs kept, for people
}

// Exceeded is a budget that a run did not keep.
type Exceeded struct {
	Run    int    `json:"run"`
	Budget string `json:"budget"`
}

// Add takes in a run, and which of the budgets it does not keep. The error is
// that of a budget that makes no sense for the run.
func (r *Report) Add(s *Stats, budgets []*Budget) error {
	r.Runs = append(r.Runs, s)
	for _, sentence := range s.Account {
		r.Remarks = append(r.Remarks, fmt.Sprintf("run %d: %s", s.Run, sentence))
	}
	r.remarkDetails(s)
	for _, b := range budgets {
		r.remark(s, b)
		kept, err := b.Judge(s)
		if err != nil {
			return err
		}
		list := map[Answer]*[]Exceeded{Kept: &r.kept, Broken: &r.Exceeded, Open: &r.Open}[kept]
		*list = append(*list, Exceeded{s.Run, b.String()})
	}
	return nil
}

// accountOf is what the log of a run shows to be missing from its record, and on what the order of events rests.
func accountOf(run *tracefmt.Run) []string {
	sentences := run.Account()
	if order := run.Order(); order != "" {
		sentences = append(sentences, order)
	}
	return sentences
}

// remark notes message types of the budget that the run does not have.
func (r *Report) remark(s *Stats, b *Budget) {
	for _, name := range b.types() {
		if _, sent := s.Messages.ByType[name]; sent {
			continue
		}
		near := text.Nearest(name, slices.Sorted(maps.Keys(s.Messages.ByType)))
		r.Remarks = append(r.Remarks, fmt.Sprintf("run %d: no message has the type %s, which the budget counts as 0%s", s.Run, text.Quote(name), didYouMean(near)))
	}
}

// jsonVersion is the version mark of the report for programs.
const jsonVersion = "etrace.stats/1"

// WriteJSON writes a report for programs.
func (r *Report) WriteJSON(w io.Writer) error {
	return tracefmt.WriteJSON(w, document.Object{
		"format", jsonVersion, "runs", r.Runs, "over_runs?", spreads(r.Runs), "exceeded?", r.Exceeded, "open?", r.Open,
	})
}

// WriteText writes a report for people: a table for each run, and a line for
// each budget that is exceeded and, unless quiet, for each that holds.
func (r *Report) WriteText(w io.Writer, quiet bool) error {
	d := &document.Document{}
	for _, s := range r.Runs {
		s.addText(d, quiet)
	}
	for _, likes := range spreads(r.Runs) {
		t := likes.table()
		t.Indent = "    "
		d.Heading(2, t.Title)
		d.Table(t)
	}
	d.List(r.budgetLines(quiet))
	return d.WriteText(w)
}

// budgetLines say of each budget what became of it.
func (r *Report) budgetLines(quiet bool) (lines []string) {
	add := func(list []Exceeded, format string) {
		for _, x := range list {
			lines = append(lines, fmt.Sprintf(format, x.Run, text.Printable(x.Budget)))
		}
	}
	if !quiet {
		add(r.kept, "run %d: budget holds: %s")
	}
	add(r.Exceeded, "run %d: budget exceeded: %s")
	add(r.Open, "run %d: budget open: %s: what is not recorded decides it")
	return lines
}

// addText appends the run as people read it on a terminal.
func (s *Stats) addText(d *document.Document, quiet bool) {
	d.Heading(1, fmt.Sprintf("run %d: %s, %s", s.Run, s.size(), s.End))
	if s.Assumed != "" && !quiet {
		d.Paragraph("  assumed: " + s.Assumed)
	}
	t := &document.Table{Indent: "  "}
	d.Table(t)
	unrecorded := s.Messages.Sent == 0 && s.edges > 0
	if unrecorded {
		t.Add("messages", "not recorded, only "+text.Counted(s.edges, "event that follows from one of another process", "events that follow from ones of other processes"))
	} else {
		s.addMessages(t)
	}
	t.Add("suspicions", s.bounds.text("suspicions", s.Suspicions))
	switch {
	case slices.Contains(s.NotKnown, "leader") && s.Elected != nil:
		t.Add("leader", "?")
	case s.Leader != nil:
		t.Add("leader", string(s.Leader))
	case s.Elected != nil:
		t.Add("leader", "none that all live processes agree on")
	}
	if !unrecorded && s.bounds["depth"] != untold && (s.Details == nil || len(s.Breakdowns) == 0) {
		by := s.processTable()
		t.Add(by.Head...)
		by.Shorten(mostProcesses, "(--json)")
		for _, row := range by.Rows {
			t.Add(append([]string{"  " + row.Cells[0]}, row.Cells[1:]...)...)
		}
	}
	if s.Details == nil {
		return
	}
	for _, t := range s.detailTables() {
		d.Paragraph("  " + strings.ToLower(t.Title[:1]) + t.Title[1:])
		t.Indent = "    "
		t.Shorten(mostProcesses, "(--json)")
		d.Table(t)
	}
}

// addMessages appends the counts of messages.
func (s *Stats) addMessages(t *document.Table) {
	m, b := s.Messages, s.bounds
	t.Add("messages sent", b.text("messages", m.Sent))
	for _, typ := range slices.Sorted(maps.Keys(m.ByType)) {
		t.Add("  "+typ, b.text("type", m.ByType[typ]))
	}
	t.Add("delivered", b.text("delivered", m.Delivered))
	t.Add("to crashed", b.text("to_crashed", m.ToCrashed))
	t.Add("lost", b.text("lost", m.Lost))
	t.Add("in flight", b.text("in_flight", m.InFlight))
	if m.WithoutSend > 0 {
		t.Add("of these without a recorded send", fmt.Sprint(m.WithoutSend))
	}
	if m.ToItself > 0 {
		t.Add("of these between processes", b.text("type", m.Sent-m.ToItself))
		t.Add("of these by a process to itself", b.text("type", m.ToItself))
	}
	if m.Carried != nil && (m.Bytes > 0 || m.Bits != nil) { // a recording without payloads shows neither
		t.Add("payload bytes", b.text("bytes", m.Bytes))
		if m.Bits != nil {
			t.Add("bits", s.bits(m.Bits))
		}
	}
	s.addTimes(t)
}

// addTimes appends how long the run took.
func (s *Stats) addTimes(t *document.Table) {
	t.Add("causal depth", s.bounds.text("depth", s.CausalDepth))
	if s.LastDelivery != nil {
		t.Add("last delivery", s.moment("time", *s.LastDelivery, s.delivered))
	}
	if s.LastDecision != nil {
		t.Add("last decision", s.moment("decided", *s.LastDecision, s.decided))
	}
}

// moment is a time, in units and as it is in the run, with its unit and what is known of it: by a clock
// of the wall the time of day, and how long that is after the first event.
func (s *Stats) moment(count string, units float64, t tracefmt.Time) string {
	is := s.bounds[count]
	if s.of == nil || !s.of.SinceEpoch(t) || is == untold {
		return is.text(timed(units, timeWords[s.timeUnit()]))
	}
	at := s.of.When(t)
	switch is {
	case atLeast:
		at += " or later"
	case near:
		at = is.text(at)
	}
	return fmt.Sprintf("%s, %v after the first event", at, time.Duration(t-s.began))
}

// timeWords are the units in which people read times, one and several of them.
var timeWords = map[tracefmt.TimeUnit][2]string{
	tracefmt.Delays: {"delay", "delays"}, tracefmt.Nanoseconds: {"s", "s"}, tracefmt.Logical: {"tick", "ticks"},
}

func (s *Stats) timeUnit() tracefmt.TimeUnit {
	if s.of == nil {
		return ""
	}
	return s.of.TimeUnit
}

// timed is a time with its unit.
func timed(units float64, words [2]string) string {
	number := strconv.FormatFloat(units, 'f', -1, 64) // without an exponent
	word := words[1]
	if units == 1 {
		word = words[0]
	}
	return strings.TrimSpace(number + " " + word)
}

// size is what the run is of and how large: "bully, 8 processes, 57 events".
func (s *Stats) size() string { return size(s.title, s.Processes, s.Events) }

// size says how long a run is, after its name if it has one.
func size(name string, processes int, events int64) string {
	counts := text.Counted(processes, "process", "processes") + ", " + text.Counted(events, "event", "events")
	if name != "" {
		return text.Printable(name) + ", " + counts
	}
	return counts
}

// mostProcesses is how many processes are listed for people.
const mostProcesses = 20

// text is one of the two counts with what it says of what happened.
func (p *ProcessCount) text(key string, count int64) string {
	is := exact
	switch {
	case slices.Contains(p.AtLeast, key):
		is = atLeast
	case slices.Contains(p.NotKnown, key):
		is = near
	}
	return is.text(count)
}
