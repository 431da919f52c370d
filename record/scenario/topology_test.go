package scenario

import (
	"fmt"
	"testing"
)

// The vertices of a topology are the processes in the order of their ids in
// the scenario, which is the ring order; edges name them.
func TestTopologyFollowsTheOrderOfTheIDs(t *testing.T) {
	for text, want := range map[string]string{
		// 30, 10, 20 are the processes number 3, 1, 2.
		"ids: 30,10,20\ntopology: line":                  "[[3 1] [1 2]]",
		"ids: 30,10,20\ntopology: star":                  "[[3 1] [3 2]]",
		"ids: 30,10,20\nedges: 20-30":                    "[[2 3]]",
		"ids: 30,10,20\ntopology: complete":              "[]",
		"ids: 30,10,20":                                  "[]",
		"nodes: 4\ntopology: random-regular(2)\nseed: 3": "[[1 2] [1 4] [2 3] [3 4]]", // some ring of the three
	} {
		s := mustParse(t, text)
		s.Complete()
		pairs, err := s.Pairs()
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(pairs); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestTopologyErrors(t *testing.T) {
	for text, want := range map[string]string{
		"nodes: 5\ntopology: torus":                            "test.yaml:2:11: topology torus of 5 processes: expected a rectangle of at least 3 by 3, such as 9 or 12 processes",
		"nodes: 5\nedges: 1-2\ntopology: ring":                 "test.yaml:2:8: edges: the topology ring is given, too, expected one of them",
		"nodes: 4\ntopology: grid":                             "test.yaml:2:11: topology grid: 1 and 4 are not joined: bully needs the complete graph, in which everybody may send to everybody",
		"nodes: 4\nedges: 1-2\nalgorithm: basu":                "test.yaml:2:8: edges: 1 and 3 are not joined: basu needs the complete graph, in which everybody may send to everybody",
		"ids: 1,3,2\ntopology: line\nalgorithm: chang-roberts": "test.yaml:2:11: topology line: 2 and 1 are not joined: chang-roberts needs a ring, in which each process may send to the next one in the order of the ids",
		"algorithm: chang-roberts\nnodes: 4\nforge: ['1>2@0 elected:id=2', '1>2,3@1 elected:id=2']\ntopology: ring": "test.yaml:3:31: forge 1>2,3@1 elected:id=2: 3 is no neighbour of 1, whose neighbours are 2,4",
		"nodes: 3\nedges: 1-4":             "test.yaml:2:8: edges 1-4: there is no process 4, the processes are 1-3",
		"nodes: 3\nedges: 1-1":             "test.yaml:2:8: edges 1-1: expected two different processes",
		"nodes: 3\nedges: [1-2, 2-3, 2-1]": "test.yaml:2:9: edges 2-1: given twice",
	} {
		s := mustParse(t, text)
		s.Complete()
		if _, _, err := s.Simulation(); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"edges: 1":         `test.yaml:1:8: edges: "1": expected two processes such as 1-2`,
		"edges: a-2":       `test.yaml:1:8: edges: "a" is not a process id, expected a number such as 4`,
		"topology: rings":  `test.yaml:1:11: topology: unknown topology "rings", did you mean "ring"? (known: complete, grid, hypercube, line, random-regular, ring, star, torus, tree)`,
		"topology: grid(x": `test.yaml:1:11: topology: "grid(x": expected grid[(W)]`,
	} {
		if _, err := Parse("test.yaml", []byte(text)); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
