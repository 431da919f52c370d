package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"etrace/tracefmt/tracedb"
)

type queryFlags struct {
	format string
	json   bool
}

func (a *app) queryCommand() *cobra.Command {
	f := &queryFlags{}
	cmd := &cobra.Command{
		Use:   "query SQL [TRACE]",
		Short: "Ask a trace in SQL",
		Long: `Ask a trace in SQL, read-only. The views are:

  runs(run, name, algorithm, problem, source, scenario, seed, processes, time_unit, started_at, tool, end, events, traits)
  members(run, process, name, position, attributes)
  events(run, seq, time, process, kind, type, peer, message, cause, lamport, term, payload, id, cause_id)
  messages(run, message, type, sender, receiver, sent_seq, received_seq, sent_at, received_at, fate, sent_id, received_id)
  verdicts(run, property, verdict, witness, explanation, checked_at, tool)

Times are integer nanoseconds; in simulated runs one message delay is 1e9.
Joins go by id, which is looked up, and not by seq, which is searched for:

  select m.message, s.lamport from messages m join events s on s.run = m.run and s.id = m.sent_id`,
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
	cmd.Flags().StringVar(&f.format, "format", "table", "the `FORM` to print rows in: "+joined(tracedb.RowFormats().Names()))
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON for programs, "+tracedb.QueryFormat+"; short for --format json")
	complete(cmd, "format", tracedb.RowFormats().Names)
	return cmd
}

func (a *app) query(ctx context.Context, f *queryFlags, args []string) error {
	if f.json {
		f.format = "json"
	}
	format, err := tracedb.RowFormats().Lookup(f.format)
	if err != nil {
		return err
	}
	if err := noStream(tracePath(args[1:])); err != nil {
		return err
	}
	db, err := tracedb.Open(tracePath(args[1:]))
	if err != nil {
		return err
	}
	defer db.Close()
	rows, err := db.Query(ctx, args[0])
	if err != nil {
		return interrupted(ctx, "reading rows", err)
	}
	defer rows.Close()
	return a.writeFile("-", func(w io.Writer) error { return interrupted(ctx, "reading rows", format.Write(w, rows)) })
}
