package diff

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"etrace/tracefmt/text"
	"etrace/tracefmt/text/document"
)

// WriteText writes a report for people.
func (r *Report) WriteText(w io.Writer) error {
	t := &report{r: r}
	for i, run := range r.Runs {
		t.line("%s: %s, %s, %s", label(i), r.describe(i), text.Counted(len(run.Members), "process", "processes"),
			text.Counted(run.Events, "event", "events"))
	}
	t.line("%s", r.summary())
	t.omissions()
	t.shifts()
	t.writeMissing()
	t.losses()
	t.divergences()
	t.messages()
	t.states()
	if a, b := r.Runs[0].End, r.Runs[1].End; a != b {
		t.line("end: %s | %s", a, b)
	}
	return t.WriteText(w)
}

func label(i int) string { return [2]string{"A", "B"}[i] }

// describe names a run: what the report calls it, and its algorithm.
func (r *Report) describe(i int) string {
	name := text.Printable(r.Names[i])
	if r.Runs[i].Algorithm != "" {
		name += ", " + text.Printable(r.Runs[i].Titled(r.Runs[i].Algorithm))
	}
	return name
}

// summary returns the outcome in a sentence, which claims only what was compared.
func (r *Report) summary() string {
	events := text.Counted(r.Events[0], "event", "events")
	switch {
	case r.Outcome == Different:
		return "different: " + r.different()
	case r.Outcome == Open:
		return "open: equal except for incompletely recorded events: " + events + ", the same steps at each process"
	case r.Order != nil:
		return "equal up to the order of concurrent events: " + events + ", the same steps at each process, the same messages"
	}
	same := events + " in the same order"
	// The sentence claims only what was compared.
	if r.omitted(order) {
		same = events + ", the same steps at each process"
	}
	if r.Times == nil && r.LossTimes == nil && r.Fields == nil {
		if !r.omitted(times) {
			same += ", at the same times"
		}
		return "equal: " + same
	}
	var but []string
	if r.Times != nil || r.LossTimes != nil {
		but = append(but, "times")
	}
	if r.Fields != nil {
		but = append(but, "fields of the log")
	}
	return "equal except for " + strings.Join(but, " and ") + ": " + same
}

func (r *Report) omitted(part string) bool {
	return slices.ContainsFunc(r.Omitted, func(o Omission) bool { return o.Part == part })
}

// omissions lists what was not compared.
func (t *report) omissions() {
	var parts []string
	for _, o := range t.r.Omitted {
		parts = append(parts, fmt.Sprintf("%s (%s)", text.Printable(o.Part), o.Why))
	}
	if len(parts) > 0 {
		t.line("not compared: %s", strings.Join(parts, ", "))
	}
}

// different returns the number of differences in words.
func (r *Report) different() string {
	n := 0
	for _, d := range r.Divergences {
		if d.Process != "" {
			n++
		}
	}
	var parts []string
	if n > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d processes take other steps", n,
			len(r.Runs[0].Members)-len(r.Missing[1])))
	}
	if n < len(r.Divergences) {
		parts = append(parts, "the network splits otherwise")
	}
	if len(r.Missing[0])+len(r.Missing[1]) > 0 {
		parts = append(parts, "the processes are not the same")
	}
	if len(parts) == 0 {
		parts = append(parts, "every process takes the same steps, but messages were lost otherwise or the runs end otherwise")
	}
	return strings.Join(parts, ", ")
}

// report is the text of a Report.
type report struct {
	document.Document
	r *Report
}

func (t *report) line(format string, args ...any) { t.Paragraph(fmt.Sprintf(format, args...)) }

// maxRows is how many rows of each kind a report for people shows.
const maxRows = 20

// writeLeftOut writes how many rows were left out.
func (t *report) writeLeftOut(rows int) {
	if rows > maxRows {
		t.line("  and %d more; --json lists all", rows-maxRows)
	}
}

// table appends rows of cells below a heading, in columns.
func (t *report) table(heading string, table *document.Table) {
	rows := len(table.Rows)
	if rows == 0 {
		return
	}
	t.line("%s", heading)
	table.Indent, table.Rows = "  ", table.Rows[:min(rows, maxRows)]
	t.Table(table)
	t.writeLeftOut(rows)
}

// shifts writes the first differences in order, times and fields.
func (t *report) shifts() {
	if o := t.r.Order; o != nil && t.r.Outcome == Reordered {
		t.line("the recorded order differs first at event %d: seq %d | %d", o.Event, o.At[0], o.At[1])
	}
	if s := t.r.Times; s != nil {
		t.line("the times differ in %s, first at step %d of %s: %v | %v",
			text.Counted(s.Steps, "step", "steps"), s.Step,
			processName(s.Process), t.r.Runs[0].When(s.Times[0]), t.r.Runs[1].When(s.Times[1]))
	}
	if l := t.r.LossTimes; l != nil {
		t.line("the times differ in %s, first at seq %d | %d: at %v | %v", text.Counted(l.Losses, "loss", "losses"),
			l.At[0], l.At[1], t.r.Runs[0].When(l.Times[0]), t.r.Runs[1].When(l.Times[1]))
	}
	if f := t.r.Fields; f != nil {
		t.line("the fields of the log differ in %s, first at step %d of %s",
			text.Counted(f.Steps, "step", "steps"), f.Step,
			processName(f.Process))
	}
}

// writeMissing writes the processes that only one run has.
func (t *report) writeMissing() {
	for i, names := range t.r.Missing {
		if len(names) > 0 {
			t.line("only in %s: process %s", label(1-i), text.Printable(strings.Join(names, ", ")))
		}
	}
}

// losses writes the number of losses that only one run has.
func (t *report) losses() {
	for i, l := range t.r.Losses {
		if l.Count > 0 {
			t.line("lost in %s only: %d, first at seq %d", label(i), l.Count, l.First)
		}
	}
}

// processName returns the name of a process for the text; "" is the network.
func processName(name string) string {
	if name == "" {
		return "the network"
	}
	return "process " + text.Printable(name)
}

// divergences writes the first differing step of each process, consequences of others last.
func (t *report) divergences() {
	follows := false
	for i, d := range t.r.Divergences {
		if i == maxRows {
			break
		}
		if d.Follows && !follows {
			t.line("these follow: in one of the runs another difference happened before them")
		}
		follows = d.Follows
		t.divergence(&d)
	}
	t.writeLeftOut(len(t.r.Divergences))
}

// divergence writes the step of a process that differs, in both runs, below the last common step.
func (t *report) divergence(d *Divergence) {
	table := &document.Table{}
	if d.Before[0].Seq != 0 {
		table.Add("both", fmt.Sprintf("seq %d | %d", d.Before[0].Seq, d.Before[1].Seq), "", d.Before[0].Text)
	}
	for i, at := range d.At {
		if at.Seq == 0 {
			table.Add(label(i), "", "", "nothing more")
			continue
		}
		table.Add(label(i), fmt.Sprintf("seq %d", at.Seq), "at "+t.r.Runs[i].When(at.Time), at.Text)
	}
	t.table(fmt.Sprintf("%s, step %d of %d | %d", processName(d.Process), d.Step, d.Of[0], d.Of[1]), table)
}

// messages writes the counts of messages that differ.
func (t *report) messages() {
	table := &document.Table{}
	for _, m := range t.r.Messages {
		more := 0
		if m.Count[1] > m.Count[0] {
			more = 1
		}
		table.Add(fmt.Sprintf("%s:%s>%s", m.Type, m.From, m.To), m.Fate, fmt.Sprintf("%d | %d", m.Count[0], m.Count[1]),
			fmt.Sprintf("first at seq %d of %s", m.First, label(more)))
	}
	t.table("messages", table)
}

// states writes the variables that differ at the end.
func (t *report) states() {
	table := &document.Table{}
	for _, v := range t.r.States {
		table.Add(processName(v.Process), v.Name, v.Values[0]+" | "+v.Values[1])
	}
	t.table("at the end", table)
}
