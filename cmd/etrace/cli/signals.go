package cli

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/term"
)

// endingSignals ask a command to end: Ctrl-C, kill, and a terminal that went
// away. On systems without one of them it never comes.
var endingSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}

// grace is how long a command that was asked to end may take to do so in its
// own words, before it is abandoned.
const grace = 400 * time.Millisecond

// untilSignal returns a context that ends with the first of the ending signals.
// From then on they have their usual effect, so that a second one ends the
// process at once, with the status that the shell gives for it (130 after two
// Ctrl-C). A hang-up that the process was started to ignore, as by nohup, stays
// ignored; an interrupt does not, since shells start every command of a script
// that is put in the background so.
func untilSignal() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	heard := make(chan os.Signal, 1)
	var deaf []os.Signal // what the process was started to ignore
	for _, s := range endingSignals {
		switch ignored := signal.Ignored(s); {
		case ignored && s == syscall.SIGHUP:
			continue
		case ignored:
			deaf = append(deaf, s)
		}
		signal.Notify(heard, s)
	}
	go func() {
		select {
		case <-heard:
		case <-ctx.Done():
			return
		}
		signal.Stop(heard)
		cancel()
		if deaf != nil { // their usual effect is none
			signal.Notify(heard, deaf...)
			s := <-heard
			os.Exit(128 + int(s.(syscall.Signal)))
		}
	}()
	return ctx, func() { signal.Stop(heard); cancel() }
}

// untilInterrupt does the work under ctx and returns its error. When ctx ends
// and the work does not, within the time that interrupted work has, it is
// abandoned: it may wait for a pipe that nobody opens, or compute where nobody
// asks for the context. This is sound because the process ends next, and since
// what etrace writes is there as a whole or not at all. Work that is keeping
// something (see [app.keep]) is waited for.
func (a *app) untilInterrupt(ctx context.Context, work func() error) error {
	restore := terminalState(a.in)
	done := make(chan error, 1)
	go func() { done <- work() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	for {
		select {
		case err := <-done:
			return err
		case <-time.After(grace):
			if !a.keeping.Load() {
				if bar := a.shown.Load(); bar != nil {
					bar.done()
				}
				restore()
				return ctx.Err()
			}
		}
	}
}

// keep says that the command from now on keeps what it has when it is asked to
// end, as an interrupted recording does, and ends soon after; release takes
// that back.
func (a *app) keep() (release func()) {
	a.keeping.Store(true)
	return func() { a.keeping.Store(false) }
}

// terminalState returns what gives the terminal on r, if it is one, back the
// way that it is now.
func terminalState(r io.Reader) (restore func()) {
	f, ok := r.(*os.File)
	if !ok {
		return func() {}
	}
	state, err := term.GetState(int(f.Fd()))
	if err != nil {
		return func() {}
	}
	return func() { _ = term.Restore(int(f.Fd()), state) }
}
