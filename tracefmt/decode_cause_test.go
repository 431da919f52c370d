package tracefmt_test

import (
	"bytes"
	"fmt"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"etrace/tracefmt"
)

// drawMessages draws a run in which messages are sent, and some of them
// received, received again, or lost, by any ids.
func drawMessages(t *rapid.T) *tracefmt.Memory {
	m := tracefmt.NewMemory(
		tracefmt.Run{TimeUnit: tracefmt.Logical, Members: []tracefmt.Member{{Name: "a", Position: 1}, {Name: "b", Position: 2}}},
	)
	var sends []tracefmt.Event
	for range rapid.IntRange(0, 60).Draw(t, "events") {
		e := tracefmt.Event{Seq: tracefmt.Seq(m.Len() + 1), Kind: tracefmt.Send, Process: 1, Peer: 2}
		if len(sends) > 0 && rapid.Bool().Draw(t, "arrives") {
			send := rapid.SampledFrom(sends).Draw(t, "of")
			e.Kind = rapid.SampledFrom([]tracefmt.Kind{tracefmt.Receive, tracefmt.Lose}).Draw(t, "kind")
			e.Process, e.Peer, e.Message, e.Cause = 2, 1, send.Message, send.Seq
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

// TestLawCauses: the messages of a run determine its causes. A run without some or all of its causes is read as
// if it had them.
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

// TestDecodeCauses: a missing cause is the only earlier send of the message. Without such a send, or with the
// cause null, the event has no cause.
func TestDecodeCauses(t *testing.T) {
	const header = `{"format":"etrace/1","time_unit":"logical","members":[{"name":"a"},{"name":"b"}]}` + "\n"
	line := func(seq int, kind, tail string) string {
		return fmt.Sprintf(`{"seq":%d,"kind":%q,"message":7%s}`+"\n", seq, kind, tail)
	}
	for name, test := range map[string]struct {
		text string
		want tracefmt.Seq // the cause of the last event
	}{
		"sent":                    {line(1, "send", "") + line(2, "receive", ""), 1},
		"sent, and lost":          {line(1, "send", "") + line(2, "lose", ""), 1},
		"sent, and received":      {line(1, "send", "") + line(2, "receive", "") + line(3, "receive", ""), 1},
		"never sent":              {line(1, "receive", ""), 0},
		"never sent, but so said": {line(1, "note", "") + line(2, "receive", `,"cause":1`), 1},
		"sent twice":              {line(1, "send", "") + line(2, "send", "") + line(3, "send", "") + line(4, "receive", ""), 0},
		"sent in the run before":  {line(1, "send", "") + header + line(2, "receive", ""), 0},
		"none, named null":        {line(1, "send", "") + line(2, "receive", `,"cause":null`), 0},
		"none, named 0":           {line(1, "send", "") + line(2, "receive", `,"cause":0`), 0},
		"a note of the message":   {line(1, "send", "") + line(2, "note", ""), 0},
	} {
		runs, err := decodeAll([]byte(header + test.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		last := events(runs[len(runs)-1])
		if got := last[len(last)-1].Cause; got != test.want {
			t.Errorf("%s: the cause is %d, want %d", name, got, test.want)
		}
	}
}

// TestLawLossless: the text twin preserves every event, also of incomplete or contradictory recordings.
func TestLawLossless(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := tracefmt.NewMemory(tracefmt.Run{TimeUnit: tracefmt.Logical, Members: []tracefmt.Member{{Name: "a"}, {Name: "b"}}})
		for i := range rapid.IntRange(0, 30).Draw(t, "events") {
			m.Write(&tracefmt.Event{
				Seq:     tracefmt.Seq(i + 1),
				Kind:    rapid.SampledFrom([]tracefmt.Kind{tracefmt.Send, tracefmt.Receive, tracefmt.Lose, tracefmt.Note}).Draw(t, "kind"),
				Process: 1, Peer: 2,
				Message: tracefmt.MessageID(rapid.IntRange(0, 4).Draw(t, "message")),
				Cause:   tracefmt.Seq(rapid.IntRange(0, i).Draw(t, "cause")) * tracefmt.Seq(rapid.IntRange(0, 1).Draw(t, "has a cause")),
			})
		}
		m.Finish(tracefmt.Stopped)
		text, err := encodeAll([]*tracefmt.Memory{m})
		if err != nil {
			t.Fatal(err)
		}
		runs, err := decodeAll(text)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(events(m), events(runs[0])); diff != "" {
			t.Fatalf("(-written +read)\n%s\n%s", diff, text)
		}
		again, err := encodeAll(runs)
		if diff := cmp.Diff(string(text), string(again)); err != nil || diff != "" {
			t.Fatalf("error %v (-first +second)\n%s", err, diff)
		}
	})
}

// TestSalvagedCauses: what is sound before a mistake is read alike each time, also
// where the mistake is a second send of a message.
func TestSalvagedCauses(t *testing.T) {
	text := []byte(`{"format":"etrace/1","time_unit":"logical","members":[{"name":"a"},{"name":"b"}]}
{"seq":1,"process":"a","kind":"send","peer":"b","message":7}
{"seq":2,"process":"b","kind":"receive","peer":"a","message":7}
{"seq":3,"process":"a","kind":"send","peer":"b","message":7}
{"end":"stopped","events":3}
`)
	runs, damage, err := tracefmt.NewText("x", bytes.NewReader(text), int64(len(text))).Salvage()
	if err != nil || len(damage) != 1 || len(runs) != 1 {
		t.Fatalf("%d runs, damage %v, error %v, expected one of each", len(runs), damage, err)
	}
	var causes []tracefmt.Seq
	for e, err := range runs[0].Events(1) {
		if err != nil {
			t.Fatal(err)
		}
		causes = append(causes, e.Cause)
	}
	if diff := cmp.Diff([]tracefmt.Seq{0, 1}, causes); diff != "" {
		t.Errorf("causes (-want +got)\n%s", diff)
	}
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
		m.Write(
			&tracefmt.Event{Seq: pairs + i + 1, Kind: tracefmt.Receive, Process: 2, Peer: 1, Message: tracefmt.MessageID(i + 1), Cause: i + 1},
		)
	}
	m.Finish(tracefmt.Stopped)
	full, err := encodeAll([]*tracefmt.Memory{m})
	if err != nil {
		t.Fatal(err)
	}
	text := causeKey.ReplaceAll(full, nil)
	runs, err := tracefmt.NewText("runs", bytes.NewReader(text), int64(len(text))).Runs()
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
