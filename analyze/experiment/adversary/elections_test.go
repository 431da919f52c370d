package adversary

import (
	"fmt"
	"slices"
	"testing"

	"etrace/fixtures/size"
	"etrace/record/scenario"
)

// TestGraphElectionsByBruteForce compares the adversary's results for echo and tree-election with all
// schedules, made one after the other.
func TestGraphElectionsByBruteForce(t *testing.T) {
	for _, c := range []struct {
		text   string
		varies bool // by the rules: the schedule decides what is sent
	}{
		// Of one wave each process sends one message to each neighbour.
		{"algorithm: echo\nids: 1-3\nstart: 2", false},
		{"algorithm: echo\nids: 1-4\nstart: 1\ntopology: line", false},
		{"algorithm: echo\nids: 1-4\nstart: 3\ntopology: star", false},
		// Of several a process passes a smaller one on if it comes before the greatest.
		{"algorithm: echo\nids: 1-3\nstart: all", true},
		// Which two neighbours have heard from all others, and decide between them, depends
		// on who is quicker.
		{"algorithm: tree-election\nids: 1-3\nstart: all\ntopology: line", true},
		{"algorithm: tree-election\nids: 2,1,3\nstart: 1\ntopology: line", true},
	} {
		s, err := scenario.Parse("test", []byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		if sent := bruteForce(t, s); (len(sent) > 1) != c.varies {
			t.Errorf("%s: %d outcomes, varies should be %v", s.CommandLine(), len(sent), c.varies)
		}
	}
}

// TestDrawsByBruteForce: the certificate of an election with random numbers holds for one seed. With a fixed
// seed, each process draws from its own stream, which makes it a function of its messages. On a ring with one
// direction of messages that is enough. Other seeds send other messages.
func TestDrawsByBruteForce(t *testing.T) {
	outcomes := map[string]bool{}
	for seed := range size.Pick(2, 3, 60) {
		for n := 2; n <= 3; n++ {
			s, err := scenario.Parse("test", fmt.Appendf(nil, "algorithm: itai-rodeh\nids: 1-%d\nstart: all\nseed: %d", n, seed))
			if err != nil {
				t.Fatal(err)
			}
			for sent := range bruteForce(t, s) {
				outcomes[sent] = true
			}
			if !slices.Contains(proofs(t, s), true) {
				t.Errorf("%s: not certified", s.CommandLine())
			}
		}
	}
	if len(outcomes) < size.Pick(2, 3, 3) { // one for each n, and one more
		t.Error("all seeds send the same messages")
	}
}

// bruteForce makes all schedules of a scenario, and compares them with the adversary's result. It returns the
// lists of messages that they send.
func bruteForce(t *testing.T, s *scenario.Scenario) map[string]int {
	t.Helper()
	sent, complete := schedules(t, s, size.Pick(1_000, 1_000, 10_000))
	if slices.Contains(proofs(t, s), true) && len(sent) > 1 {
		t.Errorf("%s: certified, but %d outcomes in the schedules", s.CommandLine(), len(sent))
	}
	if complete {
		goneThrough(t, uint64(s.Seed), s, sent)
	}
	return sent
}

// TestClimbsBeginAtKnownOrders: Chang and Roberts send n(n+1)/2 messages on a decreasing ring, and n more that
// announce the leader. No climb from an order at random finds that in a few runs.
func TestClimbsBeginAtKnownOrders(t *testing.T) {
	n := int64(size.Pick(20, 60, 200))
	s, err := scenario.Parse("test", fmt.Appendf(nil, "algorithm: chang-roberts\nids: 1-%d\nstart: all", n))
	if err != nil {
		t.Fatal(err)
	}
	r, err := Search(t.Context(), s, Options{Orders: true, MaxRuns: climbCount, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if want := n*(n+1)/2 + n; r.Value != want || r.Endless {
		t.Errorf("%d processes: %d messages (endless %v), want %d", n, r.Value, r.Endless, want)
	}
}
