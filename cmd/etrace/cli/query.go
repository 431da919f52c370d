package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"etrace/tracefmt/tracedb"
)

type queryFlags struct {
	format    string
	json      bool
	timeLimit time.Duration
}

func (a *app) queryCommand() *cobra.Command {
	f := &queryFlags{}
	cmd := &cobra.Command{
		Use:   "query SQL [TRACE]",
		Short: "Ask a trace, or results of a sweep, in SQL",
		Long: `Ask a trace in SQL, read-only. The views are:

  runs(run, name, algorithm, problem, source, scenario, seed, processes, time_unit, started_at, tool, end, events, traits)
  members(run, process, name, position, attributes)
  events(run, seq, time, process, kind, type, peer, message, cause, lamport, term, payload, id, cause_id)
  messages(run, message, type, sender, receiver, sent_seq, received_seq, sent_at, received_at, fate, sent_id, received_id)
  verdicts(run, property, verdict, witness, explanation, checked_at, tool)

Times are integer nanoseconds; in simulated runs one message delay is 1e9.
Joins go by id, which is looked up, and not by seq, which is searched for:

  select m.message, s.lamport from messages m join events s on s.run = m.run and s.id = m.sent_id

CSV and JSON hold the values as they are in the trace; a table, and whatever is
printed on a terminal, shows control characters as \u escapes. What the statement
reads is compared with the check sums of the runs, and damage is said on stderr.

Results of a sweep (etrace sweep -o) are asked as well. Their views are:

  cells(cell, n, at)                      at is a JSON object: at ->> 'algorithm'
  measures(cell, run, measure, value)     times are in nanoseconds, a mean delay is 1e9
  verdicts(cell, run, property, verdict)

A trace in JSON Lines, or - for stdin, is imported into a database that is gone afterwards,
which takes as long as import does.`,
		Example: `  etrace query 'select type, count(*) from messages group by type'
  etrace query "select seq, process, payload ->> 'elected' from events where kind = 'state'" runs.db --format csv
  etrace query "select at ->> 'algorithm' a, n, avg(value) from measures join cells using(cell) where measure = 'messages' group by a, n" swept/0.db`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("query: expected a SELECT statement")
			}
			return atMost(2, "a SELECT statement and a trace")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.query(cmd.Context(), f, args) },
	}
	cmd.Flags().StringVar(&f.format, "format", "table", "the `FORM` to print rows in: "+joined(tracedb.RowFormats().Names()))
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON for programs, "+tracedb.JSONVersion+"; short for --format json")
	cmd.Flags().DurationVar(&f.timeLimit, "time-limit", 10*time.Minute, "how `LONG` the statement may take")
	complete(cmd, "format", tracedb.RowFormats().Names)
	return cmd
}

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
	rows, err := a.queryRows(ctx, f, db.asked, args[0], format)
	if err != nil {
		return askedAs(path, err)
	}
	if db.imported {
		a.note("%s: imported into a database that is gone afterwards; etrace import keeps one", path)
	}
	for _, d := range rows.Damage(ctx) {
		a.warn("%v; what the query shows of it may be wrong", d)
	}
	return interrupted(ctx, "comparing check sums", ctx.Err())
}

// queryRows prints the rows, within the time limit.
func (a *app) queryRows(ctx context.Context, f *queryFlags, db asked, sql string, format *tracedb.RowFormat) (*tracedb.Rows, error) {
	limited, stop := context.WithTimeout(ctx, f.timeLimit)
	defer stop()
	ended := func(err error) error {
		if errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("query: no end after %v, which --time-limit can raise", f.timeLimit)
		}
		return interrupted(ctx, "reading rows", err)
	}
	rows, err := db.Query(limited, sql)
	if err != nil {
		return nil, ended(err)
	}
	defer rows.Close()
	if rows.Nested() {
		a.note("for each of many rows the statement goes through all events; a join by id is looked up: events.id = messages.sent_id")
	}
	return rows, a.print(func(w io.Writer) error {
		if !terminal(a.out) {
			return ended(format.Write(w, rows))
		}
		var b bytes.Buffer // values may hold what a terminal would obey
		if err := format.Write(&b, rows); err != nil {
			return ended(err)
		}
		_, err := io.WriteString(w, harmlessLines(b.String()))
		return err
	})
}

func isFile(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
