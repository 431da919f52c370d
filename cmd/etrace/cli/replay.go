package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"etrace/cmd/etrace/cli/stepper"
	"etrace/replay"
	"etrace/replay/printer"
	"etrace/tracefmt"
)

// replayFlags are the flags of replay. The flags of a mode are in the file of the mode.
type replayFlags struct {
	traceArgs
	json  bool
	text  bool
	at    string
	steps string
	watch string
	find  string
	past  string
	// verify is the flag of a mode without further ones.
	verify bool
	whatIf whatIfFlags
	as     asFlags
	node   nodeFlags
}

// A replayMode is one task of replay, which its flag selects.
type replayMode struct {
	flag string
	// args checks the arguments; nil allows at most one trace.
	args cobra.PositionalArgs
	// everyRun is true if the mode covers all runs unless --run is given.
	everyRun bool
	run      func(a *app, ctx context.Context, f *replayFlags, args []string) error
}

// replayModes are the modes besides showing the state, sorted by flag. At most one of their flags may be given.
var replayModes = []replayMode{
	{flag: "as", run: (*app).replayAs},
	{flag: "find", run: (*app).replayFind},
	{flag: "node", args: cobra.ArbitraryArgs, run: (*app).replayNode},
	{flag: "past", run: (*app).replayPast},
	{flag: "steps", run: (*app).replaySteps},
	{flag: "verify", args: cobra.ArbitraryArgs, everyRun: true, run: (*app).replayVerify},
	{flag: "watch", run: (*app).replayWatch},
	{flag: "what-if", run: (*app).replayWhatIf},
}

func (a *app) replayCommand() *cobra.Command {
	f := &replayFlags{traceArgs: traceArgs{sums: true}}
	cmd := &cobra.Command{
		Use:     "replay [TRACE] [-- PROGRAM]",
		Short:   "Step through a recorded run, execute it again, change it, or compare it with an algorithm",
		Long:    replayHelp,
		Example: replayExamples,
		Args: func(cmd *cobra.Command, args []string) error {
			if m := replayModeOf(cmd); m != nil && m.args != nil {
				return m.args(cmd, args)
			}
			return atMost(1, "a trace")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if dash := cmd.ArgsLenAtDash(); dash >= 0 && f.node.name != "" {
				args, f.node.command = args[:dash], args[dash:]
			}
			return a.replay(cmd, f, args)
		},
	}
	f.flags(cmd, "last")
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON, such as "+printer.JSONVersion)
	cmd.Flags().BoolVar(&f.text, "text", false, "print the state, also on a terminal")
	cmd.Flags().StringVar(&f.at, "at", "", "the `PLACE` to show: a seq, t=TIME, end, or a pattern")
	cmd.Flags().StringVar(&f.steps, "steps", "", "print the events `A..B` in words")
	cmd.Flags().StringVar(&f.watch, "watch", "", "print every change of a `VARIABLE[@PROCESS]`")
	cmd.Flags().StringVar(&f.find, "find", "", "print every event that matches a `PATTERN`")
	cmd.Flags().StringVar(&f.past, "past", "", "print what happened before the event at a `PLACE`")
	cmd.Flags().BoolVar(&f.verify, "verify", false, "execute runs of traces and cases of suites again, and compare")
	f.whatIf.flags(cmd)
	f.as.flags(cmd, a.Algorithms)
	f.node.flags(cmd)
	groupFlags(cmd,
		flagGroup{title: "What to show", flags: []string{"run", "complete", "at", "steps", "find", "watch", "past", "text"}},
		flagGroup{
			title: "Executing again",
			flags: []string{"verify", "what-if", "output", "as", "param", "alias", "max-steps", "node", "ignore"},
		},
	)
	return cmd
}

// replay executes the selected mode. Without a mode it opens the stepper on a terminal, and else prints the state.
func (a *app) replay(cmd *cobra.Command, f *replayFlags, args []string) error {
	if m := replayModeOf(cmd); m != nil {
		if m.everyRun && !cmd.Flags().Changed("run") {
			f.runs = "all"
		}
		return m.run(a, cmd.Context(), f, args)
	}
	if a.fullScreen() && !f.json && !f.text {
		return a.replayStepper(cmd.Context(), f, args)
	}
	return a.replayState(cmd.Context(), f, args)
}

// replayModeOf returns the mode whose flag was given, nil for none.
func replayModeOf(cmd *cobra.Command) *replayMode {
	for i := range replayModes {
		if cmd.Flags().Changed(replayModes[i].flag) {
			return &replayModes[i]
		}
	}
	return nil
}

// place returns the position that --at names, otherwise without --at.
func (f *replayFlags) place(rec tracefmt.Recording, otherwise replay.Position) (replay.Position, error) {
	if f.at == "" {
		return otherwise, nil
	}
	return parsePlace("at", f.at, rec)
}

// parsePlace parses a place in a run; flag is named in the error.
func parsePlace(flag, place string, rec tracefmt.Recording) (replay.Position, error) {
	position, err := replay.ParsePosition(place, rec.Run())
	if err != nil {
		return position, fmt.Errorf("--%s: %w", flag, err)
	}
	return position, nil
}

// fullScreen reports whether stdin and stdout are a terminal that can show a full screen.
func (a *app) fullScreen() bool {
	file, ok := a.stdin.(*os.File)
	return ok && term.IsTerminal(int(file.Fd())) && isTerminal(a.out) && os.Getenv("TERM") != "dumb"
}

// replayStepper opens the stepper on one run. It draws no progress, which would overwrite the screen.
func (a *app) replayStepper(ctx context.Context, f *replayFlags, args []string) error {
	s, err := f.open(ctx, a, tracePath(args))
	if err != nil {
		return err
	}
	defer s.Close()
	if len(s.numbers) > 1 {
		return fmt.Errorf("--run %s: the stepper shows one run at a time, expected a number, last, or --text", f.runs)
	}
	silent := &app{quiet: true, err: a.err}
	rec, err := s.recording(ctx, silent, "replaying events", s.numbers[0])
	if err != nil {
		return err
	}
	var at *replay.Position
	if f.at != "" {
		position, err := f.place(rec, replay.Position{})
		if err != nil {
			return err
		}
		at = &position
	}
	return stepper.Run(ctx, rec, a.stdin, a.out, stepper.Options{At: at, Properties: a.Properties.Default(), Color: a.color()})
}
