package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"

	"github.com/spf13/cobra"

	"etrace/analyze"
	"etrace/analyze/report"
	"etrace/tracefmt"
	"etrace/tracefmt/atomicfile"
	"etrace/tracefmt/tracefile"
)

// followFlags have a stream be read as it comes.
type followFlags struct {
	follow   bool
	failFast bool
}

func (f *followFlags) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.follow, "follow", false, "examine stdin as it comes; report violations at once")
	cmd.Flags().BoolVar(&f.failFast, "fail-fast", false, "end at the first certain violation")
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
	log      bool
	reported map[reported]bool
	// past has the lines read so far, nil without --fail-fast.
	past *past
}

// past has the lines read so far of the stream. A reported violation may turn out to be none, so a check of it decides whether the
// stream ends there.
type past struct {
	ctx  context.Context
	file *os.File
	left string // the name of the file on systems where it has one
	size int64
	// decided is the number of bytes that all these checks have read.
	decided int64
}

// Write implements [io.Writer].
func (p *past) Write(b []byte) (int, error) {
	n, err := p.file.Write(b)
	p.size += int64(n)
	return n, err
}

// close removes what was kept.
func (p *past) close() {
	if p == nil {
		return
	}
	_ = p.file.Close()
	if p.left != "" {
		_ = os.Remove(p.left)
	}
}

// affords reports whether one more check keeps the cost of all of them within a few times that of the stream.
func (p *past) affords() bool {
	const times, freely = 3, 16 << 20
	return p.decided+p.size <= times*p.size+freely
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
	a.following = &following{app: a, flags: f, end: end, properties: properties, reported: map[reported]bool{}}
	lines := a.until(ctx)
	if f.failFast {
		file, left, err := atomicfile.Temporary()
		if err != nil {
			return nil, err
		}
		a.following.past = &past{ctx: work, file: file, left: left}
		lines = io.TeeReader(lines, a.following.past)
	}
	stream := bufio.NewReader(lines)
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
	if err := run.Declare(f.flags.complete.completeness); err != nil {
		return tracefmt.Discard{} // the check reports the error
	}
	return analyze.Watch(run, f.properties, func(r *analyze.Result) { f.report(run.Number, r) })
}

// report reports the first violation of a property in a run. With --fail-fast, any violation may end the stream.
func (f *following) report(run int, r *analyze.Result) {
	if reported := (reported{run, r.Property.Name}); !f.reported[reported] {
		f.reported[reported] = true
		f.app.warn("run %d: %s violated: %s", run, r.Property.Name, r.Explanation)
	}
	if f.past != nil && f.past.affords() && f.certain() {
		f.end()
	}
}

// certain reports whether a check of what was read so far finds a violation.
func (f *following) certain() bool {
	f.past.decided += f.past.size
	flags := *f.flags
	flags.followFlags, flags.save, flags.explain = followFlags{}, false, false
	a := &app{
		Known: f.app.Known, stdin: io.NewSectionReader(f.past.file, 0, f.past.size), out: io.Discard, err: io.Discard,
		quiet: true, mapping: f.app.mapping,
	}
	a.following = &following{app: a, flags: &flags, properties: f.properties, log: f.log, reported: map[reported]bool{}}
	c := &checking{app: a, checkFlags: &flags, properties: f.properties, report: &report.Report{Traces: []string{tracefile.Stream}}}
	return c.all(f.past.ctx) == nil && c.report.Verdict() == analyze.Violated // an error comes again at the end
}

// finish prints a remark about each reported violation that the check does not confirm.
func (f *following) finish(rep *report.Report) {
	for _, run := range rep.Runs {
		for _, r := range run.Results {
			if f.reported[reported{run.Run.Number, r.Property.Name}] && r.Verdict != analyze.Violated {
				f.app.note("run %d: %s was reported as violated and is %s: later lines or unrecorded events may explain it",
					run.Run.Number, r.Property.Name, r.Verdict)
			}
		}
	}
}
