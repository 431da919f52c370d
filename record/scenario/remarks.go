package scenario

import (
	"fmt"
	"slices"

	"etrace/record/algorithm"
	"etrace/record/algorithm/builtin"
	"etrace/record/sim"
	"etrace/tracefmt/text"
)

// actionKeys are the keys of the scenario that have the actions.
var actionKeys = map[sim.ActionKind]string{
	sim.StartProcess: "start", sim.CrashProcess: "crash", sim.RecoverProcess: "recover", sim.InvokeOperation: "op",
}

// obstacles are the reasons why an action of the plan had no effect, except a start of a busy process.
var obstacles = map[sim.Obstacle]string{sim.IsDown: "is down", sim.IsUp: "is up", sim.IsPassive: "takes no step of its own"}

// Remarks lists, a sentence each, the parts of the scenario without effect in a run, or with another effect
// than their words: starts of processes that are down, rules without a matching message, superfluous choices.
// It also remarks more faults than the algorithm tolerates, and mutants. The remarks are sorted, each once.
func (s *Scenario) Remarks(result sim.Result) []string {
	if result.Interrupted {
		return nil // an interrupted run might have had an effect later
	}
	var list []string
	list = append(list, s.ineffectiveActions(result)...)
	for _, i := range result.Unmet {
		var rule string
		if drops := len(s.Drop); i < drops { // the losses come first in the list of rules
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
	list = append(list, s.toleranceRemarks(result)...)
	if m := s.mutant(); m != nil {
		list = append(list, fmt.Sprintf("%s is a mutant of %s, which promises nothing: %s", m.Name, s.Algorithm, m.Doc))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// ineffectiveActions lists the actions of the plan without effect, except those in [Scenario.Misstarts].
func (s *Scenario) ineffectiveActions(result sim.Result) (list []string) {
	ids := s.Ranked()
	for _, a := range result.Ineffective {
		if a.Why == sim.NeverStarts || int(a.Process) > len(ids) {
			continue
		}
		reason := obstacles[a.Why]
		if a.Why == sim.IsBusy {
			reason = s.startWords().busy
		}
		id := ids[a.Process-1]
		where, when := At{Process: id, Time: a.At}.String(), "at "+a.At.String()
		if a.After != 0 { // an edit names an event in place of a time
			where, when = fmt.Sprintf("%d@seq%d", id, a.After), fmt.Sprintf("after seq %d", a.After)
		}
		list = append(list, fmt.Sprintf("%s %s has no effect: process %d %s %s", actionKeys[a.Kind], where, id, reason, when))
	}
	return list
}

// mutant returns the mutant that the parameters name, nil for none.
func (s *Scenario) mutant() *algorithm.Mutant {
	a, err := builtin.Or(s.Algorithms).Lookup(s.Algorithm)
	if err != nil {
		return nil
	}
	return a.Mutant(s.Params)
}

// Breaks returns the properties that the mutant named by the parameters should violate, nil without a mutant.
func (s *Scenario) Breaks() []string {
	if m := s.mutant(); m != nil {
		return slices.Clone(m.Breaks)
	}
	return nil
}

// remarks lists the choices after the last choice of the run.
func (c Choices) remarks(result sim.Result) (list []string) {
	for _, b := range result.Beyond {
		if b.Number < len(c) {
			list = append(list, fmt.Sprintf("choices: number %d is %d, but only 0 to %d could come next; "+
				"the last did", b.Number+1, c[b.Number], b.Options-1))
		}
	}
	if len(c) > result.Choices {
		list = append(list, fmt.Sprintf("choices has no effect from number %d on: the run has %s at which several things may come next",
			result.Choices+1, text.Counted(result.Choices, "moment", "moments")))
	}
	return list
}
