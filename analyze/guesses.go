package analyze

import (
	"fmt"
	"slices"

	"etrace/replay"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// guesses are the inferred crashes and halts whose time is unknown, see [tracefmt.Coverage.Guess]. No verdict
// may rest on their place in the run, so a check treats them as unrecorded events.
type guesses struct {
	list []guess
	// open has, by process, the index of a guess that no step has followed yet.
	open map[tracefmt.ProcessID]int
}

// guess is an event that happened between two steps of its process; 0 for no such step.
type guess struct {
	process       tracefmt.ProcessID
	kind          tracefmt.Kind
	after, before tracefmt.Seq
}

// add takes the next event, before the state is updated. It reports whether the event is a guess.
func (g *guesses) add(s *replay.State, e *tracefmt.Event) bool {
	if e.Process == 0 || e.Kind == tracefmt.Lose {
		return false
	}
	if s.Coverage().Guess(e) {
		if g.open == nil {
			g.open = make(map[tracefmt.ProcessID]int)
		}
		g.open[e.Process] = len(g.list)
		g.list = append(g.list, guess{process: e.Process, kind: e.Kind, after: s.StepAt(e.Process)})
		return true
	}
	if len(g.open) == 0 {
		return false
	}
	if i, ok := g.open[e.Process]; ok {
		g.list[i].before = e.Seq
		delete(g.open, e.Process)
	}
	return false
}

// has reports whether some guess is of the fact.
func (g *guesses) has(f tracefmt.Fact) bool {
	return g != nil && slices.ContainsFunc(g.list, func(first guess) bool { return f == tracefmt.Fact{Kind: first.kind} })
}

// remarks lists the guesses, with the flag by which the user can state their times.
func (g *guesses) remarks(run *tracefmt.Run) []string {
	var inferred []string
	states := ""
	for _, first := range g.list {
		name := run.ProcessName(first.process)
		inferred = append(inferred, fmt.Sprintf("%s of process %s %s", first.kind, name, first.place()))
		if first.kind == tracefmt.Crash && states == "" {
			states = fmt.Sprintf("; to state the time: --crashed %s@TIME", name)
		}
	}
	if inferred == nil {
		return nil
	}
	return []string{"inferred, exact time unknown: " + text.Some(inferred, 8) + states}
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
