package cli

import (
	"context"
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

// grace is the time that a command has to end after a signal, in its
// own words, before it is abandoned.
const grace = 400 * time.Millisecond

// untilInterrupt does the work under ctx and returns its error. When ctx ends
// and the work does not, within the time that interrupted work has, it is
// abandoned: it may wait for a pipe without a writer, or compute without a look
// at the context. This is sound because the process ends next, and since
// what etrace writes is there as a whole or not at all. Work that is keeping
// something (see [app.keep]) is waited for.
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

// keep announces that an interrupt of the command keeps its partial result, as an interrupted recording does,
// and that it ends soon after. release withdraws the announcement.
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
