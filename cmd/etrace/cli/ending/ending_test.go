//go:build unix

package ending

import (
	"os"
	"os/signal"
	"runtime"
	"slices"
	"syscall"
	"testing"
)

// TestHeardBefore: after a signal that came before the command, the context has ended when the command gets it. The signal
// counts once: the next one is the second.
func TestHeardBefore(t *testing.T) {
	Hear()
	heard := first.Load().heard
	if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for len(heard) == 0 {
		runtime.Gosched()
	}
	ctx, stop := Context()
	defer stop()
	if ctx.Err() == nil {
		t.Error("the context has not ended")
	}
	for len(heard) > 0 {
		runtime.Gosched()
	}
}

// TestIgnored: of the signals that the process was started to ignore, a hang-up stays ignored and the others are heard.
func TestIgnored(t *testing.T) {
	signal.Ignore(syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Reset(syscall.SIGTERM, syscall.SIGHUP)
	l := listen()
	defer signal.Stop(l.heard)
	if !slices.Equal(l.ignored, []os.Signal{syscall.SIGTERM}) || !signal.Ignored(syscall.SIGHUP) {
		t.Errorf("ignored at first: %v, want %v", l.ignored, syscall.SIGTERM)
	}
}
