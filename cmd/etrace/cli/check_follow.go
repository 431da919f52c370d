package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"

	"github.com/spf13/cobra"

	"etrace/analyze"
	"etrace/analyze/report"
	"etrace/tracefmt"
	"etrace/tracefmt/tracefile"
)

// followFlags have a stream be read as it comes.
type followFlags struct {
	follow   bool
	failFast bool
}

func (f *followFlags) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.follow, "follow", false, "examine stdin as it comes; report violations at once")
	cmd.Flags().BoolVar(&f.failFast, "fail-fast", false, "end at the first violation")
}

// following is a check of stdin while it is written. It reports violations when they happen. The check itself decides at the
// end, when an interrupt, a violation or the writer has ended the stream.
type following struct {
	app   *app
	flags *checkFlags
	// end ends the stream.
	end context.CancelFunc
	// properties are those of the check.
	properties []*analyze.Property
	// log: the stream is no trace.
	log  bool
	said map[reported]bool
}

// reported is a violation that was reported.
type reported struct {
	run      int
	property string
}

// follow has the command read stdin until it ends, or ctx does. The command keeps what has come by then, so the returned
// context has no end.
func (a *app) follow(ctx context.Context, f *checkFlags, args []string, properties []*analyze.Property) (context.Context, error) {
	if len(args) != 1 || args[0] != tracefile.Stream {
		return nil, errors.New("--follow reads stdin, expected the argument -")
	}
	work := context.WithoutCancel(ctx)
	ctx, end := context.WithCancel(ctx)
	a.following = &following{app: a, flags: f, end: end, properties: properties, said: map[reported]bool{}}
	stream := bufio.NewReader(a.until(ctx))
	a.stdin = stream
	if a.mapping != "" {
		a.following.log = true
		return work, nil
	}
	_, _ = stream.Peek(1) // an error comes again when the trace is read
	head, _ := stream.Peek(stream.Buffered())
	a.following.log = len(head) > 0 && !bytes.Contains(head, []byte(traceMark))
	if a.following.log {
		a.warn("the first lines of the stream show its format, so nothing is reported before these; with --map lines are examined when they come")
	}
	return work, nil
}

// preview examines a run of a log while that is read.
func (f *following) preview(run *tracefmt.Run) tracefmt.Writer {
	if err := run.Declare(f.flags.tells.said); err != nil {
		return tracefmt.Discard{} // the check reports the error
	}
	return analyze.Watch(run, f.properties, func(r *analyze.Result) { f.report(run.Number, r) })
}

// report reports the first violation of a property in a run.
func (f *following) report(run int, r *analyze.Result) {
	said := reported{run, r.Property.Name}
	if f.said[said] {
		return
	}
	f.said[said] = true
	f.app.warn("run %d: %s violated: %s", run, r.Property.Name, r.Explanation)
	if f.flags.failFast {
		f.end()
	}
}

// finish prints a remark about each reported violation that the check does not confirm.
func (f *following) finish(rep *report.Report) {
	for _, run := range rep.Runs {
		for _, r := range run.Results {
			if f.said[reported{run.Run.Number, r.Property.Name}] && r.Verdict != analyze.Violated {
				f.app.note("run %d: %s was reported as violated and is %s: later lines or unrecorded events may explain it",
					run.Run.Number, r.Property.Name, r.Verdict)
			}
		}
	}
}
