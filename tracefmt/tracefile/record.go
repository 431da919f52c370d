package tracefile

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"sync"

	"etrace/tracefmt"
)

// Record creates a trace, or opens one to append to, see [Create], and calls write with it. It keeps the runs
// only if write and the trace succeed. Without a run, as from a nil recorder, it leaves the file as it was.
func Record(path string, write func(sink tracefmt.Sink) error) error {
	w, err := Create(path)
	if err != nil {
		return err
	}
	runs := &counter{Sink: w}
	if err := write(runs); err != nil || runs.begun == 0 {
		return errors.Join(err, w.Discard())
	}
	return w.Commit()
}

// counter counts the runs that begin.
type counter struct {
	tracefmt.Sink
	begun int
}

// Begin implements [tracefmt.Sink].
func (c *counter) Begin(run *tracefmt.Run) error {
	c.begun++
	return c.Sink.Begin(run)
}

// RecordOn calls [Record] each time that one of the signals arrives, such as syscall.SIGUSR1 (on Windows only
// os.Interrupt), until stop is called. So a program with a flight recorder dumps it without further code:
//
//	stop, err := tracefile.RecordOn("flight.db", func(to tracefmt.Sink) error { return live.Dump(to, tracefmt.Stopped) }, syscall.SIGUSR1)
//
// Each signal appends a run, if the trace can have several. Each failure is logged by log/slog, and stop returns
// all failures. RecordOn itself fails if the trace could not be created now.
func RecordOn(path string, write func(sink tracefmt.Sink) error, signals ...os.Signal) (stop func() error, err error) {
	if len(signals) == 0 {
		return nil, errors.New("no signal, expected some, such as syscall.SIGUSR1")
	}
	if err := CheckName(path); err != nil {
		return nil, err
	}
	arrived := make(chan os.Signal, 1)
	signal.Notify(arrived, signals...)
	var failures []error
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for s := range arrived {
			if err := Record(path, write); err != nil {
				slog.Error("not recorded", "path", path, "signal", s.String(), "err", err)
				failures = append(failures, fmt.Errorf("on %v: %w", s, err))
			}
		}
	}()
	return sync.OnceValue(func() error {
		signal.Stop(arrived)
		close(arrived)
		<-ended
		return errors.Join(failures...)
	}), nil
}
