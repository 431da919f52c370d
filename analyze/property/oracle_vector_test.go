package property_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"etrace/analyze"
	"etrace/fixtures/size"
	"etrace/tracefmt"
)

// TestVectorClocksOracle: with clocks made from the closure, most of them right, the property is violated if and
// only if some clock contradicts happened-before.
func TestVectorClocksOracle(t *testing.T) {
	drawn := verdicts{}
	size.Check(t, 40, 200, 2_000, func(t *rapid.T) {
		m := drawCausalRun(t)
		o := oracle{m.Run(), events(m)}
		hb := o.happenedBefore()
		clocks := drawVectors(t, o, hb)
		for j := range o.events {
			if o.isStep(j) {
				m.At(tracefmt.Seq(j + 1)).Payload = withClock(o.events[j].Payload, clocks[j])
			}
		}
		r := check(t, m, true, "vector-clocks").Results[0]
		if got, want := r.Verdict == analyze.Violated, o.deny(hb, clocks); got != want {
			t.Fatalf("got %s (%s), the oracle says %v\n%v\n%v", r.Verdict, r.Explanation, want, o.events, clocks)
		}
		drawn.add(r)
	})
	drawn.expect(t, "vector-clocks", analyze.Violated, analyze.Satisfied)
}

// drawVectors returns the clock of each step, by process from 0. The own
// entries skip numbers.
func drawVectors(t *rapid.T, o oracle, hb [][]bool) [][]int {
	clocks := make([][]int, len(o.events))
	faulty := rapid.Bool().Draw(t, "faulty clocks")
	for j, e := range o.events {
		if !o.isStep(j) {
			continue
		}
		clocks[j] = make([]int, len(o.run.Members))
		for i, before := range hb[j] {
			for p := range clocks[j] {
				if before {
					clocks[j][p] = max(clocks[j][p], clocks[i][p])
				}
			}
		}
		clocks[j][e.Process-1] += rapid.IntRange(1, 2).Draw(t, "tick")
	}
	for j := range clocks {
		if faulty && clocks[j] != nil && rapid.IntRange(0, 9).Draw(t, "fault") == 0 {
			at := rapid.IntRange(0, len(clocks[j])-1).Draw(t, "at")
			clocks[j][at] = max(0, clocks[j][at]+rapid.IntRange(-2, 2).Draw(t, "by"))
		}
	}
	return clocks
}

// withClock adds the clock to a payload, in the form of an import.
func withClock(payload []byte, clock []int) []byte {
	var entries []string
	for p, entry := range clock {
		if entry > 0 {
			entries = append(entries, fmt.Sprintf(`"%d":%d`, p+1, entry))
		}
	}
	log := fmt.Sprintf(`"log":{"clock":{%s}}}`, strings.Join(entries, ","))
	if len(payload) == 0 {
		return []byte("{" + log)
	}
	return append(append(slices.Clone(payload[:len(payload)-1]), ','), log...)
}

// deny reports whether some clock contradicts happened-before.
func (o oracle) deny(hb [][]bool, clocks [][]int) bool {
	for j, e := range o.events {
		for i, d := range o.events {
			if i == j || !o.isStep(i) || !o.isStep(j) {
				continue
			}
			p := d.Process - 1
			before := clocks[i][p] <= clocks[j][p]
			if d.Process == e.Process {
				before = clocks[i][p] < clocks[j][p]
			}
			if before != hb[j][i] {
				return true
			}
		}
		if o.isStep(j) && clocks[j][e.Process-1] == 0 {
			return true
		}
	}
	return false
}
