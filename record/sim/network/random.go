package network

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"etrace/tracefmt"
)

// random draws with integers only, so that a seed gives the same run on every
// machine: floating point logarithms differ between architectures.
type random struct{ src rand.PCG }

func newRandom(seed int64) random {
	return random{*rand.NewPCG(uint64(seed), 0x9e3779b97f4a7c15)}
}

// chance is true with probability p.
func (r *random) chance(p float64) bool {
	if p >= 1 {
		return true
	}
	return r.src.Uint64() < uint64(math.Ldexp(p, 64))
}

// below is uniform in [0, n).
func (r *random) below(n tracefmt.Time) tracefmt.Time {
	hi, _ := bits.Mul64(r.src.Uint64(), uint64(n))
	return tracefmt.Time(hi)
}

// exponential has that mean. It is von Neumann's method, which compares
// uniform numbers only: in a trial, count how long a sequence of them keeps
// falling; an odd count accepts its first number as the fraction, an even one
// adds a whole unit and tries again.
func (r *random) exponential(mean tracefmt.Time) tracefmt.Time {
	for integer := tracefmt.Time(0); ; integer++ {
		first := r.src.Uint64()
		last, odd := first, true
		for {
			next := r.src.Uint64()
			if next >= last {
				break
			}
			last, odd = next, !odd
		}
		if odd {
			hi, _ := bits.Mul64(first, uint64(mean))
			return integer*mean + tracefmt.Time(hi)
		}
	}
}

func (r *random) delay(d Delay) tracefmt.Time {
	switch d.Distribution {
	case Uniform:
		return d.A + r.below(d.B-d.A)
	case Exponential:
		return r.exponential(d.A)
	default:
		return d.A
	}
}
