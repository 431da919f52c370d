package tracefmt

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
)

// ErrSlice is the error for a slice ([Run.Slice]) in place of a run: judging, counting or drawing it would
// ignore its missing events.
var ErrSlice = errors.New("is a slice of a run: check it with the plan that made it: etrace check --plan PLAN --shard I")

// SliceTrailer returns the last line of a slice.
func SliceTrailer(end End, events int64, surveyed json.RawMessage) ([]byte, error) {
	var line bytes.Buffer
	enc := Encoder{w: bufio.NewWriter(&line)}
	err := errors.Join(enc.writeJSON(sliceTrailer{end, events, surveyed}), enc.w.Flush())
	return line.Bytes(), err
}

// checkSlice checks the order of the next event of a slice. References to other events were checked in the
// whole run. So the validator remembers only the last seq, however long the slice is.
func (v *Validator) checkSlice(e *Event) *Flaw {
	if e.Seq <= v.last {
		return flaw(
			FlawOfOrder, v.last,
			"seq %d follows seq %d, expected %d or more: the events of a slice are in the order of the run, each once",
			e.Seq, v.last, v.last+1,
		)
	}
	return nil
}
