package scenario

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/record/sim/topology"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Edge joins two processes: "1-2".
type Edge struct{ A, B int64 }

func (e Edge) String() string { return strconv.FormatInt(e.A, 10) + "-" + strconv.FormatInt(e.B, 10) }

// FormatEdges writes edges in the form of the key edges: "1-2,2-3".
func FormatEdges(edges []Edge) string {
	words := make([]string, len(edges))
	for i, e := range edges {
		words[i] = e.String()
	}
	return strings.Join(words, ",")
}

// appendEdges reads edges and appends them.
func appendEdges(list *[]Edge, text string) error {
	for part := range strings.SplitSeq(text, ",") {
		a, b, ok := strings.Cut(strings.TrimSpace(part), "-")
		if !ok {
			return fmt.Errorf("%q: expected two processes such as 1-2", part)
		}
		var e Edge
		var err error
		e.A, err = parseID(a)
		if err != nil {
			return err
		}
		e.B, err = parseID(b)
		if err != nil {
			return err
		}
		*list = append(*list, e)
	}
	return nil
}

// oneTopology matches one topology in a list.
var oneTopology = regexp.MustCompile(`[^,() ]+(\([^()]*\))?`)

// parseTopology reads the value of the key topology. For a list, the error explains how to give a sweep
// several.
func parseTopology(given string) (topology.Topology, error) {
	t, err := topology.Parse(given)
	if err == nil {
		return t, nil
	}
	shapes := oneTopology.FindAllString(given, -1)
	several := len(shapes) > 1 && !slices.ContainsFunc(shapes, func(shape string) bool {
		_, err := topology.Parse(shape)
		return err != nil
	})
	if several {
		err = fmt.Errorf("%s: expected one topology; a sweep is given each by itself, --topology '%s' "+
			"--topology '%s'", text.Quote(given), shapes[0], shapes[1])
	}
	return t, err
}

// topologyMore describes the shapes, for the help of the key topology.
func topologyMore() string {
	var b strings.Builder
	b.WriteString("Processes send to their neighbours only. An algorithm that needs the complete graph or a " +
		"ring (etrace explain ALGORITHM) is refused on others.\n\n")
	for _, s := range topology.Shapes.All() {
		fmt.Fprintf(&b, "  %-26s %s\n", s.Usage(), s.Doc)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Pairs returns the pairs of neighbours as numbers of processes; nil for the complete graph. The scenario must
// be complete.
func (s *Scenario) Pairs() ([][2]tracefmt.ProcessID, error) {
	b, c := builder{roster: newRoster(s), scenario: s}, sim.Config{}
	b.addMembers()
	b.setEdges(&c)
	return c.Edges, b.err
}

// setEdges sets the pairs of neighbours, unless the graph is complete.
func (b *builder) setEdges(c *sim.Config) {
	s := b.scenario
	if len(s.Edges) > 0 {
		b.listedEdges(c)
		return
	}
	if s.Topology.Complete() {
		return
	}
	b.setPlace("topology", 0)
	edges, err := s.Topology.Edges(len(s.IDs), s.Seed)
	if err != nil {
		b.fail(" %w", err)
		return
	}
	c.Edges = make([][2]tracefmt.ProcessID, 0, len(edges))
	ring := s.Ring()
	for _, e := range edges {
		c.Edges = append(c.Edges, [2]tracefmt.ProcessID{b.number[ring[e.A-1]], b.number[ring[e.B-1]]})
	}
}

// checkSuited fails if the algorithm cannot run on the edges, or with another part of the scenario. This is an
// error of the scenario instead of a mistake of the algorithm.
func (b *builder) checkSuited(a *algorithm.Algorithm, numbered algorithm.Values, c *sim.Config) {
	if b.err != nil {
		return
	}
	if err := a.Needs.Missing(c); err != nil {
		b.fail("%s: %w: %s needs %s", b.atGraph(), err, a.Name, a.Needs)
		return
	}
	if u := a.Refuses(numbered, c); u != nil {
		b.failUnsuited(u)
	}
}

// failUnsuited fails with the reason why the algorithm cannot run, at the place of its cause in the scenario.
func (b *builder) failUnsuited(u *algorithm.Unsuited) {
	switch {
	case u.Param != "":
		b.setPlace(paramsKey+" "+u.Param, 0)
		b.fail(": %w", u)
	case u.Start != nil:
		i := slices.IndexFunc(b.scenario.Start, func(a At) bool {
			return a.Time == u.Start.At && slices.Contains(b.startedBy(a), u.Start.Process)
		})
		b.setPlace("start", max(i, 0))
		b.fail(" %v: %w", At{Process: b.ids[u.Start.Process-1], Time: u.Start.At}, u)
	case u.Graph:
		b.fail("%s: %w", b.atGraph(), u)
	// The number of processes is wrong, which ids or nodes set.
	default:
		b.err = b.scenario.places.wrap("ids", 0, fmt.Errorf("%s: %w", b.scenario.Algorithm, u))
	}
}

// atGraph makes the key of the graph the place of the next error, and returns the text of the graph.
func (b *builder) atGraph() string {
	if b.setPlace("edges", 0); len(b.scenario.Edges) > 0 {
		return ""
	}
	b.setPlace("topology", 0)
	return " " + b.scenario.Topology.String()
}

// listedEdges sets the edges of the key edges. It fails for a loop, a repeated edge, or an additional topology.
func (b *builder) listedEdges(c *sim.Config) {
	b.setPlace("edges", 0)
	if !b.scenario.Topology.Complete() {
		b.fail(": the topology %s is given, too, expected one of them", b.scenario.Topology)
	}
	c.Edges = make([][2]tracefmt.ProcessID, 0, len(b.scenario.Edges))
	for i, e := range b.scenario.Edges {
		pair := [2]tracefmt.ProcessID{b.process(e.A, e.String()), b.process(e.B, e.String())}
		if e.A == e.B {
			b.fail(" %s: expected two different processes", e)
		}
		if slices.ContainsFunc(b.scenario.Edges[:i], func(o Edge) bool { return o == e || o == Edge{e.B, e.A} }) {
			b.fail(" %s: given twice", e)
		}
		c.Edges = append(c.Edges, pair)
	}
}
