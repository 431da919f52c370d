package election_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"etrace/tracefmt"
)

// decisions counts how often each process assigned elected after the start.
func decisions(m *tracefmt.Memory) []int {
	times := make([]int, len(m.Run().Members))
	for e := range m.Events(1) {
		if _, ok := e.Field("elected"); ok && e.Kind == tracefmt.State {
			times[e.Process-1]++
		}
	}
	return times
}

// asynchronous are delays under which processes run ahead of each other.
var asynchronous = []string{"uniform(0.1,9)", "exponential(1)"}

// Each id makes n hops, whatever it meets: n*n. All start at 0: everything is over
// at n. One starts: the last of the others is reached after n-1, and its own id
// needs n. The greatest is the only leader, and everybody decides once, on every
// ring of up to 6.
func TestLeLannEveryRing(t *testing.T) {
	for ids := range rings(6) {
		if n := len(ids); n > 1 {
			for _, start := range []struct {
				who  string
				last int
			}{{"all", n}, {fmt.Sprint(ids[0]), 2*n - 1}, {fmt.Sprint(n - 1), 2*n - 1}} {
				m, c := mustRun(t, "le-lann", "ids", list(ids), "start", start.who)
				what := fmt.Sprintf("ring %v, start %s", ids, start.who)
				c.expect(t, what, n*n, tracefmt.Time(start.last)*tracefmt.Unit, n-1)
				if got := leaders(m); !slices.Equal(got, []string{fmt.Sprint(n - 1)}) {
					t.Errorf("%s: leaders %v", what, got)
				}
				if got := decisions(m); !slices.Equal(got, slices.Repeat([]int{1}, n)) {
					t.Errorf("%s: processes decided %v times", what, got)
				}
			}
		}
	}
}

// Neither the order nor the delays matter to the number of messages, nor who
// starts when, on rings of up to 40.
func TestLeLannLargerRings(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	for n := 7; n <= 40; n += 3 {
		ids := random.Perm(n)
		for i, delay := range asynchronous {
			starts := fmt.Sprintf("%d,%d@%d.5", ids[0], ids[n/2], n/3)
			m, c := mustRun(t, "le-lann", "ids", list(ids), "start", starts, "delay", delay, "seed", fmt.Sprint(n+i))
			c.expect(t, fmt.Sprintf("ring %v, start %s, delay %s", ids, starts, delay), n*n, c.at, n-1)
			if got := leaders(m); !slices.Equal(got, []string{fmt.Sprint(n - 1)}) {
				t.Errorf("ring %v, delay %s: leaders %v", ids, delay, got)
			}
		}
	}
}

// Where only starters compete, the ids of k starters make n hops each, and the
// greatest starter is elected by all starters, by no other without the
// announcement, which takes n: every set of starters on every ring of up to 5.
func TestLeLannRelays(t *testing.T) {
	for ids := range rings(5) {
		for set := 1; len(ids) > 1 && set < 1<<len(ids); set++ {
			checkLeLannRelays(t, ids, set)
		}
	}
}

func checkLeLannRelays(t *testing.T, ids []int, set int) {
	t.Helper()
	n, k, greatest := len(ids), 0, 0
	for id := range ids {
		if set&(1<<id) != 0 {
			k, greatest = k+1, id
		}
	}
	for pass, announcement := range map[string]int{"off": 0, "on": n} {
		m, c := mustRun(t, "le-lann", "ids", list(ids), "start", subset(set, n), "param", "join=relay", "param", "elected-pass="+pass)
		what := fmt.Sprintf("ring %v, start %s, elected-pass=%s", ids, subset(set, n), pass)
		if c.byType["candidate"] != k*n || c.byType["elected"] != announcement || c.sent != k*n+announcement {
			t.Errorf("%s: %v, want %d and %d", what, c.byType, k*n, announcement)
		}
		if got := leaders(m); !slices.Equal(got, []string{fmt.Sprint(greatest)}) {
			t.Errorf("%s: leaders %v", what, got)
		}
		for id := range ids {
			want := "null"
			if pass == "on" || set&(1<<id) != 0 {
				want = fmt.Sprint(greatest)
			}
			if got := c.says[tracefmt.ProcessID(id+1)]; got != want {
				t.Errorf("%s: %d elected %s, want %s", what, id, got, want)
			}
		}
	}
}
