package story

import (
	"cmp"
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
)

// Span is the part of the window from a step on, or from its beginning, in
// which a process has one life.
type Span struct {
	Step int // the index of the step, -1 for the beginning of the window
	Life Life
}

var lives = map[tracefmt.Kind]Life{
	tracefmt.Start: Up, tracefmt.Recover: Up, tracefmt.Crash: Down, tracefmt.Halt: Gone,
}

// Spans returns the spans of all processes, by process, in the order of the
// steps.
func (s *Story) Spans() [][]Span {
	spans := make([][]Span, len(s.Column))
	for _, p := range s.Order {
		spans[p] = []Span{{-1, s.Before[p].life()}}
	}
	for i := range s.Steps {
		st := &s.Steps[i]
		life, ok := lives[st.Kind]
		if !ok || st.Process == 0 {
			continue
		}
		own := spans[st.Process]
		if st.Opening {
			own[0].Life = life
			continue
		}
		if st.Kind == tracefmt.Start && len(own) == 1 && own[0].Life == Up {
			own[0].Life = Unborn
		}
		spans[st.Process] = append(own, Span{i, life})
	}
	return spans
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
func LifeAt(spans []Span, step int) Life {
	i, ok := slices.BinarySearchFunc(spans, step, func(s Span, step int) int { return cmp.Compare(s.Step, step) })
	if !ok {
		i--
	}
	return spans[i].Life
}
