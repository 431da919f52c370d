package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"etrace/analyze/property"
	"etrace/cmd/etrace/cli/stepper"
	"etrace/replay"
	"etrace/tracefmt"
)

// replayFlags are the flags of replay. Each mode has its own file and its own
// part of them.
type replayFlags struct {
	traceArgs
	json  bool
	text  bool
	at    string
	steps string
	watch string
	find  string
	// verify is the flag of a mode without further ones.
	verify bool
	whatIf whatIfFlags
	as     asFlags
}

// A replayMode is one thing that replay does; its flag asks for it.
type replayMode struct {
	flag string
	// args says which arguments the mode takes; nil: at most a trace.
	args cobra.PositionalArgs
	// all: it is about all runs unless --run says otherwise.
	all bool
	// own is a further flag that only this mode takes.
	own string
	run func(a *app, ctx context.Context, f *replayFlags, args []string) error
}

// replayModes are what replay does beside showing the state, sorted. At most
// one of their flags may be given.
var replayModes = []replayMode{
	{flag: "as", own: "param", run: (*app).replayAs},
	{flag: "find", run: (*app).replayFind},
	{flag: "steps", run: (*app).replaySteps},
	{flag: "verify", args: cobra.ArbitraryArgs, all: true, run: (*app).replayVerify},
	{flag: "watch", run: (*app).replayWatch},
	{flag: "what-if", own: "output", run: (*app).replayWhatIf},
}

func (a *app) replayCommand() *cobra.Command {
	f := &replayFlags{}
	cmd := &cobra.Command{
		Use:   "replay [TRACE]",
		Short: "Step through a recorded run, execute it again, change it, or hold it against an algorithm",
		Long: `Show the state of a run after any of its events: the variables, timers and
clocks of every process, and the messages in flight. On a terminal, replay
opens a full-screen stepper that goes forth and back (? there lists the keys);
elsewhere, or with --text, it prints the state at --at, which is the end of the
run if not said otherwise. What the event changed is marked with *.

A place in a run is a SEQ (0 is before the first event), t=TIME, end, or a
pattern for the first event that matches it. A pattern is

  ` + replay.PatternForm + `

where KIND is an event kind (etrace list kinds) or * for any, and NAME a type of
messages, timers, operations or notes, or, after state, a variable. So

  crash                  any crash
  receive COORDINATOR@3  3 receives COORDINATOR
  send ELECTION to 6     anyone sends ELECTION to 6
  state elected=6        anyone elects 6
  * @3                   any event of 3

--verify executes every run of traces again, by the scenario that it carries,
and every case of suites twice; the exit status is 1 if anything differs.

--what-if executes one run again with edits, appends the new run, and shows
where it leaves the recorded one and what it comes to. An EDIT is

` + editForms() + `

where MESSAGE is m12 by its id, or seq40 by the seq of its send, and WHEN is
seq40, just after that event, or a time.

--as holds what each process did against what an algorithm does when the same
happens to it; the exit status is 1 if they differ. any ranks all algorithms.`,
		Example: `  etrace replay
  etrace replay runs.db --run 2 --at t=3.5 --text
  etrace replay --at 'state elected@3' --json
  etrace replay --steps 10..20
  etrace replay --watch elected@3
  etrace replay --find 'receive COORDINATOR'
  etrace replay --verify trace.db fixtures/suites/*.yaml
  etrace replay --what-if 'drop m12'
  etrace replay --as bully-buffalo --param timeout=4`,
		Args: func(cmd *cobra.Command, args []string) error {
			if m := replayModeOf(cmd); m != nil && m.args != nil {
				return m.args(cmd, args)
			}
			return atMost(1, "a trace")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := replayFlagsFit(cmd); err != nil {
				return err
			}
			if m := replayModeOf(cmd); m != nil {
				if m.all && !cmd.Flags().Changed("run") {
					f.runs = "all"
				}
				return m.run(a, cmd.Context(), f, args)
			}
			if a.fullScreen() && !f.json && !f.text {
				return a.replayStepper(cmd.Context(), f, args)
			}
			return a.replayState(cmd.Context(), f, args)
		},
	}
	f.flags(cmd, "last")
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON for programs, version "+replayFormat)
	cmd.Flags().BoolVar(&f.text, "text", false, "print the state, also on a terminal")
	cmd.Flags().StringVar(&f.at, "at", "", "the `PLACE` to show: a seq, t=TIME, end, or a pattern")
	cmd.Flags().StringVar(&f.steps, "steps", "", "print the events `A..B` in words")
	cmd.Flags().StringVar(&f.watch, "watch", "", "print every change of a `VARIABLE[@PROCESS]`")
	cmd.Flags().StringVar(&f.find, "find", "", "print every event that matches a `PATTERN`")
	cmd.Flags().BoolVar(&f.verify, "verify", false, "execute runs and cases of suites again, and compare")
	f.whatIf.flags(cmd)
	f.as.flags(cmd)
	exclusive := []string{"at"}
	for _, m := range replayModes {
		exclusive = append(exclusive, m.flag)
	}
	cmd.MarkFlagsMutuallyExclusive(exclusive...)
	return cmd
}

// replayFlagsFit refuses a flag of a mode without the mode.
func replayFlagsFit(cmd *cobra.Command) error {
	for _, m := range replayModes {
		if m.own != "" && cmd.Flags().Changed(m.own) && !cmd.Flags().Changed(m.flag) {
			return fmt.Errorf("--%s goes with --%s only", m.own, m.flag)
		}
	}
	return nil
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

// replayState shows the state at a place.
func (a *app) replayState(ctx context.Context, f *replayFlags, args []string) error {
	return a.replayEach(ctx, f, args, func(p replayPrinter, rec tracefmt.Recording) error {
		c := replay.NewCursor(rec)
		to, err := f.place(rec, replay.Position{End: true})
		if err != nil {
			return err
		}
		if err := c.Go(to); errors.Is(err, replay.ErrNoMatch) {
			return missed(rec, to.Pattern, f.at)
		} else if err != nil {
			return err
		}
		return p.state(c)
	})
}

// place returns where --at says, or otherwise.
func (f *replayFlags) place(rec tracefmt.Recording, otherwise replay.Position) (replay.Position, error) {
	if f.at == "" {
		return otherwise, nil
	}
	to, err := replay.ParsePosition(f.at, rec.Run())
	if err != nil {
		return to, fmt.Errorf("--at: %w", err)
	}
	return to, nil
}

// fullScreen reports whether there is a terminal that can show more than
// lines.
func (a *app) fullScreen() bool {
	in, ok := a.in.(*os.File)
	return ok && term.IsTerminal(int(in.Fd())) && terminal(a.out) && os.Getenv("TERM") != "dumb"
}

// replayStepper opens the stepper. No progress is drawn over it.
func (a *app) replayStepper(ctx context.Context, f *replayFlags, args []string) error {
	db, numbers, err := f.open(args)
	if err != nil {
		return err
	}
	defer db.Close()
	if len(numbers) > 1 {
		return fmt.Errorf("--run %s: the stepper shows one run at a time, expected a number, last, or --text", f.runs)
	}
	rec, err := db.Recording(numbers[0])
	if err != nil {
		return err
	}
	to, err := f.place(rec, replay.Position{})
	if err != nil {
		return err
	}
	silent := &app{quiet: true, err: a.err}
	return stepper.Run(ctx, silent.watch(ctx, "replaying events", rec), a.in, a.out, stepper.Options{At: to, Properties: property.Default(), Color: a.color()})
}

// missed is the error of a pattern that no event matches: it is misspelt, or
// there is no such event.
func missed(rec tracefmt.Recording, p *replay.Pattern, text string) error {
	if err := replay.Misspelt(rec, p); err != nil {
		return err
	}
	return fmt.Errorf("run %d: no event matches %s", rec.Run().Number, text)
}

// replayEach calls show for each picked run, with what prints it.
func (a *app) replayEach(ctx context.Context, f *replayFlags, args []string, show func(replayPrinter, tracefmt.Recording) error) error {
	p := a.replayPrinter(f)
	err := f.each(ctx, a, "replaying events", args, func(rec tracefmt.Recording) error {
		if err := p.begin(rec.Run()); err != nil {
			return err
		}
		return show(p, rec)
	})
	if err != nil {
		return err
	}
	return p.end()
}
