package diagram

import (
	"fmt"
	"testing"

	"etrace/render/story"
	"etrace/tracefmt"
)

func TestNumberList(t *testing.T) {
	for _, c := range []struct {
		in   []int
		want string
	}{{[]int{1}, "1"}, {[]int{1, 9, 17, 25}, "1, 9, 17, 25"}, {[]int{1, 9, 17, 25, 33}, "1, 9, … 33 (5×)"}} {
		if got := numberList(c.in); got != c.want {
			t.Errorf("numberList(%v) = %q, want %q", c.in, got, c.want)
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
			m.Write(&tracefmt.Event{Seq: tracefmt.Seq(m.Len() + 1), Kind: tracefmt.Send, Process: from, Peer: 3, Type: typ, Message: tracefmt.MessageID(m.Len() + 1)})
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
