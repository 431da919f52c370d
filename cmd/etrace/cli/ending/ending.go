package ending

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

// signals ask a command to end: Ctrl-C, kill, and the loss of the terminal.
var signals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}

// listener receives the signals in heard. ignored are the signals that the parent process had set to be ignored.
type listener struct {
	heard   chan os.Signal
	ignored []os.Signal
}

// first is the listener that Hear has started, until Context uses it.
var first atomic.Pointer[listener]

// Hear starts to receive the signals. The program must then call [Context], which acts on them.
func Hear() { first.Store(listen()) }

// listen starts to receive the signals. A hang-up that the parent process had set to be ignored, as nohup does, stays
// ignored. An interrupt does not, because shells set it to be ignored for every background command of a script.
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

// Context returns a context that ends with the first signal, also with one received since [Hear]. After that, the signals
// have their usual effect: a second one ends the process at once, with the status that the shell gives for it (130 after two
// Ctrl-C).
func Context() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	l := first.Swap(nil)
	if l == nil {
		l = listen()
	}
	if len(l.heard) > 0 { // the command was asked to end before it began
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
		if l.ignored != nil { // Stop has set these to be ignored again, so a second signal needs a handler
			signal.Notify(l.heard, l.ignored...)
			s := <-l.heard
			os.Exit(128 + int(s.(syscall.Signal)))
		}
	}()
	return ctx, func() { signal.Stop(l.heard); cancel() }
}
