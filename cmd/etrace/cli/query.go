package cli

import (
	"context"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
	"etrace/tracefmt/tracedb"
)

type queryFlags struct {
	format string
	json   bool
}

// queryFormats are the ways to print rows, sorted.
var queryFormats = []string{"csv", "json", "table"}

func (a *app) queryCommand() *cobra.Command {
	f := &queryFlags{}
	cmd := &cobra.Command{
		Use:   "query SQL [TRACE]",
		Short: "Ask a trace in SQL",
		Long: `Ask a trace in SQL, read-only. The views are:

  runs(run, name, algorithm, problem, source, scenario, seed, processes, time_unit, started_at, tool, end, events, traits)
  members(run, process, name, position, attributes)
  events(run, seq, time, process, kind, type, peer, message, cause, lamport, term, payload)
  messages(run, message, type, sender, receiver, sent_seq, received_seq, sent_at, received_at, fate)
  verdicts(run, property, verdict, witness, explanation, checked_at, tool)

Times are integer nanoseconds; in simulated runs one message delay is 1e9.`,
		Example: `  etrace query 'select type, count(*) from messages group by type'
  etrace query "select seq, process, payload ->> 'elected' from events where kind = 'state'" runs.db --format csv`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("query: expected a SELECT statement")
			}
			return atMost(2, "a SELECT statement and a trace")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.query(cmd.Context(), f, args) },
	}
	cmd.Flags().StringVar(&f.format, "format", "table", "the `FORM` to print rows in: "+joined(queryFormats))
	cmd.Flags().BoolVar(&f.json, "json", false, "short for --format json")
	complete(cmd, "format", func() []string { return queryFormats })
	return cmd
}

func (a *app) query(ctx context.Context, f *queryFlags, args []string) error {
	if f.json {
		f.format = "json"
	}
	write, ok := map[string]func(io.Writer, *tracedb.Rows) error{"table": writeTable, "csv": writeCSV, "json": writeRows}[f.format]
	if !ok {
		return text.Unknown("format", f.format, queryFormats)
	}
	db, err := tracedb.Open(tracePath(args[1:]))
	if err != nil {
		return err
	}
	defer db.Close()
	rows, err := db.Query(ctx, args[0])
	if err != nil {
		return err
	}
	defer rows.Close()
	return a.writeFile("-", func(w io.Writer) error { return write(w, rows) })
}

func writeTable(out io.Writer, rows *tracedb.Rows) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, strings.Join(rows.Columns(), "\t"))
	for rows.Next() {
		var cells []string
		for _, v := range rows.Values() {
			cells = append(cells, text.Printable(cell(v, "")))
		}
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	if err := rows.Err(); err != nil {
		return err
	}
	return w.Flush()
}

func writeCSV(out io.Writer, rows *tracedb.Rows) error {
	w := csv.NewWriter(out)
	err := w.Write(rows.Columns())
	for err == nil && rows.Next() {
		var cells []string
		for _, v := range rows.Values() {
			cells = append(cells, cell(v, ""))
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

// writeRows prints an array of objects, one a line, with the columns in order.
func writeRows(w io.Writer, rows *tracedb.Rows) error {
	columns := rows.Columns()
	line, sep := []byte(nil), "["
	for rows.Next() {
		line = append(append(line[:0], sep...), "\n{"...)
		for i, v := range rows.Values() {
			if i > 0 {
				line = append(line, ',')
			}
			line = append(tracefmt.AppendString(line, columns[i]), ':')
			line = appendJSON(line, v)
		}
		if _, err := w.Write(append(line, '}')); err != nil {
			return err
		}
		sep = ","
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if sep == "[" {
		_, err := io.WriteString(w, "[]\n")
		return err
	}
	_, err := io.WriteString(w, "\n]\n")
	return err
}

// cell is a value as text; blobs are in hexadecimal.
func cell(v any, null string) string {
	switch v := v.(type) {
	case nil:
		return null
	case []byte:
		return hex.EncodeToString(v)
	}
	return fmt.Sprint(v)
}

func appendJSON(b []byte, v any) []byte {
	switch v := v.(type) {
	case int64:
		return strconv.AppendInt(b, v, 10)
	case float64:
		return strconv.AppendFloat(b, v, 'g', -1, 64)
	case nil:
		return append(b, "null"...)
	}
	return tracefmt.AppendString(b, cell(v, ""))
}
