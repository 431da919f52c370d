package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"etrace/record/scenario"
	"etrace/record/stdio"
)

// nodeFlags are the flags of replay --node.
type nodeFlags struct {
	name   string
	ignore []string
	// command is the command line after --.
	command []string
}

func (f *nodeFlags) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.name, "node", "", "feed the recorded input of a `NODE` to the program after --")
	cmd.Flags().StringSliceVar(&f.ignore, "ignore", nil, "the `FIELD`s that may differ, such as body.msg_id; * is any")
}

// replayNode feeds the recorded input of a node to a program, and compares its output with the recorded messages. The exit
// status is 1 if they differ.
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
	node.Changes, err = f.whatIf.changes()
	if err != nil {
		return err
	}
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

// changes returns the changes of --what-if to the input of a program: a message is dropped or duplicated.
func (f *whatIfFlags) changes() (changes []stdio.Change, err error) {
	times := map[string]int{"drop": 0, "duplicate": 2}
	for _, text := range f.edits {
		e, err := scenario.ParseEdit(text)
		if err != nil {
			return nil, fmt.Errorf("--what-if: %w", err)
		}
		n, known := times[e.Verb]
		if !known {
			return nil, fmt.Errorf("--what-if %q: with --node expected drop or duplicate of a message, such as drop m12", text)
		}
		changes = append(changes, stdio.Change{Message: e.Message.Message, Send: e.Message.Seq, Times: n})
	}
	return changes, nil
}
