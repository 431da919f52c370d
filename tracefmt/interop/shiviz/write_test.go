package shiviz_test

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/interop/shiviz"
)

// hostile are names and texts that would end a line, a word, a clock or a run, or look like one.
var hostile = []string{
	"n1", "a b", "a_b", "", "x\n=== y ===\nz {\"z\":1}\nhacked", "\r\n", "\u2028", "\u0085", `"`, `\`, "{",
	`{"n1":9}`, "===", "] to n1", "x to y from z", "(?<host>", "\x1b[31m", "😀",
}

// drawHistory draws a run all of whose events are steps of processes, at least one of each.
func drawHistory(t *rapid.T) *tracefmt.Memory {
	n := rapid.IntRange(1, 4).Draw(t, "processes")
	nonempty := rapid.SampledFrom(hostile).Filter(func(s string) bool { return s != "" })
	names := rapid.SliceOfNDistinct(nonempty, n, n, rapid.ID).Draw(t, "names")
	run := tracefmt.Run{Name: rapid.SampledFrom(hostile).Draw(t, "name"), TimeUnit: tracefmt.Logical}
	for i, name := range names {
		run.Members = append(run.Members, tracefmt.Member{Name: name, Position: i + 1})
	}
	m := tracefmt.NewMemory(run)
	text := func() []byte {
		return fmt.Appendf(nil, `{"x":%s}`, tracefmt.AppendString(nil, rapid.SampledFrom(hostile).Draw(t, "text")))
	}
	var sent []tracefmt.Event
	events := rapid.IntRange(n, 30).Draw(t, "events")
	for i := range events {
		e := tracefmt.Event{
			Seq: tracefmt.Seq(i + 1), Kind: tracefmt.Note, Process: tracefmt.ProcessID(i%n + 1),
			Type: rapid.SampledFrom(hostile).Draw(t, "type"), Payload: text(),
		}
		switch name := rapid.IntRange(0, 3).Draw(t, "what"); {
		case i < n: // each has an event
		case name == 0:
			e.Kind, e.Message, e.Peer = tracefmt.Send, tracefmt.MessageID(i+1), tracefmt.ProcessID(rapid.IntRange(1, n).Draw(t, "to"))
			sent = append(sent, e)
		case name == 1 && len(sent) > 0:
			k := rapid.IntRange(0, len(sent)-1).Draw(t, "message")
			s := sent[k]
			sent = append(sent[:k], sent[k+1:]...)
			e = tracefmt.Event{
				Seq: e.Seq, Kind: tracefmt.Receive, Process: s.Peer, Peer: s.Process, Type: s.Type,
				Message: s.Message, Cause: s.Seq, Payload: s.Payload,
			}
		case name == 2:
			e.Cause = tracefmt.Seq(rapid.IntRange(1, i).Draw(t, "cause"))
			e.Payload = fmt.Appendf(nil, `{"causes":[%d]}`, rapid.IntRange(1, i).Draw(t, "further cause"))
		}
		_ = m.Write(&e)
	}
	_ = m.Finish(tracefmt.Stopped)
	return m
}

// past is the set of events before or at each event, by definition.
func past(m *tracefmt.Memory) (list []map[tracefmt.Seq]bool) {
	last := map[tracefmt.ProcessID]tracefmt.Seq{}
	list = append(list, nil)
	for e := range m.Events(1) {
		local := map[tracefmt.Seq]bool{e.Seq: true}
		add := func(seq tracefmt.Seq) {
			for s := range list[seq] {
				local[s] = true
			}
		}
		add(last[e.Process])
		for cause := range e.Causes() {
			add(cause)
		}
		last[e.Process] = e.Seq
		list = append(list, local)
	}
	return list
}

func exported(t interface{ Fatal(...any) }, runs ...tracefmt.Recording) string {
	var b bytes.Buffer
	if _, err := interop.Export(shiviz.Format, &b, runs, nil); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func imported(t interface{ Fatal(...any) }, text string) *tracefmt.Collector {
	input, err := interop.NewInput("log", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var got tracefmt.Collector
	report, err := interop.Import(context.Background(), shiviz.Format, input, &got, interop.Settings{Strict: true})
	if err != nil {
		t.Fatal(err, "\n"+text)
	}
	for _, run := range report.Runs {
		if len(run.Findings) > 0 {
			t.Fatal(run.Findings)
		}
	}
	return &got
}

// TestWriteShiViz: import of an export gives the same events, messages and causality, whatever
// names and texts there are.
func TestWriteShiViz(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawHistory(t)
		text := exported(t, want)
		runs := imported(t, text).Runs
		if len(runs) != 1 || runs[0].Len() != want.Len() || len(runs[0].Run().Members) != len(want.Run().Members) {
			t.Fatalf("%d runs\n%s", len(runs), text)
		}
		got := runs[0]
		before, after := past(want), past(got)
		for seq := range before {
			if len(before[seq]) != len(after[seq]) {
				t.Fatalf("event %d has %d events in its past, expected %d\n%s", seq, len(after[seq]), len(before[seq]), text)
			}
			for s := range before[seq] {
				if !after[seq][s] {
					t.Fatalf("event %d is not after %d\n%s", seq, s, text)
				}
			}
		}
		same := map[tracefmt.MessageID]tracefmt.MessageID{}
		events := map[tracefmt.Seq]tracefmt.Event{}
		for e := range got.Events(1) {
			events[e.Seq] = *e.Clone()
		}
		for e := range want.Events(1) {
			second := events[e.Seq]
			if e.Kind == tracefmt.Send {
				same[e.Message] = second.Message
			}
			if second.Kind != e.Kind || second.Process != e.Process || second.Peer != e.Peer || second.Message != same[e.Message] {
				t.Fatalf("event %d is %+v, expected %+v\n%s", e.Seq, second, e, text)
			}
		}
	})
}

// TestWriteShiVizLines: each event has two lines, which ShiViz's own expressions divide.
func TestWriteShiVizLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first, two := drawHistory(t), drawHistory(t)
		lines := strings.Split(strings.TrimSuffix(exported(t, first, two), "\n"), "\n")
		if want := 2 + 2 + 2*(first.Len()+two.Len()); len(lines) != want {
			t.Fatalf("%d lines, expected %d", len(lines), want)
		}
		text := strings.Join(lines[2:], "\n")
		if n := len(regexp.MustCompile("(?m)^(?:"+lines[1]+")$").FindAllString(text, -1)); n != 2 {
			t.Errorf("%d delimiters, expected 2\n%s", n, text)
		}
		if n := len(regexp.MustCompile("(?m)^(?:"+lines[0]+")$").FindAllString(text, -1)); n != first.Len()+two.Len() {
			t.Errorf("%d events, expected %d\n%s", n, first.Len()+two.Len(), text)
		}
		if regexp.MustCompile(`[\r\v\f\x{85}\x{2028}\x{2029}]`).MatchString(text) {
			t.Errorf("a line ends within a text\n%q", text)
		}
	})
}

// TestWriteShiVizOmits: losses and what is of no process have no clock.
func TestWriteShiVizOmits(t *testing.T) {
	m := tracefmt.NewMemory(tracefmt.Run{TimeUnit: tracefmt.Logical, Members: []tracefmt.Member{{Name: "a"}, {Name: "b"}}})
	for i, e := range []tracefmt.Event{
		{Kind: tracefmt.Send, Process: 1, Peer: 2, Message: 1},
		{Kind: tracefmt.Lose, Process: 2, Peer: 1, Message: 1, Cause: 1},
		{Kind: tracefmt.Heal},
		{Kind: tracefmt.Note, Process: 2},
	} {
		e.Seq = tracefmt.Seq(i + 1)
		_ = m.Write(&e)
	}
	var b bytes.Buffer
	left, err := interop.Export(shiviz.Format, &b, []tracefmt.Recording{m}, nil)
	if err != nil || fmt.Sprint(left) != "[1 lose event is left out, shiviz has no words for it 1 heal event is "+
		"left out, shiviz has no words for it]" {
		t.Error(left, err)
	}
	if _, log, _ := strings.Cut(b.String(), "=== run 1 ===\n"); log != "a {\"a\":1}\nSending #1 to b\nb {\"b\":1}\nnote\n" {
		t.Errorf("%s", log)
	}
}
