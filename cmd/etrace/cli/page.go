package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"etrace/tracefmt/text/document"
)

// pageRows is the number of rows of a page if the user gave only --cursor.
const pageRows = 100

// rowLists has, for each JSON format with pages, the keys of the lists whose elements are rows of a page.
var rowLists = map[string]document.RowLists{
	"etrace.check/1":  {Outer: []string{"runs", "properties"}, Inner: []string{"witness", "origins", "obligations", "needs"}},
	"etrace.diff/1":   {Inner: []string{"divergences", "messages", "states"}},
	"etrace.lint/1":   {Outer: []string{"runs", "rules"}, Inner: []string{"findings", "changes"}},
	"etrace.query/1":  {Inner: []string{"rows"}},
	"etrace.replay/1": {Outer: []string{"runs"}, Inner: []string{"steps"}},
}

// paged adds the flags --limit and --cursor to a command. With one of them, the command prints only a page of its
// output.
func (a *app) paged(cmd *cobra.Command) *cobra.Command {
	var page document.Page
	cmd.Flags().IntVar(&page.Limit, "limit", 0, "at most `N` rows")
	cmd.Flags().StringVar(&page.Cursor, "cursor", "", "the page after the line next: `TEXT`")
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch given := cmd.Flags().Changed; {
		case !given("limit") && !given("cursor"):
			return run(cmd, args)
		case given("cursor") && page.Cursor == "":
			return fmt.Errorf(`--cursor "": %w`, document.ErrCursor)
		case !given("limit"):
			page.Limit = pageRows
		case page.Limit < 1:
			return fmt.Errorf("--limit %d: expected a number of rows, from 1 on", page.Limit)
		}
		// Pages cut rows, and a row is known in text and JSON only.
		asJSON := cmd.Flags().Changed("json")
		if format := cmd.Flags().Lookup("format"); format != nil {
			asJSON = asJSON || format.Value.String() == "json"
			if name := format.Value.String(); format.Changed && name != "json" && name != "text" && name != "table" {
				return fmt.Errorf("--limit: --format %s has no pages, expected text or JSON", name)
			}
		}
		return a.printPage(page, asJSON, func() error { return run(cmd, args) })
	}
	return cmd
}

// printPage runs work, which prints the whole output of a command, and prints the requested page of it. The page of
// an error is not printed; the exit status of work is kept.
func (a *app) printPage(page document.Page, asJSON bool, work func() error) error {
	var printed printout
	defer printed.discard()
	out := a.out
	a.out = &printed
	err := work()
	a.out = out
	if result := outcome(0); err != nil && !errors.As(err, &result) {
		return err
	}
	var b bytes.Buffer
	write := page.WriteText
	if asJSON {
		write = func(w io.Writer, open func() (io.Reader, error)) error { return page.WriteJSON(w, open, rowLists) }
	}
	if unwritten := write(&b, printed.open); unwritten != nil {
		flag := "--limit"
		if errors.Is(unwritten, document.ErrCursor) {
			flag = "--cursor " + page.Cursor
		}
		return fmt.Errorf("%s: %w", flag, unwritten)
	}
	shown := b.String()
	if isTerminal(out) {
		shown = printableLines(shown)
	}
	if _, unwritten := io.Copy(out, strings.NewReader(shown)); unwritten != nil {
		return unwritten
	}
	return err
}
