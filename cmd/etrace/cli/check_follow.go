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

// followFlags are the flags of a check that reads stdin while another program writes it.
type followFlags struct {
	follow   bool
	failFast bool
}

func (f *followFlags) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.follow, "follow", false, "examine stdin as it comes; report violations at once")
	cmd.Flags().BoolVar(&f.failFast, "fail-fast", false, "end at the first certain violation")
}

// following is a check of stdin while it is written. It reports violations when they happen, from a preview of the
// lines. The check of all lines decides at the end: after an interrupt, a certain violation, or the end of the
// stream.
type following struct {
	app   *app
	flags *checkFlags
	// end ends the stream.
	end context.CancelFunc
	// properties are those of the check.
	properties []*analyze.Property
	// log is true if the stream is the log of another program, not a trace.
	log bool
	// reported has the violations that were reported already.
	reported map[reported]bool
	// past stores the lines read so far, nil without --fail-fast.
	past *past
}

// past stores the lines of the stream read so far. Later lines may refute a previewed violation, so --fail-fast ends
// the stream only after a check of these lines finds a violation.
type past struct {
	ctx  context.Context
	file *os.File
	// left is the name of the file if the system cannot remove an open file, else "".
	left string
	size int64
	// decided is the number of bytes that all checks of the stored lines together have read.
	decided int64
}

// Write implements [io.Writer]: it stores lines that were read.
func (p *past) Write(b []byte) (int, error) {
	n, err := p.file.Write(b)
	p.size += int64(n)
	return n, err
}

// close removes the stored lines. It does nothing for nil.
func (p *past) close() {
	if p == nil {
		return
	}
	_ = p.file.Close()
	if p.left != "" {
		_ = os.Remove(p.left)
	}
}

// affordsCheck reports whether one more check of the stored lines is cheap enough: all checks together may read 16
// MB, and three times the size of the stream.
func (p *past) affordsCheck() bool {
	const factor, allowance = 3, 16 << 20
	return p.decided+p.size <= factor*p.size+allowance
}

// reported identifies a violation that was reported: the number of its run, and its property.
type reported struct {
	run      int
	property string
}

// follow makes the command read stdin until it ends or ctx does. It returns the context of the check, which has no
// end: an interrupt ends only the input, and the received lines are still checked. It waits for the first lines,
// unless --map names the format.
func (a *app) follow(ctx context.Context, f *checkFlags, args []string, properties []*analyze.Property) (context.Context, error) {
	if len(args) != 1 || args[0] != tracefile.Stream {
		return nil, errors.New("--follow reads stdin, expected the argument -")
	}
	work := context.WithoutCancel(ctx)
	ctx, end := context.WithCancel(ctx)
	a.following = &following{app: a, flags: f, end: end, properties: properties, reported: map[reported]bool{}}
	lines := a.stdinUntil(ctx)
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
	// The first Peek waits for input, the second takes all that has come. An error comes again when the trace is read.
	_, _ = stream.Peek(1)
	head, _ := stream.Peek(stream.Buffered())
	a.following.log = len(head) > 0 && !bytes.Contains(head, []byte(traceMark))
	if a.following.log {
		a.warn("the first lines of the stream show its format, so nothing is reported before these; with --map lines are examined when they come")
	}
	return work, nil
}

// preview returns a monitor for a run of a log; the importer writes the events of the lines to it while it reads them.
func (f *following) preview(run *tracefmt.Run) tracefmt.Writer {
	if err := run.Declare(f.flags.complete.completeness); err != nil {
		return tracefmt.Discard{} // the check reports the error
	}
	return analyze.Watch(run, f.properties, func(r *analyze.Result) { f.report(run.Number, r) })
}

// report prints the first violation of a property in a run. With --fail-fast, it ends the stream if a check of the
// lines read so far confirms a violation.
func (f *following) report(run int, r *analyze.Result) {
	if reported := (reported{run, r.Property.Name}); !f.reported[reported] {
		f.reported[reported] = true
		f.app.warn("run %d: %s violated: %s", run, r.Property.Name, r.Explanation)
	}
	if f.past != nil && f.past.affordsCheck() && f.certain() {
		f.end()
	}
}

// certain checks the lines read so far, and reports whether some property is violated.
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
	return c.checkAll(f.past.ctx) == nil && c.report.Verdict() == analyze.Violated // an error comes again at the end
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
