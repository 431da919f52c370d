package mutex_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"etrace/fixtures/interaction"
	"etrace/record/algorithm/mutex"
	"etrace/tracefmt"
)

// sizes are how many processes the laws are compared with.
var sizes = []int{2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16, 25}

// history is who has entered, one after the other: each asks when all that belongs to the one before
// has been delivered.
type history struct {
	n       int
	entered []int
	towards []int // of each process, from 0 on: the next one on its way to the root, which is its own
}

// holder is who was inside last, and has what there is one of: the first process when the run begins.
func (h *history) holder() int {
	if len(h.entered) == 0 {
		return 1
	}
	return h.entered[len(h.entered)-1]
}

// othersSince is how many others have entered since p did last, all others if it never has.
func (h *history) othersSince(p int) int {
	var members []int
	for i := len(h.entered) - 1; i >= 0; i-- {
		if h.entered[i] == p {
			return len(members)
		}
		if !slices.Contains(members, h.entered[i]) {
			members = append(members, h.entered[i])
		}
	}
	return h.n - 1
}

// way is p and those on its way to the root.
func (h *history) way(p int) []int {
	way := []int{p}
	for h.towards[p-1] != p {
		p = h.towards[p-1]
		way = append(way, p)
	}
	return way
}

// distance is that of two processes on the tree.
func (h *history) distance(p, q int) int {
	ahead, back := h.way(p), h.way(q)
	common := 0
	for slices.Contains(back, ahead[len(ahead)-1-common]) {
		common++
		if common == len(ahead) {
			break
		}
	}
	return len(ahead) + len(back) - 2*common
}

// reverse lets all pointers on the way of p lead to p, and returns how long the way was.
func (h *history) reverse(p int) int {
	way := h.way(p)
	for _, q := range way {
		h.towards[q-1] = p
	}
	return len(way) - 1
}

// quorum returns the number of processes in the row and the column of p. The rows have the length of the
// square root of n, rounded up; the last one may be shorter.
func (h *history) quorum(p int) (members int) {
	width := 1
	for width*width < h.n {
		width++
	}
	for q := range h.n {
		if q/width == (p-1)/width || q%width == (p-1)%width {
			members++
		}
	}
	return members
}

// isolated returns the cost of an entry by p after this history, and how long p waits, with unit delays. It
// covers no token that circulates by itself.
var isolated = map[string]func(h *history, p int) (messages, wait int){
	"carvalho-roucairol": func(h *history, p int) (int, int) {
		since := h.othersSince(p)
		return 2 * since, 2 * min(since, 1)
	},
	"central-mutex": func(_ *history, p int) (int, int) { return 3 * min(p-1, 1), 2 * min(p-1, 1) },
	"lamport-mutex": func(h *history, _ int) (int, int) { return 3 * (h.n - 1), 2 },
	"maekawa":       func(h *history, p int) (int, int) { return 3 * (h.quorum(p) - 1), 2 },
	"naimi-trehel": func(h *history, p int) (int, int) {
		path := h.reverse(p)
		return path + min(path, 1), path + min(path, 1)
	},
	"raymond": func(h *history, p int) (int, int) {
		far := h.distance(h.holder(), p)
		return 2 * far, 2 * far
	},
	"ricart-agrawala": func(h *history, _ int) (int, int) { return 2 * (h.n - 1), 2 },
	"suzuki-kasami": func(h *history, p int) (int, int) {
		if p == h.holder() {
			return 0, 0
		}
		return h.n, 2
	},
}

// TestIsolated: for one request after the other, in any order and with any delays, each entry has the cost of
// the law.
func TestIsolated(t *testing.T) {
	for _, a := range mutex.All() {
		law, known := isolated[a.Name]
		if !known && a.Name != "token-ring-mutex" {
			t.Errorf("no law of an isolated entry of %s", a.Name)
		}
		if !known {
			continue
		}
		t.Run(a.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				h := &history{n: rapid.SampledFrom(sizes).Draw(t, "n")}
				h.towards = drawRecursiveTree(t, h.n)
				askers := rapid.SliceOfN(rapid.IntRange(1, h.n), 1, 12).Draw(t, "askers")
				delay := rapid.SampledFrom([]string{"1", "exponential(1)", "'uniform(0,4)'"}).Draw(t, "delay")
				plan := fmt.Sprintf("algorithm: %s, nodes: %d, start: "+
					"[%s], delay: %s%s", a.Name, h.n, startsOf(askers), delay, onTree(a.Name, h.towards))
				sends, waits := unitsOf(interaction.Record(t, "%s", plan), len(askers))
				for i, p := range askers {
					messages, wait := law(h, p)
					if sends[i] != messages {
						t.Fatalf("%s: %d messages for entry %d, want %d", plan, sends[i], i+1, messages)
					}
					if delay == "1" && waits[i] != tracefmt.Time(wait)*tracefmt.Unit {
						t.Fatalf("%s: entry %d after %v, want %d", plan, i+1, waits[i], wait)
					}
					h.entered = append(h.entered, p)
				}
			})
		})
	}
}

// apart is between two isolated requests.
const apart = 1000

func startsOf(askers []int) string {
	starts := make([]string, len(askers))
	for i, p := range askers {
		starts[i] = fmt.Sprintf("%d@%d", p, apart*i)
	}
	return strings.Join(starts, ", ")
}

// drawRecursiveTree draws a tree in which the way of each process to 1 goes through lower ones.
func drawRecursiveTree(t *rapid.T, n int) []int {
	towards := []int{1}
	for p := 2; p <= n; p++ {
		towards = append(towards, rapid.IntRange(1, p-1).Draw(t, "next to"))
	}
	return towards
}

// onTree has an algorithm that needs a tree, or pointers that are one, begin with this one.
func onTree(algorithm string, towards []int) string {
	var edges, fathers []string
	for i, q := range towards {
		fathers = append(fathers, fmt.Sprint(q))
		if i > 0 {
			edges = append(edges, fmt.Sprintf("%d-%d", q, i+1))
		}
	}
	switch algorithm {
	case "naimi-trehel":
		return fmt.Sprintf(", params: {fathers: '%s'}", strings.Join(fathers, ","))
	case "raymond":
		return fmt.Sprintf(", edges: '%s'", strings.Join(edges, ","))
	}
	return ""
}

// unitsOf are, of each isolated request, how many messages are sent for it, and how long it waits.
func unitsOf(m *tracefmt.Memory, units int) (sends []int, waits []tracefmt.Time) {
	sends, waits = make([]int, units), make([]tracefmt.Time, units)
	for e := range m.Events(1) {
		unit := int(e.Time / (apart * tracefmt.Unit))
		switch {
		case e.Kind == tracefmt.Send:
			sends[unit]++
		case e.Kind == tracefmt.Note && e.Type == "enter":
			waits[unit] = e.Time - tracefmt.Time(unit)*apart*tracefmt.Unit
		}
	}
	return sends, waits
}

// The father pointers after a request of anybody, ranked by who asked last, are as likely to be any
// recursive tree as they were before it: each of the (n-1)! trees comes of n of the n! requests. So the mean of
// TestNaimiTrehelMean is that of the steady state.
func TestRecursiveTreesStay(t *testing.T) {
	for n := 2; n <= 6; n++ {
		after := map[string]int{}
		recursiveTrees(n, func(fathers []int) {
			for asker := 1; asker <= n; asker++ {
				m := interaction.Record(t, "algorithm: naimi-trehel, nodes: %d, start: %d, params: "+
					"{fathers: '%s'}", n, asker, strings.Trim(strings.Join(strings.Fields(fmt.Sprint(fathers)), ","), "[]"))
				after[fmt.Sprint(ranked(fathersAfter(m, fathers), asker))]++
			}
		})
		trees := 0
		recursiveTrees(n, func(fathers []int) {
			trees++
			if got := after[fmt.Sprint(fathers)]; got != n {
				t.Errorf("n = %d: %d of the requests lead to the fathers %v, want %d", n, got, fathers, n)
			}
		})
		if len(after) != trees {
			t.Errorf("n = %d: %d sorts of fathers, want %d", n, len(after), trees)
		}
	}
}

// fathersAfter are the fathers at the end of a run that began with these; the root's is itself.
func fathersAfter(m *tracefmt.Memory, fathers []int) []int {
	fathers = slices.Clone(fathers)
	for e := range m.Events(1) {
		if value, ok := e.Field("father"); ok && e.Kind == tracefmt.State {
			var father int
			if _, err := fmt.Sscan(string(value), &father); err != nil {
				father = int(e.Process) // none: it asked last
			}
			fathers[e.Process-1] = father
		}
	}
	return fathers
}

// ranked renames the processes, whose ids were their ranks, when process 1 becomes first: the processes before
// it move down.
func ranked(fathers []int, first int) []int {
	rank := func(p int) int {
		switch {
		case p == first:
			return 1
		case p < first:
			return p + 1
		}
		return p
	}
	renamed := make([]int, len(fathers))
	for i, father := range fathers {
		renamed[rank(i+1)-1] = rank(father)
	}
	return renamed
}
