package shiviz

import (
	"bufio"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
)

const (
	// eventRegex is the form of written logs, which is that of GoVector. renamedRegex also has the names of processes,
	// for runs in which some names have blanks.
	eventRegex   = `(?<host>\S*) (?<clock>{.*})\n(?<event>.*)`
	renamedRegex = `(?<host>\S*) (?<clock>{.*}) (?<name>".*")\n(?<event>.*)`
	labelRegex   = `=== (?<trace>.*) ===`
)

// describe describes the parts of a run that survive.
func describe() string {
	return `An event has two lines: host and vector clock, then a text. Line 1 of the file has the regular expression of an
event, line 2 the regular expression of the lines between runs. ShiViz and GoVector's tools read the file unchanged.

The file keeps the name of the run, the events of the processes in their order, and the messages with sender,
receiver, type and number. The texts have kind, type and payload. The vector clocks have the exact happened-before
order. The file lacks times, terms, the header, and events without a process or of the network: losses, partitions,
heals. A message to a process without any event appears in the text only. If the name of a process has blanks, the
host is the name without them, and the field name has the name.

etrace imports such a file with the same processes, messages and causality. The texts of other events become notes.
`
}

// write writes the regexes in lines 1 and 2, then the runs with unique labels.
func write(w *interop.Writing, runs []tracefmt.Recording) error {
	out := &logWriter{Writer: bufio.NewWriterSize(w, 64<<10), omit: w.Omit, regex: eventRegex}
	for _, rec := range runs {
		for _, m := range rec.Run().Members {
			if hostName(m.Name) != m.Name {
				out.regex = renamedRegex
			}
		}
	}
	fmt.Fprintln(out, out.regex)
	fmt.Fprintln(out, labelRegex)
	labels := map[string]bool{"": true}
	for i, rec := range runs {
		label := oneLine(rec.Run().Name)
		for n := i + 1; labels[label]; n++ {
			label = strings.TrimSpace(fmt.Sprintf("%s run %d", oneLine(rec.Run().Name), n))
		}
		labels[label] = true
		fmt.Fprintf(out, "=== %s ===\n", label)
		if err := out.run(rec); err != nil {
			return err
		}
	}
	return out.Flush()
}

// logWriter writes logs with vector clocks. Flush returns the first error of all writes.
type logWriter struct {
	*bufio.Writer
	omit  func(singular, plural string)
	regex string

	names  []string               // by process, its name as a host
	quoted []string               // by process, its name as a key of clocks
	clocks [][]int64              // by process, its present clock
	past   *interop.Past[[]int64] // the clocks of events that are causes of later ones
	buf    []byte
}

// run writes a run, an event in two lines.
func (l *logWriter) run(rec tracefmt.Recording) (err error) {
	l.begin(rec.Run())
	l.past, err = interop.PastOf[[]int64](rec)
	if err != nil {
		return err
	}
	for e, err := range rec.Events(1) {
		if err != nil {
			return err
		}
		clock := l.tick(e)
		if clock == nil {
			l.omit(e.Kind.String()+" event", e.Kind.String()+" events")
			continue
		}
		l.buf = l.appendHost(l.buf[:0], rec.Run(), e, clock)
		l.buf = append(append(append(l.buf, '\n'), l.text(e)...), '\n')
		if _, err := l.Write(l.buf); err != nil {
			return err
		}
	}
	return nil
}

// begin gives each process a unique name without blanks.
func (l *logWriter) begin(run *tracefmt.Run) {
	n := len(run.Members)
	l.names, l.quoted, l.clocks = make([]string, n+1), make([]string, n+1), make([][]int64, n+1)
	taken := make(map[string]bool, n)
	for _, m := range run.Members {
		taken[m.Name] = true
	}
	for i, m := range run.Members {
		name := hostName(m.Name)
		if name != m.Name {
			for k := 2; taken[name]; k++ {
				name = hostName(m.Name) + "-" + strconv.Itoa(k)
			}
			taken[name] = true
		}
		l.names[i+1] = name
		l.quoted[i+1] = string(tracefmt.AppendString(nil, name))
		l.clocks[i+1] = make([]int64, n+1)
	}
}

// hostName returns a name as one word.
func hostName(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsControl(r) || r == '\uFEFF' {
			return '_'
		}
		return r
	}, name)
}

// tick returns the vector clock after an event. It returns nil for an event that is no step of a process, such
// as a message loss, which no process observes.
func (l *logWriter) tick(e *tracefmt.Event) []int64 {
	_, known := l.past.Take(e)
	if e.Process == 0 || e.Kind == tracefmt.Lose {
		return nil
	}
	clock := l.clocks[e.Process]
	for _, name := range known {
		for i, n := range name {
			clock[i] = max(clock[i], n)
		}
	}
	clock[e.Process]++
	if l.past.Wanted(e.Seq) {
		l.past.Keep(e.Seq, slices.Clone(clock))
	}
	return clock
}

// appendHost appends the first line of an event: its host, its clock and, in the renamed form, the name of the
// process.
func (l *logWriter) appendHost(b []byte, run *tracefmt.Run, e *tracefmt.Event, clock []int64) []byte {
	b = append(append(b, l.names[e.Process]...), " {"...)
	first := true
	for p, n := range clock {
		if n == 0 {
			continue
		}
		if !first {
			b = append(b, ", "...)
		}
		first = false
		b = strconv.AppendInt(append(append(b, l.quoted[p]...), ':'), n, 10)
	}
	b = append(b, '}')
	if l.regex == renamedRegex {
		b = append(append(b, ' '), escapeLines(string(tracefmt.AppendString(nil, run.ProcessName(e.Process))))...)
	}
	return b
}

// text describes the event in one line. The line begins with the kind of the event. So it cannot look like a
// host with its clock, whose second word begins with a brace, or like a line between runs.
func (l *logWriter) text(e *tracefmt.Event) string {
	words := oneLine(e.Type)
	if strings.HasPrefix(words, "{") {
		words = "type " + words
	}
	if e.Message != 0 {
		words = strings.TrimSpace(words + " #" + strconv.FormatInt(int64(e.Message), 10))
	}
	if payload := ownWords(e); payload != "" {
		words = strings.TrimSpace(words + " with " + escapeLines(payload))
	}
	switch e.Kind {
	case tracefmt.Send:
		return "Sending " + words + " to " + l.names[e.Peer]
	case tracefmt.Receive:
		return "Received " + words + " from " + l.names[e.Peer]
	}
	if e.Peer != 0 {
		words = strings.TrimSpace(l.names[e.Peer] + " " + words)
	}
	return strings.TrimSpace(e.Kind.String() + " " + words)
}

// ownWords returns the payload without the additions of importers, so that both ends of a message have the same.
func ownWords(e *tracefmt.Event) string {
	var b []byte
	for key, value := range tracefmt.Fields(e.Payload) {
		if string(key) == tracefmt.CausesKey || string(key) == tracefmt.LogKey {
			continue
		}
		b = append(tracefmt.AppendString(append(b, ','), string(key)), ':')
		b = append(b, value...)
	}
	if len(b) == 0 {
		return ""
	}
	b[0] = '{'
	return string(append(b, '}'))
}

// oneLine returns a text without line ends, and without blanks around it.
func oneLine(text string) string { return strings.TrimSpace(escapeLines(text)) }

// escapeLines writes line ends and control characters as JSON does.
func escapeLines(text string) string {
	if !strings.ContainsFunc(text, endsLine) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if endsLine(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// endsLine reports whether some program takes the character for a line end or a control character.
func endsLine(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }
