package diff

import "etrace/tracefmt"

// losses compares the times of the losses that both runs have. Losses are no steps of a process, so equal
// ones are paired by their hash.
type losses struct {
	// waiting are, by hash, the losses that only one run has had so far.
	waiting map[uint64][]waitingLoss
	shift   *LossShift
}

// waitingLoss is a loss of one run that is not yet paired.
type waitingLoss struct {
	side int
	seq  tracefmt.Seq
	time tracefmt.Time
}

// compareLosses pairs a loss with an equal loss of the other run and compares their times. A loss without a
// partner so far is stored.
func (x *alignment) compareLosses(side int, s step) {
	loss := waitingLoss{side, x.sides[side].seq, s.time}
	waiting := x.losses.waiting[s.prefix]
	if len(waiting) == 0 || waiting[0].side == side {
		x.losses.waiting[s.prefix] = append(waiting, loss)
		return
	}
	partner := waiting[0]
	if len(waiting) == 1 {
		delete(x.losses.waiting, s.prefix)
	} else {
		x.losses.waiting[s.prefix] = waiting[1:]
	}
	if partner.time == loss.time || x.ignore.parts[times] {
		return
	}
	if x.losses.shift == nil {
		x.losses.shift = &LossShift{}
	}
	x.losses.shift.add(loss, partner)
}

// add counts a pair of losses at different times.
func (s *LossShift) add(both ...waitingLoss) {
	s.Losses++
	for _, l := range both {
		if s.At[l.side] == 0 || l.seq < s.At[l.side] {
			s.At[l.side], s.Times[l.side] = l.seq, l.time
		}
	}
}
