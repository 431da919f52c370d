package adversary_test

import (
	"testing"

	"etrace/analyze/experiment/adversary"
)

// BenchmarkProof proves the maximum over the 5040 orders of a ring of eight.
func BenchmarkProof(b *testing.B) {
	for _, algorithm := range []string{"chang-roberts", "le-lann", "peterson", "franklin", "hirschberg-sinclair"} {
		b.Run(algorithm, func(b *testing.B) {
			s := parse(b, "algorithm: %s\nids: 1-8\nstart: all", algorithm)
			for b.Loop() {
				if r, err := adversary.Search(b.Context(), s, adversary.Options{Orders: true}); err != nil || !r.Proven {
					b.Fatal(err)
				}
			}
		})
	}
}
