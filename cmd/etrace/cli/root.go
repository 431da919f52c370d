package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"etrace/cmd/etrace/cli/catalog"
	"etrace/cmd/etrace/cli/ending"
	"etrace/record/algorithm"
	"etrace/tracefmt/text"
)

// The exit statuses.
const (
	exitOK   = 0
	exitBad  = 1 // a property is violated, a budget exceeded, two runs differ
	exitFail = 2 // etrace could not do its work
	exitOpen = 3 // no violation, but something stayed open
)

// outcome is the exit status of a command that worked and has already printed its result.
type outcome int

// Error implements error. The text is never printed: [RunContext] returns the status.
func (o outcome) Error() string { return fmt.Sprintf("exit status %d", int(o)) }

// app is the state that all commands share.
type app struct {
	catalog.Known
	args     []string
	stdin    io.Reader
	out, err io.Writer
	quiet    bool
	// joined has the further logs of an execution, by the first log.
	joined map[string][]string
	// mapping is the value of --map, "" if the mapping is guessed.
	mapping string
	// following is the check of a stream that is still being written, or nil.
	following *following
	// notes are remarks that are printed when the command ends.
	notes []string
	// keeping is true while an interrupt waits for the end of the command: see [app.keep].
	keeping atomic.Bool
	// shown is the latest progress, nil before the first.
	shown atomic.Pointer[progress]
}

// Main runs the command line of the process and returns its exit status. The main function of etrace, and of programs
// that extend it, calls only Main:
//
//	func main() { os.Exit(cli.Main(cli.Algorithms(&mine))) }
//
// A signal may arrive before main begins. A program that imports package ending/early prints a message even then.
func Main(options ...Option) int {
	return Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, options...)
}

// Run runs a command line and returns the exit status.
func Run(args []string, stdin io.Reader, out, errOut io.Writer, options ...Option) int {
	ctx, stop := ending.Context()
	defer stop()
	return RunContext(ctx, args, stdin, out, errOut, options...)
}

// RunContext is [Run] for a program with other work: the end of ctx interrupts the command, signals do not. A command
// that does not end soon after that is abandoned, and may still read and print.
func RunContext(ctx context.Context, args []string, stdin io.Reader, out, errOut io.Writer, options ...Option) int {
	known, err := knownWith(options...)
	if err != nil {
		fmt.Fprintln(errOut, "etrace: "+oneLine(err.Error()))
		return exitFail
	}
	if wantsJSON(args) {
		out = &jsonOutput{Writer: out}
	}
	a := &app{Known: known, args: args, stdin: stdin, out: out, err: errOut}
	root := a.root()
	root.SetArgs(args)
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		registerCompletions(root)
	}
	err = a.untilInterrupt(ctx, func() error { return root.ExecuteContext(ctx) })
	var o outcome
	switch {
	case err == nil:
		a.printNotes()
		return exitOK
	case errors.As(err, &o):
		a.printNotes()
		return int(o)
	case errors.Is(err, syscall.EPIPE):
		return exitFail // the reader of the output is gone
	}
	a.report(err)
	return exitFail
}

// Command returns the commands of [Main]. Programs that document them use it, such as etrace-man.
func Command(options ...Option) (*cobra.Command, error) {
	known, err := knownWith(options...)
	if err != nil {
		return nil, err
	}
	a := &app{Known: known, stdin: os.Stdin, out: os.Stdout, err: os.Stderr}
	return a.root(), nil
}

// root returns the command etrace with all its commands.
func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "etrace",
		Short: "Record, check, count and draw runs of distributed algorithms",
		Long: `etrace is a flight recorder and laboratory for distributed algorithms. A run,
simulated here or recorded elsewhere, becomes a trace in one SQLite file;
etrace decides safety and liveness after the fact, counts messages, and draws
the run. Try:

  etrace record                 # the lecture example -> trace.db
  etrace check trace.db         # a verdict per property
  etrace render --format svg    # -> trace.sequence.svg`,
		Version:       version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return unknownCommand(cmd, args[0])
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetIn(a.stdin)
	root.SetOut(a.out) // before completionCommand, whose commands remember it
	root.SetErr(a.err)
	root.SetVersionTemplate(versionLine() + "\n")
	root.PersistentFlags().BoolVarP(&a.quiet, "quiet", "q", false, "print less")
	root.SetFlagErrorFunc(a.flagError)
	root.SetGlobalNormalizationFunc(flagNamed)
	root.PersistentPreRunE = flagsFit
	root.AddCommand(
		a.recordCommand(), a.paged(a.checkCommand()), a.planCommand(), a.sliceCommand(), a.mergeCommand(),
		a.paged(a.lintCommand()), a.statsCommand(), a.sweepCommand(), a.suiteCommand(), a.paged(a.replayCommand()),
		a.paged(a.diffCommand()), a.renderCommand(), a.importCommand(), a.exportCommand(),
		a.paged(a.queryCommand()), a.listCommand(), a.explainCommand(), a.labCommand(),
	)
	// The help of etrace lists its flags once; each command has them, too.
	inherited := regexp.MustCompile(`(?s)\{\{if \.HasAvailableInheritedFlags\}\}.*?\{\{end\}\}`)
	root.SetUsageTemplate(inherited.ReplaceAllString(root.UsageTemplate(), ""))
	checkValues(root.Commands())
	helpCommand(root)
	completionCommand(root)
	return root
}

// flagAliases lists other names of flags, such as former names.
var flagAliases = map[string]string{"tells": "complete", "property": "only", "law": "fit-formula", "caption": "title"}

// flagNamed returns the present name of a flag for a name or an alias.
func flagNamed(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	return pflag.NormalizedName(cmp.Or(flagAliases[name], name))
}

// commandNames returns the names of the commands below cmd.
func commandNames(cmd *cobra.Command) []string {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

// flagError returns the error for a wrong flag. For an invalid value it names the valid values.
func (a *app) flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	var bare *pflag.ValueRequiredError
	switch {
	case errors.As(err, &bare):
		err = noValue(bare.GetFlag())
	case errors.As(err, &invalid) && errors.Is(invalid, errNoValue):
		err = noValue(invalid.GetFlag())
	case errors.As(err, &invalid):
		err = valueError(invalid)
	case errors.As(err, &unknown):
		if misplaced := misplacedFlag(cmd, unknown); misplaced != nil {
			return misplaced
		}
		err = a.unknownFlag(cmd, unknown)
	}
	err = fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())
	if !cmd.HasParent() { // the name of the root begins every error already
		return err
	}
	return fmt.Errorf("%s: %w", cmd.Name(), err)
}

// flagNames returns the flags of a command, such as --run.
func flagNames(cmd *cobra.Command) (names []string) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	return names
}

// typedFlag returns the name of an unknown flag, and the flag with the dashes that the user typed.
func typedFlag(unknown *pflag.NotExistError) (name, typed string) {
	name, dashes := unknown.GetSpecifiedName(), "--"
	if unknown.GetSpecifiedShortnames() != "" {
		dashes = "-"
	}
	return name, dashes + name
}

// misplacedFlag returns the error for a long flag that was typed with one dash, or before the command that it belongs
// to;
// nil for any other unknown flag.
func misplacedFlag(cmd *cobra.Command, unknown *pflag.NotExistError) error {
	name, typed := typedFlag(unknown)
	short := unknown.GetSpecifiedShortnames()
	if short != "" && slices.Contains(flagNames(cmd), "--"+short) {
		return fmt.Errorf("%s: %w", cmd.Name(), text.Meant("flag", "-"+short, "--"+short))
	}
	if owners := commandsWith(cmd.Root(), name); len(owners) > 0 && !cmd.HasParent() {
		return fmt.Errorf("unknown flag %s here, expected it after the command: etrace %s %s",
			text.Quote(typed), owners[0], text.Printable(typed))
	}
	return nil
}

// unknownFlag returns the error for an unknown flag. It suggests, the surest guess first: the flag with this former
// name, the flag with the name as a value, --param for a parameter of an algorithm, another command with the flag,
// and the flag with the nearest name.
func (a *app) unknownFlag(cmd *cobra.Command, unknown *pflag.NotExistError) error {
	name, typed := typedFlag(unknown)
	known := flagNames(cmd)
	hasNearFlag := text.Nearest(typed, known) != ""
	alias := text.Nearest(name, slices.Sorted(maps.Keys(flagAliases)))
	if flag := flagAliases[alias]; !hasNearFlag && cmd.Flags().Lookup(flag) != nil {
		return text.Meant("flag", typed, "--"+flag)
	}
	if flag := flagWithValue(cmd, name); flag != "" {
		return text.Meant("flag", typed, flag)
	}
	if cmd.Flags().Lookup("param") != nil && algorithm.HasParameter(a.Algorithms, name) {
		return text.Meant("flag", "--"+name, "--param "+name+"=VALUE")
	}
	err := unknownWord("flag", typed, known, cmd.UseLine())
	owners := commandsWith(cmd.Root(), name)
	hasHint := hasNearFlag || err.Error() != text.Unknown("flag", typed, known).Error()
	const maxOwners = 3
	if !hasHint && len(owners) > 0 && len(owners) <= maxOwners {
		return fmt.Errorf("unknown flag %s, which is one of etrace %s", text.Quote(typed), text.And(owners))
	}
	return err
}

// noValue is the error for a flag without a value.
func noValue(flag *pflag.Flag) error {
	value, _ := pflag.UnquoteUsage(flag)
	return fmt.Errorf("--%s: expected a value: --%[1]s %s", flag.Name, value)
}

// valueFlags are the flags whose values are typed without them, or as flags.
var valueFlags = []string{"format", "to", "from", "diagram", "only", "by", "theme", "axis", "frames"}

// flagWithValue returns a flag with the given value, such as --format csv, if the shell would complete the value so.
func flagWithValue(cmd *cobra.Command, value string) string {
	for _, name := range valueFlags {
		f := cmd.Flags().Lookup(name)
		if f == nil {
			continue
		}
		if c, ok := f.Value.(completed); ok {
			if values, _ := c.values(cmd, nil, ""); slices.Contains(values, value) {
				return "--" + name + " " + value
			}
		}
	}
	return ""
}

// commandsWith returns the names of the commands below cmd that have the flag.
func commandsWith(cmd *cobra.Command, flag string) (names []string) {
	for _, c := range cmd.Commands() {
		if c.Flags().Lookup(flag) != nil {
			names = append(names, c.Name())
		}
	}
	return names
}

// expectedValues describes the valid values of flags by their type in package pflag.
var expectedValues = map[string]string{
	"int": "a whole number", "int64": "a whole number", "float64": "a number", "bool": "true or false",
	"duration": "a duration, such as 10s",
}

// valueError returns an error of pflag for an invalid value in the words of etrace.
func valueError(err *pflag.InvalidValueError) error {
	value, cause := strconv.Quote(err.GetValue()), err.Unwrap()
	expected := expectedValues[err.GetFlag().Value.Type()]
	switch {
	case errors.Is(cause, errTwice):
		value += ": " + cause.Error()
	case expected == "" && cause != nil:
		value = value + ": " + strings.TrimPrefix(cause.Error(), value+": ")
	case errors.Is(cause, strconv.ErrRange):
		value += ": out of range, expected " + expected + " of 64 bits"
	default:
		value += ": expected " + expected
	}
	return errors.New("--" + err.GetFlag().Name + " " + value)
}

// helpCommand makes the command help refuse unknown commands.
func helpCommand(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	help, _, err := root.Find([]string{"help"})
	if err != nil {
		return
	}
	help.Run = nil
	help.RunE = func(_ *cobra.Command, args []string) error {
		cmd, remaining, err := root.Find(args)
		if err != nil {
			return err
		}
		switch {
		case len(remaining) > 0 && cmd.HasSubCommands():
			return unknownCommand(cmd, remaining[0])
		case len(remaining) > 0:
			return fmt.Errorf("help: unexpected argument %q, expected one command", remaining[0])
		}
		cmd.InitDefaultHelpFlag()
		return cmd.Help()
	}
}

// completionCommand makes the command completion refuse unknown shells.
func completionCommand(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	completion, _, err := root.Find([]string{"completion"})
	if err != nil {
		return
	}
	completion.Args = nil
	completion.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return text.Unknown("shell", args[0], commandNames(cmd))
		}
		return cmd.Help()
	}
	for _, shell := range completion.Commands() {
		shell.Args = atMost(0, "nothing")
	}
}

// atMost returns a check of the arguments of a command: at most n, which noun describes in the error.
func atMost(n int, noun string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		tooMany := len(args) > n
		for _, arg := range args {
			if flag := flagOf(cmd, arg, tooMany); flag != "" && (tooMany || strings.Contains(noun, "trace")) {
				return fmt.Errorf("%s: unexpected argument %q, did you mean %s?", cmd.Name(), arg, flag)
			}
		}
		if !tooMany {
			return nil
		}
		return fmt.Errorf("%s: unexpected argument %q, expected at most %d: %s", cmd.Name(), args[n], n, noun)
	}
}

// flagOf returns the flag that an argument lacks, with the argument as its value, or "". Where an argument is too
// many, it may also be a number, or the name of a new file.
func flagOf(cmd *cobra.Command, arg string, tooMany bool) string {
	switch {
	case !isMissing(arg) && tooMany:
		return flagOfFile(cmd, arg)
	case !isMissing(arg):
		// The error names the kind of an existing file.
		return ""
	}
	if flag := flagWithValue(cmd, arg); flag != "" || !tooMany {
		return flag
	}
	if name, value, ok := strings.Cut(arg, "="); ok && cmd.Flags().Lookup(name) != nil {
		return "--" + name + " " + value
	}
	if _, err := strconv.Atoi(arg); err == nil {
		for _, name := range []string{"at", "run", "nodes"} {
			if cmd.Flags().Lookup(name) != nil {
				return "--" + name + " " + arg
			}
		}
	}
	if filepath.Ext(arg) != "" && cmd.Flags().Lookup("output") != nil {
		return "-o " + arg
	}
	return ""
}

// flagOfFile returns the flag of the command that reads a file of this kind, such as --plan, with the file as its
// value. For a trace it returns "".
func flagOfFile(cmd *cobra.Command, path string) string {
	s, ok := sortOf(path)
	for flag, kinds := range readBy {
		name, isFlag := strings.CutPrefix(flag, "--")
		if ok && isFlag && slices.Contains(kinds, s.description) && cmd.Flags().Lookup(name) != nil {
			return flag + " " + path
		}
	}
	return ""
}

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// color reports whether the output may have colours: stdout is a terminal that shows them, and NO_COLOR is not set.
func (a *app) color() bool {
	_, no := os.LookupEnv("NO_COLOR")
	return !no && os.Getenv("TERM") != "dumb" && isTerminal(a.out)
}

// terminalWidth returns the width of the terminal w. It is 0 if w is not a terminal or the width is unknown.
func terminalWidth(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// warn prints a warning on stderr, even with --quiet.
func (a *app) warn(format string, args ...any) {
	fmt.Fprintln(a.err, "etrace: "+oneLine(fmt.Sprintf(format, args...)))
}

// note stores a remark. It is printed on stderr when the command has succeeded, unless -q was given. Before an error,
// it would look like the error.
func (a *app) note(format string, args ...any) {
	if !a.quiet {
		a.notes = append(a.notes, oneLine(fmt.Sprintf(format, args...)))
	}
}

// printNotes prints the stored remarks on stderr.
func (a *app) printNotes() {
	for _, note := range a.notes {
		fmt.Fprintln(a.err, "etrace: "+note)
	}
}
