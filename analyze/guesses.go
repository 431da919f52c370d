package analyze

import (
	"fmt"
	"slices"

	"etrace/replay"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// guesses are the inferred crashes and halts of a run whose time is unknown, see [tracefmt.Coverage.Guess]. No
// verdict may rest on their place: a check ignores them, as in a recording that lacks them.
type guesses struct {
	all []guess
	// open are by process those after its last step.
	open map[tracefmt.ProcessID]int
}

// guess is an event that happened after one step of its process and before another, 0 for none.
type guess struct {
	process       tracefmt.ProcessID
	kind          tracefmt.Kind
	after, before tracefmt.Seq
}

// add takes the next event, before the state is updated, and reports whether it is a guess.
func (g *guesses) add(s *replay.State, e *tracefmt.Event) bool {
	if e.Process == 0 || e.Kind == tracefmt.Lose {
		return false
	}
	if s.Coverage().Guess(e) {
		if g.open == nil {
			g.open = make(map[tracefmt.ProcessID]int)
		}
		g.open[e.Process] = len(g.all)
		g.all = append(g.all, guess{e.Process, e.Kind, s.StepAt(e.Process), 0})
		return true
	}
	if len(g.open) == 0 {
		return false
	}
	if i, ok := g.open[e.Process]; ok {
		g.all[i].before = e.Seq
		delete(g.open, e.Process)
	}
	return false
}

// of reports whether some guess is of that fact: it happened, at an unknown time.
func (g *guesses) of(f tracefmt.Fact) bool {
	return g != nil && slices.ContainsFunc(g.all, func(one guess) bool { return f == tracefmt.Fact{Kind: one.kind} })
}

// remarks describes the guesses, and how their times can be stated.
func (g *guesses) remarks(run *tracefmt.Run) []string {
	var said []string
	states := ""
	for _, one := range g.all {
		name := run.ProcessName(one.process)
		said = append(said, fmt.Sprintf("%s of process %s %s", one.kind, name, one.place()))
		if one.kind == tracefmt.Crash && states == "" {
			states = fmt.Sprintf("; --crashed %s@TIME states when", name)
		}
	}
	if said == nil {
		return nil
	}
	return []string{"inferred, at whatever moment: " + text.Some(said, 8) + states}
}

// place describes the stretch in which the event happened.
func (g guess) place() string {
	switch {
	case g.after == 0 && g.before == 0:
		return "at any time"
	case g.before == 0:
		return fmt.Sprintf("after seq %d", g.after)
	case g.after == 0:
		return fmt.Sprintf("before seq %d", g.before)
	}
	return fmt.Sprintf("between seq %d and %d", g.after, g.before)
}
