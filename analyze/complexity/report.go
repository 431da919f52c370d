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

// Report has the counts of the runs of a trace, and the budgets that they exceed.
type Report struct {
	Runs     []*Stats
	Exceeded []Exceeded
	// Open lists the budgets that unrecorded events decide.
	Open []Exceeded

	// Remarks are sentences about budgets that may be mistakes.
	Remarks []string

	kept []Exceeded // the budgets that runs kept, for people
}

// Exceeded is a budget that a run does not keep.
type Exceeded struct {
	Run    int    `json:"run"`
	Budget string `json:"budget"`
}

// Add adds a run, and judges its budgets. It fails for a budget without meaning for the run.
func (r *Report) Add(s *Stats, budgets []*Budget) error {
	r.Runs = append(r.Runs, s)
	for _, sentence := range s.Account {
		r.Remarks = append(r.Remarks, fmt.Sprintf("run %d: %s", s.Run, sentence))
	}
	r.remarkDetails(s)
	for _, b := range budgets {
		r.addRemarks(s, b)
		answer, err := b.Judge(s)
		if err != nil {
			return err
		}
		var list *[]Exceeded
		switch answer {
		case Kept:
			list = &r.kept
		case Broken:
			list = &r.Exceeded
		default:
			list = &r.Open
		}
		*list = append(*list, Exceeded{s.Run, b.String()})
	}
	return nil
}

// accountOf describes the gaps that the log itself shows, and what the order of its events rests on.
func accountOf(run *tracefmt.Run) []string {
	sentences := run.Account()
	if order := run.Order(); order != "" {
		sentences = append(sentences, order)
	}
	return sentences
}

// addRemarks adds remarks about message types in the budget that the run does not have.
func (r *Report) addRemarks(s *Stats, b *Budget) {
	for _, name := range b.types() {
		if _, sent := s.Messages.ByType[name]; sent {
			continue
		}
		near := text.Nearest(name, slices.Sorted(maps.Keys(s.Messages.ByType)))
		r.Remarks = append(
			r.Remarks,
			fmt.Sprintf("run %d: no message has the type %s, which the budget counts as 0%s", s.Run,
				text.Quote(name), didYouMean(near)),
		)
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

// WriteText writes a report for people: a table for each run, and a line for each exceeded budget. Unless the style is
// quiet, it also lists the budgets that hold.
func (r *Report) WriteText(w io.Writer, style Style) error {
	d := &document.Document{}
	for _, s := range r.Runs {
		s.addText(d, style.Quiet)
	}
	for _, likes := range spreads(r.Runs) {
		t := likes.table()
		t.Indent = "    "
		d.Heading(2, t.Title)
		d.Table(t)
	}
	d.List(r.budgetLines(style.Quiet))
	return d.WriteText(w)
}

// budgetLines lists the budgets with their answers.
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

// addText appends the run in the form for a terminal.
func (s *Stats) addText(d *document.Document, quiet bool) {
	d.Heading(1, fmt.Sprintf("run %d: %s, %s", s.Run, s.sizeText(), s.End))
	if s.Assumed != "" && !quiet {
		d.Paragraph("  assumed: " + s.Assumed)
	}
	t := &document.Table{Indent: "  "}
	d.Table(t)
	// A log may have causal edges without messages: a table of zeros would claim that no message was sent.
	unrecorded := s.Messages.Sent == 0 && s.edges > 0
	if unrecorded {
		t.Add(
			"messages",
			"not recorded, only "+text.Counted(
				s.edges, "event that follows from one of another process",
				"events that follow from ones of other processes",
			),
		)
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
	// Requested groups replace the table of processes.
	if !unrecorded && s.bounds["depth"] != notRecorded && (s.Details == nil || len(s.Breakdowns) == 0) {
		processes := s.processTable()
		t.Add(processes.Head...)
		processes.Shorten(maxProcesses, "(--json)")
		for _, row := range processes.Rows {
			t.Add(append([]string{"  " + row.Cells[0]}, row.Cells[1:]...)...)
		}
	}
	if s.Details == nil {
		return
	}
	for _, t := range s.detailTables() {
		d.Paragraph("  " + strings.ToLower(t.Title[:1]) + t.Title[1:])
		t.Indent = "    "
		t.Shorten(maxProcesses, "(--json)")
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
	// A recording without payloads shows neither bytes nor bits.
	if m.Carried != nil && (m.Bytes > 0 || m.Bits != nil) {
		t.Add("payload bytes", b.text("bytes", m.Bytes))
		if m.Bits != nil {
			t.Add("bits", s.bits(m.Bits))
		}
	}
	s.addTimes(t)
}

// addTimes appends the causal depth and the times of the run.
func (s *Stats) addTimes(t *document.Table) {
	t.Add("causal depth", s.bounds.text("depth", s.CausalDepth))
	if s.LastDelivery != nil {
		t.Add("last delivery", s.timeText("time", *s.LastDelivery, s.delivered))
	}
	if s.LastDecision != nil {
		t.Add("last decision", s.timeText("decided", *s.LastDecision, s.decided))
	}
}

// timeText returns a time with its unit and its bound. For a wall clock it is the time of day, followed by the
// time since the first event.
func (s *Stats) timeText(count string, units float64, t tracefmt.Time) string {
	countBound := s.bounds[count]
	if s.run == nil || !s.run.SinceEpoch(t) || countBound == notRecorded {
		return countBound.text(withUnit(units, timeWords[s.timeUnit()]))
	}
	clockTime := s.run.When(t)
	switch countBound {
	case atLeast:
		clockTime += " or later"
	case near:
		clockTime = countBound.text(clockTime)
	}
	return fmt.Sprintf("%s, %v after the first event", clockTime, time.Duration(difference(t, s.began)))
}

// timeWords are the units of times for people, in singular and plural.
var timeWords = map[tracefmt.TimeUnit][2]string{
	tracefmt.Delays: {"delay", "delays"}, tracefmt.Nanoseconds: {"s", "s"}, tracefmt.Logical: {"tick", "ticks"},
}

// timeUnit returns the time unit of the run; "" for counts that were read from a file.
func (s *Stats) timeUnit() tracefmt.TimeUnit {
	if s.run == nil {
		return ""
	}
	return s.run.TimeUnit
}

// withUnit returns a time with its unit.
func withUnit(units float64, words [2]string) string {
	// The format 'f' has no exponent.
	number := strconv.FormatFloat(units, 'f', -1, 64)
	word := words[1]
	if units == 1 {
		word = words[0]
	}
	return strings.TrimSpace(number + " " + word)
}

// sizeText describes the run: "bully, 8 processes, 57 events".
func (s *Stats) sizeText() string { return size(s.title, s.Processes, s.Events) }

// size returns the size of a run, after its name if it has one.
func size(name string, processes int, events int64) string {
	counts := text.Counted(processes, "process", "processes") + ", " + text.Counted(events, "event", "events")
	if name != "" {
		return text.Printable(name) + ", " + counts
	}
	return counts
}

// maxProcesses is the limit for the processes in a table for people.
const maxProcesses = 20

// text returns one of the two counts with its bound.
func (p *ProcessCount) text(key string, count int64) string {
	countBound := exact
	switch {
	case slices.Contains(p.AtLeast, key):
		countBound = atLeast
	case slices.Contains(p.NotKnown, key):
		countBound = near
	}
	return countBound.text(count)
}
