package tracefmt_test

import (
	"bytes"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"etrace/tracefmt"
)

// TestSinks: what is copied from sink to sink is the same text in the end.
func TestSinks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		runs := []*tracefmt.Memory{drawRun(t), drawRun(t)}
		want, err := encodeAll(runs)
		if err != nil {
			t.Fatal(err)
		}
		var once tracefmt.Memory
		var collected tracefmt.Collector
		for _, run := range runs {
			if err := tracefmt.Copy(&once, run, nil); err != nil {
				t.Fatal(err)
			}
			if err := tracefmt.Copy(&collected, &once, nil); err != nil {
				t.Fatal(err)
			}
		}
		var got bytes.Buffer
		enc := tracefmt.NewEncoder(&got)
		for _, rec := range collected.Recordings() {
			if err := enc.Encode(rec); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(got.Bytes(), want) {
			t.Fatalf("got\n%s\nwant\n%s", got.Bytes(), want)
		}
	})
}

type refusing struct{ at tracefmt.Seq }

var errRefused = errors.New("refused")

func (r refusing) Write(e *tracefmt.Event) error {
	if e.Seq == r.at {
		return errRefused
	}
	return nil
}

// TestTee: an event that one refuses does not reach those after it.
func TestTee(t *testing.T) {
	var before, after tracefmt.Memory
	writer := tracefmt.Tee(&before, refusing{at: 3}, &after)
	var err error
	for seq := tracefmt.Seq(1); seq <= 3; seq++ {
		err = writer.Write(&tracefmt.Event{Seq: seq, Kind: tracefmt.Note})
	}
	if !errors.Is(err, errRefused) || before.Len() != 3 || after.Len() != 2 {
		t.Errorf("error %v; %d events before and %d after", err, before.Len(), after.Len())
	}
}
