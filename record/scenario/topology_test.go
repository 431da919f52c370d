package scenario

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"etrace/record/algorithm"
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

// An unsuitable setting is refused at the place of its key.
func TestUnsuited(t *testing.T) {
	for text, want := range map[string]string{
		"algorithm: safra\nids: 1-3\nstart: 1\nparams: {height: 1, fan: 3}": "test.yaml:4:21: params fan: 3, " +
			"expected less than the number of processes, which is 3",
		"algorithm: safra\nids: 1-3\nstart: 1\nparams: {height: 13}": "test.yaml:4:10: params height: " +
			"13, expected so much work that a start causes at most 10000 messages, fan + fan^2 + ... + fan^height",
		"algorithm: safra\nids: 4-6\nstart: [4, 5, 6@0.5]": "test.yaml:3:15: start 6@0.5: " +
			"expected all starts at 0, since no detector promises to see work that begins by itself later",
		"algorithm: dijkstra-scholten\nids: 4-6\nstart: [4, 4]": "",
		"algorithm: dijkstra-scholten\nids: 4-6\ncrash: 6@9\nstart: [4, 4, 6]": "test.yaml:4:15: start 6@0: 4 " +
			"starts, too, expected the start of one process",
		"algorithm: dijkstra-scholten\nids: 4-6\nstart: all": "test.yaml:3:8: start 5@0: 4 " +
			"starts, too, expected the start of one process",
		"algorithm: pbft\nnodes: 1": "test.yaml:2:8: pbft: 1 " +
			"process, expected at least 2: the replicas, and the client, which is the last",
		"algorithm: pbft\nids: 7": "test.yaml:2:6: pbft: 1 " +
			"process, expected at least 2: the replicas, and the client, which is the last",
		"algorithm: two-phase-commit\nids: 4-6\nparams: {no: '4,5'}": "test.yaml:3:10: params no: the " +
			"first process votes no, expected others: it is the coordinator, which votes yes",
		"algorithm: maekawa\nids: 4-6\nparams: {quorums: plane}": "",
		"algorithm: maekawa\nids: 4-7\nparams: {quorums: plane}": "test.yaml:3:10: params " +
			"quorums: plane with 4 processes, expected 3, 7, 13 or 21",
		"algorithm: naimi-trehel\nids: 4-6\nparams: {fathers: '4,4'}": "test.yaml:3:10: params " +
			"fathers: 2 processes, expected the father of each of the 3",
		"algorithm: naimi-trehel\nids: 4-6\nparams: {fathers: '4,6,5'}": "test.yaml:3:10: params " +
			"fathers: the fathers of process 5 do not lead to the holder, process 4",
		"algorithm: raymond\nids: 1-3\ntopology: ring": "test.yaml:3:11: topology ring: " +
			"there are two ways from 2 to 3, expected a tree",
		"algorithm: raymond\nids: 1-3\nedges: [1-2, 2-3, 1-3]": "test.yaml:3:9: edges: there " +
			"are two ways from 1 to 3, expected a tree",
		"algorithm: raymond\nids: 1-3\ntopology: line\nparams: {tree: star}": "test.yaml:4:10: params tree: " +
			"star beside a graph, expected one of them",
		"algorithm: bracha\nids: 1-3\nparams: {f: 3}": "test.yaml:3:10: params f: 3 of 3 processes, expected fewer",
	} {
		s := mustParse(t, text)
		_, _, err := s.Simulation()
		got := ""
		if err != nil {
			got = err.Error()
		}
		if _, unsuited := errors.AsType[*algorithm.Unsuited](err); got != want || unsuited != (want != "") {
			t.Errorf("%q: %v, want %s", text, got, want)
		}
	}
}

func TestTopologyErrors(t *testing.T) {
	for text, want := range map[string]string{
		"nodes: 5\ntopology: torus": "test.yaml:2:11: topology torus of 5 processes: " +
			"expected a rectangle of at least 3 by 3, such as 9 or 12 processes",
		"nodes: 5\nedges: 1-2\ntopology: ring": "test.yaml:2:8: edges: the topology ring is given, too, expected one of them",
		"nodes: 4\ntopology: grid": "test.yaml:2:11: topology grid: 1 and 4 are not " +
			"joined: bully needs the complete graph (every process may send to every other)",
		"nodes: 4\nedges: 1-2\nalgorithm: basu": "test.yaml:2:8: edges: 1 and 3 are not joined: " +
			"basu needs the complete graph (every process may send to every other)",
		"ids: 1,3,2\ntopology: line\nalgorithm: chang-roberts": "test.yaml:2:11: topology line: 2 and 1 are not " +
			"joined: chang-roberts needs a ring (each process may send to its successor in the order of the ids)",
		"algorithm: chang-roberts\nnodes: 4\nforge: ['1>2@0 elected:id=2', '1>2,3@1 " +
			"elected:id=2']\ntopology: ring": "test.yaml:3:31: forge 1>2,3@1 elected:id=2: 3 is no neighbour of 1, whose neighbours are 2,4",
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
		"edges: 1":   `test.yaml:1:8: edges: "1": expected two processes such as 1-2`,
		"edges: a-2": `test.yaml:1:8: edges: "a" is not a process id, expected a number such as 4`,
		"topology: rings": `test.yaml:1:11: topology: unknown topology "rings", did you mean "ring"? (known: complete, ` +
			`grid, hypercube, line, random-regular, ring, star, torus, tree)`,
		"topology: grid(x": `test.yaml:1:11: topology: "grid(x": expected grid[(W)]`,
	} {
		if _, err := Parse("test.yaml", []byte(text)); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// A list of topologies is for a sweep, which is given each by itself.
func TestSeveralTopologies(t *testing.T) {
	for given, want := range map[string]string{
		"grid(2), ring": `"grid(2), ring": expected one topology; a sweep is given each by itself, --topology ` +
			`'grid(2)' --topology 'ring'`,
		"random-regular(3,5)":   "",
		"ring,random-regular()": `unknown topology "ring,random-regular"`,
		"ring,":                 `unknown topology "ring,"`,
		",":                     `unknown topology ","`,
	} {
		_, err := parseTopology(given)
		if err == nil && want != "" || err != nil && (want == "" || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%q: %v, want %s", given, err, want)
		}
	}
}
