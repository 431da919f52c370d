package story

import (
	"cmp"
	"math"
	"slices"

	"etrace/tracefmt"
)

// Life is what a process does for a while.
type Life uint8

// The lives of processes.
const (
	Up     Life = iota
	Down        // crashed, and not recovered
	Unborn      // it will start
	Gone        // halted
	Silent      // it did nothing, and went down at some time that is not recorded
)

// LifeSpan is the part of the window from a step on, or from its beginning, in
// which a process has one life.
type LifeSpan struct {
	Step int // the index of the step, -1 for the beginning of the window
	Life Life
}

var lives = map[tracefmt.Kind]Life{
	tracefmt.Start: Up, tracefmt.Recover: Up, tracefmt.Crash: Down, tracefmt.Halt: Gone,
}

// hiddenLife is the life that begins with an event of the window that is not shown.
type hiddenLife struct {
	after tracefmt.Seq // of the step before, 0 for none
	life  Life
}

// hideLife keeps what an event that is not shown does to the life of its process. Between two steps
// only the latest counts.
func (s *Story) hideLife(e *tracefmt.Event) {
	life, ok := lives[e.Kind]
	if s.state.ShowsRestart(e) {
		life, ok = Up, true
	}
	if !ok || e.Process == 0 {
		return
	}
	h := hiddenLife{life: life}
	if n := len(s.Steps); n > 0 && !s.isOpening(e) {
		h.after = s.Steps[n-1].Seq
	}
	own := s.hiddenLives[e.Process]
	if n := len(own); n > 0 && own[n-1].after == h.after {
		own = own[:n-1]
	}
	s.hiddenLives[e.Process] = append(own, h)
}

// takeHidden adds the spans that begin with hidden events before an event to those of a process, and
// returns the hidden lives that are left.
func (s *Story) takeHidden(own []LifeSpan, hidden []hiddenLife, before tracefmt.Seq) ([]LifeSpan, []hiddenLife) {
	for len(hidden) > 0 && hidden[0].after < before {
		step, found := s.Find(hidden[0].after)
		if !found { // the step is dropped: the one before
			step--
		}
		if last := &own[len(own)-1]; last.Step >= step {
			last.Life = hidden[0].life
		} else {
			own = append(own, LifeSpan{step, hidden[0].life})
		}
		hidden = hidden[1:]
	}
	return own, hidden
}

// LifeSpans returns the spans of all processes, by process, in the order of the
// steps.
func (s *Story) LifeSpans() [][]LifeSpan {
	spans := make([][]LifeSpan, len(s.Column))
	latest := make([]int, len(s.Column)) // the step that a process took before
	hidden := slices.Clone(s.hiddenLives)
	for _, p := range s.ringOrder {
		spans[p], latest[p] = []LifeSpan{{-1, s.Before[p].life()}}, -1
	}
	for i := range s.Steps {
		st := &s.Steps[i]
		if st.Process == 0 || st.Kind == tracefmt.Lose {
			continue
		}
		var own []LifeSpan
		own, hidden[st.Process] = s.takeHidden(spans[st.Process], hidden[st.Process], st.Seq)
		spans[st.Process] = own
		life, ok := lives[st.Kind]
		if st.Restarted {
			life, ok = Up, true
		}
		switch {
		case !ok:
		case st.Opening:
			own[0].Life = life
		default:
			if life == Up && own[len(own)-1].Life == Up {
				own = s.goneDown(own, latest[st.Process], st)
			}
			spans[st.Process] = append(own, LifeSpan{i, life})
		}
		latest[st.Process] = i
	}
	for _, p := range s.ringOrder {
		spans[p], _ = s.takeHidden(spans[p], hidden[p], math.MaxInt64)
	}
	return spans
}

// goneDown puts into the spans of a process, which is up, what they were before a step
// in which it comes up: nothing yet, if this is its first event. A process that is down without a
// recorded crash went down after its latest step, at an index or -1. In a complete recording it went
// down right before the step.
func (s *Story) goneDown(own []LifeSpan, latest int, st *Step) []LifeSpan {
	switch last := &own[len(own)-1]; {
	case st.First && st.Kind == tracefmt.Start:
		last.Life = Unborn
	case st.First:
		last.Life = Down
	case s.Complete():
	case last.Step == latest:
		last.Life = Silent
	default:
		own = append(own, LifeSpan{latest, Silent})
	}
	return own
}

func (c *Condition) life() Life {
	switch {
	case c.Halted:
		return Gone
	case c.Down:
		return Down
	}
	return Up
}

// LifeAt returns the life at the step of that index among the spans of a process.
func LifeAt(spans []LifeSpan, step int) Life {
	i, ok := slices.BinarySearchFunc(spans, step, func(s LifeSpan, step int) int { return cmp.Compare(s.Step, step) })
	if !ok {
		i--
	}
	return spans[i].Life
}
