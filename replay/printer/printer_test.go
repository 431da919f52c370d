package printer_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"etrace/replay"
	"etrace/replay/printer"
	"etrace/tracefmt"
)

func TestParseStretch(t *testing.T) {
	for text, want := range map[string]printer.Stretch{
		"3..9": {From: 3, To: 9},
		"3..":  {From: 3, To: math.MaxInt64},
		"..9":  {From: 1, To: 9},
		"4":    {From: 4, To: 4},
	} {
		if got, err := printer.ParseStretch(text); err != nil || got != want {
			t.Errorf("%s: got %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "..", "x", "0..3", "9..3", "1..2..3", "-1"} {
		if got, err := printer.ParseStretch(text); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%q: got %v, %v, want an error that repeats it", text, got, err)
		}
	}
}

// twoRuns has a run with events, and one without.
const twoRuns = `{"format":"etrace/1","time_unit":"delay","members":[{"name":"a"},{"name":"b"}]}
{"seq":1,"time":0,"process":"a","kind":"start","lamport":1,"payload":{"x":1}}
{"seq":2,"time":1000000000,"process":"a","kind":"state","lamport":2,"payload":{"x":"<2>"}}
{"end":"quiescent","events":2}
{"format":"etrace/1","time_unit":"delay","members":[{"name":"a"}]}
{"end":"quiescent","events":0}
`

// printed prints changes of x in every run, and the state at its end.
func printed(t *testing.T, p printer.Printer) {
	t.Helper()
	runs, err := tracefmt.ReadMemory(strings.NewReader(twoRuns))
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range runs {
		if err := p.Begin(rec.Run()); err != nil {
			t.Fatal(err)
		}
		changed, err := printer.Watch(p, rec, "x", 0)
		if err == nil && !changed {
			err = p.Nothing("x never changes")
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := p.End(); err != nil {
		t.Fatal(err)
	}
}

func TestText(t *testing.T) {
	var b bytes.Buffer
	printed(t, printer.NewText(&b, printer.TextOptions{}))
	for _, want := range []string{
		"run 1: no name, 2 processes, 2 events\n", "x was 1)\n",
		"\nrun 2: no name, 1 process, 0 events\nx never changes\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// TestJSON: what is printed step by step is one document.
func TestJSON(t *testing.T) {
	var b bytes.Buffer
	printed(t, printer.NewJSON(&b))
	var got struct {
		Format string
		Runs   []struct {
			Run   int
			Steps []struct {
				Seq     int
				Changes []struct{ Before, After any }
			}
		}
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatalf("%v in %s", err, b.String())
	}
	if got.Format != printer.JSONVersion || len(got.Runs) != 2 || len(got.Runs[1].Steps) != 0 {
		t.Fatalf("got %s", b.String())
	}
	last := got.Runs[0].Steps[len(got.Runs[0].Steps)-1]
	if last.Seq != 2 || last.Changes[0].Before != 1.0 || last.Changes[0].After != "<2>" {
		t.Errorf("the last step is %+v, want x from 1 to <2> at seq 2", last)
	}
}

// TestState: before the first event, and after the last.
func TestState(t *testing.T) {
	runs, err := tracefmt.ReadMemory(strings.NewReader(twoRuns))
	if err != nil {
		t.Fatal(err)
	}
	c := replay.NewCursor(runs[0])
	for seq, want := range map[tracefmt.Seq]string{0: "before the first event\n", 2: "seq 2, t=1: "} {
		if err := c.Seek(seq); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		p := printer.NewText(&b, printer.TextOptions{})
		if err := p.State(c); err != nil {
			t.Fatal(err)
		}
		if err := p.End(); err != nil || !strings.HasPrefix(b.String(), want) || !strings.Contains(b.String(), "no message is in flight") {
			t.Errorf("at seq %d: %v, %s", seq, err, b.String())
		}
	}
}

// TestGapsOfAProcess: a watch of one process shows the gaps of its record only.
func TestGapsOfAProcess(t *testing.T) {
	run := tracefmt.Run{TimeUnit: tracefmt.Logical, Members: []tracefmt.Member{{Name: "a", Position: 1}, {Name: "b", Position: 2}}}
	run.Completeness = &tracefmt.Completeness{Gaps: []tracefmt.Gap{{Process: "a", From: 1, To: 1}, {Process: "b", From: 2, To: 2}}}
	rec := tracefmt.NewMemory(run)
	for p := range tracefmt.ProcessID(2) {
		rec.Write(&tracefmt.Event{Seq: tracefmt.Seq(p + 1), Kind: tracefmt.State, Process: p + 1, Payload: []byte(`{"x":1}`)})
	}
	rec.Finish(tracefmt.Stopped)
	var b bytes.Buffer
	p := printer.NewText(&b, printer.TextOptions{})
	err := p.Begin(rec.Run())
	if err == nil {
		_, err = printer.Watch(p, rec, "x", 2)
	}
	err = errors.Join(err, p.End())
	if err != nil {
		t.Fatal(err)
	}
	ofA, ofB := run.Completeness.Gaps[0].Text(), run.Completeness.Gaps[1].Text()
	if strings.Contains(b.String(), ofA) || !strings.Contains(b.String(), ofB) {
		t.Errorf("got %s\nwant %q in it, and not %q", b.String(), ofB, ofA)
	}
}

// TestManyInFlight: of many messages on a channel the first twelve are listed, and the others counted.
func TestManyInFlight(t *testing.T) {
	rec := tracefmt.NewMemory(tracefmt.Run{
		TimeUnit: tracefmt.Logical, Members: []tracefmt.Member{{Name: "a", Position: 1}, {Name: "b", Position: 2}},
	})
	for i := range 14 {
		rec.Write(&tracefmt.Event{
			Seq: tracefmt.Seq(i + 1), Kind: tracefmt.Send, Type: "M", Process: 1, Peer: 2, Message: tracefmt.MessageID(i + 1),
		})
	}
	rec.Finish(tracefmt.Stopped)
	c := replay.NewCursor(rec)
	if err := c.SeekEnd(); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	p := printer.NewText(&b, printer.TextOptions{})
	if err := errors.Join(p.State(c), p.End()); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); !strings.Contains(got, "(sent at seq 12), 2 more\n") || strings.Contains(got, "sent at seq 13") {
		t.Errorf("got %s", got)
	}
}
