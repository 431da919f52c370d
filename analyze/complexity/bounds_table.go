package complexity

import (
	"cmp"
	"io"
	"strings"
	"text/tabwriter"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// WriteBounds writes bounds as a table: what kind each is, its formula, which messages it
// counts, when it holds, and who says so.
func WriteBounds(w io.Writer, bounds []tracefmt.Bound) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	rows := [][]string{{"kind", "messages", "counted", "if", "source"}}
	for i := range bounds {
		b := &bounds[i]
		var when []string
		if b.If != "" {
			when = append(when, b.If)
		}
		if b.Delays != "" {
			when = append(when, "each delay is 1")
		}
		rows = append(rows, []string{b.KindOf(), b.Messages, b.Convention(), cmp.Or(strings.Join(when, "; "), "-"), cmp.Or(b.Source, "-")})
	}
	for _, row := range rows {
		for i := range row {
			row[i] = text.Printable(row[i])
		}
		if _, err := io.WriteString(table, strings.Join(row, "\t")+"\n"); err != nil {
			return err
		}
	}
	return table.Flush()
}
