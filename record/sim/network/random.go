package network

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"etrace/tracefmt"
)

// random draws numbers with integer arithmetic only, so that a seed gives the same run on every machine:
// floating-point logarithms differ between architectures.
type random struct{ src rand.PCG }

func newRandom(seed int64) random {
	return random{*rand.NewPCG(uint64(seed), 0x9e3779b97f4a7c15)}
}

// chance returns true with probability p.
func (r *random) chance(p float64) bool {
	if p >= 1 {
		return true
	}
	return r.src.Uint64() < uint64(math.Ldexp(p, 64))
}

// below returns a number from 0 to n-1, uniformly distributed: the high word of the product of n and a random word.
func (r *random) below(n tracefmt.Time) tracefmt.Time {
	hi, _ := bits.Mul64(r.src.Uint64(), uint64(n))
	return tracefmt.Time(hi)
}

// exponential returns an exponentially distributed time with the mean. It uses von Neumann's method, which only
// compares uniform numbers. A trial counts how long a sequence of them keeps falling. An odd count accepts the
// first number of the sequence as the fraction; an even count adds a whole unit, and the next trial begins.
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

// delay draws a delay.
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
