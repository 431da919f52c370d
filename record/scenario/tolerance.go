package scenario

import (
	"fmt"
	"slices"

	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// toleranceRemarks lists faults beyond the tolerance of the algorithm, and parameters beyond the possible tolerance,
// with their possible consequences.
func (s *Scenario) toleranceRemarks(result sim.Result) (list []string) {
	var m Maker
	c, run, err := m.Simulation(s)
	if err != nil {
		return nil // there is no run
	}
	for i := range m.setup.algorithm.Tolerates {
		x := toleranceCheck{&m.setup, &m.setup.algorithm.Tolerates[i], nil}
		last := tracefmt.ProcessID(len(run.Members))
		for p := tracefmt.ProcessID(1); p <= last; p++ {
			if x.Among == nil || x.Among(x.numbered, p, last) {
				x.group = append(x.group, p)
			}
		}
		if wanted, ok := x.Bound(x.values); ok && x.Overstated != "" && wanted > x.Possible(len(x.group)) {
			list = append(list, x.overstatedRemark(wanted))
		}
		if f := x.worstFaults(s, &c, run, result); int64(len(f.processes)) > x.Limit(x.values, len(x.group)) {
			list = append(list, x.exceededRemark(f))
		}
	}
	return list
}

// toleranceCheck examines one limit of the algorithm for the faults of a group of processes.
type toleranceCheck struct {
	*setup
	*algorithm.Tolerance
	group []tracefmt.ProcessID
}

// faulty has the processes with a fault, at the worst time if only simultaneous faults count.
type faulty struct {
	processes []tracefmt.ProcessID
	at        string // " at 2.5"
}

// worstFaults returns the processes of the group whose faults count.
func (x *toleranceCheck) worstFaults(s *Scenario, c *sim.Config, run *tracefmt.Run, result sim.Result) (f faulty) {
	var crashes []sim.Action // the crashes and recoveries, by time
	for _, a := range c.Actions {
		// An edit has an effect only if its own conditions hold; its remark reports that.
		happens := a.After == 0 && (s.Choices != nil || a.At <= result.Now)
		changesStatus := a.Kind == sim.CrashProcess || a.Kind == sim.RecoverProcess
		if happens && changesStatus && slices.Contains(x.group, a.Process) {
			crashes = append(crashes, a)
		}
	}
	slices.SortStableFunc(crashes, func(a, b sim.Action) int { return int(a.At - b.At) })
	var down []tracefmt.ProcessID
	for _, p := range x.group {
		isDown := x.Faults != algorithm.Crashes && slices.Contains(c.Down, p)
		isByzantine := x.Faults == algorithm.AnyFault && run.Role(p) == tracefmt.Byzantine
		if isDown || isByzantine {
			down = append(down, p)
		}
	}
	f.keepMaximum(x.Faults, down, 0)
	for _, a := range crashes {
		switch {
		case a.Kind == sim.CrashProcess && !slices.Contains(down, a.Process):
			down = append(down, a.Process)
		case a.Kind == sim.RecoverProcess && x.Faults == algorithm.Down:
			down = slices.DeleteFunc(down, func(p tracefmt.ProcessID) bool { return p == a.Process })
		}
		f.keepMaximum(x.Faults, down, a.At)
	}
	slices.Sort(f.processes)
	return f
}

// keepMaximum keeps the faulty processes at a time, if they are more than before.
func (f *faulty) keepMaximum(kind algorithm.Faults, down []tracefmt.ProcessID, at tracefmt.Time) {
	if len(down) <= len(f.processes) {
		return
	}
	f.processes = slices.Clone(down)
	if kind == algorithm.Down {
		f.at = " at " + at.String()
	}
}

// overstatedRemark returns the remark on a parameter that demands more than is possible.
func (x *toleranceCheck) overstatedRemark(declared int64) string {
	return fmt.Sprintf(
		"%s=%d is more than the %d of %s that %s can tolerate, %s: %s (%s)", x.Param, declared,
		x.Possible(len(x.group)), x.groupText(), x.algorithm.Name, x.Most.Doc, x.Overstated, x.Source,
	)
}

// exceededRemark returns the remark on more faults than the algorithm tolerates.
func (x *toleranceCheck) exceededRemark(f faulty) string {
	ids := make([]int64, len(f.processes))
	for i, p := range f.processes {
		ids[i] = x.ids[p-1]
	}
	suffers := fmt.Sprintf("%s%s (%s)", x.Faults.Suffer(len(ids)), f.at, FormatIDs(ids))
	tolerance := ", " + x.Most.Doc
	if wanted, ok := x.Bound(x.values); ok {
		tolerance = fmt.Sprintf(" with %s=%d", x.Param, wanted)
	}
	switch limit := x.Limit(x.values, len(x.group)); {
	case len(x.group) == 1:
		return fmt.Sprintf("the %s %s, which %s does not tolerate: %s (%s)", x.Name(), suffers, x.algorithm.Name, x.Breaks, x.Source)
	case limit == 0 && x.Most.Doc == algorithm.None.Doc:
		return fmt.Sprintf("%d of %s %s, and %s tolerates none: %s (%s)", len(ids), x.groupText(), suffers, x.algorithm.Name, x.Breaks, x.Source)
	default:
		return fmt.Sprintf(
			"%d of %s %s, more than the %d that %s tolerates%s: %s (%s)", len(ids), x.groupText(), suffers, limit,
			x.algorithm.Name, tolerance, x.Breaks, x.Source,
		)
	}
}

// groupText describes the group: "4 processes".
func (x *toleranceCheck) groupText() string {
	several := x.Name() + "s"
	if x.Of == "" {
		several = "processes"
	}
	return text.Counted(len(x.group), x.Name(), several)
}
