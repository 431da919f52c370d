package election_test

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"etrace/fixtures/size"
	"etrace/record/scenario"
	"etrace/tracefmt"
)

// The formulas of this file are derived from the rules, in the comment of each
// test. They are a second witness beside the scripts.

// mustRun runs a scenario given by keys: "ids", "1-4", "start", "1".
func mustRun(t testing.TB, algorithm string, pairs ...string) (*tracefmt.Memory, *totals) {
	t.Helper()
	m, err := simulate(scenarioOf(t, algorithm, pairs...))
	if err != nil {
		t.Fatal(err)
	}
	return m, count(m)
}

func scenarioOf(t testing.TB, algorithm string, pairs ...string) *scenario.Scenario {
	t.Helper()
	s := &scenario.Scenario{Algorithm: algorithm}
	for i := 0; i < len(pairs); i += 2 {
		k := slices.IndexFunc(scenario.Keys, func(k scenario.Key) bool { return k.Name == pairs[i] })
		if k < 0 {
			t.Fatalf("no key %q", pairs[i])
		}
		if err := scenario.Keys[k].Set(s, pairs[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// expect compares what was counted with what was derived.
func (t *totals) expect(tb testing.TB, label string, sent int, last tracefmt.Time, leader int) {
	tb.Helper()
	if t.Sent != sent || t.At != last || t.unanimous() != fmt.Sprint(leader) {
		tb.Errorf("%s: %d messages, last at %v, elected %q, want %d, %v, %d", label, t.Sent, t.At, t.unanimous(), sent, last, leader)
	}
}

// A lone initiator d hops before the greatest of N processes: d messages reach
// the greatest, whatever ids lie between (an id is passed on or replaced, and
// dropped by no process, since no process participates yet); its own id needs N, its
// announcement N. One message is on the way at any time, so the last arrives at
// the same number. d = N-1 is the published worst case, 3N-1.
func TestChangRobertsOneInitiator(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for n := 3; n <= size.Pick(8, 16, 32); n++ {
		ids := random.Perm(n)
		greatest := slices.Index(ids, n-1)
		for d := range n {
			initiator := ids[(greatest-d+n)%n]
			_, c := mustRun(t, "chang-roberts", "ids", list(ids), "start", fmt.Sprint(initiator))
			c.expect(t, fmt.Sprintf("ring %v, start %d", ids, initiator), d+2*n, tracefmt.Time(d+2*n)*tracefmt.Unit, n-1)
		}
	}
}

func list(ids []int) string {
	return strings.Join(strings.Fields(strings.Trim(fmt.Sprint(ids), "[]")), ",")
}

// All start at once. An id travels until it meets a greater one, which drops
// it since it participates: as many hops as to the next greater id clockwise,
// N for the greatest. Then N for the announcement; the last arrives at 2N.
// Clockwise increasing that is N-1 times 1 + N + N = 3N-1; decreasing, where
// the i-th smallest passes all smaller ones and meets the greatest after i
// hops, 1 + 2 + ... + N + N.
func TestChangRobertsAllStart(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	for n := 1; n <= 32; n++ {
		increasing := make([]int, n)
		for i := range n {
			increasing[i] = i
		}
		decreasing := slices.Clone(increasing)
		slices.Reverse(decreasing)
		for _, ring := range []struct {
			ids  []int
			sent int
		}{
			{increasing, 3*n - 1},
			{decreasing, n*(n+1)/2 + n},
			{random.Perm(n), -1},
		} {
			sent := hopsToGreater(ring.ids) + n
			if ring.sent >= 0 && ring.sent != sent {
				t.Fatalf("ring %v: the closed formula says %d, the sum of hops %d", ring.ids, ring.sent, sent)
			}
			last := tracefmt.Time(2*n) * tracefmt.Unit
			if n == 1 {
				// A message to oneself is not sent.
				sent, last = 0, 0
			}
			_, c := mustRun(t, "chang-roberts", "ids", list(ring.ids), "start", "all")
			c.expect(t, fmt.Sprintf("ring %v", ring.ids), sent, last, n-1)
		}
	}
}

func hopsToGreater(ids []int) int {
	sum, n := 0, len(ids)
	for i := range ids {
		hops := 1
		for hops < n && ids[(i+hops)%n] < ids[i] {
			hops++
		}
		sum += hops
	}
	return sum
}

// The greatest wins for every non-empty set of starters.
func TestChangRobertsEveryStarterSet(t *testing.T) {
	const n = 6
	for set := 1; set < 1<<n; set++ {
		_, c := mustRun(t, "chang-roberts", "ids", "3,1,5,0,4,2", "start", subset(set, n))
		if c.unanimous() != "5" {
			t.Errorf("start %s: elected %v", subset(set, n), c.elected())
		}
		if c.ByType["elected"] != n {
			t.Errorf("start %s: %d announcements, want %d", subset(set, n), c.ByType["elected"], n)
		}
	}
}

// subset lists the numbers of the bits that are set.
func subset(set, n int) string {
	var ids []int
	for i := range n {
		if set&(1<<i) != 0 {
			ids = append(ids, i)
		}
	}
	return list(ids)
}

// Each initiator sends ELECTION round the L live processes and COORDINATOR round them again: 2L messages,
// independent of all others; the last returns at 2L. A lone process sends none. Each initiator's message
// passes the gap of the dead twice, D suspicions each, and there is one noticing each.
func TestRing(t *testing.T) {
	for n := 1; n <= size.Pick(4, 5, 7); n++ {
		for down := range 1 << n {
			live := []int{}
			for i := range n {
				if down&(1<<i) == 0 {
					live = append(live, i)
				}
			}
			for set := 1; set < 1<<len(live); set++ {
				var starters []int
				for i, p := range live {
					if set&(1<<i) != 0 {
						starters = append(starters, p)
					}
				}
				l, k := len(live), len(starters)
				pairs := []string{"ids", fmt.Sprintf("0-%d", n-1), "start", list(starters)}
				if n == 1 {
					pairs[1] = "0"
				}
				if down != 0 {
					pairs = append(pairs, "down", subset(down, n))
				}
				sent, last := 2*l*k, tracefmt.Time(2*l)*tracefmt.Unit
				// A lone process sends nothing to itself.
				if l == 1 {
					sent, last = 0, 0
				}
				_, c := mustRun(t, "ring", pairs...)
				c.expect(t, fmt.Sprint(pairs), sent, last, live[l-1])
				if want := k * (1 + 2*(n-l)); c.Suspicions != want {
					t.Errorf("%v: %d suspicions, want %d", pairs, c.Suspicions, want)
				}
			}
		}
	}
}

// One starter s among 1..N, any set of the others down; h is the highest live.
// By the rule every live process from s to h holds once and asks all above it,
// up or not: the sum of N-p. Every pair of live processes p < q from s on is an
// OK, since q answers each ELECTION. If N is down, h gets no OK and announces
// once: after its timeout, 3 after it was asked. If N is up, it does not hold
// but announces whenever it is asked: once by each live p from s to N-1 (or, as
// the starter, once). An announcement reaches h-1 lower, N-1 other, or L-1 live
// processes. The wait for the result makes no difference: whoever asks is
// answered 2 later, and the result comes before that wait of 4 is over.
func TestBullyOneStarter(t *testing.T) {
	for n := 2; n <= size.Pick(4, 5, 7); n++ {
		for down := range 1 << n {
			for s := 1; s <= n; s++ {
				if down&(1<<(s-1)) == 0 {
					checkBully(t, n, s, func(p int) bool { return down&(1<<(p-1)) == 0 })
				}
			}
		}
	}
	for n := 8; n <= size.Pick(8, 9, 12); n++ {
		for s := 1; s < n; s++ {
			checkBully(t, n, s, func(p int) bool { return p < n })
			checkBully(t, n, s, func(int) bool { return true })
		}
	}
}

func checkBully(t *testing.T, n, s int, up func(p int) bool) {
	t.Helper()
	var down []int
	elections, oks, asked, highest, live := 0, 0, 0, s, 0
	for p := 1; p <= n; p++ {
		if !up(p) {
			down = append(down, p)
			continue
		}
		live++
		highest = p
		if p >= s {
			elections += n - p
			oks += asked // by the live ones from s to p-1
			asked++
		}
	}
	announcements, at := 1, 4
	switch {
	case highest == n && s == n:
		at = 0
	case highest == n:
		announcements, at = asked-1, 2 // asked at 1 by s, at 2 by the others
		if announcements == 1 {
			at = 1
		}
	case highest == s:
		at = 3
	}
	for announce, receivers := range map[string]int{"lower": highest - 1, "all": n - 1, "live": live - 1} {
		pairs := []string{"nodes", fmt.Sprint(n), "start", fmt.Sprint(s), "announce", announce}
		if down != nil {
			pairs = append(pairs, "down", list(down))
		}
		last := tracefmt.Time(at+1) * tracefmt.Unit
		if live == 1 {
			last = 0 // no process hears anything
		}
		for algorithm, messages := range bullies {
			_, c := mustRun(t, algorithm, pairs...)
			for i, want := range []int{elections, oks, announcements * receivers} {
				if got := c.ByType[messages[i]]; got != want {
					t.Errorf("%s %v: %d %s, want %d", algorithm, pairs, got, messages[i], want)
				}
			}
			c.expect(t, algorithm+fmt.Sprint(pairs), elections+oks+announcements*receivers, last, highest)
		}
	}
}

// bullies are the algorithms that share these rules, and what they call the
// question, the answer and the result.
var bullies = map[string][3]string{
	"bully":           {"ELECTION", "OK", "COORDINATOR"},
	"bully-buffalo":   {"election", "answer", "coordinator"},
	"bully-wikipedia": {"Election", "Answer", "Victory"},
}

// The published figures of the slides follow from the formula with s = N-1 and
// s = 1: N-2 announcements (and the ELECTION to the dead one), and
// (N-1)^2 + N - 2, which is O(N^2).
func TestBullyPublished(t *testing.T) {
	for algorithm, messages := range bullies {
		for n := 3; n <= 12; n++ {
			down := []string{"nodes", fmt.Sprint(n), "announce", "lower", "down", fmt.Sprint(n), "start"}
			_, best := mustRun(t, algorithm, append(down, fmt.Sprint(n-1))...)
			if best.ByType[messages[2]] != n-2 || best.Sent != n-1 {
				t.Errorf("%s, N=%d, second highest: %v", algorithm, n, best.ByType)
			}
			_, worst := mustRun(t, algorithm, append(down, "1")...)
			if want := (n-1)*(n-1) + n - 2; worst.Sent != want {
				t.Errorf("%s, N=%d, lowest: %d messages, want %d", algorithm, n, worst.Sent, want)
			}
		}
	}
}

// The best case of the slides to the letter, skip-known-dead=on: the second
// highest asks no process, and N-2 announcements arrive after one transmission. From
// a lower start it is the election of N-1 processes that all live: N-1 is never
// without a higher one to wait for, and announces itself to N-2 each time that it
// is asked. From the lowest, (N-1)(N-2)/2 questions, as many answers, N-2 times
// N-2 announcements: (N-2)(2N-3), which exceeds (N-1)^2 + N - 2 from N = 5 on. Even
// announce=all leaves out the dead one.
func TestBullyBuffaloSkipsTheKnownDead(t *testing.T) {
	for n := 3; n <= 12; n++ {
		for s := 1; s < n; s++ {
			k := n - s // live from the starter upwards
			sent, at := k*(k-1)+(k-1)*(n-2), 3
			switch k {
			case 1:
				sent, at = n-2, 1
			case 2:
				at = 2
			}
			if worst := (n - 2) * (2*n - 3); s == 1 && sent != worst {
				t.Fatalf("N=%d: the closed form says %d, the sum %d", n, worst, sent)
			}
			for _, announce := range []string{"lower", "all", "live"} {
				_, c := mustRun(t, "bully-buffalo", "nodes", fmt.Sprint(n), "down", fmt.Sprint(n), "start", fmt.Sprint(s),
					"param", "skip-known-dead=on", "announce", announce)
				c.expect(t, fmt.Sprintf("N=%d, start %d, announce %s", n, s, announce), sent, tracefmt.Time(at)*tracefmt.Unit, n-1)
			}
		}
	}
}

// Rule 4 to the letter (guard=off), N down, the lowest starts. Each election of a process opens one at every
// higher live process: 1 has one, 2 has one, 3 has 1 + 1, p has 2^(p-2). Each of them asks N-p: 2^(N-1) - 1
// questions in all. The questions to live processes are answered: 2^(N-2) - 1. Each of the 2^(N-3) elections
// of N-1 stays unanswered and is announced to all N-1 others. The last one opens at N-2, after the longest way
// up, announces itself 3 later, and is heard at N+2. No process asks twice: a process that asks at t hears the
// result by t+5 and would wait until t+6.
func TestBullyWithoutGuard(t *testing.T) {
	for n := 3; n <= size.Pick(8, 11, 14); n++ {
		_, c := mustRun(t, "bully-wikipedia", "nodes", fmt.Sprint(n), "down", fmt.Sprint(n), "start", "1", "param", "guard=off")
		for typ, want := range map[string]int{"Election": 1<<(n-1) - 1, "Answer": 1<<(n-2) - 1, "Victory": (n - 1) << (n - 3)} {
			if c.ByType[typ] != want {
				t.Errorf("N=%d: %d %s, want %d", n, c.ByType[typ], typ, want)
			}
		}
		c.expect(t, fmt.Sprintf("N=%d", n), (n+5)<<(n-3)-2, tracefmt.Time(n+2)*tracefmt.Unit, n-1)
	}
}

// F28: the leader must not depend on who started. Every set of starters. With the
// guard the cost depends on the lowest of them alone: everybody from there up
// holds one election, whether it began it by itself or was asked to.
func TestBullyEveryStarterSet(t *testing.T) {
	for algorithm := range bullies {
		for n := 3; n <= size.Pick(4, 5, 6); n++ {
			total := map[int]int{} // by the lowest starter
			for set := 1; set < 1<<(n-1); set++ {
				pairs := []string{"ids", fmt.Sprintf("0-%d", n-1), "down", fmt.Sprint(n - 1), "start", subset(set, n)}
				_, c := mustRun(t, algorithm, pairs...)
				lowest := bits.TrailingZeros(uint(set))
				if set == 1<<lowest { // alone, which comes first
					total[lowest] = c.Sent
				}
				if c.unanimous() != fmt.Sprint(n-2) || c.Sent != total[lowest] {
					t.Errorf("%s %v: elected %v with %d messages, want %d as with the lowest alone", algorithm, pairs, c.elected(), c.Sent, total[lowest])
				}
				if _, c := mustRun(t, algorithm, append(pairs, "param", "guard=off")...); c.unanimous() != fmt.Sprint(n-2) {
					t.Errorf("%s %v without guard: elected %v", algorithm, pairs, c.elected())
				}
			}
		}
	}
}

// L live processes, D down; all that start do so at once. The election of the
// highest starter goes round and its coordinator message after it: 2L, the last
// at 2L, which with D = 0 and one starter is the published 2N. The election of
// another one goes as far as the next higher starter, which discards it: from
// the lowest to the highest, in all. Nothing discarded, it goes round twice, too.
// One starter: it notices, and each time round somebody passes over each dead one.
func TestRingModified(t *testing.T) {
	for n := 1; n <= size.Pick(4, 5, 6); n++ {
		for down := range 1 << n {
			live := []int{}
			for i := range n {
				if down&(1<<i) == 0 {
					live = append(live, i)
				}
			}
			for set := 1; set < 1<<len(live); set++ {
				checkRingModified(t, n, down, live, set)
			}
		}
	}
}

func checkRingModified(t *testing.T, n, down int, live []int, set int) {
	t.Helper()
	var starters []int
	for i, p := range live {
		if set&(1<<i) != 0 {
			starters = append(starters, p)
		}
	}
	pairs := []string{"ids", list(sequence(n)), "start", list(starters)}
	if down != 0 {
		pairs = append(pairs, "down", subset(down, n))
	}
	l, k := len(live), len(starters)
	hops := bits.Len(uint(set)) - 1 - bits.TrailingZeros(uint(set)) // from the lowest to the highest
	for discard, sent := range map[string]int{"on": 2*l + hops, "off": 2 * l * k} {
		last := tracefmt.Time(2*l) * tracefmt.Unit
		if l == 1 {
			// A message to oneself is not sent.
			sent, last = 0, 0
		}
		_, c := mustRun(t, "ring-modified", append(pairs, "param", "discard="+discard)...)
		c.expect(t, fmt.Sprint(pairs, " discard ", discard), sent, last, live[l-1])
		if want := 1 + 2*(n-l); k == 1 && c.Suspicions != want {
			t.Errorf("%v: %d suspicions, want %d", pairs, c.Suspicions, want)
		}
	}
}

// On any ring the result is the same. All start: the greatest id goes round
// twice, any other as far as to the next greater.
func TestRingModifiedAnyRing(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	for n := 2; n <= size.Pick(6, 12, 24); n++ {
		ids := random.Perm(n)
		last := tracefmt.Time(2*n) * tracefmt.Unit
		_, withAll := mustRun(t, "ring-modified", "ids", list(ids), "start", "all")
		withAll.expect(t, fmt.Sprintf("ring %v, all start", ids), hopsToGreater(ids)+n, last, n-1)
		_, single := mustRun(t, "ring-modified", "ids", list(ids), "start", fmt.Sprint(ids[0]))
		single.expect(t, fmt.Sprintf("ring %v", ids), 2*n, last, n-1)
	}
}

// The totals of a fault-free election do not depend on the answer timeout T if it is at least the round trip
// of 2; the tie rule allows equality. Nor do they depend on the wait for the result: answered at 2, the
// starter waits until T+3, and the result comes at T+2. Without that wait (see testdata/bully-buffalo), delays
// below half the answer timeout do not matter either.
func TestBullyTimeoutsDoNotMatter(t *testing.T) {
	for algorithm := range bullies {
		for _, timeout := range []string{"2", "2.5", "3", "5", "9"} {
			_, c := mustRun(t, algorithm, "ids", "0-7", "announce", "lower", "down", "7", "start", "4", "timeout", timeout)
			if c.Sent != 15 {
				t.Errorf("%s, timeout %s: %d messages, want 15", algorithm, timeout, c.Sent)
			}
		}
	}
	for seed := range 20 {
		_, c := mustRun(t, "bully", "ids", "0-7", "down", "7", "start", "4", "delay", "uniform(0.1,1.4)", "seed", fmt.Sprint(seed))
		if c.Sent != 15 || c.unanimous() != "6" {
			t.Errorf("seed %d: %d messages, elected %v, want 15 and 6", seed, c.Sent, c.elected())
		}
	}
}

// Lamport's clocks: each step of a process counts up, a receive is later than
// its send; the cause of a receive or loss is the send of that message.
func TestClocksAndCauses(t *testing.T) {
	for _, algorithm := range registered() {
		m, _ := mustRun(t, algorithm, "nodes", "6", "topology", map[bool]string{
			true:  "tree",
			false: "complete",
		}[algorithm == "tree-election"], "down", "6", "start", "2,3@1", "crash", "5@2.5", "until", "60",
			"delay", "exponential(1)", "duplicate", "0.2", "loss", "0.1")
		clock := map[tracefmt.ProcessID]int64{}
		for e := range m.Events(1) {
			if e.Kind != tracefmt.Lose {
				if e.Lamport != clock[e.Process]+1 && e.Kind != tracefmt.Receive || e.Lamport <= clock[e.Process] {
					t.Fatalf("%s seq %d: clock %d follows %d", algorithm, e.Seq, e.Lamport, clock[e.Process])
				}
				clock[e.Process] = e.Lamport
			}
			if e.Cause == 0 {
				continue
			}
			if send := m.At(e.Cause); send.Kind != tracefmt.Send || send.Message != e.Message || send.Lamport >= e.Lamport {
				t.Fatalf("%s seq %d: caused by %+v", algorithm, e.Seq, send)
			}
		}
	}
}
