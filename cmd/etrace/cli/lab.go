package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"etrace/tracefmt/tracefile"
)

// labPage is the page of the laboratory, which make lab writes. It is "" unless the program is a release build.
var labPage string

// labCommand returns the command lab, which writes the page to a file.
func (a *app) labCommand() *cobra.Command {
	var out outFile
	cmd := &cobra.Command{
		Use:   "lab",
		Short: "Write the laboratory: a page that simulates and checks runs in the browser",
		Long: `Write one HTML page that simulates, checks and shows runs in the browser.
Clicks crash a process, drop or delay a message.`,
		Example: `  etrace lab -o page.html`,
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if labPage == "" {
				return errors.New("this program was built without the laboratory; make lab writes it to bin/lab.html, " +
					"and the program of make release has it")
			}
			if strings.HasSuffix(out.path, "/") {
				if err := os.MkdirAll(out.path, 0o777); err != nil {
					return err
				}
				out.path = filepath.Join(out.path, "index.html")
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
	out.flags(cmd, "output", "o", "lab.html", "the `FILE` to write, or FOLDER/; - for stdout")
	return cmd
}
