package printer

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"etrace/replay"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// TextOptions are the options of a printer for people.
type TextOptions struct {
	Color bool // changed values are yellow
}

// NewText returns a printer for people.
func NewText(w io.Writer, o TextOptions) Printer {
	return &textPrinter{w: bufio.NewWriter(w), color: o.Color}
}

// textPrinter prints runs for people.
type textPrinter struct {
	w     *bufio.Writer
	color bool
	runs  int
	words *replay.Sentences // the sentences of the run
	width int               // number of digits of the greatest seq
}

// Begin prints the heading of a run, after an empty line unless it is the first.
func (t *textPrinter) Begin(run *tracefmt.Run) error {
	if t.runs++; t.runs > 1 {
		fmt.Fprintln(t.w)
	}
	t.words, t.width = replay.NewSentences(run), len(fmt.Sprint(run.Events))
	name := run.Titled(cmp.Or(run.Name, run.Algorithm, "no name"))
	_, err := fmt.Fprintf(t.w, "run %d: %s, %s, %s\n", run.Number, text.Printable(name),
		text.Counted(len(run.Members), "process", "processes"), text.Counted(run.Events, "event", "events"))
	return err
}

func (t *textPrinter) Step(run *tracefmt.Run, e *tracefmt.Event, changes []replay.Change) error {
	_, err := fmt.Fprintf(t.w, "%*d  t=%-7v %s%s\n", t.width, e.Seq, clock(run, e.Time), t.words.Of(e),
		t.previousValues(changes))
	return err
}

// previousValues returns the previous values of the variables that an event changed: " (elected was 3)".
func (t *textPrinter) previousValues(changes []replay.Change) string {
	var parts []string
	for _, c := range changes {
		if c.Aspect == replay.VariableAspect && c.Before != "" {
			doubt := textIf(c.Doubtful, replay.NotKnown)
			parts = append(parts, text.Printable(c.Name)+" was "+replay.Plain([]byte(c.Before))+doubt)
		}
	}
	if parts == nil {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// textIf returns the text if the condition holds, else "".
func textIf(condition bool, text string) string {
	if condition {
		return text
	}
	return ""
}

func (t *textPrinter) Missing(message string) error {
	_, err := fmt.Fprintf(t.w, "%*s  %s\n", t.width, replay.NotKnown, message)
	return err
}

func (t *textPrinter) Nothing(reason string) error {
	_, err := fmt.Fprintln(t.w, text.Printable(reason))
	return err
}

func (t *textPrinter) End() error { return t.w.Flush() }

// State prints the event at the cursor, the table of the processes and the messages in flight.
func (t *textPrinter) State(c *replay.Cursor) error {
	if e := c.Event(); e == nil {
		fmt.Fprintf(t.w, "before the first event\n\n")
	} else {
		fmt.Fprintf(t.w, "seq %d, t=%v: %s\n\n", e.Seq, clock(c.Run(), e.Time), replay.Sentence(c.Run(), e))
	}
	table := c.Table()
	t.table(table)
	t.channels(c)
	if showsUncertain(table, c.State()) {
		fmt.Fprintf(t.w, "\n%s is not known, since not all that happened is recorded; before it, what was recorded last\n", replay.NotKnown)
	}
	return nil
}

// showsUncertain reports whether any printed value is marked as uncertain.
func showsUncertain(table [][]replay.Cell, s *replay.State) bool {
	if s.Coverage().Complete() {
		return false
	}
	for _, row := range table[1:] {
		if slices.ContainsFunc(row[1:], func(c replay.Cell) bool { return strings.Contains(c.Text, replay.NotKnown) }) {
			return true
		}
	}
	return slices.ContainsFunc(s.Flights(), s.DoubtfulFlight)
}

// table prints rows in columns of equal width. It paints changed cells.
func (t *textPrinter) table(rows [][]replay.Cell) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i := range row {
			row[i].Text = text.Printable(row[i].Text)
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i].String()))
		}
	}
	for _, row := range rows {
		line := ""
		for i, c := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c.String()))
			line += "  " + t.paint(c.String(), c.Changed) + pad
		}
		fmt.Fprintln(t.w, strings.TrimRight(line, " "))
	}
}

// paint makes marked text yellow, if the output has colours.
func (t *textPrinter) paint(s string, marked bool) string {
	if !t.color || !marked {
		return s
	}
	return "\x1b[33;1m" + s + "\x1b[0m"
}

// maxMessages is the number of messages of a channel that are printed; the others are counted.
const maxMessages = 12

// channels prints the messages in flight, a line for each channel.
func (t *textPrinter) channels(c *replay.Cursor) {
	channels := c.State().Channels()
	if len(channels) == 0 {
		fmt.Fprintf(t.w, "\nno message is in flight%s\n", textIf(c.State().MoreFlights(), ", as far as is recorded"))
		return
	}
	fmt.Fprintf(t.w, "\nin flight%s\n", textIf(c.State().MoreFlights(), ", at least"))
	for _, ch := range channels {
		var messages []string
		for i, f := range ch.Flights {
			if i == maxMessages {
				messages = append(messages, fmt.Sprintf("%d more", len(ch.Flights)-i))
				break
			}
			message := fmt.Sprintf("%s (sent at seq %d)", text.Printable(cmp.Or(f.Type, "message")), f.Sent)
			sent := replay.Cell{
				Text:    message + textIf(c.State().DoubtfulFlight(f), replay.NotKnown),
				Changed: f.Sent == c.Seq(),
			}
			messages = append(messages, t.paint(sent.String(), sent.Changed))
		}
		sender, receiver := text.Printable(c.Run().ProcessName(ch.From)), text.Printable(c.Run().ProcessName(ch.To))
		fmt.Fprintf(t.w, "  %s -> %s  %s\n", sender, receiver, strings.Join(messages, ", "))
	}
}
