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
	force := false
	cmd := &cobra.Command{
		Use:    "man DIR",
		Short:  "Write the manual pages into a directory",
		Hidden: true, // for packagers
		Args:   exactly(1, "a directory"),
		RunE: func(cmd *cobra.Command, args []string) error {
			cmd.Root().DisableAutoGenTag = true // equal bytes each time
			if err := a.writePages(cmd.Root(), args[0], force); err != nil {
				return fmt.Errorf("man: %w", err)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "replace files that etrace did not write")
	return cmd
}

// writePages writes the page of a command and those of its subcommands.
func (a *app) writePages(cmd *cobra.Command, folder string, force bool) error {
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() && !sub.IsAdditionalHelpTopicCommand() {
			if err := a.writePages(sub, folder, force); err != nil {
				return err
			}
		}
	}
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-") + ".1"
	return a.write(outFile{path: filepath.Join(folder, name), force: force}, func(w io.Writer) error {
		return doc.GenMan(cmd, &doc.GenManHeader{Title: "ETRACE", Section: "1", Source: toolName}, w)
	})
}
