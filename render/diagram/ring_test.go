package diagram

import (
	"fmt"
	"slices"
	"testing"

	"etrace/render/drawing"
	"etrace/render/story"
	"etrace/tracefmt"
)

func TestNumberList(t *testing.T) {
	for _, c := range []struct {
		input []int
		want  string
	}{{[]int{1}, "1"}, {[]int{1, 9, 17, 25}, "1, 9, 17, 25"}, {[]int{1, 9, 17, 25, 33}, "1, 9, … 33 (5×)"}} {
		if got := numberList(c.input); got != c.want {
			t.Errorf("numberList(%v) = %q, want %q", c.input, got, c.want)
		}
	}
}

// Only an algorithm on a ring passes over who is down; else a message from 1 to 3 is sent to 3, whether
// 2 is down or not.
func TestPassesOverOnRings(t *testing.T) {
	for _, c := range []struct {
		traits []string
		want   bool
	}{{[]string{tracefmt.OnRing}, true}, {nil, false}} {
		m := tracefmt.NewMemory(tracefmt.Run{
			TimeUnit: tracefmt.Delays, Traits: c.traits,
			Members: []tracefmt.Member{{Name: "1", Position: 1}, {Name: "2", Position: 2}, {Name: "3", Position: 3}, {Name: "4", Position: 4}},
		})
		m.Write(&tracefmt.Event{Seq: 1, Kind: tracefmt.Crash, Process: 2})
		m.Write(&tracefmt.Event{Seq: 2, Kind: tracefmt.Send, Process: 1, Peer: 3, Type: "A", Message: 1})
		m.Finish(tracefmt.Stopped)
		said := slices.ContainsFunc(nodes(build(t, ringDiagram, m, story.Options{})),
			func(n drawing.Node) bool { return n.Text == legendSkipped.Text })
		if said != c.want {
			t.Errorf("traits %v: it passes over who is down: %t", c.traits, said)
		}
	}
}

// TestCrossesAreLosses: a cross ends a lost message. A process that is down has none, since arrows may begin and end at it:
// here one to its neighbour begins at the top, where it sent before it crashed, and another one arrives.
func TestCrossesAreLosses(t *testing.T) {
	m := tracefmt.NewMemory(tracefmt.Run{
		TimeUnit: tracefmt.Delays, Traits: []string{tracefmt.OnRing},
		Members: []tracefmt.Member{{Name: "1", Position: 1}, {Name: "2", Position: 2}, {Name: "3", Position: 3}},
	})
	for i, e := range []tracefmt.Event{
		{Kind: tracefmt.Send, Process: 3, Peer: 1, Type: "A", Message: 1},
		{Kind: tracefmt.Receive, Process: 1, Peer: 3, Type: "A", Message: 1, Cause: 1},
		{Kind: tracefmt.Send, Process: 1, Peer: 2, Type: "A", Message: 2},
		{Kind: tracefmt.Receive, Process: 2, Peer: 1, Type: "A", Message: 2, Cause: 3},
		{Kind: tracefmt.Crash, Process: 1},
	} {
		e.Seq = tracefmt.Seq(i + 1)
		m.Write(&e)
	}
	m.Finish(tracefmt.Stopped)
	for _, d := range []Diagram{ringDiagram, graphDiagram} {
		crosses := slices.DeleteFunc(paths(build(t, d, m, story.Options{})), func(p drawing.Path) bool { return p.Style != crossMark })
		if len(crosses) > 0 {
			t.Errorf("%s: %d crosses without a loss, at %v", d.Name, len(crosses), crosses[0].Strokes)
		}
	}
}

// An arrow is of one type, unless there are more than there is room for: of 1 and
// 2, each of whose messages goes to 3, one sends two types and one sends five.
func TestArrowsOfOneType(t *testing.T) {
	run := tracefmt.Run{TimeUnit: tracefmt.Delays}
	for _, name := range []string{"1", "2", "3"} {
		run.Members = append(run.Members, tracefmt.Member{Name: name})
	}
	m := tracefmt.NewMemory(run)
	send := func(from tracefmt.ProcessID, types ...string) {
		for _, typ := range types {
			m.Write(&tracefmt.Event{
				Seq: tracefmt.Seq(m.Len() + 1), Kind: tracefmt.Send, Process: from, Peer: 3, Type: typ,
				Message: tracefmt.MessageID(m.Len() + 1),
			})
		}
	}
	send(1, "A", "B", "A")
	send(2, "A", "B", "C", "D", "E")
	m.Finish(tracefmt.Stopped)
	hues := make(map[string][]int)
	for _, p := range paths(build(t, ringDiagram, m, story.Options{})) {
		if p.From != "" {
			hues[p.From] = append(hues[p.From], p.Hue)
		}
	}
	if got := fmt.Sprint(hues); got != "map[p1:[1 2] p2:[0]]" {
		t.Errorf("hues by sender: %s", got)
	}
}

// TestSmooth: a curve through points bends at each by the line between its neighbours (Catmull and Rom 1974).
func TestSmooth(t *testing.T) {
	got := smooth([]drawing.Point{drawing.At(0, 2), drawing.At(6, 8), drawing.At(12, 2)})
	want := []drawing.Point{
		drawing.At(0, 2), drawing.At(1, 3), drawing.At(4, 8), drawing.At(6, 8), drawing.At(8, 8),
		drawing.At(11, 3), drawing.At(12, 2),
	}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
