package formats

import (
	"bufio"
	"bytes"
	"cmp"
	"strconv"
	"strings"
	"unicode/utf8"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
)

// table is a run as rows, for spreadsheets and data frames.
var table = interop.Format{
	Name: "csv",
	Doc: "a table with a row for each event: it keeps the events, but not the header with processes, time unit " +
		"and completeness",
	Describe: describeTable,
	Source:   "RFC 4180; OWASP, CSV Injection",
	Detect:   detectTable,
	Write:    writeTable,
	Keeps:    interop.OfEvents,
}

// columns are the names of the columns: those of the view events in a trace database, except row ids.
var columns = []string{"run", "seq", "time", "process", "kind", "type", "peer", "message", "cause", "lamport", "term", "payload"}

// detectTable recognises the row with the names of the columns.
func detectTable(head []byte) interop.Confidence {
	return interop.CertainIf(bytes.HasPrefix(head, []byte(strings.Join(columns, ",")+"\r\n")))
}

func describeTable() string {
	return `Columns: ` + strings.Join(columns, ", ") + `. A cell
is empty if the event lacks the field. Lines end with CR LF. The table has all fields of every event. It lacks the header
and the end of the run, which jsonl keeps.

A spreadsheet takes a text for a formula if it begins with =, +, -, @ or a tab. Such a text gets an apostrophe before it,
and so does a text that begins with an apostrophe. Numbers, such as the process -1, are not changed.

docs/export.md has a mapping with which import --map reads such a table.
`
}

// writeTable writes the names of the columns, and a row for each event.
func writeTable(w *interop.Writing, runs []tracefmt.Recording) error {
	out := bufio.NewWriterSize(w, 64<<10)
	if _, err := out.WriteString(strings.Join(columns, ",") + "\r\n"); err != nil {
		return err
	}
	var row []byte
	for i, rec := range runs {
		cells := tableRun{Run: rec.Run(), number: int64(cmp.Or(rec.Run().Number, i+1))}
		for e, err := range rec.Events(1) {
			if err != nil {
				return err
			}
			row = cells.appendRow(row[:0], e)
			if _, err := out.Write(row); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}

// tableRun is a run whose events become rows.
type tableRun struct {
	*tracefmt.Run
	number int64
}

// appendRow appends an event as a row.
func (t *tableRun) appendRow(b []byte, e *tracefmt.Event) []byte {
	b = strconv.AppendInt(b, t.number, 10)
	b = strconv.AppendInt(append(b, ','), int64(e.Seq), 10)
	b = strconv.AppendInt(append(b, ','), int64(e.Time), 10)
	b = appendCell(append(b, ','), t.ProcessName(e.Process))
	b = append(append(b, ','), e.Kind.String()...)
	b = appendCell(append(b, ','), e.Type)
	b = appendCell(append(b, ','), t.ProcessName(e.Peer))
	b = appendNumber(append(b, ','), int64(e.Message))
	b = appendNumber(append(b, ','), int64(e.Cause))
	b = appendNumber(append(b, ','), e.Lamport)
	b = appendNumber(append(b, ','), e.Term)
	b = append(b, ',')
	if len(e.Payload) > 0 {
		b = appendQuoted(b, e.Payload)
	}
	return append(b, '\r', '\n')
}

// appendNumber appends a number, nothing for 0.
func appendNumber(b []byte, n int64) []byte {
	if n == 0 {
		return b
	}
	return strconv.AppendInt(b, n, 10)
}

// appendCell appends a text. A text that a spreadsheet would execute as a formula gets an apostrophe before it.
func appendCell(b []byte, text string) []byte {
	if isFormula(text) {
		return appendQuoted(b, "'"+text)
	}
	if strings.ContainsAny(text, ",\"\r\n;\t ") {
		return appendQuoted(b, text)
	}
	return append(b, text...)
}

// appendQuoted appends a text in quotes; quotes inside are doubled.
func appendQuoted[T string | []byte](b []byte, text T) []byte {
	b = append(b, '"')
	for i := range len(text) {
		if text[i] == '"' {
			b = append(b, '"')
		}
		b = append(b, text[i])
	}
	return append(b, '"')
}

// isFormula reports whether a spreadsheet may execute a text as a formula: its first sign is one of =, +, -, @,
// in plain or wide form, or a tab; some programs skip blanks before it.
func isFormula(s string) bool {
	trimmed := bytes.TrimLeft([]byte(s), " \t\r\n\u00a0\u3000")
	first, _ := utf8.DecodeRune(trimmed)
	if strings.HasPrefix(s, "\t") || strings.HasPrefix(s, "\r") {
		return true
	}
	_, number := tracefmt.NumberOf(s)
	return !number && len(trimmed) > 0 && strings.ContainsRune("=+-@＝＋－＠'", first)
}
