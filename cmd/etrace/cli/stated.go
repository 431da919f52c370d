package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// statedFlags are the flags --crashed and --end: facts that the user knows and the log lacks.
type statedFlags struct{ statement tracefmt.Statement }

func (f *statedFlags) flags(cmd *cobra.Command) {
	cmd.Flags().Var((*crashedFlag)(&f.statement), "crashed", "add the unlogged crash `P@T`")
	cmd.Flags().Var((*endFlag)(&f.statement), "end", "how the run ended: "+joined(ends()))
	complete(cmd, "end", ends)
}

// ends returns the valid values of --end.
func ends() []string {
	return []string{string(tracefmt.Quiescent), string(tracefmt.Stopped), string(tracefmt.Deadline)}
}

// crashedFlag is the value of --crashed, which adds a crash.
type crashedFlag tracefmt.Statement

func (f *crashedFlag) String() string { return "" }

func (f *crashedFlag) Type() string { return "P@T" }

// Set implements [pflag.Value]: it adds a crash, P@T.
func (f *crashedFlag) Set(crash string) error {
	c, err := tracefmt.ParseStatedCrash(crash)
	f.Crashes = append(f.Crashes, c)
	return err
}

// endFlag is the value of --end.
type endFlag tracefmt.Statement

func (f *endFlag) String() string { return "" }

func (f *endFlag) Type() string { return "END" }

// Set implements [pflag.Value]. It fails for an unknown end.
func (f *endFlag) Set(name string) error {
	if !slices.Contains(ends(), name) {
		return text.Unknown("end", name, ends())
	}
	f.End = tracefmt.End(name)
	return nil
}
