package explain

import (
	"slices"

	"etrace/tracefmt"
)

// mostLed is the number of events in [Explanation.Led], the events next to the violation.
const mostLed = 40

// mostFollowed is the number of events of a witness whose pasts are compared.
const mostFollowed = 16

// ledSince returns the events of the causal past of the witness since its events have a common past, in recorded order: from
// each of them follow some events of the witness, but not all. A common cause is no reason why the events contradict each
// other. So a single event has none.
func (h *history) ledSince(witness []tracefmt.Seq) (led []tracefmt.Seq) {
	witness = witness[max(0, len(witness)-mostFollowed):]
	if len(witness) < 2 {
		return nil
	}
	last := slices.Max(witness)
	followed := make([]uint16, last+1) // by event: the events of the witness that follow from it, as bits
	for i, seq := range witness {
		followed[seq] |= 1 << i
	}
	for seq := last; seq > 0; seq-- {
		if followed[seq] == 0 {
			continue
		}
		for before := range h.earlier(seq) {
			followed[before] |= followed[seq]
		}
		if followed[seq] != 1<<len(witness)-1 && !slices.Contains(witness, seq) && !slices.Contains(h.given, seq) {
			led = append(led, seq)
		}
	}
	slices.Reverse(led)
	return led
}

// ledSteps describes the last events that led to the witness, without those of the explanation. It also returns how many there
// are. Operations contradict each other by their results, whatever led to them.
func (s *search) ledSteps(explained []tracefmt.Seq) (list []Step, count int) {
	if !slices.ContainsFunc(s.result.Witness, func(seq tracefmt.Seq) bool {
		e := s.events[seq]
		return e != nil && e.Kind != tracefmt.Invoke && e.Kind != tracefmt.Return
	}) {
		return nil, 0
	}
	seqs := slices.DeleteFunc(s.led, func(seq tracefmt.Seq) bool { return slices.Contains(explained, seq) })
	return s.steps(seqs[max(0, len(seqs)-mostLed):]), len(seqs)
}
