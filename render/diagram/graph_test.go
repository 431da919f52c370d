package diagram

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"etrace/render/drawing"
	"etrace/render/story"
	"etrace/render/view"
	"etrace/tracefmt"
)

// TestEdges: the edges of a graph have all messages of the run, each counted at the end of its sender.
func TestEdges(t *testing.T) {
	for _, name := range []string{"bully", "chang-roberts", "faults", "hostile", "partial"} {
		rec := load(t, name)
		want := make(map[[2]tracefmt.ProcessID]int)
		sent := make(map[tracefmt.MessageID]bool)
		for e := range rec.Events(1) {
			switch {
			case e.Kind == tracefmt.Send:
				want[[2]tracefmt.ProcessID{e.Process, e.Peer}]++
			case (e.Kind == tracefmt.Receive || e.Kind == tracefmt.Lose) && e.Cause == 0 && !sent[e.Message]:
				want[[2]tracefmt.ProcessID{e.Peer, e.Process}]++ // of which the send is not recorded
			default:
				continue
			}
			sent[e.Message] = true
		}
		s, err := story.Read(t.Context(), rec, story.Options{})
		if err != nil {
			t.Fatal(err)
		}
		g := &graph{processNodes: newProcessNodes(s, NewPage("graph", s, Layout{})), byEnds: make(map[[2]tracefmt.ProcessID]*edge)}
		g.collectEdges()
		for _, e := range g.edges {
			for end := range e.ends {
				key := [2]tracefmt.ProcessID{e.ends[end], e.ends[1-end]}
				if e.sent[end].messages != want[key] {
					t.Errorf("%s: %d messages from %d to %d, want %d", name, e.sent[end].messages, key[0], key[1], want[key])
				}
				delete(want, key)
			}
		}
		for key, n := range want {
			if n != g.alone[key[0]] || key[0] != key[1] {
				t.Errorf("%s: %d messages from %d to %d are not drawn", name, n, key[0], key[1])
			}
		}
	}
}

// treeRun passes a token from a to b, whose holder is a before; c points to itself, and has crashed.
const treeRun = `{"format":"etrace/1","time_unit":"logical","token":["PRIVILEGE"],"complete":{"default":"all"},"members":[{"name":"a","position":1},{"name":"b","position":2},{"name":"c","position":3}]}
{"seq":1,"process":"a","kind":"state","payload":{"token":true,"holder":"a","deficit":0,"queue":["b"]}}
{"seq":2,"process":"b","kind":"state","payload":{"token":false,"holder":"a","deficit":7}}
{"seq":3,"process":"c","kind":"state","payload":{"holder":"c"}}
{"seq":4,"process":"c","kind":"crash"}
{"seq":5,"process":"a","kind":"state","payload":{"token":false,"holder":"b","queue":[]}}
{"seq":6,"process":"a","kind":"send","type":"PRIVILEGE","peer":"b","message":1}
{"seq":7,"process":"b","kind":"receive","type":"PRIVILEGE","peer":"a","message":1,"cause":6}
{"seq":8,"process":"b","kind":"state","payload":{"token":true,"holder":"b"}}
{"end":"stopped","events":8}
`

// TestPointers: the pointers, the token and the variables of a graph are those at the end of the window.
func TestPointers(t *testing.T) {
	runs, err := tracefmt.ReadMemory(strings.NewReader(treeRun))
	if err != nil {
		t.Fatal(err)
	}
	for to, want := range map[tracefmt.Seq]string{
		3: "a-a b-a c-c; token at process a has the token; queue = b, deficit = 7",
		5: "a-b b-a; token at ; deficit = 7",
		6: "a-b b-a; token at the token is on its way; deficit = 7",
		8: "a-b b-b; token at process b has the token; deficit = 7",
	} {
		d := build(t, graphDiagram, runs[0], story.Options{View: view.View{To: to}})
		var pointers, texts []string
		token := ""
		for _, p := range paths(d) {
			if p.Style == holderLine && p.From != "" {
				pointers = append(pointers, string('a'+p.From[1]-'1')+"-"+string('a'+p.To[1]-'1'))
			}
		}
		for _, n := range nodes(d) {
			switch {
			case n.Style == tokenMark && n.Tip != "":
				token, _, _ = strings.Cut(n.Tip, ":")
			case n.Style == valueLabel:
				texts = append(texts, n.Text)
			}
		}
		got := fmt.Sprintf("%s; token at %s; %s", strings.Join(pointers, " "), token, strings.Join(texts, ", "))
		if got != want {
			t.Errorf("up to %d: %s, want %s", to, got, want)
		}
	}
}

// TestLocks: a member of a quorum points to the process for which it is locked, and who is in its queue to the
// member; a queue of a process that has no lock is a text.
func TestLocks(t *testing.T) {
	const run = `{"format":"etrace/1","time_unit":"logical","complete":{"default":"all"},"members":[{"name":"a","position":1},{"name":"b","position":2},{"name":"c","position":3}]}
{"seq":1,"process":"a","kind":"state","payload":{"locked":{"clock":1,"id":"b"},"queue":[{"clock":1,"id":"a"},{"clock":2,"id":"c"}]}}
{"seq":2,"process":"b","kind":"state","payload":{"locked":{"clock":0,"id":null},"queue":[]}}
{"seq":3,"process":"c","kind":"state","payload":{"queue":["a"]}}
{"end":"stopped","events":3}
`
	runs, err := tracefmt.ReadMemory(strings.NewReader(run))
	if err != nil {
		t.Fatal(err)
	}
	d := build(t, graphDiagram, runs[0], story.Options{})
	var tips, texts []string
	for _, p := range paths(d) {
		if p.From != "" {
			tips = append(tips, p.Tip)
		}
	}
	for _, n := range nodes(d) {
		switch n.Style {
		case valueLabel, legendText:
			texts = append(texts, n.Text)
		}
	}
	if got, want := strings.Join(tips, "; "), "a is locked for b; a is in the queue of a; c is in the queue of a"; got != want {
		t.Errorf("arrows: %s, want %s", got, want)
	}
	if got, want := strings.Join(texts, "; "), "locked for; in the queue of; queue = a"; got != want {
		t.Errorf("texts: %s, want %s", got, want)
	}
}

// TestWhatMatters: at the nodes of mutual exclusion are flags and lists of processes, and no votes where the locks of those who
// gave them are drawn; in other runs all values are, flags before others. The tip of a node has all.
func TestWhatMatters(t *testing.T) {
	const run = `{"format":"etrace/1","problem":"mutex","time_unit":"logical","complete":{"default":"all"},"members":[{"name":"a","position":1},{"name":"b","position":2}]}
{"seq":1,"process":"a","kind":"state","payload":{"clock":3,"deferred":["b"],"inside":true,"locked":{"clock":1,"id":"a"},"stamp":{"clock":1,"id":"a"},"votes":["a"],"waits":false}}
{"end":"stopped","events":1}
`
	for text, want := range map[string]string{
		run: "locked for; inside; deferred = b", // the legend is first
		strings.Replace(run, `"problem":"mutex",`, "", 1):             "locked for; inside; clock = 3; deferred = b; and 1 more",
		strings.Replace(run, `"locked":{"clock":1,"id":"a"},`, "", 1): "inside; deferred = b; votes = a",
	} {
		runs, err := tracefmt.ReadMemory(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		tip := ""
		for _, n := range nodes(build(t, graphDiagram, runs[0], story.Options{})) {
			switch {
			case n.Style == valueLabel, n.Style == legendText:
				texts = append(texts, n.Text)
			case n.ID == nodeID(1):
				tip = n.Tip
			}
		}
		if got := strings.Join(texts, "; "); got != want {
			t.Errorf("texts: %s, want %s", got, want)
		}
		for _, list := range []string{"inside", "clock = 3", "deferred = b", "stamp = clock:1, id:a", "votes = a"} {
			if !strings.Contains(tip, list) {
				t.Errorf("the tip %q is without %s", tip, list)
			}
		}
	}
}

// TestLoopIsFree: an arrow from a process to itself is where no edge leaves it, also if that is towards the middle.
func TestLoopIsFree(t *testing.T) {
	g := &graph{
		at:     []drawing.Point{{}, drawing.At(0, 0), drawing.At(100, 0), drawing.At(-70, -70), drawing.At(-70, 70)},
		center: drawing.At(50, 0),
	}
	for q := tracefmt.ProcessID(3); q <= 4; q++ { // to the left, above and below
		g.edges = append(g.edges, &edge{ends: [2]tracefmt.ProcessID{1, q}})
	}
	if got := g.freeDirection(1); math.Abs(math.Remainder(got, 2*math.Pi)) > 1e-9 {
		t.Errorf("the free direction is %g, want 0, to the right", got)
	}
	g.arrows = append(g.arrows, pointerArrow{from: 2, to: 1}) // from the right
	if got := math.Abs(math.Remainder(g.freeDirection(1), 2*math.Pi)); math.Abs(got-67.5*degree) > 1e-9 {
		t.Errorf("the free direction is %g to a side, want 67.5 degrees, between what comes from the right and what "+
			"leaves to the left", got/degree)
	}
}

// TestDoubtfulGraph: in an incomplete recording the legend marks the token, arrows and texts as uncertain.
func TestDoubtfulGraph(t *testing.T) {
	runs, err := tracefmt.ReadMemory(strings.NewReader(strings.Replace(treeRun, `"default":"all"`, `"default":"some"`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, n := range nodes(build(t, graphDiagram, runs[0], story.Options{})) {
		if n.Style == legendText {
			rows = append(rows, n.Text)
		}
	}
	for _, want := range []string{"token, as far as is recorded", "holder, as far as is recorded", "variables, as far as is recorded"} {
		if !slices.Contains(rows, want) {
			t.Errorf("the legend has %q, want %q", rows, want)
		}
	}
}

// TestEdgesGoAround: the edges of a star of forty, which has no room for all, touch no other node.
func TestEdgesGoAround(t *testing.T) {
	var run strings.Builder
	run.WriteString(`{"format":"etrace/1","time_unit":"logical","complete":{"default":"all"},"members":[{"name":"1","position":1}`)
	for p := 2; p <= 40; p++ {
		fmt.Fprintf(&run, `,{"name":"%d","position":%[1]d}`, p)
	}
	run.WriteString("]}\n")
	for p := 2; p <= 40; p++ {
		fmt.Fprintf(&run, `{"seq":%d,"process":"1","kind":"send","type":"M","peer":"%d","message":%[1]d}`+"\n", p-1, p)
	}
	run.WriteString(`{"end":"stopped","events":39}` + "\n")
	runs, err := tracefmt.ReadMemory(strings.NewReader(run.String()))
	if err != nil {
		t.Fatal(err)
	}
	d := build(t, graphDiagram, runs[0], story.Options{})
	places, edges := make(map[string]drawing.Node), 0
	for _, n := range nodes(d) {
		if n.ID != "" {
			places[n.ID] = n
		}
	}
	for _, p := range paths(d) {
		if p.Style != edgeLine || p.From == "" {
			continue
		}
		edges++
		for id, n := range places {
			if id == p.From || id == p.To {
				continue
			}
			for i := range 101 {
				if at := along(p.Strokes[0], float64(i)/100); apart(at, drawing.At(n.X, n.Y)) < n.W/2 {
					t.Errorf("the edge from %s to %s runs through %s", p.From, p.To, id)
					break
				}
			}
		}
	}
	if edges != 39 || len(places) != 40 {
		t.Errorf("%d edges and %d processes, want 39 and 40", edges, len(places))
	}
}

func neighboursOf(n int, edges ...[2]int) [][]int {
	list := make([][]int, n)
	for _, e := range edges {
		list[e[0]], list[e[1]] = append(list[e[0]], e[1]), append(list[e[1]], e[0])
	}
	for i := range list {
		slices.Sort(list[i])
	}
	return list
}

func apart(a, b drawing.Point) float64 { return math.Hypot(a.X-b.X, a.Y-b.Y) }

// TestLayOut: a line is one, in order; the middle of a star is in its middle; of a tree, and of
// parts that are not connected, no two nodes are near each other, and neighbours are at a distance of about 1.
func TestLayOut(t *testing.T) {
	line := layOut(neighboursOf(5, [2]int{0, 1}, [2]int{1, 2}, [2]int{2, 3}, [2]int{3, 4}))
	for i := range 4 {
		if d := apart(line[i], line[i+1]); math.Abs(d-1) > 0.05 || math.Abs(line[i].Y-line[i+1].Y) > 0.1 {
			t.Errorf("a line of five: %v", line)
			break
		}
	}
	star := layOut(neighboursOf(7, [2]int{0, 1}, [2]int{0, 2}, [2]int{0, 3}, [2]int{0, 4}, [2]int{0, 5}, [2]int{0, 6}))
	for i := 1; i < len(star); i++ {
		if d := apart(star[0], star[i]); math.Abs(d-1) > 0.2 {
			t.Errorf("the middle of a star of seven is %g from node %d", d, i)
		}
	}
	for name, neighbours := range map[string][][]int{
		"a tree":    neighboursOf(7, [2]int{0, 1}, [2]int{0, 2}, [2]int{1, 3}, [2]int{1, 4}, [2]int{2, 5}, [2]int{2, 6}),
		"two parts": neighboursOf(6, [2]int{0, 1}, [2]int{1, 2}, [2]int{3, 4}, [2]int{4, 5}),
		"complete":  neighboursOf(4, [2]int{0, 1}, [2]int{0, 2}, [2]int{0, 3}, [2]int{1, 2}, [2]int{1, 3}, [2]int{2, 3}),
		"no edges":  neighboursOf(5),
	} {
		at := layOut(neighbours)
		for i := range at {
			for j := range i {
				d := apart(at[i], at[j])
				if !(d > 0.6) || slices.Contains(neighbours[i], j) && d > 1.5 {
					t.Errorf("%s: %d and %d are %g apart: %v", name, i, j, d, at)
				}
			}
		}
	}
}
