package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"etrace/tracefmt/tracefile"
)

// labPage is the page that make lab makes. Programs that make release builds have it, others do not.
var labPage string

func (a *app) labCommand() *cobra.Command {
	var out outFile
	cmd := &cobra.Command{
		Use:   "lab",
		Short: "Write the laboratory: a page that simulates and checks runs in the browser",
		Long: `Write one HTML page that needs no network and no server. In it one chooses an algorithm, crashes
processes, drops and delays messages by a click, and sees the run, its verdicts and counts, and the command that
records the same run.`,
		Example: `  etrace lab               # lab.html
  etrace lab -o page.html`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if labPage == "" {
				return errors.New("this program was built without the laboratory; make lab writes it to bin/lab.html, " +
					"and the program of make release has it")
			}
			err := a.write(out, func(w io.Writer) error {
				_, err := io.WriteString(w, labPage)
				return err
			})
			if err == nil && out.path != tracefile.Stream && !a.quiet {
				_, err = fmt.Fprintln(a.out, out.path)
			}
			return err
		},
	}
	out.flags(cmd, "output", "o", "lab.html", "the `FILE` to write; - for stdout")
	return cmd
}
