package election

import (
	"etrace/replay"
	"etrace/tracefmt"
)

// symmetry records whether all processes that are not down from the start are in the same state at the end of
// every instant. It is used in complete runs of anonymous processes, whose states contain no names.
type symmetry struct {
	follows bool // the processes are anonymous
	begun   bool
	now     tracefmt.Time
	states  []string // by process; "" for a crashed process
	broken  bool
}

// newSymmetry returns a comparison that is active only in complete runs of anonymous processes.
func newSymmetry(run *tracefmt.Run) symmetry {
	return symmetry{follows: run.States(tracefmt.Anonymous), states: make([]string, len(run.Members)+1)}
}

// step takes an event. When time advances, the states at the end of the former instant are compared.
func (y *symmetry) step(s *replay.State, e *tracefmt.Event) {
	if !y.follows || y.broken {
		return
	}
	if y.begun && e.Time > y.now { // the former instant is over
		y.compare()
	}
	y.begun, y.now = true, e.Time
	if e.Process > 0 {
		state := localState(s, e.Process)
		if state == "" && y.states[e.Process] != "" {
			y.broken = true // its neighbours notice the crash, and other processes do not
		}
		y.states[e.Process] = state
	}
}

// localState returns the memory of a process: its variables and armed timers.
func localState(s *replay.State, p tracefmt.ProcessID) string {
	if !s.Live(p) {
		return ""
	}
	state := []byte("up")
	for _, name := range s.Variables(p) {
		value, _ := s.Variable(p, name)
		state = append(tracefmt.AppendString(append(state, ' '), name), value...)
	}
	for _, t := range s.Timers(p) {
		state = append(append(state, ' '), t.Name+t.When()...)
	}
	return string(state)
}

// compare compares the present states of all processes; crashed ones are ignored.
func (y *symmetry) compare() {
	first := ""
	for _, state := range y.states[1:] {
		switch {
		case state == "":
		case first == "":
			first = state
		case state != first:
			y.broken = true
		}
	}
}

// holds reports whether at the end of every past instant all live processes, two or more, were in one state.
func (y *symmetry) holds() bool {
	live := 0
	for _, state := range y.states {
		if state != "" {
			live++
		}
	}
	return y.follows && !y.broken && live > 1
}
