package rerun

import (
	"slices"

	"etrace/tracefmt"
)

// Explanations are the longest that a partial recording of a process has, merged into one
// picture: points that the process may have come to, and the steps between them, up to
// where nothing leads on to the event that it recorded next.
type Explanations struct {
	// Points are numbered from 1 to this.
	Points int
	// Steps in the order in which they were found: from a point before the step to one
	// after it.
	Steps []ExplainedStep
	// Ends are the points at which the process would have had to do something else.
	Ends []ExplainedEnd
	// Least and Most are how many steps they suppose, from the beginning of the run.
	Least, Most int64
	// LeftOut is how many points there are beyond, which are not shown.
	LeftOut int
}

// ExplainedStep is a recorded event, or one that is supposed: then its seq is 0.
type ExplainedStep struct {
	From, To int
	Event    *tracefmt.Event
}

// hidden reports whether the step is supposed.
func (s *ExplainedStep) hidden() bool { return s.Event.Seq == 0 }

// ExplainedEnd is a point and what the algorithm does there next and a recording would
// show; nil if it waits.
type ExplainedEnd struct {
	Point    int
	Expected *tracefmt.Event
}

// graph keeps how a process may have got where it is, over its last recorded events. The nil
// graph keeps nothing.
type graph struct {
	process tracefmt.ProcessID
	// begin is after how many explained events of the process it begins.
	begin  int64
	on     bool
	points int32
	steps  []ExplainedStep
	known  map[[2]int32]bool
}

// mostExplained is how many recorded events before the one that nothing explains are shown,
// mostPoints how many points.
const (
	mostExplained = 4
	mostPoints    = 40
)

func newGraph(p *ProcessConformance) *graph {
	return &graph{process: p.Process, begin: max(0, p.Explained-mostExplained), known: map[[2]int32]bool{}}
}

// shows reports whether the graph keeps what the process does now.
func (g *graph) shows(t *track) bool { return g != nil && g.on && t.p == g.process }

// open begins the graph before the event of the process from which on it is kept.
func (g *graph) open(t *track) {
	if g == nil || g.on || t.p != g.process || t.report.Explained < g.begin {
		return
	}
	g.on = true
	for i := range t.nodes {
		g.points++
		t.nodes[i].point = g.points
	}
}

// reach makes a point of a new node.
func (g *graph) reach(t *track, from int32, by *tracefmt.Event) int32 {
	if !g.shows(t) {
		return 0
	}
	g.points++
	g.edge(from, g.points, by)
	return g.points
}

// edge adds a step between points.
func (g *graph) edge(from, to int32, by *tracefmt.Event) {
	if g == nil || from == 0 || to == 0 || g.known[[2]int32{from, to}] {
		return
	}
	g.known[[2]int32{from, to}] = true
	event := by.Clone()
	if event.Seq == 0 && (event.Kind == tracefmt.SetTimer || event.Kind == tracefmt.Timeout) {
		event.Payload = nil // what is hidden has no time
	}
	g.steps = append(g.steps, ExplainedStep{int(from), int(to), event})
}

// close returns what leads to where the process may be.
func (g *graph) close(s *search, t *track, e *tracefmt.Event) *Explanations {
	if !g.shows(t) {
		return nil
	}
	kept := map[int]bool{}
	x := &Explanations{Least: int64(leastSupposed(t.nodes))}
	up := slices.ContainsFunc(t.nodes, func(n node) bool { return n.state.Up() })
	for i := range t.nodes {
		n := &t.nodes[i]
		if up && !n.state.Up() {
			continue // that it has crashed in the end explains nothing
		}
		end := ExplainedEnd{Point: int(n.point)}
		if n.rest != nil {
			if !s.demands(t, n, e) {
				continue
			}
			end.Expected = s.told(n.rest, e)
		}
		kept[end.Point] = true
		x.Most = max(x.Most, int64(n.tally.total()))
		x.Ends = append(x.Ends, end)
	}
	if len(x.Ends) > mostPoints {
		for _, end := range x.Ends[mostPoints:] {
			delete(kept, end.Point)
		}
		x.LeftOut, x.Ends = len(x.Ends)-mostPoints, x.Ends[:mostPoints]
	}
	for more := true; more; {
		more = false
		for _, step := range g.steps {
			if kept[step.To] && !kept[step.From] {
				kept[step.From], more = true, true
			}
		}
	}
	x.number(g.steps, kept)
	return x
}

// number keeps the steps between points that are kept, and numbers these anew.
func (x *Explanations) number(steps []ExplainedStep, kept map[int]bool) {
	numbers := map[int]int{}
	number := func(point int) int {
		if numbers[point] == 0 {
			x.Points++
			numbers[point] = x.Points
		}
		return numbers[point]
	}
	for _, step := range steps {
		if kept[step.From] && kept[step.To] {
			x.Steps = append(x.Steps, ExplainedStep{number(step.From), number(step.To), step.Event})
		}
	}
	for i := range x.Ends {
		x.Ends[i].Point = number(x.Ends[i].Point)
	}
}

// from returns the steps that begin at a point.
func (x *Explanations) from(point int) (steps []ExplainedStep) {
	for _, s := range x.Steps {
		if s.From == point {
			steps = append(steps, s)
		}
	}
	return steps
}

// roots returns the points that no step leads to.
func (x *Explanations) roots() (roots []int) {
	for point := 1; point <= x.Points; point++ {
		if !slices.ContainsFunc(x.Steps, func(s ExplainedStep) bool { return s.To == point }) {
			roots = append(roots, point)
		}
	}
	return roots
}
