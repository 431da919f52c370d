//go:build unix

package tracefile_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"etrace/tracefmt"
	"etrace/tracefmt/tracefile"
)

// TestRecordOn: each signal appends a run, until the stop; failures are returned by that.
func TestRecordOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "flight.db")
	written := make(chan struct{})
	write := func(sink tracefmt.Sink) error {
		defer func() { written <- struct{}{} }()
		members := []tracefmt.Member{{Name: "a", Position: 1}}
		run := tracefmt.Run{Source: tracefmt.Recorded, TimeUnit: tracefmt.Nanoseconds, Members: members}
		if err := sink.Begin(&run); err != nil {
			return err
		}
		return sink.Finish(tracefmt.Stopped)
	}
	stop, err := tracefile.RecordOn(path, write, syscall.SIGUSR2)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := syscall.Kill(os.Getpid(), syscall.SIGUSR2); err != nil {
			t.Fatal(err)
		}
		select {
		case <-written:
		case <-time.After(time.Minute):
			t.Fatal("the signal records nothing")
		}
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	if err := stop(); err != nil { // again
		t.Fatal(err)
	}
	trace, err := tracefile.Open(path, tracefile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	for number, want := range map[int]bool{1: true, 2: true, 3: false} {
		if _, err := trace.Recording(number); (err == nil) != want {
			t.Errorf("run %d: %v, want one for each of two signals", number, err)
		}
	}
	if _, err := tracefile.RecordOn(path, write); err == nil || !strings.Contains(err.Error(), "no signal") {
		t.Errorf("error %v", err)
	}
}
