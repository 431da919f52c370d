package explain

import (
	"slices"

	"etrace/tracefmt"
)

// maxLed is the number of events in [Explanation.Led], the events next to the violation.
const maxLed = 40

// maxFollowed is the number of events of a witness whose pasts are compared.
const maxFollowed = 16

// ledSince returns, in recorded order, the events that happened before some events of the witness, but not
// before all. A common cause cannot be why the events contradict each other. It returns nil if the witness
// has a single event.
func (h *history) ledSince(witness []tracefmt.Seq) (led []tracefmt.Seq) {
	witness = witness[max(0, len(witness)-maxFollowed):]
	if len(witness) < 2 {
		return nil
	}
	last := slices.Max(witness)
	// followed has a bit set for each event: bit i is set if the i-th event of the witness follows from the event.
	followed := make([]uint16, last+1)
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

// ledSteps describes the last events of ledSince that are not in the explanation, and returns the number of
// all. It returns nothing for a witness of operations: these contradict each other by their results, whatever
// led to them.
func (s *search) ledSteps(explained []tracefmt.Seq) (list []Step, count int) {
	if !slices.ContainsFunc(s.result.Witness, func(seq tracefmt.Seq) bool {
		e := s.events[seq]
		return e != nil && e.Kind != tracefmt.Invoke && e.Kind != tracefmt.Return
	}) {
		return nil, 0
	}
	seqs := slices.DeleteFunc(s.led, func(seq tracefmt.Seq) bool { return slices.Contains(explained, seq) })
	return s.steps(seqs[max(0, len(seqs)-maxLed):]), len(seqs)
}
