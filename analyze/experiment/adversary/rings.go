package adversary

import (
	"math/rand/v2"

	"etrace/tracefmt"
)

// maxRings is the limit of factorial.
const maxRings = 1 << 40

// factorial returns the minimum of n! and maxRings.
func factorial(n int) int64 {
	f := int64(1)
	for i := 2; i <= n && f < maxRings; i++ {
		f *= int64(i)
	}
	return min(f, maxRings)
}

// ringOf returns the ring with the given number, from 0 to (n-1)!-1. The process with the greatest number comes
// first, since rotations of a ring are equal. The others have the order with this number among all orders,
// sorted from falling to rising.
func ringOf(n int, number int64) []tracefmt.ProcessID {
	ring := make([]tracefmt.ProcessID, 0, n)
	remaining := make([]tracefmt.ProcessID, n)
	for i := range remaining {
		remaining[i] = tracefmt.ProcessID(n - i)
	}
	ring, remaining = append(ring, remaining[0]), remaining[1:]
	for len(remaining) > 0 {
		f := factorial(len(remaining) - 1)
		i := number / f
		number %= f
		ring = append(ring, remaining[i])
		remaining = append(remaining[:i], remaining[i+1:]...)
	}
	return ring
}

// varyRing changes a ring a little: it swaps two processes, moves one, or reverses a part.
func varyRing(ring []tracefmt.ProcessID, r *rand.Rand) []tracefmt.ProcessID {
	ring = append([]tracefmt.ProcessID(nil), ring...)
	if len(ring) < 3 {
		return ring
	}
	// i and j are two different places, each pair equally likely.
	i, j := r.IntN(len(ring)), r.IntN(len(ring)-1)
	if j >= i {
		j++
	}
	switch r.IntN(3) {
	case 0:
		ring[i], ring[j] = ring[j], ring[i]
	case 1:
		for i, j = min(i, j), max(i, j); i < j; i, j = i+1, j-1 {
			ring[i], ring[j] = ring[j], ring[i]
		}
	default:
		p := ring[i]
		for ; i < j; i++ {
			ring[i] = ring[i+1]
		}
		for ; i > j; i-- {
			ring[i] = ring[i-1]
		}
		ring[j] = p
	}
	return ring
}
