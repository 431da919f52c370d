package election

import (
	"math/bits"

	"etrace/replay"
	"etrace/tracefmt"
)

// missingFacts has the facts of a process that may be missing: its role, its choice, its term, a restart, and a
// recovery.
type missingFacts struct{ role, elected, term, restart, rise bool }

// guess is a set of possible states of a process: down, or one of the guessed states, a bit for each.
type guess uint32

// guessed is one possible state of a process. role is its role; RoleOther means that the role is not recorded. self
// is set if it has elected itself. said is set if it has recorded, since its start and in its term, whether it leads.
// another is set if its term differs from the recorded one.
type guessed struct {
	role                replay.RoleClass
	self, said, another bool
}

const (
	guessedStates       = 24
	downGuess     guess = 1 << guessedStates
)

var guessedRoles = [...]replay.RoleClass{replay.RoleOther, replay.RoleLeads, replay.RoleFollows}

// single returns the set of one state.
func single(g guessed) guess {
	at := 0
	switch g.role {
	case replay.RoleOther:
	case replay.RoleLeads:
		at = 1
	default:
		at = 2
	}
	for _, b := range [...]bool{g.self, g.said, g.another} {
		at *= 2
		if b {
			at++
		}
	}
	return 1 << at
}

// blank returns the state of a process that has just come up and recorded nothing, in the recorded term or in
// another.
func blank(another bool) guess { return single(guessed{another: another}) }

// each maps the states of a set; a process that is down stays down.
func (g guess) each(becomes func(guessed) guess) guess {
	list := g & downGuess
	for left := uint32(g &^ downGuess); left != 0; left &= left - 1 {
		at := bits.TrailingZeros32(left)
		list |= becomes(guessed{guessedRoles[at/8], at&4 != 0, at&2 != 0, at&1 != 0})
	}
	return list
}

// leadGuess are the states that lead, and otherGuess the states in another term than recorded.
var leadGuess, otherGuess = func() (leads, second guess) {
	guess(downGuess - 1).each(func(g guessed) guess {
		if g.said && (g.role == replay.RoleLeads || g.role == replay.RoleOther && g.self) {
			leads |= single(g)
		}
		if g.another {
			second |= single(g)
		}
		return 0
	})
	return leads, second
}()

// after returns the possible states after any number of the missing facts.
func (g guess) after(m missingFacts) guess {
	for m != (missingFacts{}) {
		more := g | g.each(m.step)
		if m.restart && g&^downGuess != 0 || m.rise && g&downGuess != 0 {
			more |= blank(true)
		}
		if more == g {
			break
		}
		g = more
	}
	return g
}

// step returns the states that a process in the state g may reach by one missing fact.
func (m missingFacts) step(g guessed) (list guess) {
	if m.role {
		for _, role := range guessedRoles {
			list |= single(guessed{role, g.self, true, g.another})
		}
	}
	if m.elected {
		list |= single(guessed{g.role, false, g.said, g.another}) | single(guessed{g.role, true, true, g.another})
	}
	if m.term {
		list |= single(guessed{g.role, g.self, g.said, true})
	}
	return list
}

// step returns the states after an event; was and current are the recorded terms before and after it.
func (g guess) step(t *leadingEvent, was, current replay.Term) (now guess) {
	switch {
	case t.kind == tracefmt.Crash || t.kind == tracefmt.Halt:
		now = downGuess
	case t.kind == tracefmt.Recover:
		now = blank(false)
	case t.kind == tracefmt.Start:
		now = blank(false)
		if g&otherGuess != 0 {
			now |= blank(true)
		}
	case t.restarts:
		now = g&^downGuess | blank(false)
	default:
		now = g &^ downGuess
	}
	now = now.each(func(s guessed) guess {
		if !s.another && was.Known() && current.Known() && was != current {
			s.said = false // it has stepped down
		}
		s.another = s.another && !t.hasTerm
		if t.hasRole {
			s.role, s.said = t.role, true
		}
		if t.hasElected {
			s.self = t.self
			s.said = s.said || t.self
		}
		return single(s)
	})
	if t.inferred { // the event may not have happened
		now |= g
	}
	return now
}
