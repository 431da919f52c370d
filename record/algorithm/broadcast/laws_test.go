package broadcast_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"etrace/fixtures/interaction"
	"etrace/record/algorithm/broadcast"
	"etrace/tracefmt"
)

// Laws that no suite can express: the times of deliveries, and what holds in every run, compared with the
// notes of the run and independently of the properties of analyze.

// step is a note of a process about a message.
type step struct {
	action string // broadcast or deliver
	m      string
	at     tracefmt.Time
}

// notes are what each process notes, in its order; the processes count from 1.
func notes(t interaction.T, m *tracefmt.Memory) [][]step {
	t.Helper()
	lists := make([][]step, len(m.Run().Members)+1)
	for e := range m.Events(1) {
		if e.Kind != tracefmt.Note || e.Type != "broadcast" && e.Type != "deliver" {
			continue
		}
		var fields struct{ M string }
		if err := json.Unmarshal(e.Payload, &fields); err != nil {
			t.Fatalf("%s: %v", e.Payload, err)
		}
		lists[e.Process] = append(lists[e.Process], step{e.Type, fields.M, e.Time})
	}
	return lists
}

// delivered are the messages that a process has delivered, in its order.
func delivered(notes []step) (list []string) {
	for _, n := range notes {
		if n.action == "deliver" {
			list = append(list, n.m)
		}
	}
	return list
}

// sizes are how many processes the laws are compared with.
var sizes = []int{2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16, 25}

// With unit delays the sender delivers at one instant, all others at another.
func TestDeliveryTimes(t *testing.T) {
	for _, law := range []struct {
		plan                   string
		sizes                  []int
		sender                 func(n int) int
		itself, otherProcesses tracefmt.Time
	}{
		{"algorithm: reliable-broadcast", sizes, last, 0, 1},
		{"algorithm: reliable-broadcast, params: {back: off}", sizes, last, 0, 1},
		{"algorithm: bracha", sizes[2:], last, 3, 3},
		// f = 0: two echoes are a quorum, the sender's and the own one, and the own READY is enough.
		{"algorithm: bracha", sizes[:2], last, 2, 1},
		{"algorithm: causal-broadcast", sizes, last, 0, 1},
		{"algorithm: total-order-broadcast", sizes, last, 2, 2}, // the sequencer at 1
		{"algorithm: total-order-broadcast", sizes, func(int) int { return 1 }, 0, 1},
		{"algorithm: total-order-broadcast, params: {variant: isis}", sizes, last, 2, 3},
	} {
		for _, n := range law.sizes {
			plan := fmt.Sprintf("%s, nodes: %d, start: %d", law.plan, n, law.sender(n))
			for p, steps := range notes(t, interaction.Record(t, "%s", plan))[1:] {
				want := law.otherProcesses
				switch {
				case p+1 == law.sender(n):
					want = law.itself
				case p == 0 && law.otherProcesses == 2:
					want = 1
				}
				if i := slices.IndexFunc(steps, func(s step) bool { return s.action == "deliver" }); i < 0 || steps[i].at != want*tracefmt.Unit {
					t.Errorf("%s: process %d delivers %v, want at %d", plan, p+1, steps, want)
				}
			}
		}
	}
}

func last(n int) int { return n }

// Bracha's: for any sender, any silent others, and any delays and orders, there are n-1 SENDs and n-1 ECHOs of
// each of the n-b processes that send anything. There are as many READYs if these are more than (n+f)/2.
func TestBrachaAnywhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom(sizes).Draw(t, "n")
		order := rapid.Permutation(slices.Collect(func(yield func(int) bool) {
			for p := 1; p <= n && yield(p); p++ {
			}
		})).Draw(t, "order")
		b := rapid.IntRange(0, n-1).Draw(t, "silent")
		plan := fmt.Sprintf("algorithm: bracha, nodes: %d, start: %d, %s", n, order[0], drawDelays(t))
		var silent []string
		for _, p := range order[1 : b+1] {
			silent = append(silent, fmt.Sprintf("%d@0", p))
		}
		if b > 0 {
			plan += ", silence: [" + strings.Join(silent, ", ") + "]"
		}
		want := n - 1 + (n-1)*(n-b)
		if 2*(n-b) > n+(n-1)/3 {
			want += (n - 1) * (n - b)
		}
		if c := interaction.Count(interaction.Record(t, "%s", plan)); c.Sent != want {
			t.Fatalf("%s: %d messages, want %d", plan, c.Sent, want)
		}
	})
}

// promise is the beginning of a plan, and the orders that it promises.
type promise struct {
	plan               string
	causal, totalOrder bool
}

// algorithms are all of them, with the values of their parameters.
var algorithms = []promise{
	{"algorithm: bracha", false, false},
	{"algorithm: reliable-broadcast", false, false},
	{"algorithm: reliable-broadcast, params: {back: off}", false, false},
	{"algorithm: causal-broadcast", true, false},
	{"algorithm: total-order-broadcast", false, true},
	{"algorithm: total-order-broadcast, params: {variant: isis}", false, true},
}

// A run states the laws of its algorithm, with FIFO channels or without; with a Byzantine process it states
// none.
func TestOrdersAreStated(t *testing.T) {
	for _, a := range algorithms {
		for network, honest := range map[string]bool{"reorder: on": true, "reorder: off": true, "silence: 3@1": false} {
			run := interaction.Record(t, "%s, nodes: 3, start: 1, %s", a.plan, network).Run()
			for trait, want := range map[string]bool{
				tracefmt.CausalOrder: a.causal, tracefmt.FIFOOrder: a.causal, tracefmt.TotalOrder: a.totalOrder,
			} {
				if got := run.States(trait); got != (want && honest) {
					t.Errorf("%s, %s: states %s: %t, want %t", a.plan, network, trait, got, want && honest)
				}
			}
		}
	}
}

func TestEveryAlgorithmHasLaws(t *testing.T) {
	for _, a := range broadcast.All() {
		if !slices.ContainsFunc(algorithms, func(law promise) bool { return strings.HasPrefix(law.plan+",", "algorithm: "+a.Name+",") }) {
			t.Errorf("no law is about %s", a.Name)
		}
	}
}

// Where nothing fails, every process delivers every message, whatever the delays, also where
// messages overtake each other.
func TestAllDeliverAll(t *testing.T) {
	for _, a := range algorithms {
		t.Run(a.plan, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				n := rapid.IntRange(1, 6).Draw(t, "n")
				plan := fmt.Sprintf("%s, nodes: %d, start: [%s], %s", a.plan, n, strings.Join(drawStarts(t, n), ", "), drawDelays(t))
				lists := notes(t, interaction.Record(t, "%s", plan))
				expectSafe(t, plan, lists, a.causal, a.totalOrder)
				broadcasts := 0
				for _, steps := range lists {
					broadcasts += len(steps) - len(delivered(steps))
				}
				for p, steps := range lists[1:] {
					if got := len(delivered(steps)); got != broadcasts {
						t.Fatalf("%s: process %d delivers %d of %d messages", plan, p+1, got, broadcasts)
					}
				}
			})
		})
	}
}

// For any losses, duplicates, crashes and recoveries: each delivered message was broadcast, none is delivered
// twice by a process, names are unique, and the promised order is kept. Agreement and delivery may fail then.
func TestSafeUnderFaults(t *testing.T) {
	for _, a := range algorithms {
		t.Run(a.plan, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				n := rapid.IntRange(1, 5).Draw(t, "n")
				plan := fmt.Sprintf(
					"%s, nodes: %d, start: [%s], %s%s", a.plan, n, strings.Join(drawStarts(t, n), ", "),
					drawDelays(t), drawFaults(t, n),
				)
				expectSafe(t, plan, notes(t, interaction.Record(t, "%s", plan)), a.causal, a.totalOrder)
			})
		})
	}
}

func drawStarts(t *rapid.T, n int) (starts []string) {
	for range rapid.IntRange(1, 8).Draw(t, "starts") {
		starts = append(starts, fmt.Sprintf("%d@%d", rapid.IntRange(1, n).Draw(t, "process"), rapid.IntRange(0, 12).Draw(t, "time")))
	}
	return starts
}

func drawDelays(t *rapid.T) string {
	return fmt.Sprintf("delay: %s, reorder: %s, seed: %d",
		rapid.SampledFrom([]string{"1", "exponential(2)", "'uniform(0,6)'"}).Draw(t, "delay"),
		rapid.SampledFrom([]string{"on", "off"}).Draw(t, "reorder"), rapid.IntRange(0, 9999).Draw(t, "seed"))
}

func drawFaults(t *rapid.T, n int) (faults string) {
	for _, fault := range []string{"crash", "recover"} {
		var list []string
		for range rapid.IntRange(0, 3).Draw(t, fault) {
			list = append(list, fmt.Sprintf("%d@%d.5", rapid.IntRange(1, n).Draw(t, "process"), rapid.IntRange(0, 12).Draw(t, "time")))
		}
		if list != nil {
			faults += fmt.Sprintf(", %s: [%s]", fault, strings.Join(list, ", "))
		}
	}
	for _, fault := range []string{"loss: 0.2", "duplicate: 0.3"} {
		if rapid.Bool().Draw(t, fault) {
			faults += ", " + fault
		}
	}
	return faults
}

// expectSafe checks what must never happen.
func expectSafe(t interaction.T, plan string, lists [][]step, causal, totalOrder bool) {
	t.Helper()
	known := map[string]bool{}
	for _, steps := range lists {
		for _, s := range steps {
			if s.action == "broadcast" {
				if known[s.m] {
					t.Fatalf("%s: two messages are %s", plan, s.m)
				}
				known[s.m] = true
			}
		}
	}
	// A message causes another if its broadcast or delivery precedes the broadcast of the other.
	before := causes(lists)
	for p, steps := range lists {
		list := delivered(steps)
		for i, m := range list {
			switch {
			case !known[m]:
				t.Fatalf("%s: process %d delivers %s, which nobody has broadcast", plan, p, m)
			case slices.Contains(list[:i], m):
				t.Fatalf("%s: process %d delivers %s twice", plan, p, m)
			}
			for _, cause := range before[m] {
				if causal && !slices.Contains(list[:i], cause) {
					t.Fatalf("%s: process %d delivers %s without %s, which may have caused it", plan, p, m, cause)
				}
			}
			for _, second := range lists {
				if totalOrder && !sameOrder(list[:i], m, delivered(second)) {
					t.Fatalf("%s: process %d delivers %v, another one %v", plan, p, list, delivered(second))
				}
			}
		}
	}
}

// causes returns, for each message, the messages that its sender had broadcast or delivered before. The causes
// of these follow by transitivity.
func causes(lists [][]step) map[string][]string {
	before := map[string][]string{}
	for _, steps := range lists {
		for i, s := range steps {
			if s.action == "broadcast" {
				for _, earlier := range steps[:i] {
					before[s.m] = append(before[s.m], earlier.m)
				}
			}
		}
	}
	return before
}

// sameOrder reports whether another process that delivers m delivers it after those of the list.
func sameOrder(list []string, m string, second []string) bool {
	i := slices.Index(second, m)
	return i < 0 || !slices.ContainsFunc(second[i:], func(later string) bool { return slices.Contains(list, later) })
}

// The laws can fail: for each mutant there is a run that breaks one.
func TestMutantsBreakLaws(t *testing.T) {
	for _, mutant := range []promise{
		{"algorithm: causal-broadcast, nodes: 3, start: [1@0, 2@1.5], slow: 'DATA:1>3=5', params: {mutant: no-waiting}", true, false},
		{"algorithm: causal-broadcast, nodes: 3, start: [1@0, 2@1.5], slow: 'DATA:1>3=5', params: {mutant: fifo-only}", true, false},
		{"algorithm: total-order-broadcast, nodes: 3, reorder: on, start: [2, 3], slow: 'ORDER:1>3#1=4', " +
			"params: {mutant: no-waiting}", false, true},
		{"algorithm: total-order-broadcast, nodes: 3, start: [1, 3], params: {variant: isis, mutant: no-waiting}", false, true},
	} {
		lists := notes(t, interaction.Record(t, "%s", mutant.plan))
		var failed failure
		expectSafe(&failed, mutant.plan, lists, mutant.causal, mutant.totalOrder)
		if failed == 0 {
			t.Errorf("%s: no law is broken", mutant.plan)
		}
	}
}

// failure counts what a law finds, instead of ending the test.
type failure int

func (*failure) Helper()                 {}
func (f *failure) Fatalf(string, ...any) { *f++ }
