package story

import (
	"cmp"
	"slices"

	"etrace/tracefmt"
)

// Life is the status of a process over a while.
type Life uint8

// The lives of processes.
const (
	Up     Life = iota
	Down        // crashed, and not recovered
	Unborn      // it will start
	Gone        // halted
	Silent      // it did nothing, and went down at some time that is not recorded
)

// LifeSpan is a part of the window in which a process keeps one status. It extends from a step, or from the beginning
// of the window.
type LifeSpan struct {
	Step int // the index of the step, -1 for the beginning of the window
	Life Life
}

var lifeAfter = map[tracefmt.Kind]Life{
	tracefmt.Start: Up, tracefmt.Recover: Up, tracefmt.Crash: Down, tracefmt.Halt: Gone,
}

// lifeline keeps the lives of a process in the window.
type lifeline struct {
	lives []lifeChange
	// latest is the place of the latest event of the process, as [lifeFrom] has it.
	latest tracefmt.Seq
	// ended: the process has an event after the window, which shows how the process was before it.
	ended bool
}

// lifeChange is a life and the place at which it begins: the seq of its event or, if that event is not shown, of the
// step before. The lives at the beginning of the window have the place 0.
type lifeChange struct {
	at   tracefmt.Seq
	life Life
}

// begin adds a life. At one place only the latest counts.
func (l *lifeline) begin(at tracefmt.Seq, life Life) {
	switch last := &l.lives[len(l.lives)-1]; {
	case last.life == life: // no change
	case last.at >= at:
		last.life = life
	default:
		l.lives = append(l.lives, lifeChange{at, life})
	}
}

// beginLives begins the lives of the window.
func (s *Story) beginLives() {
	s.lifelines = make([]lifeline, len(s.Column))
	for _, p := range s.ringOrder {
		s.lifelines[p].lives = []lifeChange{{0, s.Before[p].life()}}
	}
}

// followLife takes in an event of the window, or after it, that the state has not taken in.
func (s *Story) followLife(e *tracefmt.Event, isStep, inside bool) {
	if s.lifelines == nil || e.Process == 0 || e.Kind == tracefmt.Lose || s.lifelines[e.Process].ended {
		return
	}
	line, first := &s.lifelines[e.Process], !s.pasts[e.Process].seen
	at := e.Seq
	// Only steps have a height in the picture.
	switch n := len(s.Steps); {
	case first && s.isOpening(e), !isStep && n == 0:
		at = 0
	case !isStep:
		at = s.Steps[n-1].Seq
	}
	life, changes := lifeAfter[e.Kind]
	inferred := e.Kind == tracefmt.Crash && e.Inferred()
	if inferred {
		life = Silent
	} else if s.state.ShowsRestart(e) {
		life, changes = Up, true
	}
	if changes {
		if at > 0 && (life == Up || inferred) && line.lives[len(line.lives)-1].life == Up {
			s.correctFall(line, first, inferred, e.Kind)
		}
		if inside {
			line.begin(at, life)
		}
	}
	line.latest, line.ended = at, !inside
}

// correctFall corrects the latest life of a process, which seemed to be up, although the next event shows that it was
// not.
//
//   - Before its first event it was not up.
//   - A process without a recorded crash went down at some time after its latest event.
//   - In a complete recording it went down right before the event, so its latest life stays.
func (s *Story) correctFall(line *lifeline, first, inferred bool, kind tracefmt.Kind) {
	switch last := &line.lives[len(line.lives)-1]; {
	case first && kind == tracefmt.Start:
		last.life = Unborn
	case first && !inferred:
		last.life = Down
	case inferred, !s.Complete():
		line.begin(line.latest, Silent)
	}
}

// LifeSpans returns the spans of all processes, by process, in the order of the
// steps.
func (s *Story) LifeSpans() [][]LifeSpan {
	spans := make([][]LifeSpan, len(s.Column))
	for p := range s.lifelines {
		for n, l := range s.lifelines[p].lives {
			step, found := s.Find(l.at)
			if !found { // the step is dropped: the one before
				step--
			}
			if last := len(spans[p]) - 1; n > 0 && spans[p][last].Step >= step {
				spans[p][last].Life = l.life
			} else {
				spans[p] = append(spans[p], LifeSpan{step, l.life})
			}
		}
	}
	return spans
}

func (c *Condition) life() Life {
	switch {
	case c.Halted:
		return Gone
	case c.Down && c.Inferred:
		return Silent
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
