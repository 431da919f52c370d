package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"etrace/tracefmt/text"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

const (
	// exitFail is the exit status of a command that failed.
	exitFail = 2
	// stream is the path of stdin, or of stdout for output.
	stream = "-"
	// grace is the time that a command has to end after the first signal.
	grace = 5 * time.Second
)

// program holds the streams that the commands share.
type program struct {
	in        io.Reader
	out, err  io.Writer
	summary   []byte // the summary of the folder that is read; nil without one
	temporary string // path of a temporary file to remove, on systems where it has a name
}

// run executes a command line and returns the exit status.
func run(args []string, in io.Reader, out, errOut io.Writer) int {
	ctx, stop := untilSignal()
	defer stop()
	p := &program{in: in, out: out, err: errOut}
	root := &cobra.Command{
		Use:   "etrace-parquet",
		Short: "Write runs of etrace as Parquet, and read them again",
		Long: `etrace-parquet writes runs of etrace as Parquet, tables of events by columns, for pyarrow, DuckDB
and Spark, and writes Parquet as the JSON Lines that etrace reads. Both directions are lossless.`,
		Example: `  etrace export runs.db --run all | etrace-parquet to runs.parquet
  etrace-parquet cat runs.parquet | etrace check -`,
		SilenceErrors: true, SilenceUsage: true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(errOut)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%s: %w; see %s --help", cmd.Name(), err, cmd.CommandPath())
	})
	root.AddCommand(p.toCommand(), p.catCommand())
	done := make(chan error, 1)
	go func() { done <- root.ExecuteContext(ctx) }()
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		select {
		case err = <-done:
		case <-time.After(grace): // the command waits for another program, and has written no file yet
			err = ctx.Err()
		}
	}
	if err != nil {
		p.say("%s", describe(err))
		return exitFail
	}
	return 0
}

// untilSignal returns a context that ends with the first Ctrl-C, kill or hang-up; a second one ends the process. A hang-up
// that the parent process had set to be ignored, as nohup does, stays ignored.
func untilSignal() (context.Context, context.CancelFunc) {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// describe returns the text of an error, with the path first.
func describe(err error) string {
	if errors.Is(err, context.Canceled) {
		return "interrupted"
	}
	if path, ok := err.(*os.PathError); ok {
		return path.Path + ": " + path.Err.Error()
	}
	return err.Error()
}

// say prints a line on stderr.
func (p *program) say(format string, args ...any) {
	line := strings.NewReplacer("\n", " ", "\r", " ", "\t", " ").Replace(fmt.Sprintf(format, args...))
	fmt.Fprintln(p.err, "etrace-parquet: "+text.Printable(line))
}

// oneArgument requires exactly one argument; expected describes it in errors.
func oneArgument(expected string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return fmt.Errorf("%s: expected %s", cmd.Name(), expected)
		case len(args) > 1:
			return fmt.Errorf("%s: unexpected argument %q, expected %s", cmd.Name(), args[1], expected)
		}
		return nil
	}
}
