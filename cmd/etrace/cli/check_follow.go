package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"etrace/analyze"
	"etrace/analyze/report"
	"etrace/tracefmt/interop"
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

const (
	// leastPause is how long a stream is left alone after it was examined. Each time the whole text is examined:
	// an import may order events anew and find further members, and properties such as linearizability are decided at the end,
	// before which analyze.Watch cannot name them. So the pause is also spare times as long as that took: at most a fifth of
	// the time goes into it.
	leastPause = 100 * time.Millisecond
	spare      = 4
)

// follow examines stdin as it comes.
func (a *app) follow(ctx context.Context, f *checkFlags, args []string, properties []*analyze.Property) error {
	if len(args) != 1 || args[0] != tracefile.Stream {
		return errors.New("--follow reads stdin, expected the argument -")
	}
	defer a.keep()()
	following := &following{app: a, flags: f, properties: properties, said: map[string]bool{}}
	ended, err := following.read(ctx)
	if err != nil {
		return err
	}
	rep, err := following.examine(context.WithoutCancel(ctx), true)
	if err != nil {
		return err
	}
	if !ended {
		a.note("ended with what had come")
	}
	if err := a.printReport(rep, &f.reportFlags, f.explain); err != nil {
		return err
	}
	return f.status(rep)
}

// following is a stream that is examined as it comes.
type following struct {
	app        *app
	flags      *checkFlags
	properties []*analyze.Property
	text       []byte          // that has come
	said       map[string]bool // violations, by run and property
	failed     bool            // the error of reading is printed
}

// piece is what was read of a stream.
type piece struct {
	text []byte
	err  error
}

// read reads the stream, and examines what has come whenever it may. It reports whether the stream has ended, rather than ctx or the
// patience with violations.
func (f *following) read(ctx context.Context) (ended bool, err error) {
	stream, err := f.app.input(ctx, tracefile.Stream)
	if err != nil {
		return false, err
	}
	pieces := make(chan piece)
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		for {
			buf := make([]byte, 64<<10)
			n, err := stream.Read(buf)
			select {
			case pieces <- piece{buf[:n], err}:
			case <-stop:
				return
			}
			if err != nil {
				return
			}
		}
	}()
	var due <-chan time.Time
	pause := leastPause
	for {
		select {
		case p := <-pieces:
			f.text = append(f.text, p.text...)
			switch {
			case p.err == io.EOF:
				return true, nil
			case ctx.Err() != nil:
				return false, nil
			case p.err != nil:
				return false, fmt.Errorf("-: %w", p.err)
			case due == nil:
				due = time.After(pause)
			}
		case <-due:
			due = nil
			began := time.Now()
			rep, err := f.examine(ctx, false)
			switch {
			case ctx.Err() != nil:
			case err != nil: // it may be too little; at the end it is an error
				f.unread(err)
			case f.say(rep) && f.flags.failFast:
				return false, nil
			}
			pause = max(leastPause, spare*time.Since(began))
		}
	}
}

// unread prints, once, that the data received so far cannot be read.
func (f *following) unread(err error) {
	if !f.failed && len(f.text) > 0 {
		f.failed = true
		f.app.warn("cannot be read so far: %v", err)
	}
}

// say prints the new violations and reports whether there are any.
func (f *following) say(rep *report.Report) (violated bool) {
	for _, run := range rep.Runs {
		for _, r := range run.Results {
			if r.Verdict != analyze.Violated {
				continue
			}
			violated = true
			key := fmt.Sprint(run.Run.Number, " ", r.Property.Name)
			if !f.said[key] {
				f.said[key] = true
				f.app.warn("run %d: %s violated: %s", run.Run.Number, r.Property.Name, r.Explanation)
			}
		}
	}
	return violated
}

// examine checks the data received so far; its last line may be incomplete. last is true at the end of the
// stream.
func (f *following) examine(ctx context.Context, last bool) (*report.Report, error) {
	text := f.text
	if !last {
		text = text[:bytes.LastIndexByte(text, '\n')+1]
	}
	runs, err := f.runs(ctx, text)
	if err != nil {
		return nil, err
	}
	flags := *f.flags
	flags.explain = flags.explain && last
	silent := &app{Known: f.app.Known, stdin: bytes.NewReader(runs), out: io.Discard, err: io.Discard, quiet: true}
	c := &checking{app: silent, checkFlags: &flags, properties: f.properties, report: &report.Report{Traces: []string{tracefile.Stream}, Tool: toolName}}
	if err := c.all(ctx); err != nil {
		return nil, err
	}
	return c.report, c.failed()
}

// runs are the runs of what has come, in JSON Lines.
func (f *following) runs(ctx context.Context, text []byte) ([]byte, error) {
	options := f.app.mapOption()
	input, err := interop.NewInput(tracefile.Stream, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	format, err := interop.ToRead(f.app.Formats, "", options, input.Head())
	if err != nil {
		return nil, fmt.Errorf("-: %w", unrecognised(err))
	}
	var runs bytes.Buffer
	w := tracefile.NewWriter(&runs)
	if _, err := interop.Import(ctx, format, input, w, interop.Settings{Options: options, Tool: toolName}); err != nil {
		return nil, err
	}
	return runs.Bytes(), w.Commit()
}
