package scenario

import (
	"cmp"
	"fmt"
	"slices"

	"etrace/record/algorithm/builtin"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// startDescription describes a start in words: the step of a started process, and the reason why a start of a busy
// process has no effect.
type startDescription struct{ does, busy string }

// startDescriptions has the descriptions by problem.
var startDescriptions = map[string]startDescription{
	tracefmt.Broadcast:   {"broadcast a message", ""},
	tracefmt.Commit:      {"ask for the votes", "has voted or decided"},
	tracefmt.Consensus:   {"propose a value", "has proposed or decided"},
	tracefmt.Election:    {"notice that the coordinator is gone", "participates in an election already"},
	tracefmt.Mutex:       {"ask for the critical section", "waits for the critical section or is inside"},
	tracefmt.Raft:        {"take a command, or become candidate if timers are off and no process leads", "does not lead"},
	tracefmt.Snapshot:    {"record its state", "has recorded its state"},
	tracefmt.Termination: {"begin the work", "is at work"},
	tracefmt.Wave:        {"begin the wave", "is in the wave"},
}

// startWords returns the description of a start, by the problem of the algorithm.
func (s *Scenario) startWords() startDescription {
	b := startDescription{}
	if a, err := builtin.Or(s.Algorithms).Lookup(s.Algorithm); err == nil {
		b = startDescriptions[a.Problem]
	}
	return startDescription{cmp.Or(b.does, "begin"), cmp.Or(b.busy, "is at it already")}
}

// Starters are the processes that an algorithm can be started at.
type Starters struct {
	// Why names the processes whose starts have an effect, "in pbft only the client is started"; "" if all
	// have.
	Why string
	// IDs are the ids of these processes, in ascending order.
	IDs []int64
}

// Starters returns the processes whose starts may have an effect, even if they are down or busy. The scenario
// must be complete.
func (s *Scenario) Starters() (Starters, error) {
	c, run, err := s.Simulation()
	if err != nil {
		return Starters{}, err
	}
	var x Starters
	role := "" // the role of the first starter
	last := tracefmt.ProcessID(len(run.Members))
	for i, id := range s.Ranked() {
		if p := tracefmt.ProcessID(i + 1); c.Protocol.CanStart(p, last) {
			x.IDs = append(x.IDs, id)
			if len(x.IDs) == 1 {
				role = run.Role(p)
			}
		}
	}
	switch {
	case len(x.IDs) == len(s.IDs): // all begin, which needs no reason
	case len(x.IDs) == 0 && (c.Protocol.Wake != nil || c.Protocol.Round != nil):
		x.Why = "in " + s.Algorithm + " all begin by themselves"
	case len(x.IDs) == 0:
		x.Why = "in " + s.Algorithm + " no process is started"
	case len(x.IDs) == 1 && role != "" && role != tracefmt.Byzantine:
		x.Why = "in " + s.Algorithm + " only the " + role + " is started"
	default:
		x.Why = "in " + s.Algorithm + " only some processes are started"
	}
	return x, nil
}

// mostStarts is the number of starts that a sentence lists.
const mostStarts = 4

// Misstarts describes the starts that never have an effect, since the algorithm begins nothing at their
// processes; "" without any.
func (s *Scenario) Misstarts() string {
	x, err := s.Starters()
	if err != nil || x.Why == "" {
		return ""
	}
	var starts []string
	for _, a := range s.Start {
		for _, id := range s.candidates(a) {
			if !slices.Contains(x.IDs, id) {
				starts = append(starts, At{Process: id, Time: a.Time}.String())
			}
		}
	}
	if starts == nil {
		return ""
	}
	processes := ""
	if len(x.IDs) > 0 {
		processes = ", process " + FormatIDs(x.IDs)
	}
	return fmt.Sprintf("start %s has no effect: %s%s", text.Some(starts, mostStarts), x.Why, processes)
}

// candidates returns the ids of the processes that an At names.
func (s *Scenario) candidates(a At) []int64 {
	if !a.All {
		return []int64{a.Process}
	}
	return slices.DeleteFunc(s.Ranked(), func(id int64) bool { return slices.Contains(s.Down, id) })
}

// Idle explains how to start a process, if the scenario starts none and the algorithm needs a start; otherwise
// it returns "".
func (s *Scenario) Idle() string {
	begins := func(e Edit) bool { return e.Verb == "start" || e.Verb == "recover" }
	if len(s.Start)+len(s.Recover)+len(s.Operations)+len(s.Forgeries) > 0 ||
		slices.ContainsFunc(s.Lies, func(c Claim) bool { return c.Sends != nil }) || slices.ContainsFunc(s.Edits, begins) {
		return ""
	}
	x, err := s.Starters()
	if err != nil || len(x.IDs) == 0 {
		return ""
	}
	remark := "--start P lets process P " + s.startWords().does
	if x.Why != "" {
		remark += "; " + x.Why
	}
	return remark
}
