package tracedb

import (
	"bytes"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// RowFormat is a form for the rows of a query. Write reads the rows to their end and returns the first error.
type RowFormat struct {
	Name, Doc string
	Write     func(w io.Writer, rows *Rows) error
}

// Key is the format's name; see [text.Named].
func (f *RowFormat) Key() string { return f.Name }

var rowFormats = text.NewRegistry("format",
	&RowFormat{"csv", "comma-separated values with a heading, for programs (RFC 4180)", writeCSV},
	&RowFormat{"json", "a document for programs, " + JSONVersion + ", one row a line", writeJSON},
	&RowFormat{"table", "aligned columns, for people", writeTable},
)

// RowFormats returns the registry of the forms to write rows in.
func RowFormats() text.Registry[*RowFormat] { return rowFormats }

// blockBytes is the approximate size of the part of a table in memory; its columns are aligned together.
const blockBytes = 8 << 20

// writeTable writes the rows in aligned columns. It aligns a part of the rows at a time, so that memory stays
// bounded.
func writeTable(out io.Writer, rows *Rows) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	var heading []string
	for _, name := range rows.Columns() { // chosen by the author of the SQL
		heading = append(heading, text.Printable(name))
	}
	fmt.Fprintln(w, strings.Join(heading, "\t"))
	block := 0
	for rows.Next() {
		var cells []string
		for _, v := range rows.Values() {
			cells = append(cells, text.Printable(cell(v)))
		}
		n, _ := fmt.Fprintln(w, strings.Join(cells, "\t")) // Flush returns the error
		block += n
		if block > blockBytes {
			if err := w.Flush(); err != nil {
				return err
			}
			block = 0
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	return w.Flush()
}

// writeCSV writes the rows as comma-separated values.
func writeCSV(out io.Writer, rows *Rows) error {
	w := csv.NewWriter(out)
	err := w.Write(rows.Columns())
	for err == nil && rows.Next() {
		var cells []string
		for _, v := range rows.Values() {
			cells = append(cells, cell(v))
		}
		err = w.Write(cells)
	}
	if err == nil {
		err = rows.Err()
	}
	w.Flush()
	if err == nil {
		err = w.Error()
	}
	return err
}

// JSONVersion is the version mark of rows for programs; etrace explain describes
// them.
const JSONVersion = "etrace.query/1"

// writeJSON writes the rows as a JSON document with one row a line.
func writeJSON(w io.Writer, rows *Rows) error {
	line := tracefmt.AppendString([]byte(`{"format":`), JSONVersion)
	line = append(line, `,"columns":[`...)
	for i, name := range rows.Columns() {
		if i > 0 {
			line = append(line, ',')
		}
		line = tracefmt.AppendString(line, name)
	}
	line = append(line, `],"rows":[`...)
	for sep := "\n["; rows.Next(); sep = ",\n[" {
		line = append(line, sep...)
		for i, v := range rows.Values() {
			if i > 0 {
				line = append(line, ',')
			}
			line = appendValue(line, v)
		}
		if _, err := w.Write(append(line, ']')); err != nil {
			return err
		}
		line = line[:0]
	}
	if err := rows.Err(); err != nil {
		return err
	}
	_, err := w.Write(append(line, "]}\n"...))
	return err
}

// cell returns a value as text: "" for null, blobs in hexadecimal.
func cell(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case []byte:
		return hex.EncodeToString(v)
	}
	return fmt.Sprint(v)
}

// appendValue writes a value without loss: an integer with all its digits, a real number with a point or an
// exponent, and bytes, which JSON lacks, in an object.
func appendValue(b []byte, v any) []byte {
	switch v := v.(type) {
	case int64:
		return strconv.AppendInt(b, v, 10)
	case float64:
		return appendReal(b, v)
	case string:
		if utf8.ValidString(v) {
			return tracefmt.AppendString(b, v)
		}
		return appendHex(b, []byte(v))
	case []byte:
		return appendHex(b, v)
	}
	return append(b, "null"...)
}

// appendReal appends a real number so that it cannot be confused with an integer.
func appendReal(b []byte, v float64) []byte {
	switch {
	case math.IsInf(v, 1):
		return append(b, "9e999"...) // the form that SQLite reads and writes
	case math.IsInf(v, -1):
		return append(b, "-9e999"...)
	}
	from := len(b)
	b = strconv.AppendFloat(b, v, 'g', -1, 64)
	if !bytes.ContainsAny(b[from:], ".e") {
		b = append(b, ".0"...)
	}
	return b
}

// appendHex appends bytes as an object with their hexadecimal digits.
func appendHex(b, v []byte) []byte {
	return append(hex.AppendEncode(append(b, `{"hex":"`...), v), `"}`...)
}
