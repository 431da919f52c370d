package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"etrace/tracefmt"
)

// completenessFlag is the flag --complete: it overrides the completeness that runs declare. A repeated flag
// adds to the earlier ones.
type completenessFlag struct{ completeness *tracefmt.Completeness }

// flags adds the flag; does describes the use of the declaration in the help text.
func (f *completenessFlag) flags(cmd *cobra.Command, does string) {
	cmd.Flags().Var(f, "complete", does)
	completeList(cmd, "complete", tracefmt.CompletenessWords)
}

func (f *completenessFlag) String() string { return "" }

func (f *completenessFlag) Type() string { return "COMPLETENESS" }

// Set implements [pflag.Value]: a later declaration overrides the same facts of an earlier one.
func (f *completenessFlag) Set(text string) error {
	completeness, err := tracefmt.ParseCompleteness(strings.TrimSpace(text))
	if err != nil {
		return err
	}
	f.completeness = completeness.Over(f.completeness)
	return nil
}
