package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"etrace/tracefmt/tracedb"
)

// queryFlags are the flags of query.
type queryFlags struct {
	format    string
	json      bool
	timeLimit time.Duration
}

// queryCommand returns the command etrace query.
func (a *app) queryCommand() *cobra.Command {
	f := &queryFlags{}
	cmd := &cobra.Command{
		Use:   "query SQL [TRACE]",
		Short: "Ask a trace, or results of a sweep, in SQL",
		Long: `Read a trace by SQL. The views are

  runs, members, events, messages, verdicts    of a trace
  cells, measures, verdicts                    of results (etrace sweep -o)

Their columns: etrace explain sql. Times are integer nanoseconds; one simulated
message delay is 1e9. Join by id, which is indexed, not by seq.`,
		Example: `  etrace query 'select type, count(*) from messages group by type'
  etrace query "select seq, process, payload ->> 'elected' from events where kind = 'state'" runs.db --format csv
  etrace query "select at ->> 'algorithm' a, avg(value) from measures join cells using(cell) group by a" swept/0.db`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("query: expected a SELECT statement")
			}
			if len(args) > 1 && strings.EqualFold(args[0], "select") {
				return errors.New("query: the SQL is in several words, expected it in quotes: etrace query 'select ...'")
			}
			return atMost(2, "a SELECT statement and a trace")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.query(cmd.Context(), f, args) },
	}
	cmd.Flags().StringVar(&f.format, "format", "table", "the `FORM` of the rows: "+joined(tracedb.RowFormats().Names()))
	cmd.Flags().BoolVar(&f.json, "json", false, "short for --format json, "+tracedb.JSONVersion)
	cmd.Flags().DurationVar(&f.timeLimit, "time-limit", 10*time.Minute, "the time `LIMIT` of the statement")
	complete(cmd, "format", tracedb.RowFormats().Names)
	return cmd
}

// query executes an SQL statement on a trace or on results of a sweep, and prints the rows.
func (a *app) query(ctx context.Context, f *queryFlags, args []string) error {
	if f.json {
		f.format = "json"
	}
	if f.timeLimit <= 0 {
		return fmt.Errorf("--time-limit %q: expected a time above zero, such as 10m", f.timeLimit)
	}
	format, err := tracedb.RowFormats().Lookup(f.format)
	if err != nil {
		return err
	}
	if isFile(args[0]) {
		return fmt.Errorf("query: %s is a file, expected the SQL first: etrace query 'select * from runs' %[1]s", args[0])
	}
	path := tracePath(args[1:])
	db, err := a.openQueried(ctx, path)
	if err != nil {
		return err
	}
	defer db.Close()
	if remark := tracedb.QueryRemark(args[0]); remark != "" && !db.results {
		a.note("%s", remark)
	}
	rows, err := a.queryRows(ctx, f, db.queryable, args[0], format)
	if err != nil {
		return withUserPath(path, err)
	}
	if db.imported {
		a.note("%s: imported into a database that is gone afterwards; etrace import keeps one", path)
	}
	for _, d := range rows.Damage(ctx) {
		a.warn("%v; what the query shows of it may be wrong", d)
	}
	return interrupted(ctx, "comparing check sums", ctx.Err())
}

// queryRows executes the statement within the time limit and prints its rows. It notes statements that scan all
// events for each row.
func (a *app) queryRows(ctx context.Context, f *queryFlags, db queryable, sql string, format *tracedb.RowFormat) (*tracedb.Rows, error) {
	limited, stop := context.WithTimeout(ctx, f.timeLimit)
	defer stop()
	ended := func(err error) error {
		if errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("query: no end after %v, which --time-limit can raise", f.timeLimit)
		}
		return interrupted(ctx, "reading rows", err)
	}
	rows, err := db.Query(limited, sql, func() {
		a.note("for each of many rows the statement goes through all events; a join by id is looked up: events.id = messages.sent_id")
	})
	if err != nil {
		return nil, ended(err)
	}
	defer rows.Close()
	return rows, a.print(func(w io.Writer) error {
		if !isTerminal(a.out) {
			return ended(format.Write(w, rows))
		}
		var b bytes.Buffer // values may hold what a terminal would obey
		if err := format.Write(&b, rows); err != nil {
			return ended(err)
		}
		_, err := io.WriteString(w, printableLines(b.String()))
		return err
	})
}

// isFile reports whether a file has this name.
func isFile(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
