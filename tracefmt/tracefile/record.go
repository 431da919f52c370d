package tracefile

import (
	"errors"

	"etrace/tracefmt"
)

// Record creates a trace, or opens one to append to, see [Create], has write hand it runs, and keeps them: all, or none
// where write or the trace fails.
func Record(path string, write func(to tracefmt.Sink) error) error {
	w, err := Create(path)
	if err != nil {
		return err
	}
	if err := write(w); err != nil {
		return errors.Join(err, w.Discard())
	}
	return w.Commit()
}
