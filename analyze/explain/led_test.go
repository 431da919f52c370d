package explain

import (
	"math/rand/v2"
	"slices"
	"testing"

	"etrace/fixtures/size"
	"etrace/tracefmt"
)

// TestLedSince: by the definition, with the past of each event of a witness as a set.
func TestLedSince(t *testing.T) {
	for seed := range uint64(size.Pick(50, 200, 2_000)) {
		r := rand.New(rand.NewPCG(35, seed))
		// A third of the events have a cause at random.
		h := &history{links: []link{{}}, more: map[tracefmt.Seq][]tracefmt.Seq{}}
		latest := make([]int32, 3)
		for seq := int32(1); seq <= 30; seq++ {
			l := link{before: latest[r.IntN(3)]}
			if r.IntN(2) == 0 {
				l.cause = r.Int32N(seq)
			}
			latest[r.IntN(3)] = seq
			h.links = append(h.links, l)
		}
		var witness []tracefmt.Seq
		for range 1 + r.IntN(4) {
			if seq := tracefmt.Seq(1 + r.IntN(30)); !slices.Contains(witness, seq) {
				witness = append(witness, seq)
			}
		}
		var want []tracefmt.Seq
		for seq := tracefmt.Seq(1); seq <= 30; seq++ {
			following := 0
			for _, w := range witness {
				if h.closure(100, h.earlier, slices.Values([]tracefmt.Seq{w}))[seq] {
					following++
				}
			}
			if following > 0 && following < len(witness) && !slices.Contains(witness, seq) {
				want = append(want, seq)
			}
		}
		if got := h.ledSince(witness); !slices.Equal(got, want) {
			t.Fatalf("seed %d: %v led to %v, want %v", seed, got, witness, want)
		}
	}
}
