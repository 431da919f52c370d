package property

import (
	"math/bits"

	"etrace/replay"
	"etrace/tracefmt"
)

// unsaid are the facts of a process that may be missing: its role, whom it has elected, its
// term, that it went down and came up, and that it came up.
type unsaid struct{ role, elected, term, restart, rise bool }

// guess is a set of what a process may be: down, or one of the guessed states, a bit for
// each.
type guess uint32

// guessed is a state of a process: its role, untold, leads, or follows for all others;
// whether it has elected itself; whether it said of itself whether it leads since it came up,
// in its term; and whether its term is another than the recorded one.
type guessed struct {
	role              replay.RoleTold
	self, said, other bool
}

const (
	guessedStates       = 24
	downGuess     guess = 1 << guessedStates
)

var guessedRoles = [...]replay.RoleTold{replay.RoleUntold, replay.RoleLeads, replay.RoleFollows}

// one is the set of one state.
func one(g guessed) guess {
	at := 0
	switch g.role {
	case replay.RoleUntold:
	case replay.RoleLeads:
		at = 1
	default:
		at = 2
	}
	for _, b := range [...]bool{g.self, g.said, g.other} {
		at *= 2
		if b {
			at++
		}
	}
	return 1 << at
}

// blank is a process that has come up, in the recorded term or in another.
func blank(other bool) guess { return one(guessed{other: other}) }

// each returns what becomes of the states; one that is down stays so.
func (g guess) each(becomes func(guessed) guess) guess {
	all := g & downGuess
	for left := uint32(g &^ downGuess); left != 0; left &= left - 1 {
		at := bits.TrailingZeros32(left)
		all |= becomes(guessed{guessedRoles[at/8], at&4 != 0, at&2 != 0, at&1 != 0})
	}
	return all
}

// leadGuess are the states that lead, and otherGuess those of another term than is recorded.
var leadGuess, otherGuess = func() (leads, other guess) {
	guess(downGuess - 1).each(func(g guessed) guess {
		if g.said && (g.role == replay.RoleLeads || g.role == replay.RoleUntold && g.self) {
			leads |= one(g)
		}
		if g.other {
			other |= one(g)
		}
		return 0
	})
	return leads, other
}()

// after is what the process may be after any number of the facts that are missing.
func (g guess) after(m unsaid) guess {
	for m != (unsaid{}) {
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

// step is what one of the facts makes of a state.
func (m unsaid) step(g guessed) (all guess) {
	if m.role {
		for _, role := range guessedRoles {
			all |= one(guessed{role, g.self, true, g.other})
		}
	}
	if m.elected {
		all |= one(guessed{g.role, false, g.said, g.other}) | one(guessed{g.role, true, true, g.other})
	}
	if m.term {
		all |= one(guessed{g.role, g.self, g.said, true})
	}
	return all
}

// step is what an event makes of it; was and is are the recorded terms before and after.
func (g guess) step(t *telling, was, is replay.Term) (now guess) {
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
		if !s.other && was.Known() && is.Known() && was != is {
			s.said = false // it has stepped down
		}
		s.other = s.other && !t.hasTerm
		if t.hasRole {
			s.role, s.said = t.role, true
		}
		if t.hasElected {
			s.self = t.self
			s.said = s.said || t.self
		}
		return one(s)
	})
	if t.inferred { // it may not have happened
		now |= g
	}
	return now
}
