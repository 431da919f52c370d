package mapping

import (
	"fmt"
	"io"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/text"
)

// explainer prints for each line the events that a mapping makes of it. Without a writer it prints nothing.
type explainer struct {
	writer  io.Writer
	reading *interop.Reading
}

// maxShown is how many characters of a line are printed.
const maxShown = 120

// line prints a record and the rule that applies to it. The words of the verdict are joined only if they are printed.
func (x *explainer) line(rec *record, verdict ...string) {
	if x.writer == nil || strings.TrimSpace(rec.text) == "" {
		return
	}
	fmt.Fprintf(
		x.writer, "%s: %s\n    %s\n", x.reading.Place(rec.line), text.Printable(text.Short(rec.text, maxShown)),
		strings.Join(verdict, ""),
	)
}

// alias prints another name of a process.
func (x *explainer) alias(rec *record, process, alias string) {
	if x.writer != nil {
		fmt.Fprintf(x.writer, "%s: %s is another name of %s\n", x.reading.Place(rec.line), text.Printable(alias), text.Printable(process))
	}
}

// entry prints one event of the record.
func (x *explainer) entry(e *interop.Entry) {
	if x.writer != nil {
		fmt.Fprintf(x.writer, "    -> %s\n", text.Printable(entryText(e)))
	}
}

// entryText returns an entry in words, such as n1 send VOTE to n2, term 3, {"granted":true}.
func entryText(e *interop.Entry) string {
	var b strings.Builder
	for _, word := range [...]string{e.Process, e.Kind.String(), e.Type} {
		if word != "" {
			b.WriteString(word + " ")
		}
	}
	if e.Peer != "" {
		b.WriteString(map[tracefmt.Kind]string{tracefmt.Send: "to", tracefmt.Receive: "from", tracefmt.Lose: "from"}[e.Kind] + " " + e.Peer)
	}
	words := strings.TrimSpace(b.String())
	for _, more := range [...]struct{ name, value string }{
		{"message", e.Message}, {"content", e.Content}, {"key", e.Key}, {"after", strings.Join(e.After, " and ")},
	} {
		if more.value != "" {
			words += fmt.Sprintf(", %s %s", more.name, more.value)
		}
	}
	if e.Term != 0 {
		words += fmt.Sprintf(", term %d", e.Term)
	}
	if len(e.Fields) > 0 {
		fields := make([]string, len(e.Fields))
		for i, f := range e.Fields {
			fields[i] = fmt.Sprintf("%s = %s", f.Key, f.Value)
		}
		words += ": " + strings.Join(fields, ", ")
	}
	return words
}
