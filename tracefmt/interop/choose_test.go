package interop_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"etrace/fixtures/growth"
	"etrace/tracefmt"
	"etrace/tracefmt/interop"
)

func started(at string) interop.Entry { return interop.Entry{Kind: tracefmt.Start, Process: at} }

// buildFiles builds a run of the entries of files, which are one execution; a time in
// milliseconds is before each entry.
func buildFiles(t fataler, files ...[]interop.Entry) (*tracefmt.Memory, *interop.RunReport, error) {
	t.Helper()
	var list []*interop.Input
	for i, entries := range files {
		input, err := interop.NewInput(fmt.Sprintf("f%d.log", i+1), strings.NewReader(strings.Repeat("x\n", len(entries))))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, input)
	}
	f := interop.Format{Name: "entries", Joins: true, Read: func(r *interop.Reading) error {
		b := r.Build(tracefmt.Run{})
		b.ByTime = true
		for _, entries := range files {
			i := 0
			for line := range r.Lines() {
				e := entries[i]
				e.Line = line
				b.Add(e)
				i++
			}
			r.Next()
		}
		return nil
	}}
	var got tracefmt.Collector
	report, err := interop.Import(context.Background(), f, interop.Join(list...), &got, interop.Settings{})
	if err != nil {
		return nil, nil, err
	}
	if err := tracefmt.Validate(got.Runs[0]); err != nil {
		t.Fatal(err)
	}
	return got.Runs[0], report.Runs[0], nil
}

func ms(at int, e interop.Entry) interop.Entry {
	e.Time = time.Unix(0, int64(at)*1e6)
	return e
}

// pairing writes the sends of the receives of each file in order: their places among the sends
// of the run by the sender's order, 0 for none.
func pairing(run *tracefmt.Memory) string {
	number := make(map[tracefmt.Seq]int)
	var owner []string
	for e := range run.Events(1) {
		switch e.Kind {
		case tracefmt.Send:
			number[e.Seq] = len(number) + 1
		case tracefmt.Receive:
			owner = append(owner, fmt.Sprintf("%s%d", run.Run().ProcessName(e.Process), number[e.Cause]))
		}
	}
	return strings.Join(owner, " ")
}

// Where a name or the content of a message leaves a choice.
func TestBuilderChoices(t *testing.T) {
	m := func(from, to, name string) interop.Entry { return named(send(from, to, "M"), name) }
	r := func(at, from, name string) interop.Entry { return named(receive(at, from, "M"), name) }
	for _, c := range []struct {
		name  string
		files [][]interop.Entry
		want  string // of each receive the receiver and the number of the send, in the order of the run
		noted string
	}{
		{
			"a life later, none overtakes another", [][]interop.Entry{{
				started("a"), m("a", "b", "1"), m("a", "b", "2"), started("a"), m("a", "b", "1"),
				r("b", "a", "1"), r("b", "a", "2"), m("a", "b", "2"), r("b", "a", "1"), r("b", "a", "2"),
			}}, "b1 b2 b3 b4", "1 receive could belong to more than one send of the same name, in several lives of the sender",
		},
		{
			"what was lost in an early life does not shift all later ones", [][]interop.Entry{{
				started("a"), m("a", "b", "1"), started("a"), m("a", "b", "1"), r("b", "a", "1"), started("a"), m("a", "b", "1"), r("b", "a", "1"),
			}}, "b2 b3", "2 receives could belong to more than one send of the same name, in several lives of the sender",
		},
		{
			"a duplicate in a file", [][]interop.Entry{{
				started("a"), m("a", "b", "1"), r("b", "a", "1"), r("b", "a", "1"), started("a"), m("a", "b", "1"), r("b", "a", "1"),
			}}, "b1 b1 b2", "",
		},
		{
			"the receiver's clock is behind", [][]interop.Entry{
				{ms(1000, started("a")), ms(1001, m("a", "b", "1")), ms(1004, started("a")), ms(1005, m("a", "b", "1"))},
				{ms(1, r("b", "a", "1")), ms(6, r("b", "a", "1"))},
			}, "b1 b2", "",
		},
		{
			"the receiver's clock is ahead", [][]interop.Entry{
				{
					ms(1000, started("a")), ms(1001, m("a", "b", "1")),
					ms(1003, named(receive("a", "b", "R"), "r")), ms(1004, started("a")),
					ms(1005, m("a", "b", "1")),
				},
				{ms(1011, r("b", "a", "1")), ms(1012, named(send("b", "a", "R"), "r")), ms(1016, r("b", "a", "1"))},
			}, "b1 a2 b3", "",
		},
		{
			"a duplicate without a name takes no later send", [][]interop.Entry{
				{ms(1000, send("a", "b", "M")), ms(1003, receive("a", "b", "R")), ms(1004, send("a", "b", "M"))},
				{ms(1001, receive("b", "a", "M")), ms(1002, receive("b", "a", "M")), ms(1002, send("b", "a", "R")), ms(1005, receive("b", "a", "M"))},
			}, "b1 b0 a2 b3", "1 receive could belong to more than one send of the same content, paired in order",
		},
		{
			"messages without names that need each other", [][]interop.Entry{
				{ms(1, receive("a", "b", "R")), ms(2, receive("a", "b", "R")), ms(3, send("a", "b", "M")), ms(4, send("a", "b", "M"))},
				{ms(1, receive("b", "a", "M")), ms(2, receive("b", "a", "M")), ms(3, send("b", "a", "R")), ms(4, send("b", "a", "R"))},
			}, "a0 b0 a0 b1", "1 receive could belong to more than one send of the same content, paired in order",
		},
		{
			// Of two hosts that wait for each other, the one with a receive more than there are sends goes on.
			"too many receives go on first", [][]interop.Entry{
				{ms(2, receive("a", "b", "R")), ms(3, send("a", "b", "M")), ms(4, send("a", "b", "M")), ms(12, receive("a", "b", "R"))},
				{ms(1, receive("b", "a", "M")), ms(10, send("b", "a", "R")), ms(11, receive("b", "a", "M"))},
			}, "a0 b1 b2 a3", "1 receive could belong to more than one send of the same content, paired in order",
		},
		{
			// The second receive waits for the second send, though there are more receives than sends.
			"a receive without a name waits for its send", [][]interop.Entry{
				{ms(1, send("a", "b", "M")), ms(10, send("a", "b", "M"))},
				{ms(2, receive("b", "a", "M")), ms(3, receive("b", "a", "M")), ms(11, receive("b", "a", "M"))},
			}, "b1 b2 b0", "1 receive could belong to more than one send of the same content, paired in order",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var run *tracefmt.Memory
			var report *interop.RunReport
			var err error
			if len(c.files) == 1 {
				run, report, err = build(t, interop.Settings{}, addAll(c.files[0]))
			} else {
				run, report, err = buildFiles(t, c.files...)
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := pairing(run); got != c.want {
				t.Errorf("got %s, want %s:\n%s", got, c.want, sketch(run))
			}
			if got := strings.Join(report.Remarks(), "\n"); c.noted != "" && !strings.Contains(got, c.noted) ||
				c.noted == "" && strings.Contains(got, "more than one") {
				t.Errorf("noted %s, want %q", got, c.noted)
			}
		})
	}
}

// The files of a run that was are never refused, whatever its clocks: messages have no names
// or those of an earlier life, are lost, duplicated, overtaken, and not all are logged.
func TestBuilderNeverRefusesWhatWas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pick := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "pick") }
		processes := 2 + pick(2)
		files, skew, numbers := make([][]interop.Entry, processes), make([]int, processes), make([]int, processes)
		name := func(p int) string { return fmt.Sprintf("n%d", p) }
		for p := range processes {
			skew[p] = 100 * pick(10)
			files[p] = append(files[p], ms(skew[p], started(name(p))))
		}
		withNames := pick(3)
		var open []interop.Entry
		for now := range 5 + pick(40) {
			p := pick(processes)
			e := ms(now+skew[p], started(name(p)))
			switch kind := pick(8); {
			case kind == 0:
				numbers[p] = 0
			case kind < 4 || len(open) == 0:
				e.Kind, e.Peer, e.Type = tracefmt.Send, name(pick(processes)), fmt.Sprint("M", pick(2))
				numbers[p]++
				if withNames > 0 {
					e.Message = fmt.Sprintf("%d/%d", p, numbers[p])
				}
				open = append(open, e)
			default:
				i := pick(len(open))
				sent := open[i]
				p = int(sent.Peer[1] - '0')
				e = ms(now+skew[p], receive(sent.Peer, sent.Process, sent.Type))
				e.Message = sent.Message
				if pick(6) > 0 {
					open = append(open[:i:i], open[i+1:]...)
				}
			}
			if e.Message != "" || pick(8) > 0 { // not logged: with names that could be a real contradiction
				files[p] = append(files[p], e)
			}
		}
		run, _, err := buildFiles(t, files...)
		if err != nil {
			t.Fatal(err)
		}
		clockCondition(t, run)
	})
}

// Lives that use numbers again cost what others do.
func TestManyLives(t *testing.T) {
	growth.Linear(t, 4_000, func(n int) func() {
		return func() {
			if _, _, err := build(t, interop.Settings{}, func(b *interop.Builder) {
				for range n {
					b.Add(started("a"))
					b.Add(named(send("a", "b", "M"), "1"))
					b.Add(named(receive("b", "a", "M"), "1"))
				}
			}); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// Names of a process cost what others do, also where each new one is that of the process before.
func TestManyAliases(t *testing.T) {
	growth.Linear(t, 4_000, func(n int) func() {
		return func() {
			run, _, err := build(t, interop.Settings{}, func(b *interop.Builder) {
				for i := range n {
					b.Alias(fmt.Sprint(i+1), fmt.Sprint(i), 1)
					b.Add(step("0", "x"))
				}
			})
			if err != nil || len(run.Run().Members) != 1 || run.Run().Members[0].Name != fmt.Sprint(n) {
				t.Fatalf("%v, want one process with the last name", err)
			}
		}
	})
}
