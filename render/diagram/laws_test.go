package diagram

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"etrace/render/drawing"
	"etrace/render/story"
	"etrace/render/view"
	"etrace/tracefmt"
)

// load reads a recording of render/testdata.
func load(t rapid.TB, name string) *tracefmt.Memory {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "testdata", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	runs, err := tracefmt.ReadMemory(f)
	if err != nil || len(runs) != 1 {
		t.Fatalf("%s: %d runs, %v, expected one", name, len(runs), err)
	}
	return runs[0]
}

func build(t rapid.TB, d Diagram, rec tracefmt.Recording, o story.Options) *drawing.Drawing {
	t.Helper()
	o.Variables = d.Variables
	s, err := story.Read(context.Background(), rec, o)
	if err != nil {
		t.Fatal(err)
	}
	made, err := d.Build(context.Background(), s, Layout{})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func paths(d *drawing.Drawing) []drawing.Path {
	var list []drawing.Path
	for _, l := range d.Layers {
		list = append(list, l.Paths...)
	}
	return list
}

func nodes(d *drawing.Drawing) []drawing.Node {
	var list []drawing.Node
	for _, l := range d.Layers {
		list = append(list, l.Nodes...)
	}
	return list
}

// Time runs downward: whatever leaves arrives strictly below.
func checkDownward(t rapid.TB, d *drawing.Drawing) {
	t.Helper()
	for _, p := range paths(d) {
		if p.Style != messageLine && p.Style != lostLine && p.Style != duplicateLine && p.Style != openLine || p.ID == "" {
			continue
		}
		stroke := p.Strokes[len(p.Strokes)-1]
		from, to := stroke[0], stroke[len(stroke)-1]
		if to.Y <= from.Y {
			t.Fatalf("%s (%s) goes up, from %v to %v", p.ID, p.Tip, from, to)
		}
	}
}

// Every message of the run is drawn, and every arrival is one arrow.
func checkComplete(t rapid.TB, d *drawing.Drawing, rec *tracefmt.Memory) {
	t.Helper()
	drawn := make(map[string]int)
	for _, p := range paths(d) {
		if strings.HasPrefix(p.ID, "m") {
			drawn[p.ID]++
		}
	}
	want := make(map[string]int)
	open := make(map[tracefmt.MessageID]tracefmt.Seq)
	for e := range rec.Events(1) {
		switch e.Kind {
		case tracefmt.Send:
			open[e.Message] = e.Seq
		case tracefmt.Receive, tracefmt.Lose:
			delete(open, e.Message)
			want[fmt.Sprintf("m%d", e.Seq)] = 1
		}
	}
	for _, seq := range open {
		want[fmt.Sprintf("m%d", seq)] = 1
	}
	for id, n := range drawn {
		if want[id] != n {
			t.Fatalf("%s is drawn %d times, want %d", id, n, want[id])
		}
		delete(want, id)
	}
	for id := range want {
		t.Fatalf("%s is not drawn", id)
	}
}

// Nothing leaves the canvas, and every number is one.
func checkInside(t rapid.TB, d *drawing.Drawing) {
	t.Helper()
	inside := func(x, y float64) bool { return x >= 0 && y >= 0 && x <= d.Width && y <= d.Height }
	for _, n := range nodes(d) {
		b := bounds(&n)
		if !inside(b.x0, b.y0) || !inside(b.x1, b.y1) || math.IsNaN(n.X+n.Y+n.W+n.H) {
			t.Fatalf("%+v is outside of %.0f by %.0f", n, d.Width, d.Height)
		}
	}
	for _, p := range paths(d) {
		for _, stroke := range p.Strokes {
			if len(stroke)%3 != 1 {
				t.Fatalf("a stroke of %s has %d points", p.Tip, len(stroke))
			}
			for _, at := range stroke {
				if !inside(at.X, at.Y) {
					t.Fatalf("%+v is outside of %.0f by %.0f", p, d.Width, d.Height)
				}
			}
		}
	}
}

// IDs name one thing each.
func checkIDs(t rapid.TB, d *drawing.Drawing) {
	t.Helper()
	seen := make(map[string]bool)
	for _, n := range nodes(d) {
		if n.ID != "" && seen[n.ID] {
			t.Fatalf("two elements have the ID %s", n.ID)
		}
		seen[n.ID] = true
	}
	for _, p := range paths(d) {
		if p.ID != "" && seen[p.ID] {
			t.Fatalf("two elements have the ID %s", p.ID)
		}
		seen[p.ID] = true
		if (p.From == "") != (p.To == "") || p.From != "" && (!seen[p.From] || !seen[p.To]) {
			t.Fatalf("%s joins %q and %q", p.ID, p.From, p.To)
		}
	}
}

// Texts, tags and marks keep clear of one another.
func checkLabels(t rapid.TB, d *drawing.Drawing) {
	t.Helper()
	var solid []drawing.Node
	for _, n := range nodes(d) {
		switch n.Style {
		case messageLabel, markLabel, valueLabel, stateTag, leaderTag, processBox, processDownBox, timeoutMark, suspectMark,
			ringNode, ringDown, ringLeader:
			solid = append(solid, n)
		}
	}
	for i := range solid {
		for j := range i {
			if bounds(&solid[i]).overlaps(bounds(&solid[j])) {
				t.Fatalf("%q overlaps %q", solid[i].Text, solid[j].Text)
			}
		}
	}
}

// checkHeads: no message label hides the head of a message, which alone shows the direction.
func checkHeads(t rapid.TB, d *drawing.Drawing) {
	t.Helper()
	for _, p := range d.Layers[Lines].Paths {
		if p.Style != messageLine {
			continue
		}
		stroke := p.Strokes[len(p.Strokes)-1]
		head := stroke[len(stroke)-1]
		for _, text := range nodesOf(d, messageLabel) {
			if bounds(&text).overlaps(box{head.X - 1, head.Y - 1, head.X + 1, head.Y + 1}) {
				t.Fatalf("the label %q hides the head at %g, %g", text.Text, head.X, head.Y)
			}
		}
	}
}

func TestLawsOfSequence(t *testing.T) {
	for _, name := range []string{"bully", "chang-roberts", "faults", "hostile"} {
		t.Run(name, func(t *testing.T) {
			rec := load(t, name)
			d := build(t, sequenceDiagram, rec, story.Options{})
			checkDownward(t, d)
			checkComplete(t, d, rec)
			checkInside(t, d)
			checkIDs(t, d)
			checkLabels(t, d)
			checkHeads(t, d)
		})
	}
}

func TestLawsOfGraph(t *testing.T) {
	for _, name := range []string{"bully", "chang-roberts", "faults", "hostile", "partial"} {
		t.Run(name, func(t *testing.T) {
			d := build(t, graphDiagram, load(t, name), story.Options{})
			checkInside(t, d)
			checkIDs(t, d)
			checkLabels(t, d)
		})
	}
}

func TestLawsOfRing(t *testing.T) {
	for _, name := range []string{"bully", "chang-roberts", "faults", "hostile"} {
		t.Run(name, func(t *testing.T) {
			d := build(t, ringDiagram, load(t, name), story.Options{})
			checkInside(t, d)
			checkIDs(t, d)
		})
	}
}

// The lecture's example shows the name of every one of its 15 messages.
func TestLectureExampleIsFullyLabelled(t *testing.T) {
	d := build(t, sequenceDiagram, load(t, "bully"), story.Options{})
	labels := make(map[string]int)
	tags := make(map[*drawing.Style]int)
	for _, n := range nodes(d) {
		if n.Style == messageLabel {
			labels[n.Text]++
		}
		tags[n.Style]++
	}
	if fmt.Sprint(labels) != "map[COORDINATOR:6 ELECTION:6 OK:3]" {
		t.Errorf("labels %v", labels)
	}
	if tags[stateTag] != 6+1 || tags[leaderTag] != 1+1 { // and one each in the legend
		t.Errorf("%d tags and %d leader tags, want 7 and 2", tags[stateTag], tags[leaderTag])
	}
}

// Everything at one instant is in one band, and bands do not overlap.
func TestBands(t *testing.T) {
	d := build(t, sequenceDiagram, load(t, "bully"), story.Options{})
	var times []string
	bottom := 0.0
	for _, n := range nodes(d) {
		if n.Style == bandBox {
			if bounds(&n).y0 < bottom {
				t.Errorf("a band begins at %.1f, above the end %.1f of the one before", bounds(&n).y0, bottom)
			}
			bottom = bounds(&n).y1
		}
		if n.Style == axisText {
			times = append(times, n.Text)
		}
	}
	if got := strings.Join(times, ", "); got != "t = 0, t = 1, t = 2, t = 3, t = 4, t = 5" {
		t.Errorf("times %s", got)
	}
}

// A fan-out leaves from one point.
func TestFanOut(t *testing.T) {
	d := build(t, sequenceDiagram, load(t, "bully"), story.Options{})
	starts := make(map[drawing.Point]int)
	for _, p := range paths(d) {
		if p.From == "p7" && p.Style == messageLine {
			starts[p.Strokes[0][0]]++
		}
	}
	limit := 0
	for _, n := range starts {
		limit = max(limit, n)
	}
	if limit != 6 {
		t.Errorf("messages of process 6 leave from %v, want six from one point", starts)
	}
}

func TestWindowsOfAnySize(t *testing.T) {
	for _, name := range []string{"bully", "faults"} {
		rec := load(t, name)
		n := tracefmt.Seq(rec.Len())
		for from := tracefmt.Seq(1); from <= n; from += 3 {
			for to := from; to <= n; to += 5 {
				for _, diagram := range Builtin().All() {
					d := build(t, diagram, rec, story.Options{View: view.View{From: from, To: to}})
					checkInside(t, d)
					checkIDs(t, d)
				}
				checkDownward(t, build(t, sequenceDiagram, rec, story.Options{View: view.View{From: from, To: to}}))
			}
		}
	}
}

// randomRun draws any run that is well-formed, sensible or not.
func randomRun(t *rapid.T) *tracefmt.Memory {
	n := rapid.IntRange(1, 6).Draw(t, "processes")
	run := tracefmt.Run{TimeUnit: rapid.SampledFrom([]tracefmt.TimeUnit{
		tracefmt.Delays, tracefmt.Nanoseconds,
		tracefmt.Logical,
	}).Draw(t, "unit"), End: tracefmt.Stopped}
	for i := range n {
		run.Members = append(run.Members, tracefmt.Member{Name: fmt.Sprint(i, rapid.StringN(0, 8, -1).Draw(t, "name")), Position: n - i})
	}
	m := tracefmt.NewMemory(run)
	lamport := make([]int64, n+1)
	var sent []tracefmt.Event
	now := tracefmt.Time(0)
	process := rapid.IntRange(1, n)
	kinds := rapid.SampledFrom(append(tracefmt.Kinds(), tracefmt.Send, tracefmt.Send, tracefmt.Receive, tracefmt.Receive, tracefmt.Receive))
	for range rapid.IntRange(0, 60).Draw(t, "events") {
		now += tracefmt.Time(rapid.SampledFrom([]int{0, 0, 1, 3}).Draw(t, "delta")) * tracefmt.Unit / 2
		e := tracefmt.Event{Seq: tracefmt.Seq(m.Len() + 1), Time: now, Kind: kinds.Draw(t, "kind")}
		info := e.Kind.Info()
		if info.Process != tracefmt.Absent {
			e.Process = tracefmt.ProcessID(process.Draw(t, "process"))
		}
		if info.Peer != tracefmt.Absent {
			e.Peer = tracefmt.ProcessID(process.Draw(t, "peer"))
		}
		if info.Type != tracefmt.Absent {
			e.Type = rapid.SampledFrom([]string{"A", "LONG-MESSAGE-TYPE", "loop", "\x1b["}).Draw(t, "type")
		}
		if info.Payload != tracefmt.Absent {
			e.Payload = []byte(rapid.SampledFrom([]string{
				`{}`, `{"elected":1}`, `{"parent":"0","next":1,"token":true}`,
				`{"elected":null,"role":"x"}`, `{"groups":[["0"],["1"]]}`, `{"from":3}`, `{"reason":"receiver crashed"}`,
				`{"reason":"dropped"}`, `{"list":[1,[2],{"a":3}]}`,
			}).Draw(t, "payload"))
		}
		switch e.Kind {
		case tracefmt.Send:
			e.Message = tracefmt.MessageID(len(sent) + 1)
		case tracefmt.Receive, tracefmt.Lose:
			if len(sent) == 0 {
				continue
			}
			s := rapid.SampledFrom(sent).Draw(t, "message")
			e.Process, e.Peer, e.Type, e.Message, e.Cause = s.Peer, s.Process, s.Type, s.Message, s.Seq
			lamport[e.Process] = max(lamport[e.Process], s.Lamport)
			if rapid.Bool().Draw(t, "inferred") {
				e.Payload = []byte(`{"log":{"guess":true}}`)
			}
		case tracefmt.Note, tracefmt.State:
			e.Cause = tracefmt.Seq(rapid.IntRange(0, m.Len()).Draw(t, "cause"))
		}
		if e.Process != 0 {
			lamport[e.Process]++
			e.Lamport = lamport[e.Process]
		}
		if e.Kind == tracefmt.Send {
			sent = append(sent, e)
		}
		m.Write(&e)
	}
	m.Finish(tracefmt.Stopped)
	return m
}

func TestLawsHoldForAnyRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rec := randomRun(t)
		o := story.Options{View: view.View{MaxEvents: rapid.SampledFrom([]int{0, 0, 10}).Draw(t, "most")}}
		d := build(t, sequenceDiagram, rec, o)
		checkDownward(t, d)
		checkInside(t, d)
		checkIDs(t, d)
		if o.MaxEvents == 0 {
			checkComplete(t, d, rec)
		}
		for _, owner := range []Diagram{ringDiagram, graphDiagram} {
			d := build(t, owner, rec, o)
			checkInside(t, d)
			checkIDs(t, d)
		}
	})
}
