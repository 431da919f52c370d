package cli

import (
	"context"
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

// grace is the time that a command has to end by itself after a signal, before it is abandoned.
const grace = 400 * time.Millisecond

// untilInterrupt runs work and returns its error. If ctx ends, and work does not end within the grace time, it
// abandons work and returns the error of ctx: work may wait for a pipe without a writer, or compute without checking
// the context. This is safe because the process ends next, and because etrace writes a file as a whole or not at all.
// While a command keeps a partial result (see [app.keep]), it waits.
func (a *app) untilInterrupt(ctx context.Context, work func() error) error {
	restore := terminalState(a.stdin)
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

// keepPartialResult declares that the command saves its partial result after an interrupt, and then ends soon, as an
// interrupted recording does. release ends that.
func (a *app) keepPartialResult() (release func()) {
	a.keeping.Store(true)
	return func() { a.keeping.Store(false) }
}

// terminalState returns a function that restores the present state of the terminal r. The function does nothing if r
// is no terminal.
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
