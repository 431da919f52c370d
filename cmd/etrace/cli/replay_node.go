package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"etrace/record/stdio"
)

type nodeFlags struct {
	name   string
	ignore []string
	// command is what comes after --.
	command []string
}

func (f *nodeFlags) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.name, "node", "", "feed the recorded input of a `NODE` to the program after --")
	cmd.Flags().StringSliceVar(&f.ignore, "ignore", nil, "the `FIELD`s that may differ, such as body.msg_id; * is any")
}

// replayNode compares a program with a node of a recording.
func (a *app) replayNode(ctx context.Context, f *replayFlags, args []string) error {
	if len(args) > 1 {
		return fmt.Errorf("replay: unexpected argument %q, expected a trace, --, and the program", args[1])
	}
	s, err := f.open(ctx, a, tracePath(args))
	if err != nil {
		return err
	}
	defer s.Close()
	if len(s.numbers) != 1 {
		return fmt.Errorf("--run %s: expected one run to compare a program with", f.runs)
	}
	rec, err := s.recording(ctx, a, "comparing "+f.node.name, s.numbers[0])
	if err != nil {
		return err
	}
	node := stdio.Node{Name: f.node.name, Command: f.node.command, Ignore: f.node.ignore}
	compared, err := node.Compare(ctx, rec)
	if err != nil {
		return fmt.Errorf("--node: %w", err)
	}
	compared.File, compared.Run = tracePath(args), s.numbers[0]
	write := compared.WriteText
	if f.json {
		write = compared.WriteJSON
	}
	if err := a.print(write); err != nil {
		return err
	}
	if compared.Divergence != nil {
		return outcome(exitBad)
	}
	return nil
}
