package scenario

import (
	"fmt"
	"slices"

	"etrace/record/sim"
)

// vainActions says why an action of the plan did nothing.
var vainActions = map[sim.ActionKind]struct{ what, why string }{
	sim.StartProcess:    {"start", "is down"},
	sim.CrashProcess:    {"crash", "is down already"},
	sim.RecoverProcess:  {"recover", "is up"},
	sim.InvokeOperation: {"op", "is down"},
}

// Remarks says, a sentence each, what of the scenario had no effect in a run of
// it: who started while it was down, and rules that no message fitted. They are
// sorted, each once.
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
	slices.Sort(list)
	return slices.Compact(list)
}
