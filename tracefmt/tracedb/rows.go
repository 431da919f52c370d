package tracedb

import (
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// RowFormat is a form to write the rows of a query in. Write reads the rows to
// their end and returns what ends them early.
type RowFormat struct {
	Name, Doc string
	Write     func(w io.Writer, rows *Rows) error
}

// Key is the format's name; see [text.Named].
func (f *RowFormat) Key() string { return f.Name }

var rowFormats = text.NewRegistry("format",
	&RowFormat{"csv", "comma-separated values with a heading, for programs (RFC 4180)", writeCSV},
	&RowFormat{"json", "an array of objects, one a line, with the columns in order", writeJSON},
	&RowFormat{"table", "aligned columns, for people", writeTable},
)

// RowFormats returns the registry of the forms to write rows in.
func RowFormats() text.Registry[*RowFormat] { return rowFormats }

func writeTable(out io.Writer, rows *Rows) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, strings.Join(rows.Columns(), "\t"))
	for rows.Next() {
		var cells []string
		for _, v := range rows.Values() {
			cells = append(cells, text.Printable(cell(v)))
		}
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	if err := rows.Err(); err != nil {
		return err
	}
	return w.Flush()
}

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

func writeJSON(w io.Writer, rows *Rows) error {
	columns := rows.Columns()
	line, sep := []byte(nil), "["
	for rows.Next() {
		line = append(append(line[:0], sep...), "\n{"...)
		for i, v := range rows.Values() {
			if i > 0 {
				line = append(line, ',')
			}
			line = append(tracefmt.AppendString(line, columns[i]), ':')
			line = appendValue(line, v)
		}
		if _, err := w.Write(append(line, '}')); err != nil {
			return err
		}
		sep = ","
	}
	if err := rows.Err(); err != nil {
		return err
	}
	end := "\n]\n"
	if sep == "[" {
		end = "[]\n"
	}
	_, err := io.WriteString(w, end)
	return err
}

// cell is a value as text: nothing for null, blobs in hexadecimal.
func cell(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case []byte:
		return hex.EncodeToString(v)
	}
	return fmt.Sprint(v)
}

func appendValue(b []byte, v any) []byte {
	switch v := v.(type) {
	case int64:
		return strconv.AppendInt(b, v, 10)
	case float64:
		return strconv.AppendFloat(b, v, 'g', -1, 64)
	case nil:
		return append(b, "null"...)
	}
	return tracefmt.AppendString(b, cell(v))
}
