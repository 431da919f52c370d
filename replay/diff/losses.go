package diff

import "etrace/tracefmt"

// losses compares the times of the losses that both runs have. They are no steps
// of a process, so they are matched by what they are.
type losses struct {
	// waiting are, by hash, those of the run that is ahead.
	waiting map[uint64][]waitingLoss
	shift   *LossShift
}

// waitingLoss is a loss that the other run has not come to yet.
type waitingLoss struct {
	side int
	seq  tracefmt.Seq
	time tracefmt.Time
}

// compareLosses takes a loss of one run, and compares its time with that of the
// same one of the other, if that was there before.
func (x *alignment) compareLosses(side int, s step) {
	earlier := waitingLoss{side, x.sides[side].seq, s.time}
	waiting := x.losses.waiting[s.prefix]
	if len(waiting) == 0 || waiting[0].side == side {
		x.losses.waiting[s.prefix] = append(waiting, earlier)
		return
	}
	maxRows := waiting[0]
	if len(waiting) == 1 {
		delete(x.losses.waiting, s.prefix)
	} else {
		x.losses.waiting[s.prefix] = waiting[1:]
	}
	if maxRows.time == earlier.time || x.ignore.parts[times] {
		return
	}
	if x.losses.shift == nil {
		x.losses.shift = &LossShift{}
	}
	x.losses.shift.add(earlier, maxRows)
}

// add counts a loss that the runs have at different times.
func (s *LossShift) add(both ...waitingLoss) {
	s.Losses++
	for _, l := range both {
		if s.At[l.side] == 0 || l.seq < s.At[l.side] {
			s.At[l.side], s.Times[l.side] = l.seq, l.time
		}
	}
}
