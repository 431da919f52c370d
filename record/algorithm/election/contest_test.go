package election_test

import (
	"fmt"
	"iter"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"etrace/fixtures/size"
	"etrace/tracefmt"
)

// contestCost is the theoretical cost of a run on a ring of competing processes: the messages of the contest,
// of the announcement, and the time of the last arrival if all start at 0, -1 without a formula.
type contestCost struct {
	messages int
	last     tracefmt.Time
	bound    int
}

// contests are the elections by competition on rings, with their cost on a ring of these ids in clockwise
// order.
var contests = map[string]func(ids []int, compete func(id int) bool) contestCost{
	"franklin":            franklinCost,
	"hirschberg-sinclair": hirschbergSinclairCost,
}

// rings yields all orders of 0..n-1 for n up to most: without rotations (the greatest is last), and for n up
// to 6 with them.
func rings(limit int) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		var permute func(ids []int, k int) bool
		permute = func(ids []int, k int) bool {
			if k == len(ids) || len(ids) > 6 && k == len(ids)-1 {
				return yield(slices.Clone(ids))
			}
			for i := k; i < len(ids) && (len(ids) <= 6 || i < len(ids)-1); i++ {
				ids[k], ids[i] = ids[i], ids[k]
				if !permute(ids, k+1) {
					return false
				}
				ids[k], ids[i] = ids[i], ids[k]
			}
			return true
		}
		for n := 1; n <= limit; n++ {
			if !permute(sequence(n), 0) {
				return
			}
		}
	}
}

// leaders lists who ever had the role of the leader.
func leaders(m *tracefmt.Memory) (list []string) {
	for e := range m.Events(1) {
		if v, ok := e.Field("role"); ok && string(v) == `"leader"` {
			list = append(list, m.Run().Members[e.Process-1].Name)
		}
	}
	return list
}

// expectContest compares a run with theory: one leader, the greatest competitor, known to all, and the
// messages. Their number depends neither on the delays nor on the times of the starts.
func expectContest(t *testing.T, name string, ids []int, compete func(id int) bool, keys ...string) {
	t.Helper()
	want := contests[name](ids, compete)
	m, c := mustRun(t, name, append([]string{"ids", list(ids)}, keys...)...)
	winner := -1
	for _, id := range ids {
		if compete(id) {
			winner = max(winner, id)
		}
	}
	label := fmt.Sprintf("%s, ring %v, %v", name, ids, keys)
	if got := leaders(m); len(got) != 1 || got[0] != fmt.Sprint(winner) || c.unanimous() != got[0] || m.Run().End != tracefmt.Quiescent {
		t.Errorf("%s: leaders %v, elected %v, end %s, want %d", label, got, c.elected(), m.Run().End, winner)
	}
	announcement := len(ids)
	if len(ids) == 1 {
		// A message to oneself is not sent.
		want.messages, want.last, announcement = 0, 0, 0
	}
	if contest := c.Sent - c.ByType["elected"]; contest != want.messages || c.ByType["elected"] != announcement {
		t.Errorf("%s: %d messages and %d of elected, want %d and %d", label, contest, c.ByType["elected"], want.messages, announcement)
	}
	if c.Sent > want.bound {
		t.Errorf("%s: %d messages, above the bound %d", label, c.Sent, want.bound)
	}
	if slices.Equal(keys, []string{"start", "all"}) && want.last >= 0 && c.At != want.last {
		t.Errorf("%s: the last message arrives at %v, want %v", label, c.At, want.last)
	}
}

func everybody(int) bool { return true }

// Every order of the ids of up to 6 processes, and of 7 up to rotation.
func TestContestsOfAllOrders(t *testing.T) {
	for name := range contests {
		for ids := range rings(size.Pick(4, 6, 7)) {
			expectContest(t, name, ids, everybody, "start", "all")
		}
	}
}

// Every order of up to 4 processes with every set of starters: with join=wake the
// others compete, too, with join=relay they do not.
func TestContestsOfEveryStarterSet(t *testing.T) {
	for name := range contests {
		for ids := range rings(size.Pick(3, 4, 4)) {
			for set := 1; set < 1<<len(ids); set++ {
				starters := subset(set, len(ids))
				expectContest(t, name, ids, everybody, "start", starters)
				expectContest(t, name, ids, func(id int) bool { return set&(1<<id) != 0 }, "start", starters, "param", "join=relay")
			}
		}
	}
}

// Larger rings: drawn orders, and drawn delays, which change nothing in the
// number of messages; increasing and decreasing ones.
func TestContestsOfManyProcesses(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	for name := range contests {
		for _, n := range []int{8, 9, 16, 31, 32, 33, 64} {
			for range size.Pick(1, 3, 20) {
				ids := random.Perm(n)
				expectContest(t, name, ids, everybody, "start", "all")
				expectContest(
					t, name, ids, everybody, "start", fmt.Sprint(random.IntN(n)), "delay", "uniform(0.5,1.5)",
					"seed", fmt.Sprint(random.IntN(1000)),
				)
			}
			ids := sequence(n)
			expectContest(t, name, ids, everybody, "start", "all")
			slices.Reverse(ids)
			expectContest(t, name, ids, everybody, "start", "all")
		}
	}
}

// With elected-pass=off the winner alone knows, for as many messages less.
func TestContestsWithoutAnnouncement(t *testing.T) {
	for name, cost := range contests {
		ids := []int{3, 0, 4, 1, 2}
		m, c := mustRun(t, name, "ids", list(ids), "start", "all", "param", "elected-pass=off")
		if want := cost(ids, everybody); c.Sent != want.messages || !slices.Equal(leaders(m), []string{"4"}) ||
			fmt.Sprint(c.elected()) != "[0,1,2,3>none 4>4]" {
			t.Errorf("%s: %d messages, leaders %v, elected %v, want %d, 4, and that "+
				"none but 4 knows", name, c.Sent, leaders(m), c.elected(), want.messages)
		}
	}
}

// ceilLog2 is the least k with 2^k >= n.
func ceilLog2(n int) int { return bits.Len(uint(n - 1)) }

// In phase k the competitors are those without a greater id within 2^(k-1) hops on either side. The probe of
// such a process is swallowed at the next greater one, after d hops, if d <= 2^k. Otherwise it goes 2^k hops,
// and the reply comes back as far. The probes of the greatest are never swallowed: with 2^k >= n both go n
// hops, and that is the end. In each earlier phase its probe and reply take 2*2^k in time; then n to get
// round, and n for the announcement.
func hirschbergSinclairCost(ids []int, compete func(id int) bool) contestCost {
	n, sum := len(ids), 0
	for i, id := range ids {
		if !compete(id) {
			continue
		}
		var greater [2]int // hops to the next greater one, either way; n for none
		for w, step := range []int{1, n - 1} {
			for greater[w] = 1; greater[w] < n; greater[w]++ {
				if q := ids[(i+greater[w]*step)%n]; q > id && compete(q) {
					break
				}
			}
		}
		for reach := 1; ; reach *= 2 {
			replies := 0
			for _, d := range greater {
				if d <= reach {
					sum += d
				} else {
					sum += 2 * reach
					replies++
				}
			}
			if replies < 2 {
				break
			}
		}
	}
	k := ceilLog2(n)
	return contestCost{
		messages: sum, bound: 8 * n * (1 + k),
		last: tracefmt.Time(2*(1<<k-1)+2*n) * tracefmt.Unit,
	}
}

// Each round takes a message over every hop, both ways: 2n. Of the active
// processes those go on that are greater than the next active ones on both sides;
// who is alone ends it with one round more.
func franklinCost(ids []int, compete func(id int) bool) contestCost {
	n, rounds := len(ids), 1
	actives := slices.DeleteFunc(slices.Clone(ids), func(id int) bool { return !compete(id) })
	for k := len(actives); k > 1; k = len(actives) {
		var maxima []int
		for i, id := range actives {
			if id > actives[(i+1)%k] && id > actives[(i+k-1)%k] {
				maxima = append(maxima, id)
			}
		}
		actives = maxima
		rounds++
	}
	return contestCost{messages: 2 * n * rounds, last: -1, bound: 2*n*(bits.Len(uint(n))-1) + 3*n}
}

// In the order of reversed bits every other active process is a local maximum in
// each round, so that the bound is what it takes.
func TestFranklinWorstCase(t *testing.T) {
	for k := 1; k <= 8; k++ {
		n := 1 << k
		ids := make([]int, n)
		for i := range ids {
			ids[i] = int(bits.Reverse(uint(i)) >> (bits.UintSize - k))
		}
		_, c := mustRun(t, "franklin", "ids", list(ids), "start", "all")
		if want := 2*n*k + 3*n; c.Sent != want || c.unanimous() != fmt.Sprint(n-1) {
			t.Errorf("ring %v: %d messages, elected %v, want %d", ids, c.Sent, c.elected(), want)
		}
	}
}
