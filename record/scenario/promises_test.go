package scenario

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"etrace/tracefmt"
)

// TestPromises: a run states what its algorithm promises and its network does,
// and nothing that its scenario breaks.
func TestPromises(t *testing.T) {
	for plan, want := range map[string]string{
		"algorithm: bully":                                    "answers asks-upward fifo greatest-wins guarded reliable",
		"{algorithm: bully, params: {guard: off}}":            "answers asks-upward fifo greatest-wins reliable",
		"{algorithm: bully, drop: 'OK:*>*'}":                  "answers asks-upward fifo greatest-wins guarded no-creation no-duplication",
		"{algorithm: bully, loss: 0.1}":                       "answers asks-upward fifo greatest-wins guarded no-creation no-duplication",
		"{algorithm: bully, duplicate: 0.1}":                  "answers asks-upward fifo greatest-wins guarded no-creation no-loss",
		"{algorithm: bully, loss: 0.1, duplicate: 0.1}":       "answers asks-upward fifo greatest-wins guarded no-creation",
		"{algorithm: bully, partition: '1|2@1-2'}":            "answers asks-upward fifo greatest-wins guarded no-creation no-duplication",
		"{algorithm: bully, edit: drop m1}":                   "answers asks-upward fifo greatest-wins guarded no-creation no-duplication",
		"{algorithm: bully, edit: crash 1@2}":                 "answers asks-upward fifo greatest-wins guarded reliable",
		"{algorithm: bully, silence: 3@1}":                    "fifo greatest-wins reliable",
		"{algorithm: bully, forge: '1>2@5 COORDINATOR'}":      "fifo greatest-wins reliable",
		"{algorithm: ring, lie: '1@0 ELECTION:list=[1]'}":     "fifo greatest-wins no-recovery reliable",
		"{algorithm: bully, reorder: on}":                     "answers asks-upward greatest-wins guarded reliable",
		"{algorithm: ring, delay: 'uniform(0.5,1.5)'}":        "fifo greatest-wins no-recovery reliable ring",
		"{algorithm: chang-roberts, params: {discard: off}}":  "fifo greatest-wins no-recovery reliable ring",
		"{algorithm: chang-roberts, edit: discard=off@seq3}":  "fifo greatest-wins no-recovery reliable ring",
		"{algorithm: chang-roberts, params: {discard: on}}":   "drops-smaller fifo greatest-wins no-recovery reliable ring",
		"{algorithm: causal-broadcast, reorder: on}":          "causal-order no-recovery reliable",
		"{algorithm: causal-broadcast, silence: 3@1}":         "fifo no-recovery reliable",
		"{algorithm: total-order-broadcast, loss: 0.1}":       "fifo no-creation no-duplication no-recovery total-order",
		"{algorithm: central-mutex, lie: '1@5 GRANT:3'}":      "fifo no-recovery reliable",
		"{algorithm: echo-wave, forge: '1>2@5 wave'}":         "fifo no-recovery reliable",
		"{algorithm: gajre-ragha, crash: 3@2, recover: 3@20}": "asks-upward fifo greatest-wins reliable",
	} {
		s, err := Parse("plan", []byte(plan))
		if err != nil {
			t.Fatal(plan, err)
		}
		s.IDs = []int64{1, 2, 3}
		_, run, err := s.Simulation()
		if err != nil {
			t.Fatal(plan, err)
		}
		if got := strings.Join(run.Traits, " "); got != want {
			t.Errorf("%s: states %s, want %s", plan, got, want)
		}
		if bounded := len(run.Bounds) > 0; bounded && s.byzantine() {
			t.Errorf("%s: states bounds, though a process is Byzantine", plan)
		}
		for _, trait := range run.Traits {
			if _, err := tracefmt.Traits().Lookup(trait); err != nil {
				t.Error(err)
			}
		}
	}
}

// A bound is given the values of the parameters that it names, whether one has a word, and the
// number of edges.
func TestBoundsAreGiven(t *testing.T) {
	for plan, want := range map[string]map[string]int64{
		"{algorithm: dijkstra-scholten, nodes: 5, start: 1, params: {fan: 3, height: 4}}": {"fan": 3, "height": 4},
		"{algorithm: chandy-lamport, nodes: 5, start: 1}":                                 {"edges": 10},
		"{algorithm: chandy-lamport, edges: '1-2,2-3', nodes: 3, start: 1}":               {"edges": 2},
		"{algorithm: reliable-broadcast, nodes: 3, start: 1, params: {back: off}}":        {"back_off": 1},
		"{algorithm: reliable-broadcast, nodes: 3, start: 1}":                             {"back_off": 0},
		"{algorithm: total-order-broadcast, nodes: 3, params: {variant: isis}}":           {"variant_isis": 1},
		"{algorithm: le-lann, nodes: 3, start: 1}":                                        nil,
	} {
		s, err := Parse("plan", []byte(plan))
		if err != nil {
			t.Fatal(plan, err)
		}
		_, run, err := s.Simulation()
		if err != nil {
			t.Fatal(plan, err)
		}
		if got := run.Bounds[0].Given; !maps.Equal(got, want) {
			t.Errorf("%s: the bound %s is given %v, want %v", plan, run.Bounds[0].Messages, got, want)
		}
	}
}

// TestPromisesKeepTheAlgorithm: what a scenario takes back, it takes from its
// own run only.
func TestPromisesKeepTheAlgorithm(t *testing.T) {
	traits := func(plan string) []string {
		s, err := Parse("plan", []byte(plan))
		if err != nil {
			t.Fatal(err)
		}
		s.IDs = []int64{1, 2}
		_, run, err := s.Simulation()
		if err != nil {
			t.Fatal(err)
		}
		return run.Traits
	}
	before := traits("algorithm: bully")
	traits("{algorithm: bully, params: {guard: off}, loss: 0.5}")
	if after := traits("algorithm: bully"); !slices.Equal(before, after) {
		t.Errorf("got %v, want %v", after, before)
	}
}
