package complexity

import (
	"cmp"
	"slices"

	"etrace/analyze/planned"
	"etrace/replay"
	"etrace/tracefmt"
)

// Setting is how a run began, as far as bounds on its messages ask for it.
type Setting struct {
	// N processes, of which Live were up when the first message was sent.
	N, Live int
	// Starts is how many live processes the scenario starts, and Above how many ids
	// are above the lowest of these. Starts is 0 where no scenario says who starts.
	Starts, Above int
	// Alone: the scenario starts no process and the algorithm begins by itself, as no election does.
	Alone bool
	// Best: the run says who is best, and Top is whether that process was up.
	Best, Top bool
}

// SettingOf returns how a run began, given its state at the first send.
func SettingOf(s *replay.State) Setting { return settingAt(s, s.LiveProcesses()) }

// settingAt is the setting of a run with these processes live at the first send.
func settingAt(s *replay.State, live []tracefmt.ProcessID) Setting {
	v := Setting{N: s.Run.Size()}
	for _, p := range live {
		if s.Run.Counts(p) {
			v.Live++
		}
	}
	if best, lacks := s.BestOf(processes(s.Run), bestKeys(s.Run)); lacks == "" {
		v.Best, v.Top = true, slices.ContainsFunc(best, func(p tracefmt.ProcessID) bool { return slices.Contains(live, p) })
	}
	starters := starters(s.Run, live)
	v.Alone = beginsAlone(s.Run)
	if len(starters) == 0 {
		return v
	}
	lowest := slices.MinFunc(starters, func(p, q tracefmt.ProcessID) int { return cmp.Compare(s.Rank(p), s.Rank(q)) })
	v.Starts = len(starters)
	for p := range s.Run.Members {
		if s.Rank(tracefmt.ProcessID(p+1)) > s.Rank(lowest) {
			v.Above++
		}
	}
	return v
}

func processes(run *tracefmt.Run) []tracefmt.ProcessID {
	list := make([]tracefmt.ProcessID, len(run.Members))
	for i := range list {
		list[i] = tracefmt.ProcessID(i + 1)
	}
	return list
}

// bestKeys are the keys by which the run says who is best, else the id.
func bestKeys(run *tracefmt.Run) []string {
	if keys := run.BestKeys(); keys != nil {
		return keys
	}
	return []string{tracefmt.BestID}
}

// starters returns those of the live processes that the scenario starts, one for each
// start.
func starters(run *tracefmt.Run, live []tracefmt.ProcessID) []tracefmt.ProcessID {
	var list []tracefmt.ProcessID
	for _, start := range planned.Starts(run) {
		if p, ok := run.Process(start.Who); ok && slices.Contains(live, p) {
			list = append(list, p)
		} else if start.Who == planned.Everybody {
			list = append(list, live...)
		}
	}
	return list
}

// disturbances are the keys of scenarios with which bounds do not hold: they are
// about one election in peace.
var disturbances = []string{"crash", "drop", "duplicate", "loss", "op", "partition", "recover", "reorder", planned.EditedStart, planned.EditedParameter}

// Unbounded says why the bounds of a run are not about it, "" if they are: it states
// none, or its plan disturbs the one election that they are about.
func Unbounded(run *tracefmt.Run) string {
	if reason := planned.Without("forge", "lie", "silence")(run); reason != "" {
		return reason // for it, the run states no bounds
	}
	if len(run.Bounds) == 0 {
		return noBounds
	}
	disturbs := disturbances
	if slices.ContainsFunc(run.Bounds, func(b tracefmt.Bound) bool { return b.Delays == tracefmt.UnitDelays }) {
		disturbs = append(slices.Clone(disturbs), "choices", "delay", "slow")
	}
	if beginsAlone(run) {
		return planned.Without(disturbs...)(run)
	}
	return planned.Every(planned.StartsTogether, planned.Without(disturbs...))(run)
}

// beginsAlone reports whether the run has a scenario that starts no process, and its algorithm
// begins by itself: only an election has to be started.
func beginsAlone(run *tracefmt.Run) bool {
	return run.Problem != tracefmt.Election && len(run.Scenario) > 0 && len(planned.Starts(run)) == 0
}

// noBounds is the reason for runs that state none.
const noBounds = "the run states no bounds on its messages"
