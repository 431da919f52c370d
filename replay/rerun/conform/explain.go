package conform

import (
	"slices"

	"etrace/tracefmt"
)

// Explanations merges the longest explanations of a process in a partial recording into one graph. Its points
// are states that the process may have reached, its edges the steps between them. It ends where no step leads
// to the next recorded event.
type Explanations struct {
	// Points is the number of points; they are numbered from 1.
	Points int
	// Steps are in the order in which they were found, each from a point before the step to a point after it.
	Steps []ExplainedStep
	// Ends are the points at which the algorithm would have done something else.
	Ends []ExplainedEnd
	// Least and Most are the smallest and the largest number of unrecorded steps in one explanation, counted
	// from the beginning of the run.
	Least, Most int64
	// LeftOut is the number of further points that are not shown.
	LeftOut int
}

// ExplainedStep is a recorded event or an assumed one; the latter has seq 0.
type ExplainedStep struct {
	From, To int
	Event    *tracefmt.Event
}

// hidden reports whether the step is assumed, not recorded.
func (s *ExplainedStep) hidden() bool { return s.Event.Seq == 0 }

// ExplainedEnd is a point and the next event of the algorithm that a recording would show; Expected is nil if
// the algorithm waits there.
type ExplainedEnd struct {
	Point    int
	Expected *tracefmt.Event
}

// graph collects the ways in which a process may have reached its present states, over its last recorded
// events. A nil graph collects nothing.
type graph struct {
	process tracefmt.ProcessID
	// begin is the number of explained events before the first one in the graph.
	begin int64
	// started is true once the process has reached that event.
	started bool
	// points is the number of points so far, steps the edges between them; known has the edges for lookup.
	points int32
	steps  []ExplainedStep
	known  map[[2]int32]bool
}

// maxExplained is the number of recorded events that a graph shows before the unexplained one, maxPoints the
// greatest number of its ends.
const (
	maxExplained = 4
	maxPoints    = 40
)

// newGraph returns a graph that begins maxExplained events before the process leaves the algorithm.
func newGraph(p *ProcessConformance) *graph {
	return &graph{process: p.Process, begin: max(0, p.Explained-maxExplained), known: map[[2]int32]bool{}}
}

// covers reports whether the graph covers the present event of the process.
func (g *graph) covers(t *track) bool { return g != nil && g.started && t.p == g.process }

// open starts the graph if the process has reached the first event that it covers.
func (g *graph) open(t *track) {
	if g == nil || g.started || t.p != g.process || t.report.Explained < g.begin {
		return
	}
	g.started = true
	for i := range t.nodes {
		g.points++
		t.nodes[i].point = g.points
	}
}

// addNode adds a point for a new node, and the step from another point to it. It returns the new point; 0 if
// the graph does not cover the event.
func (g *graph) addNode(t *track, from int32, step *tracefmt.Event) int32 {
	if !g.covers(t) {
		return 0
	}
	g.points++
	g.addEdge(from, g.points, step)
	return g.points
}

// addEdge adds a step between two points.
func (g *graph) addEdge(from, target int32, step *tracefmt.Event) {
	if g == nil || from == 0 || target == 0 || g.known[[2]int32{from, target}] {
		return
	}
	g.known[[2]int32{from, target}] = true
	event := step.Clone()
	if event.Seq == 0 && (event.Kind == tracefmt.SetTimer || event.Kind == tracefmt.Timeout) {
		// An unrecorded step has no time, so its due time is unknown.
		event.Payload = nil
	}
	g.steps = append(g.steps, ExplainedStep{int(from), int(target), event})
}

// explanations returns the part of the graph that leads to the present nodes; e is the recorded event that none of
// them explains. A node is left out if its next event may be unrecorded.
func (g *graph) explanations(s *search, t *track, e *tracefmt.Event) *Explanations {
	if !g.covers(t) {
		return nil
	}
	kept := map[int]bool{}
	x := &Explanations{Least: int64(fewestAssumed(t.nodes))}
	up := slices.ContainsFunc(t.nodes, func(n node) bool { return n.state.Up() })
	for i := range t.nodes {
		n := &t.nodes[i]
		if up && !n.state.Up() {
			// If the process may be up, a crash at the end explains nothing.
			continue
		}
		end := ExplainedEnd{Point: int(n.point)}
		if n.pending != nil {
			if !s.contradicts(t, n, e) {
				continue
			}
			end.Expected = s.expectedEvent(n.pending, e)
		}
		kept[end.Point] = true
		x.Most = max(x.Most, int64(n.tally.total()))
		x.Ends = append(x.Ends, end)
	}
	if len(x.Ends) > maxPoints {
		for _, end := range x.Ends[maxPoints:] {
			delete(kept, end.Point)
		}
		x.LeftOut, x.Ends = len(x.Ends)-maxPoints, x.Ends[:maxPoints]
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

// number copies the steps between kept points, and numbers those points from 1.
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

// roots returns the points without an incoming step.
func (x *Explanations) roots() (roots []int) {
	for point := 1; point <= x.Points; point++ {
		if !slices.ContainsFunc(x.Steps, func(s ExplainedStep) bool { return s.To == point }) {
			roots = append(roots, point)
		}
	}
	return roots
}
