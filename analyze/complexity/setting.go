package complexity

import (
	"cmp"
	"slices"

	"etrace/analyze/planned"
	"etrace/replay"
	"etrace/tracefmt"
)

// Setting holds the values at the beginning of a run on which bounds depend. Runs of equal settings have
// equal bounds.
type Setting struct {
	// N is the number of processes, Live the number of processes up at the first send.
	N, Live int
	// Starts is the number of live processes that the scenario starts, 0 without starts in the scenario. Above
	// is the number of ids above the lowest of these.
	Starts, Above int
	// Alone is true if the scenario starts no process because the algorithm begins by itself. No election does.
	Alone bool
	// Best is true if the run defines the best process, Top if that process was up.
	Best, Top bool
}

// SettingOf returns the setting of a run, given its state at the first send.
func SettingOf(s *replay.State) Setting { return settingAt(s, s.LiveProcesses()) }

// settingAt returns the setting of a run with the given processes live at the first send.
func settingAt(s *replay.State, live []tracefmt.ProcessID) Setting {
	v := Setting{N: s.Run.Size()}
	for _, p := range live {
		if s.Run.Counts(p) {
			v.Live++
		}
	}
	if best, lacks := s.BestOf(processes(s.Run), bestKeys(s.Run)); lacks == "" {
		v.Best, v.Top = true, slices.ContainsFunc(best,
			func(p tracefmt.ProcessID) bool { return slices.Contains(live, p) })
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

// processes returns all processes of a run.
func processes(run *tracefmt.Run) []tracefmt.ProcessID {
	list := make([]tracefmt.ProcessID, len(run.Members))
	for i := range list {
		list[i] = tracefmt.ProcessID(i + 1)
	}
	return list
}

// bestKeys returns the keys that define the best process, by default the id.
func bestKeys(run *tracefmt.Run) []string {
	if keys := run.BestKeys(); keys != nil {
		return keys
	}
	return []string{tracefmt.BestID}
}

// starters returns the live processes that the scenario starts, one for each start.
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

// disturbances are the scenario keys under which published bounds do not hold: these assume one failure-free
// election.
var disturbances = []string{
	"crash", "drop", "duplicate", "loss", "op", "partition", "recover", "reorder", planned.EditedStart,
	planned.EditedParameter,
}

// Unbounded returns why the bounds of a run do not apply to it; "" if they do. Either the run states none, or
// its scenario departs from what the bounds assume.
func Unbounded(run *tracefmt.Run) string {
	if reason := planned.Without("forge", "lie", "silence")(run); reason != "" {
		// Such runs state no bounds, so this reason comes first.
		return reason
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

// beginsAlone reports whether the run has a scenario without starts, and its algorithm begins by itself. Only
// elections need a start.
func beginsAlone(run *tracefmt.Run) bool {
	return run.Problem != tracefmt.Election && len(run.Scenario) > 0 && len(planned.Starts(run)) == 0
}

// noBounds is the reason for runs without bounds.
const noBounds = "the run states no bounds on its messages"
