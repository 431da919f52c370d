package diagram

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"etrace/render/drawing"
	"etrace/render/story"
	"etrace/tracefmt"
)

// changes is a run of three processes that change variables, one after the other: a
// becomes a candidate and votes at the same instant, then b votes, then a leads.
func changes(t *testing.T) *tracefmt.Memory {
	t.Helper()
	m := tracefmt.NewMemory(tracefmt.Run{
		Problem: "raft", TimeUnit: tracefmt.Nanoseconds,
		Members: []tracefmt.Member{{Name: "a"}, {Name: "b"}, {Name: "c"}},
	})
	for i, c := range []struct {
		process tracefmt.ProcessID
		time    tracefmt.Time
		payload string
	}{
		{1, 1, `{"role":"candidate","term":2}`},
		{1, 1, `{"votedFor":"a","term":2}`},
		{2, 3, `{"votedFor":"a","term":2}`},
		{3, 3, `{"votedFor":"a","term":2}`},
		{1, 5, `{"role":"leader","term":2}`},
		{3, 7, `{"commit":1}`},
	} {
		m.Write(&tracefmt.Event{Seq: tracefmt.Seq(i + 1), Time: c.time, Kind: tracefmt.State, Process: c.process, Payload: []byte(c.payload)})
	}
	m.Finish(tracefmt.Stopped)
	return m
}

// TestEveryChangeIsDrawn: each change of variables has its own mark on the lifeline of
// its process, and its values at the right of that, before the next lifeline.
func TestEveryChangeIsDrawn(t *testing.T) {
	d := build(t, sequenceDiagram, changes(t), story.Options{Witness: []tracefmt.Seq{2, 5, 6}})
	marks := map[string]drawing.Node{}
	for _, style := range []*drawing.Style{valueDot, stateTag, leaderTag} {
		for _, n := range nodesOf(d, style) {
			if n.ID != "" { // the legend has none
				marks[n.ID] = n
			}
		}
	}
	for seq, want := range []string{
		"term = 2", "votedFor = a, term = 2", "votedFor = a, term = 2",
		"votedFor = a, term = 2", "term = 2", "commit = 1",
	} {
		m, ok := marks[fmt.Sprintf("e%d", seq+1)]
		if !ok {
			t.Errorf("event %d has no mark", seq+1)
			continue
		}
		beside := func(n drawing.Node) bool {
			gap := n.X - n.W/2 - m.X - m.W/2
			return n.Text == want && gap > 0 && gap < 20 && n.Y > m.Y-10 && n.Y < m.Y+10
		}
		if !slices.ContainsFunc(nodesOf(d, valueLabel), beside) {
			t.Errorf("event %d at %g, %g has not %q at its right", seq+1, m.X, m.Y, want)
		}
	}
	for _, h := range nodesOf(d, witnessHalo) {
		for _, n := range nodesOf(d, valueLabel) {
			if bounds(&n).overlaps(bounds(&h)) {
				t.Errorf("%q erases a part of the mark of a witness", n.Text)
			}
		}
	}
}

// TestChangesLeftOut: a long picture has a remark that it leaves out changes of variables.
func TestChangesLeftOut(t *testing.T) {
	m := tracefmt.NewMemory(tracefmt.Run{TimeUnit: tracefmt.Delays, Members: []tracefmt.Member{{Name: "a"}}})
	for i := range denseFrom + 1 {
		m.Write(&tracefmt.Event{
			Seq: tracefmt.Seq(i + 1), Time: tracefmt.Time(i) * tracefmt.Unit, Kind: tracefmt.State,
			Process: 1, Payload: []byte(`{"x":1}`),
		})
	}
	m.Finish(tracefmt.Stopped)
	d := build(t, sequenceDiagram, m, story.Options{})
	if !slices.ContainsFunc(nodesOf(d, summaryText),
		func(n drawing.Node) bool { return strings.HasPrefix(n.Text, "401 changes of variables not drawn") }) {
		t.Error("the picture does not say that it leaves out 401 changes")
	}
}

// TestDecisionsAreTags: what a process decides has a tag and a row of the legend, what
// else changes with it is beside that; that it has not decided has none.
func TestDecisionsAreTags(t *testing.T) {
	m := tracefmt.NewMemory(tracefmt.Run{
		Problem: "commit", TimeUnit: tracefmt.Nanoseconds,
		Members: []tracefmt.Member{{Name: "a"}, {Name: "b"}},
	})
	for i, payload := range []string{`{"decided":null}`, `{"vote":"no","decided":"abort"}`} {
		m.Write(&tracefmt.Event{Seq: tracefmt.Seq(i + 1), Time: tracefmt.Time(i), Kind: tracefmt.State, Process: 1, Payload: []byte(payload)})
	}
	m.Finish(tracefmt.Stopped)
	d := build(t, sequenceDiagram, m, story.Options{})
	var tags, values []string
	for _, n := range nodesOf(d, stateTag) {
		if n.ID != "" { // the legend has none
			tags = append(tags, n.ID+" "+n.Text)
		}
	}
	for _, n := range nodesOf(d, valueLabel) {
		values = append(values, n.Text)
	}
	if want := []string{"e2 decided = abort"}; !slices.Equal(tags, want) {
		t.Errorf("tags %q, want %q", tags, want)
	}
	if want := []string{"decided = none", "vote = no"}; !slices.Equal(values, want) {
		t.Errorf("values %q, want %q", values, want)
	}
}
