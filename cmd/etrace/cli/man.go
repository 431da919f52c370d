package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func (a *app) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "man DIR",
		Short:  "Write the manual pages into a directory",
		Hidden: true, // for packagers
		Args:   cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cmd.Root().DisableAutoGenTag = true // equal bytes each time
			if err := a.writePages(cmd.Root(), args[0]); err != nil {
				return fmt.Errorf("man: %w", err)
			}
			return nil
		},
	}
}

// writePages writes the page of a command and those of its subcommands.
func (a *app) writePages(cmd *cobra.Command, folder string) error {
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() && !sub.IsAdditionalHelpTopicCommand() {
			if err := a.writePages(sub, folder); err != nil {
				return err
			}
		}
	}
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-") + ".1"
	return a.writeFile(filepath.Join(folder, name), func(w io.Writer) error {
		return doc.GenMan(cmd, &doc.GenManHeader{Title: "ETRACE", Section: "1", Source: toolName}, w)
	})
}
