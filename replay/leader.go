package replay

import (
	"bytes"
	"cmp"
	"slices"

	"etrace/tracefmt"
)

// Ranks returns the places of the processes of a run in the order in which elections compare them, indexed by
// process: by the attributes in [tracefmt.Run.BestKeys] that all members have, then by their ids. Ids compare
// by number if all names are numbers, of any size, else in the order of the members. Non-participants such as
// clients do not affect that, and come before all numbers if their names are not numbers. Index 0 is unused.
func Ranks(run *tracefmt.Run) []int64 {
	ranks := make([]int64, len(run.Members)+1)
	for i, p := range inOrder(run) {
		ranks[p] = int64(i + 1)
	}
	return ranks
}

// Rank returns the place of p, a process of the run, among [Ranks].
func (s *State) Rank(p tracefmt.ProcessID) int64 { return s.ranks[p] }

// inOrder returns the processes in the ascending order of [Ranks].
func inOrder(run *tracefmt.Run) []tracefmt.ProcessID {
	processes := make([]tracefmt.ProcessID, len(run.Members))
	numbers := true
	for i, m := range run.Members {
		p := tracefmt.ProcessID(i + 1)
		processes[i] = p
		if numbers && run.Part(p) != tracefmt.Bystander {
			_, numbers = tracefmt.NumberOf(m.Name)
		}
	}
	if numbers {
		ids := make([]tracefmt.Number, len(run.Members)+1)
		// named is 1 for a number.
		named := make([]int, len(run.Members)+1)
		for i, m := range run.Members {
			if n, ok := tracefmt.NumberOf(m.Name); ok {
				ids[i+1], named[i+1] = n, 1
			}
		}
		slices.SortStableFunc(processes, func(p, q tracefmt.ProcessID) int {
			return cmp.Or(cmp.Compare(named[p], named[q]), ids[p].Compare(ids[q]))
		})
	}
	sortByAttributes(run, processes)
	return processes
}

// sortByAttributes sorts processes stably by the attributes among the best keys that precede the id. It skips
// a key that some participant lacks, or whose values have no order.
func sortByAttributes(run *tracefmt.Run, processes []tracefmt.ProcessID) {
	keys := run.BestKeys()
	if i := slices.Index(keys, tracefmt.BestID); i >= 0 {
		keys = keys[:i]
	}
	// A stable sort by the last key first leaves the order of the first key.
	for _, key := range slices.Backward(keys) {
		name, _ := tracefmt.BestKey(key)
		values := make([][]byte, len(run.Members)+1)
		var first []byte
		everywhere := true
		for i := range run.Members {
			p := tracefmt.ProcessID(i + 1)
			if run.Part(p) == tracefmt.Bystander {
				// A non-participant is no candidate.
				continue
			}
			values[p] = memberAttribute(run, p, name)
			if first == nil {
				first = values[p]
			}
			_, comparable := CompareMerits(key, first, values[p])
			everywhere = everywhere && values[p] != nil && comparable
		}
		if !everywhere {
			// The key is a variable, or not all members have the attribute.
			continue
		}
		slices.SortStableFunc(processes, func(p, q tracefmt.ProcessID) int {
			if values[p] == nil || values[q] == nil {
				return cmp.Compare(len(values[p]), len(values[q]))
			}
			order, _ := CompareMerits(key, values[p], values[q])
			return order
		})
	}
}

// LiveProcesses returns the processes that are live, in ascending order.
func (s *State) LiveProcesses() []tracefmt.ProcessID {
	live := make([]tracefmt.ProcessID, 0, len(s.Run.Members))
	for i := range s.Run.Members {
		if p := tracefmt.ProcessID(i + 1); s.Live(p) {
			live = append(live, p)
		}
	}
	return live
}

// SameElected reports whether p and q have elected the same process, in any notation.
func (s *State) SameElected(p, q tracefmt.ProcessID) bool {
	x, y := s.processes[p].Elected, s.processes[q].Elected
	if x != Nobody || y != Nobody {
		return x == y
	}
	v, _ := s.Variable(p, "elected")
	w, _ := s.Variable(q, "elected")
	return bytes.Equal(tracefmt.Canonical(v), tracefmt.Canonical(w))
}

// Leader returns the process that all live electors have elected, which may itself be down. It returns 0 if
// they differ, if one has elected none, or if none is live; [Nobody] if all name the same unknown process.
// Electors whose choice does not count ([State.HasChoice]) are left out. If no choice counts, the process
// that leads is the leader; of several, the one with the greatest term.
func (s *State) Leader() tracefmt.ProcessID {
	if !s.hasLeader {
		return s.leaderByRole()
	}
	first := tracefmt.ProcessID(0)
	for i := range s.Run.Members {
		p := tracefmt.ProcessID(i + 1)
		switch {
		case !s.Live(p) || !s.Elector(p) || !s.HasChoice(p):
		case first == 0:
			first = p
		case !s.SameElected(first, p):
			return 0
		}
	}
	// No choice counts. If no role is recorded either, first is 0, whose entry has no leader.
	if first == 0 && s.hasRole {
		return s.leaderByRole()
	}
	return s.processes[first].Elected
}

// leaderByRole returns the process that leads in the greatest term; 0 if no process or several do.
func (s *State) leaderByRole() tracefmt.ProcessID {
	leader := tracefmt.ProcessID(0)
	for i := range s.Run.Members {
		p := tracefmt.ProcessID(i + 1)
		switch {
		case !s.Leads(p):
		case leader == 0 || s.Term(leader).Before(s.Term(p)):
			leader = p
		case !s.Term(p).Before(s.Term(leader)):
			return 0
		}
	}
	return leader
}
