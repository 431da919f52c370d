package explain

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"

	"etrace/analyze"
	"etrace/tracefmt"
)

// search looks for the fewest events of a run that still violate a property
// in the same way.
type search struct {
	*history
	ctx     context.Context
	of      *tracefmt.Run
	result  *analyze.Result
	options Options

	// core led to the witness and stays. It is closed: what an event of it is
	// there because of belongs to it, too.
	core     set
	attempts []attempt
	events   map[tracefmt.Seq]*tracefmt.Event
	spent    int64 // of the budget
	doubts   []doubt
	// note says why the result is not minimal, as far as that is known; others are
	// as in [Explanation].
	note    string
	minimal bool
	others  []tracefmt.Seq
}

// attempt is a part of the run in which the violation may show.
type attempt struct {
	kept []tracefmt.Seq // in recorded order
	end  tracefmt.End
}

func newSearch(ctx context.Context, run *tracefmt.Run, h *history, r *analyze.Result, o Options) *search {
	return &search{history: h, ctx: ctx, of: run, result: r, options: o, events: make(map[tracefmt.Seq]*tracefmt.Event)}
}

// consider lists what is worth an attempt, the smallest first: only what led
// to the witness; then its causal past, and what came from outside; then all.
// A safety property is violated by a beginning of the run. Where that is not
// so, it takes the end of the run, and the loop if it ends in one.
func (s *search) consider(end analyze.Ending) {
	witness, outside := slices.Values(s.result.Witness), s.ledTo(slices.Values(s.outside))
	if s.core = s.ledTo(witness); s.core == nil {
		s.note = fmt.Sprintf("more than %d events led to it", s.options.MaxEvents)
		s.core = make(set)
		for seq := range witness {
			s.core[seq] = true
		}
		return
	}
	last, final := tracefmt.Seq(0), tracefmt.Seq(len(s.links)-1)
	for seq := range witness {
		last = max(last, seq)
	}
	s.attempt(last, tracefmt.Stopped, s.core)
	s.attempt(last, tracefmt.Stopped, s.pastOf(witness), outside)
	s.attempt(last, tracefmt.Stopped, s.ledTo(between(0, last)))
	claim := make(set) // the note that claims the loop
	if end.Looping() {
		claim[final] = true
	}
	s.attempt(final, s.of.End, s.core, claim)
	s.attempt(final, s.of.End, s.pastOf(witness), s.pastOf(between(end.LoopFrom, end.LoopTo)), outside, claim)
	s.attempt(final, s.of.End, s.ledTo(between(0, final)))
}

// ledTo returns events and what they are there because of, pastOf also what
// happened before them; nil if that is more than may be kept.
func (s *search) ledTo(events iter.Seq[tracefmt.Seq]) set {
	return s.closure(s.options.MaxEvents, s.reasons, events)
}

func (s *search) pastOf(events iter.Seq[tracefmt.Seq]) set {
	return s.closure(s.options.MaxEvents, s.earlier, events)
}

// between yields the events after from, up to to.
func between(from, to tracefmt.Seq) iter.Seq[tracefmt.Seq] {
	return func(yield func(tracefmt.Seq) bool) {
		for seq := from + 1; seq <= to && yield(seq); seq++ {
		}
	}
}

// attempt adds the core, what is given and the pools, up to the event last.
func (s *search) attempt(last tracefmt.Seq, end tracefmt.End, pools ...set) {
	kept := maps.Clone(s.core)
	for _, seq := range s.given {
		kept[seq] = true
	}
	for _, pool := range pools {
		maps.Copy(kept, pool)
		if pool == nil || len(kept) > s.options.MaxEvents {
			s.note = fmt.Sprintf("there are more than %d events to choose from", s.options.MaxEvents)
			return
		}
	}
	maps.DeleteFunc(kept, func(seq tracefmt.Seq, _ bool) bool { return seq > last })
	s.attempts = append(s.attempts, attempt{slices.Sorted(maps.Keys(kept)), end})
}

// load reads the events of all attempts.
func (s *search) load(rec tracefmt.Recording) error {
	wanted := maps.Clone(s.core)
	for _, a := range s.attempts {
		for _, seq := range a.kept {
			wanted[seq] = true
		}
	}
	for e, err := range tracefmt.Until(s.ctx, rec, 1) {
		if err != nil {
			return err
		}
		if wanted[e.Seq] {
			s.events[e.Seq] = e.Clone()
		}
		if len(s.events) == len(wanted) {
			break
		}
	}
	return nil
}

// run returns the events that matter.
func (s *search) run() ([]tracefmt.Seq, error) {
	for _, a := range s.attempts {
		if shows, err := s.shows(a); err != nil {
			return nil, err
		} else if shows {
			return s.shrink(a)
		}
	}
	if s.note == "" {
		s.note = "the violation does not show in a part of the run"
	}
	s.note += "; whether all that led to the witness matters, and what else does, was not found out"
	return slices.Sorted(maps.Keys(s.core)), nil
}

// shrink drops what can be dropped, in ever smaller pieces: the algorithm of
// Zeller and Hildebrandt, Simplifying and Isolating Failure-Inducing Input,
// 2002, without its look at the pieces themselves, which are no runs.
func (s *search) shrink(a attempt) ([]tracefmt.Seq, error) {
	s.note = ""
	for size := max(len(a.kept), 1); ; size = (size + 1) / 2 {
		s.doubts = nil
		less, err := s.sweep(a, size)
		if err != nil {
			return nil, err
		}
		done := size == 1 && len(less.kept) == len(a.kept) || s.note != ""
		if a = less; !done {
			continue
		}
		if s.note != "" || a.end == tracefmt.Stopped {
			return s.told(a), s.finish(a)
		}
		beginning := s.beginning(a)
		switch shows, err := s.shows(beginning); {
		case err != nil:
			return nil, err
		case shows:
			return s.shrink(beginning)
		}
		return s.told(a), s.finish(a)
	}
}

// beginning is the part up to the witness, of a run that was stopped there. It may show
// the violation where that part of the whole run shows another one first.
func (s *search) beginning(a attempt) attempt {
	end, _ := slices.BinarySearch(a.kept, slices.Max(append([]tracefmt.Seq{0}, s.result.Witness...))+1)
	return attempt{a.kept[:end], tracefmt.Stopped}
}

// finish says what is known of a part of which nothing more can be dropped.
func (s *search) finish(a attempt) error {
	if s.note == "" {
		if err := s.settle(); err != nil {
			return err
		}
	}
	if s.minimal = s.note == ""; !s.minimal {
		return nil
	}
	return s.findOthers(a)
}

// findOthers looks for the events without which there is another violation.
func (s *search) findOthers(a attempt) error {
	for _, seq := range s.told(a) {
		switch found, reason, err := s.check(attempt{s.without(a.kept, []tracefmt.Seq{seq}), a.end}, share); {
		case err != nil:
			return err
		case found == undecided:
			s.others, s.note = nil, "whether another shows without one of them was not found out: "+reason
			return nil
		case found == another:
			s.others = append(s.others, seq)
		}
	}
	return nil
}

// sweep tries to drop each piece of so many events.
func (s *search) sweep(a attempt, size int) (attempt, error) {
	for piece := range slices.Chunk(s.extras(a), size) {
		less := attempt{s.without(a.kept, piece), a.end}
		if len(less.kept) == len(a.kept) {
			continue // gone already, with another piece
		}
		switch shows, err := s.shows(less); {
		case err != nil:
			return a, err
		case shows:
			a = less
		case s.note != "":
			return a, nil
		}
	}
	return a, nil
}

// extras are the events that may be dropped: neither core nor given.
func (s *search) extras(a attempt) []tracefmt.Seq {
	return slices.DeleteFunc(slices.Clone(a.kept), func(seq tracefmt.Seq) bool {
		_, given := slices.BinarySearch(s.given, seq)
		return given || s.core[seq]
	})
}

// without returns the events but those of the piece, and but all that are
// there because of one that is gone.
func (s *search) without(kept, piece []tracefmt.Seq) []tracefmt.Seq {
	gone := make(set)
	for _, seq := range piece {
		gone[seq] = true
	}
	var left []tracefmt.Seq
	for _, seq := range kept {
		for reason := range s.reasons(seq) {
			gone[seq] = gone[seq] || gone[reason]
		}
		if !gone[seq] {
			left = append(left, seq)
		}
	}
	return left
}

// told leaves out what is given, unless it led to the witness.
func (s *search) told(a attempt) []tracefmt.Seq {
	return slices.DeleteFunc(slices.Clone(a.kept), func(seq tracefmt.Seq) bool {
		_, given := slices.BinarySearch(s.given, seq)
		return given && !s.core[seq]
	})
}
