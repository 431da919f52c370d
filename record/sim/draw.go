package sim

import (
	"fmt"
	"math/bits"

	"etrace/record/sim/network"
)

// A process draws from a stream of its own, which the seed of the run and the
// number of the process decide: what one draws changes nothing of what the others
// and the network draw. The n-th draw of a stream is a function of n, so that how
// often a process has drawn is all that there is to remember.

// Draw returns a whole number from 1 to n, all equally likely. A protocol whose processes draw must declare it
// ([Protocol.Draws]). The trace shows a draw only by its effects. With n = 1 Draw uses no randomness.
func (p *Process) Draw(n int64) int64 {
	k := p.k
	switch {
	case !k.protocol.Draws:
		k.fail(p, "it draws a number, and its protocol does not say so")
		return 1
	case n < 1:
		k.fail(p, fmt.Sprintf("it draws a number from 1 to %d, expected at least 1", n))
		return 1
	}
	if n == 1 {
		return 1 // no choice: the number of draws, and so the global state, stays the same
	}
	if s := k.assumed; s != nil && s.Draws {
		return int64(s.draw(len(k.processes), n)) + 1
	}
	p.draws++
	stream := network.Mix(uint64(k.Seed)) ^ network.Mix(uint64(p.id)<<8|drawStream)
	drawn, _ := bits.Mul64(network.Mix(stream+uint64(p.draws)), uint64(n))
	return int64(drawn) + 1
}

// drawStream distinguishes the streams of processes from other random numbers with the same seed.
const drawStream = 0xd5

// mostDrawn bounds the possible results of a draw with assumptions, since all of them are tried.
const mostDrawn = 1 << 10

// draw returns a number below n that is assumed to be drawn. Each draw of a step is a separate question.
func (s *Assumptions) draw(processes int, n int64) int {
	s.drawn++
	return s.answer(3*processes+s.drawn, int(min(n, mostDrawn)))
}
