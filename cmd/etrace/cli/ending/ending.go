package ending

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

// signals ask a command to end: Ctrl-C, kill, and a terminal that went away. On systems without one of them it never
// comes.
var signals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}

// listener hears the signals. ignored are the signals that the process was started to ignore.
type listener struct {
	heard   chan os.Signal
	ignored []os.Signal
}

// first is the listener of Hear until Context takes it.
var first atomic.Pointer[listener]

// Hear has the signals heard from now on. They take effect when the program calls [Context], which it must.
func Hear() { first.Store(listen()) }

// listen hears the signals. A hang-up that the process was started to ignore, as by nohup, stays ignored; an interrupt
// does not, since shells start every command of a script that is put in the background so.
func listen() *listener {
	l := &listener{heard: make(chan os.Signal, 1)}
	for _, s := range signals {
		ignored := signal.Ignored(s)
		if ignored && s == syscall.SIGHUP {
			continue
		}
		if ignored {
			l.ignored = append(l.ignored, s)
		}
		signal.Notify(l.heard, s)
	}
	return l
}

// Context returns a context that ends with the first signal, also with a signal heard since [Hear]. After that
// the signals have their usual effect: a second one ends the process at once, with the status that the shell
// gives for it (130 after two Ctrl-C).
func Context() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	l := first.Swap(nil)
	if l == nil {
		l = listen()
	}
	if len(l.heard) > 0 { // no command begins that was asked to end before
		cancel()
	}
	go func() {
		select {
		case <-l.heard:
		case <-ctx.Done():
			select {
			case <-l.heard: // the signal counts once
			default:
				return
			}
		}
		signal.Stop(l.heard)
		cancel()
		if l.ignored != nil { // ignored signals stay ignored
			signal.Notify(l.heard, l.ignored...)
			s := <-l.heard
			os.Exit(128 + int(s.(syscall.Signal)))
		}
	}()
	return ctx, func() { signal.Stop(l.heard); cancel() }
}
