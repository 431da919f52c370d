package tracefmt_test

import (
	"bytes"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"etrace/tracefmt"
)

// drawMessages draws a run in which messages are sent, and some of them
// received, received again, or lost, by any ids.
func drawMessages(t *rapid.T) *tracefmt.Memory {
	m := tracefmt.NewMemory(tracefmt.Run{TimeUnit: tracefmt.Logical, Members: []tracefmt.Member{{Name: "a", Position: 1}, {Name: "b", Position: 2}}})
	var sends []tracefmt.Event
	for range rapid.IntRange(0, 60).Draw(t, "events") {
		e := tracefmt.Event{Seq: tracefmt.Seq(m.Len() + 1), Kind: tracefmt.Send, Process: 1, Peer: 2}
		if len(sends) > 0 && rapid.Bool().Draw(t, "arrives") {
			of := rapid.SampledFrom(sends).Draw(t, "of")
			e.Kind = rapid.SampledFrom([]tracefmt.Kind{tracefmt.Receive, tracefmt.Lose}).Draw(t, "kind")
			e.Process, e.Peer, e.Message, e.Cause = 2, 1, of.Message, of.Seq
		} else {
			e.Message = tracefmt.MessageID(1 + len(sends)*rapid.SampledFrom([]int{1, 1_000_003}).Draw(t, "apart"))
			for i := range sends {
				if sends[i].Message == e.Message {
					e.Message = tracefmt.MessageID(-len(sends))
				}
			}
			sends = append(sends, e)
		}
		m.Write(&e)
	}
	m.Finish(tracefmt.Stopped)
	return m
}

var causeKey = regexp.MustCompile(`,"cause":\d+`)

// TestLawCauses: what a run says about its messages says the causes. A run that
// leaves out some or all of them is read as if it had them.
func TestLawCauses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want, err := encodeAll([]*tracefmt.Memory{drawMessages(t)})
		if err != nil {
			t.Fatal(err)
		}
		without := causeKey.ReplaceAllFunc(want, func(key []byte) []byte {
			if rapid.Bool().Draw(t, "kept") {
				return key
			}
			return nil
		})
		runs, err := decodeAll(without)
		if err != nil {
			t.Fatal(err)
		}
		got, err := encodeAll(runs)
		if diff := cmp.Diff(string(want), string(got)); err != nil || diff != "" {
			t.Fatalf("error %v (-want +got)\n%s", err, diff)
		}
	})
}

// TestTextRunCauses: a long text that leaves out its causes is read from any
// event on, again and again.
func TestTextRunCauses(t *testing.T) {
	const pairs = 10_000
	m := tracefmt.NewMemory(tracefmt.Run{TimeUnit: tracefmt.Logical, Members: []tracefmt.Member{{Name: "a"}, {Name: "b"}}})
	for i := range tracefmt.Seq(pairs) {
		m.Write(&tracefmt.Event{Seq: i + 1, Kind: tracefmt.Send, Process: 1, Peer: 2, Message: tracefmt.MessageID(i + 1)})
	}
	for i := range tracefmt.Seq(pairs) {
		m.Write(&tracefmt.Event{Seq: pairs + i + 1, Kind: tracefmt.Receive, Process: 2, Peer: 1, Message: tracefmt.MessageID(i + 1), Cause: i + 1})
	}
	m.Finish(tracefmt.Stopped)
	whole, err := encodeAll([]*tracefmt.Memory{m})
	if err != nil {
		t.Fatal(err)
	}
	text := causeKey.ReplaceAll(whole, nil)
	runs, err := tracefmt.NewText("runs", bytes.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	for _, from := range []tracefmt.Seq{1, pairs, 2*pairs - 1, 2 * pairs, pairs + 5000} {
		next := from
		for e, err := range runs[0].Events(from) {
			if err != nil || e.Seq != next || e.Seq > pairs && e.Cause != e.Seq-pairs {
				t.Fatalf("from %d: %v, error %v, expected seq %d", from, e, err, next)
			}
			next++
		}
		if next != 2*pairs+1 {
			t.Errorf("from %d: ends before %d", from, next)
		}
	}
}
