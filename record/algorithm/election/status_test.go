package election_test

import (
	"fmt"
	"testing"

	"etrace/fixtures/size"
	"etrace/tracefmt"
)

// worlds calls f for every way in which each of 1..n is live, down, or down and
// believed NORMAL by all.
func worlds(n int, f func(w world)) {
	total := 1
	for range n {
		total *= 3
	}
	for code := range total {
		w := world{n: n, state: make([]int, n+1)}
		for p := 1; p <= n; p++ {
			w.state[p] = code % 3
			code /= 3
		}
		f(w)
	}
}

const (
	isLive = iota
	isDown
	isBelieved
)

type world struct {
	n     int
	state []int
}

// count is how many of p..q are in one of the states.
func (w *world) count(p, q int, states ...int) (k int) {
	for ; p <= q; p++ {
		for _, s := range states {
			if w.state[p] == s {
				k++
			}
		}
	}
	return k
}

// keys of the scenario, in which also q is down.
func (w *world) keys(q int) []string {
	var down, believed []int
	for p := 1; p <= w.n; p++ {
		if w.state[p] != isLive || p == q {
			down = append(down, p)
		}
		if w.state[p] == isBelieved {
			believed = append(believed, p)
		}
	}
	keys := []string{"nodes", fmt.Sprint(w.n)}
	if down != nil {
		keys = append(keys, "down", list(down))
	}
	if believed != nil {
		keys = append(keys, "param", "believed-normal="+list(believed))
	}
	return keys
}

// One initiator s; h is the highest live process from s on. s asks each believed
// one above h in vain, a timeout of 3 each, and then, unless it is h, h itself.
// h addresses the live and the believed: the lower ones (basu), or also the
// higher ones (gajre-ragha), unless h is s, which has marked all higher ones
// CRASHED by then. Without retry gajre-ragha ends with the first ELECTION that
// finds no process.
func TestStatusElection(t *testing.T) {
	for n := 1; n <= size.Pick(3, 4, 5); n++ {
		worlds(n, func(w world) {
			for s := 1; s <= n; s++ {
				if w.state[s] == isLive {
					checkStatusElection(t, &w, s)
				}
			}
		})
	}
}

func checkStatusElection(t *testing.T, w *world, s int) {
	t.Helper()
	h := w.n
	for w.state[h] != isLive {
		h--
	}
	vain := w.count(h+1, w.n, isBelieved)
	lower, higher := w.count(1, h-1, isLive, isBelieved), vain
	elections, oks, last := vain, 0, tracefmt.Time(3*vain+1)*tracefmt.Unit
	if h == s {
		higher = 0
		if w.count(1, h-1, isLive) == 0 {
			last = 0
		}
	} else {
		elections, oks, last = vain+1, 1, last+tracefmt.Unit
	}
	keys := append(w.keys(0), "start", fmt.Sprint(s))
	label := fmt.Sprintf("%v of %v", s, w.state[1:])
	_, basu := mustRun(t, "basu", keys...)
	basu.expect(t, "basu, "+label, elections+oks+lower, last, h)
	_, retrying := mustRun(t, "gajre-ragha", append(keys, "param", "retry=on")...)
	retrying.expect(t, "gajre-ragha with retry, "+label, elections+lower+higher, last, h)
	_, literal := mustRun(t, "gajre-ragha", keys...)
	if vain == 0 {
		literal.expect(t, "gajre-ragha, "+label, elections+lower+higher, last, h)
	} else if literal.Sent != 1 || literal.unanimous() != "null" {
		t.Errorf("gajre-ragha, %s: %d messages, elected %v, want 1 and none", label, literal.Sent, literal.elected())
	}
}

// m recovers, c is the highest of the others that are live, and their
// coordinator. m asks m+1..n, then m-1..1, a timeout of 3 for each that is down;
// the reply is there 2 later, and what follows arrives 1 after that: UPDATEs or
// COORDINATORs to all others that are live or believed, or, with update=all,
// UPDATEs to all others.
func TestStatusRecovery(t *testing.T) {
	for n := 2; n <= size.Pick(3, 4, 5); n++ {
		worlds(n, func(w world) {
			for m := 1; m <= n; m++ {
				if w.state[m] != isDown || w.count(1, n, isLive) == 0 {
					continue
				}
				c := n
				for w.state[c] != isLive {
					c--
				}
				asked := 1
				for p := neighbour(m, m, n); w.state[p] != isLive; p = neighbour(m, p, n) {
					asked++
				}
				known, unknown := w.count(1, n, isLive, isBelieved), n-1
				if m > c {
					unknown = known // it sends no UPDATE
				}
				keys := append(w.keys(m), "coordinator", fmt.Sprint(c), "recover", fmt.Sprintf("%d@0", m))
				for _, algorithm := range []string{"basu", "gajre-ragha"} {
					label := fmt.Sprintf("%s, %d of %v", algorithm, m, w.state[1:])
					last := tracefmt.Time(3*asked) * tracefmt.Unit
					_, live := mustRun(t, algorithm, keys...)
					live.expect(t, label, asked+1+known, last, max(c, m))
					_, withAll := mustRun(t, algorithm, append(keys, "param", "update=all")...)
					withAll.expect(t, label+", update=all", asked+1+unknown, last, max(c, m))
				}
			}
		})
	}
}

// neighbour is whom m asks after p: m+1, ..., n, m-1, ..., 1.
func neighbour(m, p, n int) int {
	order := []int{m}
	for q := m + 1; q <= n; q++ {
		order = append(order, q)
	}
	for q := m - 1; q >= 1; q-- {
		order = append(order, q)
	}
	for i, q := range order {
		if q == p {
			return order[i+1]
		}
	}
	return 0
}

// Two of three come back, and no process is live. Each asks both others; who has no
// table itself is silent, and then there is no rule: 2 REQUESTs each, no process is
// elected, nothing is armed.
func TestStatusRecoveryOfAll(t *testing.T) {
	for _, algorithm := range []string{"basu", "gajre-ragha"} {
		m, c := mustRun(t, algorithm, "nodes", "3", "down", "1-3", "recover", "1@0,3@0")
		if c.Sent != 4 || c.unanimous() != "null" || m.Run().End != tracefmt.Quiescent {
			t.Errorf("%s: %d messages, elected %v, end %s", algorithm, c.Sent, c.elected(), m.Run().End)
		}
	}
}
