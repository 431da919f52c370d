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

// search looks for the fewest events of a run that still violate a property with the same witness.
type search struct {
	*history
	ctx      context.Context
	original *tracefmt.Run
	result   *analyze.Result
	options  Options

	// core led to the witness and stays. It is closed: it includes the reasons of its events.
	core      set
	led       []tracefmt.Seq // see ledSince
	attempts  []attempt
	events    map[tracefmt.Seq]*tracefmt.Event
	spent     int64 // the part of the budget that is spent
	undecided []undecidedPart
	// note explains why the result is not minimal, as far as known; unneededEvents is as in [Explanation].
	note           string
	minimal        bool
	unneededEvents []tracefmt.Seq
}

// attempt is a part of the run that may show the violation.
type attempt struct {
	kept []tracefmt.Seq // the kept events, in recorded order
	end  tracefmt.End
}

// newSearch returns a search for the events that explain a result.
func newSearch(ctx context.Context, run *tracefmt.Run, h *history, r *analyze.Result, o Options) *search {
	return &search{
		history: h, ctx: ctx, original: run, result: r, options: o,
		events: make(map[tracefmt.Seq]*tracefmt.Event),
	}
}

// listAttempts lists the attempts, the smallest first: the events that led to the witness; then its causal past
// with the events from outside; then all events. A beginning of the run violates a safety property. Otherwise
// the attempt needs the end of the run, and the loop if it ends in one.
func (s *search) listAttempts(end analyze.Ending) {
	s.led = s.ledSince(s.result.Witness)
	witness, outside := slices.Values(s.result.Witness), s.ledTo(slices.Values(s.outside))
	s.core = s.ledTo(witness)
	if s.core == nil {
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
	s.attempt(last, tracefmt.Stopped, s.ledTo(eventsBetween(0, last)))
	claim := make(set) // the note that claims the loop
	if end.Looping() {
		claim[final] = true
	}
	s.attempt(final, s.original.End, s.core, claim)
	s.attempt(final, s.original.End, s.pastOf(witness), s.pastOf(eventsBetween(end.LoopFrom, end.LoopTo)), outside, claim)
	s.attempt(final, s.original.End, s.ledTo(eventsBetween(0, final)))
}

// ledTo returns the events and all their reasons, nil if there are too many.
func (s *search) ledTo(events iter.Seq[tracefmt.Seq]) set {
	return s.closure(s.options.MaxEvents, s.reasons, events)
}

// pastOf returns the events, their reasons, and all events that happened before them, nil if there are too
// many.
func (s *search) pastOf(events iter.Seq[tracefmt.Seq]) set {
	return s.closure(s.options.MaxEvents, s.earlier, events)
}

// eventsBetween yields the events after first, up to last.
func eventsBetween(first, last tracefmt.Seq) iter.Seq[tracefmt.Seq] {
	return func(yield func(tracefmt.Seq) bool) {
		for seq := first + 1; seq <= last && yield(seq); seq++ {
		}
	}
}

// attempt adds an attempt with the core, the given events and the pools, up to the event last.
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
	for _, seq := range s.led[max(0, len(s.led)-maxLed-len(s.core)):] {
		wanted[seq] = true
	}
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
		if shows, err := s.keepsViolation(a); err != nil {
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

// shrink removes events in ever smaller pieces: the algorithm of Zeller and Hildebrandt, Simplifying and
// Isolating Failure-Inducing Input, 2002. It never tries the pieces themselves, which are no runs.
func (s *search) shrink(a attempt) ([]tracefmt.Seq, error) {
	s.note = ""
	for size := max(len(a.kept), 1); ; size = (size + 1) / 2 {
		s.undecided = nil
		less, err := s.sweep(a, size)
		if err != nil {
			return nil, err
		}
		done := size == 1 && len(less.kept) == len(a.kept) || s.note != ""
		a = less
		if !done {
			continue
		}
		if s.note != "" || a.end == tracefmt.Stopped {
			return s.shownEvents(a), s.finish(a)
		}
		beginning := s.beginning(a)
		switch shows, err := s.keepsViolation(beginning); {
		case err != nil:
			return nil, err
		case shows:
			return s.shrink(beginning)
		}
		return s.shownEvents(a), s.finish(a)
	}
}

// beginning returns the part up to the witness, as a stopped run. It may show the violation where this part of
// the whole run shows an earlier violation.
func (s *search) beginning(a attempt) attempt {
	end, _ := slices.BinarySearch(a.kept, slices.Max(append([]tracefmt.Seq{0}, s.result.Witness...))+1)
	return attempt{a.kept[:end], tracefmt.Stopped}
}

// finish completes the result for a part from which no event can be removed.
func (s *search) finish(a attempt) error {
	if s.note == "" {
		if err := s.recheckUnknown(); err != nil {
			return err
		}
	}
	s.minimal = s.note == ""
	if !s.minimal {
		return nil
	}
	return s.findOthers(a)
}

// findOthers lists each event whose removal leaves a different violation.
func (s *search) findOthers(a attempt) error {
	for _, seq := range s.shownEvents(a) {
		switch found, reason, err := s.check(attempt{s.without(a.kept, []tracefmt.Seq{seq}), a.end}, share); {
		case err != nil:
			return err
		case found == undecided:
			s.unneededEvents, s.note = nil, "whether another shows without one of them was not found out: "+reason
			return nil
		case found == another:
			s.unneededEvents = append(s.unneededEvents, seq)
		}
	}
	return nil
}

// sweep tries to remove each piece of the given size, and returns the part that is left.
func (s *search) sweep(a attempt, size int) (attempt, error) {
	for piece := range slices.Chunk(s.extras(a), size) {
		less := attempt{s.without(a.kept, piece), a.end}
		if len(less.kept) == len(a.kept) {
			continue // already removed with another piece
		}
		switch shows, err := s.keepsViolation(less); {
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

// extras returns the events that may be removed: neither core nor given.
func (s *search) extras(a attempt) []tracefmt.Seq {
	return slices.DeleteFunc(slices.Clone(a.kept), func(seq tracefmt.Seq) bool {
		_, given := slices.BinarySearch(s.given, seq)
		return given || s.core[seq]
	})
}

// without returns the events without the piece and its consequences.
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

// shownEvents returns the events that the explanation shows. Of the given events it shows only the causes of the
// witness.
func (s *search) shownEvents(a attempt) []tracefmt.Seq {
	return slices.DeleteFunc(slices.Clone(a.kept), func(seq tracefmt.Seq) bool {
		_, given := slices.BinarySearch(s.given, seq)
		return given && !s.core[seq]
	})
}
