package election_test

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"etrace/fixtures/size"
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
	for ids := range rings(size.Pick(4, 5, 6)) {
		if n := len(ids); n > 1 {
			for _, start := range []struct {
				starters string
				last     int
			}{{"all", n}, {fmt.Sprint(ids[0]), 2*n - 1}, {fmt.Sprint(n - 1), 2*n - 1}} {
				m, c := mustRun(t, "le-lann", "ids", list(ids), "start", start.starters)
				label := fmt.Sprintf("ring %v, start %s", ids, start.starters)
				c.expect(t, label, n*n, tracefmt.Time(start.last)*tracefmt.Unit, n-1)
				if got := leaders(m); !slices.Equal(got, []string{fmt.Sprint(n - 1)}) {
					t.Errorf("%s: leaders %v", label, got)
				}
				if got := decisions(m); !slices.Equal(got, slices.Repeat([]int{1}, n)) {
					t.Errorf("%s: processes decided %v times", label, got)
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
			c.expect(t, fmt.Sprintf("ring %v, start %s, delay %s", ids, starts, delay), n*n, c.At, n-1)
			if got := leaders(m); !slices.Equal(got, []string{fmt.Sprint(n - 1)}) {
				t.Errorf("ring %v, delay %s: leaders %v", ids, delay, got)
			}
		}
	}
}

// If only starters compete, the ids of k starters make n hops each. The greatest starter is elected by all
// starters, and by no other without the announcement, which takes n. The test takes every set of starters on
// every ring of up to 5.
func TestLeLannRelays(t *testing.T) {
	for ids := range rings(size.Pick(3, 4, 5)) {
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
		label := fmt.Sprintf("ring %v, start %s, elected-pass=%s", ids, subset(set, n), pass)
		if c.ByType["candidate"] != k*n || c.ByType["elected"] != announcement || c.Sent != k*n+announcement {
			t.Errorf("%s: %v, want %d and %d", label, c.ByType, k*n, announcement)
		}
		if got := leaders(m); !slices.Equal(got, []string{fmt.Sprint(greatest)}) {
			t.Errorf("%s: leaders %v", label, got)
		}
		for id := range ids {
			want := "null"
			if pass == "on" || set&(1<<id) != 0 {
				want = fmt.Sprint(greatest)
			}
			if got := c.says[tracefmt.ProcessID(id+1)]; got != want {
				t.Errorf("%s: %d elected %s, want %s", label, id, got, want)
			}
		}
	}
}

// petersonRounds returns how many rounds of several active processes there are on
// a ring of these values, by the rule: an active process goes on with the value
// of the one before it if that is greater than its own and than the one before that.
func petersonRounds(values []int) (rounds int) {
	for ; len(values) > 1; rounds++ {
		var next []int
		for i, value := range values {
			nearer, farther := values[(i-1+len(values))%len(values)], values[(i-2+len(values))%len(values)]
			if nearer > value && nearer > farther {
				next = append(next, nearer)
			}
		}
		values = next
	}
	return rounds
}

// expectPeterson runs Peterson's election on a ring with these competitors. In each round of several active
// processes each place of the ring is passed by one and by two; then by one with the winning value, and by the
// announcement. The greatest competitor is the only leader, and every process decides once.
func expectPeterson(t *testing.T, ids, compete []int, pairs ...string) {
	t.Helper()
	n, rounds, greatest := len(ids), petersonRounds(compete), fmt.Sprint(slices.Max(compete))
	m, c := mustRun(t, "peterson", append(pairs, "ids", list(ids))...)
	label := fmt.Sprintf("ring %v, %v", ids, pairs)
	want := map[string]int{"one": n*rounds + n, "two": n * rounds, "elected": n}
	for _, typ := range []string{"one", "two", "elected"} {
		if c.ByType[typ] != want[typ] {
			t.Errorf("%s: %d %s, want %d", label, c.ByType[typ], typ, want[typ])
		}
	}
	if c.Sent != 2*n*rounds+2*n || c.unanimous() != greatest || m.Run().End != tracefmt.Quiescent {
		t.Errorf("%s: %d messages, elected %q, end %s, want %d, "+
			"%s, quiescent", label, c.Sent, c.unanimous(), m.Run().End, 2*n*rounds+2*n, greatest)
	}
	if got := leaders(m); !slices.Equal(got, []string{greatest}) {
		t.Errorf("%s: leaders %v", label, got)
	}
	if got := decisions(m); !slices.Equal(got, slices.Repeat([]int{1}, n)) {
		t.Errorf("%s: processes decided %v times", label, got)
	}
}

// Every ring of up to 6, with all or one of the processes starting: the others are woken, so there is no
// difference. A ring of n has at most log2 n rounds; some ring of 2 or 4 reaches that.
func TestPetersonEveryRing(t *testing.T) {
	maximum := map[int]int{}
	for ids := range rings(size.Pick(4, 5, 6)) {
		if n := len(ids); n > 1 {
			rounds := petersonRounds(ids)
			if rounds > bits.Len(uint(n))-1 {
				t.Fatalf("ring %v: %d rounds, more than log2 n", ids, rounds)
			}
			maximum[n] = max(maximum[n], rounds)
			for _, start := range []string{"all", fmt.Sprint(ids[0]), fmt.Sprint(n - 1)} {
				expectPeterson(t, ids, ids, "start", start)
			}
		}
	}
	if maximum[2] != 1 || maximum[4] != 2 {
		t.Errorf("at most %v rounds, want log2 n for 2 and 4", maximum)
	}
}

// On larger rings, under delays that let processes run ahead of each other.
func TestPetersonLargerRings(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	for n := 7; n <= 128; n += 1 + n/3 {
		ids := random.Perm(n)
		for i, delay := range asynchronous {
			starts := fmt.Sprintf("%d,%d@%d.5", ids[0], ids[n/2], n/3)
			expectPeterson(t, ids, ids, "start", starts, "delay", delay, "seed", fmt.Sprint(n+i))
		}
	}
}

// Where only starters compete, the values are theirs, in the order of the ring:
// every set of starters on every ring of up to 5.
func TestPetersonRelays(t *testing.T) {
	for ids := range rings(size.Pick(3, 4, 5)) {
		n := len(ids)
		for set := 1; n > 1 && set < 1<<n; set++ {
			starters := slices.DeleteFunc(slices.Clone(ids), func(id int) bool { return set&(1<<id) == 0 })
			expectPeterson(t, ids, starters, "start", subset(set, n), "param", "join=relay")
		}
	}
}
