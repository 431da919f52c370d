package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"etrace/tracefmt"
)

// tellsFlag is the flag --tells: what goes over what runs declare to tell. Given again, it
// adds to what was said before.
type tellsFlag struct{ said *tracefmt.Tells }

// flags adds the flag; does says what is done with the declaration.
func (f *tellsFlag) flags(cmd *cobra.Command, does string) {
	cmd.Flags().Var(f, "tells", does+": "+tracefmt.TellsForm+"; etrace explain tells")
	completeList(cmd, "tells", tracefmt.TellsWords)
}

func (f *tellsFlag) String() string { return "" }

func (f *tellsFlag) Type() string { return "TELLS" }

func (f *tellsFlag) Set(text string) error {
	said, err := tracefmt.ParseTells(strings.TrimSpace(text))
	if err != nil {
		return err
	}
	f.said = said.Over(f.said)
	return nil
}
