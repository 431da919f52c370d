package election_test

import (
	"fmt"
	"testing"
)

// The tables III to VIII of the comparison paper: what the rules of each method
// give, derived in closed form, and what is printed.

// sizes are the numbers of processes of the tables.
var sizes = [3]int{6, 10, 15}

// linear is the number a*n + b of messages.
func linear(a, b int) func(n int) int { return func(n int) int { return a*n + b } }

func never(int) int { return 0 }

// cost is what a plan costs with n processes by the rules: messages sent, sent
// if announce is live, and delivered. announce=live saves only messages that
// find no process, so what is delivered is the same for all readings.
type cost struct {
	sent, live, delivered func(n int) int
}

// method is a column of the comparison.
type method struct {
	table, algorithm string
	// election: 1 and n are down, 2 notices. recovery: n is down, n-1 is
	// coordinator, 1 recovers. comeback: the same, but n recovers and 1 is up; for
	// this second case the paper has no table.
	election, recovery, comeback cost
	// printed are the numbers for election and recovery, 0 for "-"; excess is how much they exceed the numbers
	// by the rules.
	printed, excess [2][3]int
}

var methods = []method{
	{
		// Election. ELECTION: each p of 2..n-1 to all above it, the sum of n-p, that
		// is (n-1)(n-2)/2, of them n-2 to the dead n. OK: one for each pair of
		// 2..n-1, (n-2)(n-3)/2. COORDINATOR: n-1 to 1..n-2, one to the dead 1.
		// Together (n-2)^2 + (n-2).
		// Recovery. The same from 1 on: n(n-1)/2 with n-1 to the dead, (n-1)(n-2)/2,
		// and n-2. Together (n-1)^2 + (n-2).
		// Comeback. COORDINATOR to 1..n-1.
		//
		// n = 15 is printed as 178 and 205. The squares are 169 and 196: what is left
		// is 9 in both, where the rule has 13 announcements and the other two sizes
		// are printed with 4 and 8 for n-2. No reading of announce gives 9 (lower 13,
		// all 14, live 12 or 13): both cells are 4 short, an error of the paper.
		table: "III", algorithm: "bully",
		election: cost{
			sent:      func(n int) int { return (n-2)*(n-2) + n - 2 },
			live:      func(n int) int { return (n-2)*(n-2) + n - 3 },
			delivered: func(n int) int { return (n-2)*(n-2) - 1 },
		},
		recovery: cost{
			sent:      func(n int) int { return (n-1)*(n-1) + n - 2 },
			live:      func(n int) int { return (n-1)*(n-1) + n - 2 },
			delivered: func(n int) int { return (n-1)*(n-2) + n - 2 },
		},
		comeback: cost{linear(1, -1), linear(1, -1), linear(1, -1)},
		printed:  [2][3]int{{20, 72, 178}, {29, 89, 205}},
		excess:   [2][3]int{{0, 0, -4}, {0, 0, -4}},
	},
	{
		// Election. ELECTION 2 to 3..n: n-2, one to the dead n. OK from 3..n-1: n-3.
		// GRANT: 1. COORDINATOR n-1 to all others: n-1, two to the dead. 3n-5.
		// Recovery. From 1 on: n-1 (one dead), n-2, 1, n-1 (one dead). 3n-3.
		table: "IV", algorithm: "kordafshari",
		election: cost{linear(3, -5), linear(3, -7), linear(3, -8)},
		recovery: cost{linear(3, -3), linear(3, -4), linear(3, -5)},
		comeback: cost{linear(1, -1), linear(1, -1), linear(1, -1)},
		printed:  [2][3]int{{13, 25, 40}, {15, 27, 42}},
	},
	{
		// Election. ELECTION 2 to n-1, OK, COORDINATOR to 2..n-2, the lower processes that are not CRASHED: 1 + 1 +
		// (n-3). 1 is CRASHED in the table, so no message is in vain. Recovery. REQUEST 1 to 2, REPLY, UPDATE
		// to 2..n-1, the others that are not CRASHED: 1 + 1 + (n-2) = n. Comeback. REQUEST n to n-1, REPLY,
		// COORDINATOR to 1..n-1: n+1.
		//
		// The printed recovery is n+1. That is the count with update=all, where the dead n is addressed as
		// well; table VIII counts the same rules without it.
		table: "V", algorithm: "basu",
		election: cost{linear(1, -1), linear(1, -1), linear(1, -1)},
		recovery: cost{linear(1, 0), linear(1, 0), linear(1, 0)},
		comeback: cost{linear(1, 1), linear(1, 1), linear(1, 1)},
		printed:  [2][3]int{{5, 9, 14}, {7, 11, 16}},
		excess:   [2][3]int{{0, 0, 0}, {1, 1, 1}},
	},
	{
		// Election. ELECTION 2 to 3..n: n-2, one to the dead n. OK from 3..n-1: n-3.
		// COORDINATOR 2 to all others: n-1, two to the dead. 3n-6.
		// Recovery. QUERY 1 to 2..n: n-1, one to the dead n. ANSWER: n-2. 2n-3.
		// Comeback. COORDINATOR to the n-1 others.
		table: "VI", algorithm: "thakur",
		election: cost{linear(3, -6), linear(3, -8), linear(3, -9)},
		recovery: cost{linear(2, -3), linear(2, -3), linear(2, -4)},
		comeback: cost{linear(1, -1), linear(1, -1), linear(1, -1)},
		printed:  [2][3]int{{12, 24, 39}, {9, 17, 27}},
	},
	{
		// Election. ELECTION 2 to n-1; n, which it has found dead, is left out.
		// COORDINATOR to the lower ids 1..n-2, one to the dead 1. 1 + (n-2).
		// Recovery and comeback. No rule, no message, "-".
		table: "VII", algorithm: "jamei",
		election: cost{linear(1, -1), linear(1, -2), linear(1, -2)},
		recovery: cost{never, never, never},
		comeback: cost{never, never, never},
		printed:  [2][3]int{{5, 9, 14}},
	},
	{
		// Election. ELECTION 2 to n-1, COORDINATOR to 2..n-2, the others that are not
		// CRASHED: 1 + (n-3). Recovery and comeback as for table V.
		table: "VIII", algorithm: "gajre-ragha",
		election: cost{linear(1, -2), linear(1, -2), linear(1, -2)},
		recovery: cost{linear(1, 0), linear(1, 0), linear(1, 0)},
		comeback: cost{linear(1, 1), linear(1, 1), linear(1, 1)},
		printed:  [2][3]int{{4, 8, 13}, {6, 10, 15}},
	},
}

// plan is one of the runs that are compared.
type plan struct {
	name string
	// keys of the scenario for n processes, and who is elected.
	keys   func(n int) []string
	leader func(n int) int
	cost   func(m *method) cost
}

var comparisons = []plan{
	{
		"election",
		func(n int) []string { return []string{"down", fmt.Sprintf("1,%d", n), "start", "2"} },
		linear(1, -1),
		func(m *method) cost { return m.election },
	},
	{
		"recovery",
		func(n int) []string {
			return []string{"down", fmt.Sprintf("1,%d", n), "coordinator", fmt.Sprint(n - 1), "recover", "1@0"}
		},
		linear(1, -1),
		func(m *method) cost { return m.recovery },
	},
	{
		"comeback",
		func(n int) []string {
			return []string{"down", fmt.Sprint(n), "coordinator", fmt.Sprint(n - 1), "recover", fmt.Sprintf("%d@0", n)}
		},
		linear(1, 0),
		func(m *method) cost { return m.comeback },
	},
}

// run counts a plan with n processes and further keys.
func (pl *plan) run(t *testing.T, algorithm string, n int, keys ...string) *totals {
	t.Helper()
	_, c := mustRun(t, algorithm, append(append(keys, "nodes", fmt.Sprint(n)), pl.keys(n)...)...)
	return c
}

// Each method does what its rules cost, by each way of counting, at each size.
func TestTables(t *testing.T) {
	for i := range methods {
		m := &methods[i]
		for _, pl := range comparisons {
			for _, n := range sizes {
				label := fmt.Sprintf("table %s, %s, %s of %d", m.table, m.algorithm, pl.name, n)
				want := pl.cost(m)
				c := pl.run(t, m.algorithm, n)
				if c.Sent != want.sent(n) || c.Fates["delivered"] != want.delivered(n) {
					t.Errorf("%s: %d messages, %d delivered, want %d and %d", label, c.Sent, c.Fates["delivered"], want.sent(n), want.delivered(n))
				}
				live := pl.run(t, m.algorithm, n, "announce", "live")
				if live.Sent != want.live(n) || live.Fates["delivered"] != want.delivered(n) {
					t.Errorf(
						"%s, announce=live: %d messages, %d delivered, want %d and %d", label, live.Sent,
						live.Fates["delivered"], want.live(n), want.delivered(n),
					)
				}
				leader := fmt.Sprint(pl.leader(n))
				if m.algorithm == "jamei" && pl.name != "election" {
					leader = "" // who has recovered knows of no process
				}
				if c.unanimous() != leader || live.unanimous() != leader {
					t.Errorf("%s: elected %v, with announce=live %v, want %q", label, c.elected(), live.elected(), leader)
				}
			}
		}
	}
}

// The printed numbers follow from the rules, except 5 of the 33, explained at each method.
func TestTablesAsPrinted(t *testing.T) {
	differ := 0
	for i := range methods {
		m := &methods[i]
		for j, rule := range []cost{m.election, m.recovery} {
			for k, n := range sizes {
				if got, want := m.printed[j][k]-rule.sent(n), m.excess[j][k]; got != want {
					t.Errorf("table %s, %s of %d: printed %d, which is %d more than by the "+
						"rule, want %d", m.table, comparisons[j].name, n, m.printed[j][k], got, want)
				}
				if m.excess[j][k] != 0 {
					differ++
				}
			}
		}
	}
	if differ != 5 {
		t.Errorf("%d of the 33 printed numbers differ from the rules, want 5", differ)
	}
}

// Where a reading gives the printed number, it is run.
func TestTablesUnderOtherReadings(t *testing.T) {
	election, recovery := &comparisons[0], &comparisons[1]
	for k, n := range sizes {
		// Table III: what is left of the printed number beside ELECTION and OK.
		bully := &methods[0]
		for j, pl := range []*plan{election, recovery} {
			c := pl.run(t, "bully", n)
			left := bully.printed[j][k] - c.ByType["ELECTION"] - c.ByType["OK"]
			if want := [3]int{4, 8, 9}[k]; left != want || c.ByType["COORDINATOR"] != n-2 {
				t.Errorf(
					"bully, %s of %d: %d are left for COORDINATOR, and %d sent, want %d and %d", pl.name, n, left,
					c.ByType["COORDINATOR"], want, n-2,
				)
			}
		}
		// Table V, recovery: update=all. gajre-ragha has the same rules and is printed
		// with one less.
		for _, algorithm := range []string{"basu", "gajre-ragha"} {
			c := recovery.run(t, algorithm, n, "param", "update=all")
			if c.Sent != n+1 || c.Fates["to crashed"] != 1 {
				t.Errorf(
					"%s, recovery of %d with update=all: %d messages, %d to crashed, want %d and 1", algorithm, n,
					c.Sent, c.Fates["to crashed"], n+1,
				)
			}
		}
		// Table VI, recovery as described in section II: two QUERYs, two ANSWERs.
		if c := recovery.run(t, "thakur", n, "param", "query=two"); c.Sent != 4 || c.unanimous() != fmt.Sprint(n-1) {
			t.Errorf("thakur, recovery of %d with query=two: %d messages, elected %v, want 4 and %d", n, c.Sent, c.elected(), n-1)
		}
		// Table VII: one ELECTION, one more with first=dead, one OK with ack=on, and
		// n-2, n-1 or n-3 COORDINATORs. The printed n-1 comes out three times.
		agree := 0
		for announce, receivers := range map[string]int{"lower": n - 2, "all": n - 1, "live": n - 3} {
			for first, more := range map[string]int{"next": 0, "dead": 1} {
				for ack, oks := range map[string]int{"off": 0, "on": 1} {
					c := election.run(t, "jamei", n, "announce", announce, "param", "first="+first, "param", "ack="+ack)
					if want := 1 + more + oks + receivers; c.Sent != want || c.unanimous() != fmt.Sprint(n-1) {
						t.Errorf("jamei of %d, %s %s %s: %d messages, elected %v, want %d", n, announce, first, ack, c.Sent, c.elected(), want)
					}
					if c.Sent == methods[4].printed[0][k] {
						agree++
					}
				}
			}
		}
		if agree != 3 {
			t.Errorf("jamei of %d: %d combinations give the printed number, want 3", n, agree)
		}
	}
}

// "Our proposed method requires less number of messages than from all other
// algorithms" holds for what is printed, where each method is counted by its
// own convention. By one convention it does not: as an election, jamei costs the
// same; as a recovery, basu does; and when the highest comes back, the proposal,
// which must ask for a table first, and basu cost two messages more than all
// the others, the baseline included.
func TestClosingClaim(t *testing.T) {
	best := func(cost func(m *method) func(n int) int, n int) (fewest int, winners []string) {
		for i := range methods {
			m := &methods[i]
			cost := cost(m)(n)
			switch {
			case cost == 0: // jamei has no rule for recovery
			case winners == nil || cost < fewest:
				fewest, winners = cost, []string{m.algorithm}
			case cost == fewest:
				winners = append(winners, m.algorithm)
			}
		}
		return fewest, winners
	}
	for _, n := range sizes {
		for _, test := range []struct {
			name   string
			cost   func(m *method) func(n int) int
			fewest int
			names  string
		}{
			{"election, as the methods are", func(m *method) func(int) int { return m.election.sent }, n - 2, "[gajre-ragha]"},
			{"election, live", func(m *method) func(int) int { return m.election.live }, n - 2, "[jamei gajre-ragha]"},
			{"election, delivered", func(m *method) func(int) int { return m.election.delivered }, n - 2, "[jamei gajre-ragha]"},
			{"recovery, as the methods are", func(m *method) func(int) int { return m.recovery.sent }, n, "[basu gajre-ragha]"},
			{"recovery, live", func(m *method) func(int) int { return m.recovery.live }, n, "[basu gajre-ragha]"},
			{"recovery, delivered", func(m *method) func(int) int { return m.recovery.delivered }, n, "[basu gajre-ragha]"},
			{"comeback", func(m *method) func(int) int { return m.comeback.live }, n - 1, "[bully kordafshari thakur]"},
		} {
			if fewest, winners := best(test.cost, n); fewest != test.fewest || fmt.Sprint(winners) != test.names {
				t.Errorf("%s of %d: fewest %d by %v, want %d by %s", test.name, n, fewest, winners, test.fewest, test.names)
			}
		}
	}
}
