package consensus_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"etrace/fixtures/interaction"
	"etrace/tracefmt"
)

// Laws that no suite can express: the times of decisions, and what holds for any delays.

// sizes are how many processes the laws are compared with.
var sizes = []int{2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16, 25}

// assigned is when a variable of each process is assigned for the last time, -1 for never; the processes count
// from 1.
func assigned(m *tracefmt.Memory, variable string) []tracefmt.Time {
	at := make([]tracefmt.Time, len(m.Run().Members)+1)
	for p := range at {
		at[p] = -1
	}
	for e := range m.Events(1) {
		if _, ok := e.Field(variable); ok && e.Kind == tracefmt.State {
			at[e.Process] = e.Time
		}
	}
	return at
}

// expectTimes compares when the processes from first to last decide, or have the result.
func expectTimes(t interaction.T, plan, variable string, at []tracefmt.Time, first, last, want int) {
	t.Helper()
	for p := first; p <= last; p++ {
		if at[p] != tracefmt.Time(want)*tracefmt.Unit {
			t.Fatalf("%s: %s of process %d at %v, want %d", plan, variable, p, at[p], want)
		}
	}
}

// Paxos, one proposer: it decides at 4, when the ACCEPTED of the others are there, and these at 5. With learn=all the
// others decide at 4 as well; where a majority is two, at 3: with their own ACCEPTED and that of the proposer.
func TestPaxosTimes(t *testing.T) {
	for _, n := range sizes {
		plan := fmt.Sprintf("algorithm: paxos, nodes: %d, start: 1", n)
		at := assigned(interaction.Record(t, "%s", plan), "decided")
		expectTimes(t, plan, "decided", at, 1, 1, 4)
		expectTimes(t, plan, "decided", at, 2, n, 5)

		plan += ", params: {learn: all}"
		at = assigned(interaction.Record(t, "%s", plan), "decided")
		acceptors := 4
		if n/2+1 == 2 {
			acceptors = 3
		}
		expectTimes(t, plan, "decided", at, 1, 1, 4)
		expectTimes(t, plan, "decided", at, 2, n, acceptors)
	}
}

// PBFT: the replicas decide at 4 and the client has the result at 5. With f = 0 each decides with what it has from the
// client or the primary.
func TestPBFTTimes(t *testing.T) {
	for _, n := range sizes {
		plan := fmt.Sprintf("algorithm: pbft, nodes: %d, start: %d", n+1, n+1)
		m := interaction.Record(t, "%s", plan)
		primary, backups, client := 4, 4, 5
		if n < 4 {
			primary, backups, client = 1, 2, 2
		}
		expectTimes(t, plan, "decided", assigned(m, "decided"), 1, 1, primary)
		expectTimes(t, plan, "decided", assigned(m, "decided"), 2, n, backups)
		expectTimes(t, plan, "result", assigned(m, "result"), n+1, n+1, client)
	}
}

// FloodSet: decided after f+1 rounds, whatever f.
func TestFloodsetTimes(t *testing.T) {
	for _, n := range sizes {
		for f := range min(n, 6) {
			plan := fmt.Sprintf("algorithm: floodset, nodes: %d, params: {f: %d}", n, f)
			m := interaction.Record(t, "%s", plan)
			expectTimes(t, plan, "decided", assigned(m, "decided"), 1, n, f+1)
			if c := interaction.Count(m); c.Sent != (f+1)*n*(n-1) {
				t.Errorf("%s: %d messages, want (f+1)n(n-1)", plan, c.Sent)
			}
		}
	}
}

// drawDelays draws how long messages take, and whether they overtake each other.
func drawDelays(t *rapid.T) (text string, reorders bool) {
	reorders = rapid.Bool().Draw(t, "reorder")
	delay := rapid.SampledFrom([]string{"1", "exponential(1)", "'uniform(0,6)'"}).Draw(t, "delay")
	text = fmt.Sprintf("delay: %s, seed: %d", delay, rapid.IntRange(0, 9999).Draw(t, "seed"))
	if reorders {
		text += ", reorder: on"
	}
	return text, reorders
}

// Paxos with one proposer, whoever it is: as many messages for any delays, as long as channels are FIFO. Else an ACCEPT
// may overtake the PREPARE of its ballot, which is not answered any more: then it is fewer.
func TestPaxosForAnyDelays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom(sizes).Draw(t, "n")
		proposer := rapid.IntRange(1, n).Draw(t, "proposer")
		delays, reorders := drawDelays(t)
		for learn, want := range map[string]int{"proposer": 5 * (n - 1), "all": (n - 1) * (n + 3)} {
			plan := fmt.Sprintf("algorithm: paxos, nodes: %d, start: %d, %s, params: {learn: %s}", n, proposer, delays, learn)
			m := interaction.Record(t, "%s", plan)
			c := interaction.Count(m)
			if c.Sent > want || c.Sent < want && !reorders || m.Run().End != tracefmt.Quiescent {
				t.Fatalf("%s: %d messages, want %d; ends %s", plan, c.Sent, want, m.Run().End)
			}
		}
	})
	for seed := range 100 {
		m := interaction.Record(t, "algorithm: paxos, nodes: 5, start: 1, delay: exponential(1), reorder: on, seed: %d", seed)
		if c := interaction.Count(m); c.Sent < 5*(5-1) {
			return
		}
	}
	t.Error("no ACCEPT has overtaken its PREPARE in any plan")
}

// PBFT: as many messages for any delays and orders, and whichever backups are silent, as long as 2f+1 replicas are not,
// or n-s-1 >= 2f.
func TestPBFTForAnyDelays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom(sizes).Draw(t, "n")
		f := (n - 1) / 3
		backups := make([]int, n-1)
		for i := range backups {
			backups[i] = i + 2
		}
		s := rapid.IntRange(0, n-1-2*f).Draw(t, "silent")
		fault := rapid.SampledFrom([]string{"down: [%s]", "silence: [%s]"}).Draw(t, "how")
		silent := make([]string, s)
		for i, p := range rapid.Permutation(backups).Draw(t, "backups")[:s] {
			silent[i] = fmt.Sprint(p)
			if strings.HasPrefix(fault, "silence") {
				silent[i] += "@0"
			}
		}
		delays, _ := drawDelays(t)
		plan := fmt.Sprintf("algorithm: pbft, nodes: %d, start: %d, %s, "+fault, n+1, n+1, delays, strings.Join(silent, ", "))
		m := interaction.Record(t, "%s", plan)
		if c := interaction.Count(m); c.Sent != 2*(n-1)*(n-s)+1+(n-s) || assigned(m, "result")[n+1] < 0 {
			t.Fatalf("%s: %d messages, want 2(n-1)(n-s) + 1 + (n-s), and a result", plan, c.Sent)
		}
	})
}
