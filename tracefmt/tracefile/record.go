package tracefile

import (
	"errors"

	"etrace/tracefmt"
)

// Record creates a trace, or opens one to append to, see [Create], and calls write with it. It keeps the runs
// only if write and the trace succeed.
func Record(path string, write func(sink tracefmt.Sink) error) error {
	w, err := Create(path)
	if err != nil {
		return err
	}
	if err := write(w); err != nil {
		return errors.Join(err, w.Discard())
	}
	return w.Commit()
}
