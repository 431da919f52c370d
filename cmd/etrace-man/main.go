// Command etrace-man writes the manual pages of etrace, one for each command, into a folder. It is a module of its
// own, so that etrace does not link the converter from Markdown to manual pages.
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

// fail prints the reason and ends the program with status 2.
func fail(reason any) {
	fmt.Fprintln(os.Stderr, "etrace-man:", reason)
	os.Exit(2)
}

// write writes the manual pages of all commands into the folder.
func write(folder string) error {
	root, err := cli.Command()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	indent(root)
	root.DisableAutoGenTag = true // the tag has the date, but pages must be reproducible
	return doc.GenManTree(root, &doc.GenManHeader{Title: "ETRACE", Section: "1", Source: "etrace " + root.Version}, folder)
}

// indent indents the examples in the help of the commands by two more spaces, so that Markdown takes them for code.
func indent(cmd *cobra.Command) {
	cmd.Long = strings.ReplaceAll(cmd.Long, "\n  ", "\n    ")
	for _, c := range cmd.Commands() {
		indent(c)
	}
}
