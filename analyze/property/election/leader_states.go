package election

import (
	"math/bits"

	"etrace/replay"
	"etrace/tracefmt"
)

// missingFacts has the facts of a process that may be missing: its role, its choice, its term, a restart, and a
// recovery.
type missingFacts struct{ role, elected, term, restart, recovery bool }

// stateSet is a set of possible states of a process, a bit for each: down, or a leaderState.
type stateSet uint32

// leaderState is one possible state of a process that is up. role is its role; RoleOther means that the role is not
// recorded. choseItself is set if it has elected itself. recorded is set if it has recorded, since its start and in its
// term, whether it leads. otherTerm is set if its term differs from the recorded one.
type leaderState struct {
	role                             replay.RoleClass
	choseItself, recorded, otherTerm bool
}

const (
	leaderStates          = 24
	downState    stateSet = 1 << leaderStates
)

var allRoles = [...]replay.RoleClass{replay.RoleOther, replay.RoleLeads, replay.RoleFollows}

// setOf returns the set of one state.
func setOf(g leaderState) stateSet {
	bit := 0
	switch g.role {
	case replay.RoleOther:
	case replay.RoleLeads:
		bit = 1
	default:
		bit = 2
	}
	for _, b := range [...]bool{g.choseItself, g.recorded, g.otherTerm} {
		bit *= 2
		if b {
			bit++
		}
	}
	return 1 << bit
}

// freshState returns the set with the state of a process that has just come up and recorded nothing.
func freshState(another bool) stateSet { return setOf(leaderState{otherTerm: another}) }

// each maps the states of a set; a process that is down stays down.
func (g stateSet) each(becomes func(leaderState) stateSet) stateSet {
	list := g & downState
	for left := uint32(g &^ downState); left != 0; left &= left - 1 {
		at := bits.TrailingZeros32(left)
		list |= becomes(leaderState{allRoles[at/8], at&4 != 0, at&2 != 0, at&1 != 0})
	}
	return list
}

// leadingStates are the states that lead, and otherTermStates the states in another term than recorded.
var leadingStates, otherTermStates = func() (leads, second stateSet) {
	stateSet(downState - 1).each(func(g leaderState) stateSet {
		if g.recorded && (g.role == replay.RoleLeads || g.role == replay.RoleOther && g.choseItself) {
			leads |= setOf(g)
		}
		if g.otherTerm {
			second |= setOf(g)
		}
		return 0
	})
	return leads, second
}()

// closure returns the states that any number of the missing facts may lead to.
func (g stateSet) closure(m missingFacts) stateSet {
	for m != (missingFacts{}) {
		larger := g | g.each(m.step)
		// A missing restart or recovery leaves a process that has recorded nothing.
		if m.restart && g&^downState != 0 || m.recovery && g&downState != 0 {
			larger |= freshState(true)
		}
		if larger == g {
			break
		}
		g = larger
	}
	return g
}

// step returns the states that a process in the state g may reach by one missing fact.
func (m missingFacts) step(g leaderState) (list stateSet) {
	if m.role {
		for _, role := range allRoles {
			next := g
			next.role, next.recorded = role, true
			list |= setOf(next)
		}
	}
	if m.elected {
		next := g
		next.choseItself = false
		list |= setOf(next)
		next.choseItself, next.recorded = true, true
		list |= setOf(next)
	}
	if m.term {
		next := g
		next.otherTerm = true
		list |= setOf(next)
	}
	return list
}

// step returns the states after an event; was and current are the recorded terms before and after it.
func (g stateSet) step(t *leadingEvent, was, current replay.Term) (now stateSet) {
	switch {
	case t.kind == tracefmt.Crash || t.kind == tracefmt.Halt:
		now = downState
	case t.kind == tracefmt.Recover:
		now = freshState(false)
	case t.kind == tracefmt.Start:
		now = freshState(false)
		if g&otherTermStates != 0 {
			now |= freshState(true)
		}
	case t.restarts:
		now = g&^downState | freshState(false)
	default:
		now = g &^ downState
	}
	now = now.each(func(s leaderState) stateSet {
		if !s.otherTerm && was.Known() && current.Known() && was != current {
			s.recorded = false // it has stepped down
		}
		s.otherTerm = s.otherTerm && !t.hasTerm
		if t.hasRole {
			s.role, s.recorded = t.role, true
		}
		if t.hasElected {
			s.choseItself = t.self
			s.recorded = s.recorded || t.self
		}
		return setOf(s)
	})
	if t.inferred { // the event may not have happened
		now |= g
	}
	return now
}
