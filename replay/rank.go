package replay

import (
	"strconv"

	"etrace/tracefmt"
)

// Ranks returns the order of the processes of a run by their election
// attribute, the id, indexed by process: by number if all names are numbers,
// else in the order of the members. Index 0 is unused.
func Ranks(run *tracefmt.Run) []int64 {
	ranks := make([]int64, len(run.Members)+1)
	numbers := true
	for i, m := range run.Members {
		n, err := strconv.ParseInt(m.Name, 10, 64)
		ranks[i+1], numbers = n, numbers && err == nil
	}
	if !numbers {
		for i := range ranks {
			ranks[i] = int64(i)
		}
	}
	return ranks
}

// LiveProcesses returns the processes that are live, in ascending order.
func (s *State) LiveProcesses() []tracefmt.ProcessID {
	var live []tracefmt.ProcessID
	for i := range s.Run.Members {
		if p := tracefmt.ProcessID(i + 1); s.Live(p) {
			live = append(live, p)
		}
	}
	return live
}

// Best returns the live process of the greatest rank, 0 if none is live.
func (s *State) Best() tracefmt.ProcessID {
	best := tracefmt.ProcessID(0)
	for i := range s.Run.Members {
		if p := tracefmt.ProcessID(i + 1); s.Live(p) && (best == 0 || s.ranks[p] > s.ranks[best]) {
			best = p
		}
	}
	return best
}
