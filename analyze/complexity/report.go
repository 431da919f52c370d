package complexity

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
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

// JSONVersion is the version mark of the report for programs.
const JSONVersion = "etrace.stats/1"

// WriteJSON writes a report for programs.
func (r *Report) WriteJSON(w io.Writer) error {
	return tracefmt.WriteJSON(w, struct {
		Format   string     `json:"format"`
		Runs     []*Stats   `json:"runs"`
		Over     []likes    `json:"over_runs,omitempty"`
		Exceeded []Exceeded `json:"exceeded,omitempty"`
		Open     []Exceeded `json:"open,omitempty"`
	}{JSONVersion, r.Runs, spreads(r.Runs), r.Exceeded, r.Open})
}

// WriteText writes a report for people: a table for each run, and a line for
// each budget that is exceeded and, unless quiet, for each that holds.
func (r *Report) WriteText(w io.Writer, quiet bool) error {
	for i, s := range r.Runs {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := s.writeText(w, quiet); err != nil {
			return err
		}
	}
	for _, likes := range spreads(r.Runs) {
		t := likes.table()
		fmt.Fprintf(w, "\n%s\n", text.Printable(t.title))
		if err := t.writeText(w, len(t.rows)); err != nil {
			return err
		}
	}
	for _, line := range r.budgetLines(quiet) {
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
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

func (s *Stats) writeText(out io.Writer, quiet bool) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	m := s.Messages
	fmt.Fprintf(w, "run %d: %s, %s\n", s.Run, s.size(), s.End)
	if s.Assumed != "" && !quiet {
		fmt.Fprintf(w, "  assumed: %s\n", s.Assumed)
	}
	unrecorded := m.Sent == 0 && s.edges > 0
	if unrecorded {
		fmt.Fprintf(w, "  messages\tnot recorded, only %s\n", text.Counted(s.edges, "event that follows from one of another process", "events that follow from ones of other processes"))
	} else {
		s.writeMessages(w)
	}
	fmt.Fprintf(w, "  suspicions\t%s\n", s.bounds.text("suspicions", s.Suspicions))
	switch {
	case slices.Contains(s.NotKnown, "leader") && s.Elected != nil:
		fmt.Fprintf(w, "  leader\t?\n")
	case s.Elected != nil || s.Leader != nil:
		fmt.Fprintf(w, "  leader\t%s\n", s.leader("none that all live processes agree on"))
	}
	if !unrecorded && s.bounds["depth"] != untold && (s.Details == nil || len(s.Breakdowns) == 0) {
		s.writeProcesses(w)
	}
	if err := w.Flush(); err != nil || s.Details == nil {
		return err
	}
	return s.writeDetails(out)
}

// writeDetails writes what else was asked for, one table after the other.
func (s *Stats) writeDetails(out io.Writer) error {
	for _, t := range s.detailTables() {
		fmt.Fprintf(out, "  %s\n", text.Printable(lowerFirst(t.title)))
		if err := t.writeText(out, mostProcesses); err != nil {
			return err
		}
	}
	return nil
}

// lowerFirst is a title within a report.
func lowerFirst(title string) string { return strings.ToLower(title[:1]) + title[1:] }

// writeText writes the rows, at most so many.
func (t *table) writeText(out io.Writer, most int) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	line := func(cells []string) {
		for i, cell := range cells {
			sep := "\t"
			if i == 0 {
				sep = "    "
			}
			fmt.Fprint(w, sep, text.Printable(cell))
		}
		fmt.Fprintln(w)
	}
	line(t.heads)
	for i, row := range t.rows {
		if i == most {
			fmt.Fprintf(w, "    %d more\t(--json)\n", len(t.rows)-most)
			break
		}
		line(row)
	}
	return w.Flush()
}

func (s *Stats) writeMessages(w io.Writer) {
	m, b := s.Messages, s.bounds
	fmt.Fprintf(w, "  messages sent\t%s\n", b.text("messages", m.Sent))
	for _, t := range slices.Sorted(maps.Keys(m.ByType)) {
		fmt.Fprintf(w, "    %s\t%s\n", text.Printable(t), b.text("type", m.ByType[t]))
	}
	fmt.Fprintf(w, "  delivered\t%s\n  to crashed\t%s\n  lost\t%s\n  in flight\t%s\n",
		b.text("delivered", m.Delivered), b.text("to_crashed", m.ToCrashed), b.text("lost", m.Lost), b.text("in_flight", m.InFlight))
	if m.WithoutSend > 0 {
		fmt.Fprintf(w, "  of these without a recorded send\t%d\n", m.WithoutSend)
	}
	if m.ToItself > 0 {
		fmt.Fprintf(w, "  of these between processes\t%s\n  of these by a process to itself\t%s\n", b.text("type", m.Sent-m.ToItself), b.text("type", m.ToItself))
	}
	s.writeCarried(w)
	fmt.Fprintf(w, "  causal depth\t%s\n", b.text("depth", s.CausalDepth))
	if s.LastDelivery != nil {
		fmt.Fprintf(w, "  last delivery\t%s\n", s.moment("time", *s.LastDelivery, s.delivered))
	}
	if s.LastDecision != nil {
		fmt.Fprintf(w, "  last decision\t%s\n", s.moment("decided", *s.LastDecision, s.decided))
	}
}

// writeCarried says what the messages carry, if that was counted, and a recording shows anything.
func (s *Stats) writeCarried(w io.Writer) {
	m := s.Messages
	if m.Carried == nil || m.Bytes == 0 && m.Bits == nil {
		return
	}
	fmt.Fprintf(w, "  payload bytes\t%s\n", s.bounds.text("bytes", m.Bytes))
	if m.Bits != nil {
		fmt.Fprintf(w, "  bits\t%s\n", s.bits(m.Bits))
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

func (s *Stats) writeProcesses(w io.Writer) {
	fmt.Fprintln(w, "  process\tsent\treceived")
	for i, p := range s.ByProcess {
		if i == mostProcesses {
			fmt.Fprintf(w, "    %d more\t(--json)\n", len(s.ByProcess)-mostProcesses)
			break
		}
		fmt.Fprintf(w, "    %s\t%s\t%s\n", text.Printable(p.Process), p.text("sent", p.Sent), p.text("received", p.Received))
	}
}

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

// leader is whom all live processes have elected, or otherwise.
func (s *Stats) leader(otherwise string) string {
	if s.Leader == nil {
		return otherwise
	}
	return text.Printable(string(s.Leader))
}
