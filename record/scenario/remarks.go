package scenario

import (
	"cmp"
	"fmt"
	"slices"

	"etrace/record/algorithm"
	"etrace/record/algorithm/builtin"
	"etrace/record/sim"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// vainActions says why an action of the plan did nothing.
var vainActions = map[sim.ActionKind]struct{ what, why string }{
	sim.StartProcess:    {"start", "is down"},
	sim.CrashProcess:    {"crash", "is down already"},
	sim.RecoverProcess:  {"recover", "is up"},
	sim.InvokeOperation: {"op", "is down"},
}

// begun says, by problem, what a process does that is started.
var begun = map[string]string{
	tracefmt.Broadcast:   "broadcast a message",
	tracefmt.Commit:      "ask for the votes",
	tracefmt.Consensus:   "propose a value",
	tracefmt.Election:    "notice that the coordinator is gone",
	tracefmt.Mutex:       "ask for the critical section",
	tracefmt.Raft:        "take a command, or stand for the leadership where timers are off and nobody leads",
	tracefmt.Snapshot:    "record its state",
	tracefmt.Termination: "begin the work",
	tracefmt.Wave:        "begin the wave",
}

// Idle says how a process is started, where the scenario starts none though the algorithm
// has something to begin; else it returns "".
func (s *Scenario) Idle() string {
	begins := func(e Edit) bool { return e.Verb == "start" || e.Verb == "recover" }
	if len(s.Start)+len(s.Recover)+len(s.Operations)+len(s.Forgeries) > 0 ||
		slices.ContainsFunc(s.Lies, func(c Claim) bool { return c.Sends != nil }) || slices.ContainsFunc(s.Edits, begins) {
		return ""
	}
	c, run, err := s.Simulation()
	if err != nil || c.Protocol.Start == nil {
		return ""
	}
	return "--start P lets process P " + cmp.Or(begun[run.Problem], "begin")
}

// Remarks says, a sentence each, what of the scenario had no effect in a run of
// it, or another than it says: who started while it was down, rules that no
// message fitted, choices that there were not; and that it was made by a mutant. They are sorted, each once.
func (s *Scenario) Remarks(result sim.Result) []string {
	if result.Interrupted {
		return nil // what did not happen might have
	}
	var list []string
	ids := slices.Sorted(slices.Values(s.IDs))
	for _, a := range result.Vain {
		if a.After != 0 || int(a.Process) > len(ids) { // of an edit, which says itself what becomes of it
			continue
		}
		id, said := ids[a.Process-1], vainActions[a.Kind]
		if s.passive(id) {
			said.why = "takes no step of its own"
		}
		list = append(list, fmt.Sprintf("%s %v has no effect: process %d %s at %v", said.what, At{Process: id, Time: a.At}, id, said.why, a.At))
	}
	for _, i := range result.Unmet {
		var rule string
		if drops := len(s.Drop); i < drops { // they come first
			rule = "drop " + s.Drop[i].String()
		} else {
			rule = fmt.Sprintf("slow %v=%v", s.Slow[i-drops], s.Slow[i-drops].Delay)
		}
		list = append(list, rule+" has no effect: no message of the run fits it")
	}
	if s.RoundLength != 0 && !result.InRounds {
		list = append(list, fmt.Sprintf("round-length %v has no effect: %s does not work in rounds", s.RoundLength, s.Algorithm))
	}
	list = append(list, s.Choices.remarks(result)...)
	if m := s.mutant(); m != nil {
		list = append(list, fmt.Sprintf("%s is a mutant of %s, which promises nothing: %s", m.Name, s.Algorithm, m.Doc))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// mutant returns the mutant that the parameters name, nil for none.
func (s *Scenario) mutant() *algorithm.Mutant {
	a, err := builtin.Or(s.Algorithms).Lookup(s.Algorithm)
	if err != nil {
		return nil
	}
	return a.Mutant(s.Params)
}

// remarks says which choices there were not.
func (c Choices) remarks(result sim.Result) (list []string) {
	for _, b := range result.Beyond {
		if b.Number < len(c) {
			list = append(list, fmt.Sprintf("choices: number %d is %d, but only 0 to %d could come next; the last did", b.Number+1, c[b.Number], b.Options-1))
		}
	}
	if len(c) > result.Choices {
		list = append(list, fmt.Sprintf("choices has no effect from number %d on: the run has %s at which several things may come next",
			result.Choices+1, text.Counted(result.Choices, "moment", "moments")))
	}
	return list
}
