// Command etrace-man writes the manual pages of etrace, one for each command, into a folder. It is a module of its
// own, so that etrace does not link what turns Markdown into pages.
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"etrace/cmd/etrace/cli"
)

func main() {
	if len(os.Args) != 2 {
		fail("expected one argument, a folder")
	}
	if err := write(os.Args[1]); err != nil {
		fail(err)
	}
}

func fail(reason any) {
	fmt.Fprintln(os.Stderr, "etrace-man:", reason)
	os.Exit(2)
}

func write(folder string) error {
	root, err := cli.Command()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	indent(root)
	root.DisableAutoGenTag = true // it has the date, and pages have equal bytes each time
	return doc.GenManTree(root, &doc.GenManHeader{Title: "ETRACE", Section: "1", Source: "etrace " + root.Version}, folder)
}

// indent makes Markdown of the examples in what the commands say of themselves: two more spaces before their lines.
func indent(cmd *cobra.Command) {
	cmd.Long = strings.ReplaceAll(cmd.Long, "\n  ", "\n    ")
	for _, c := range cmd.Commands() {
		indent(c)
	}
}
