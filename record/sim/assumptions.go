package sim

import (
	"encoding/binary"
	"maps"
	"slices"

	"etrace/tracefmt"
)

// A host can follow several possible executions of a process at once: the caller keeps the states in which the process
// may be, and makes it take a step from each of them.

// State is the state of a process of a host: whether it is up, its variables, and its armed timers. It is immutable,
// and equal states of one host are the same pointer.
type State struct {
	key      string
	up       bool
	values   []any // the values of the variables; if the process is down, of the stable ones
	recorded []any // the last recorded values of the indexed variables
	timers   []Timer
	// round is the last round in which the process participated.
	round int64
	draws int64 // the number of its draws
}

// Up reports whether the process is up.
func (s *State) Up() bool { return s.up }

// Armed reports whether any timer is armed.
func (s *State) Armed() bool { return len(s.timers) > 0 }

// Timers returns the names of the armed timers.
func (h *Host) Timers(s *State) []string {
	var names []string
	for _, t := range s.timers {
		names = append(names, h.k.protocol.timerName(t))
	}
	return names
}

// Round returns the number of the next round of a process in that state, 0 if the protocol does not work in
// rounds.
func (h *Host) Round(s *State) int64 {
	if h.k.protocol.Round == nil {
		return 0
	}
	return s.round + 1
}

// Initial returns the initial state of a process that is up and knows the coordinator, 0 for none. about has
// assumptions, since initial values may depend on the other processes.
func (h *Host) Initial(p, coordinator tracefmt.ProcessID, about *Assumptions) *State {
	return h.initial(p, about, func(process *Process) {
		process.up = true
		known := h.k.Coordinator
		h.k.Coordinator = coordinator
		h.k.initialize(process)
		h.k.Coordinator = known
	})
}

// InitialDown returns the initial state of a process that is down.
func (h *Host) InitialDown(p tracefmt.ProcessID, about *Assumptions) *State {
	return h.initial(p, about, func(process *Process) { process.up = false })
}

// initial returns the state of a process after begin. The present state of the process stays unchanged.
func (h *Host) initial(p tracefmt.ProcessID, about *Assumptions, begin func(*Process)) *State {
	process := &h.k.processes[p]
	was := process.up
	about.begin(p)
	h.k.assumed = about
	defer func() { h.k.assumed = nil }()
	process.disarmAll()
	process.reset()
	process.draws = 0
	begin(process)
	s := h.state(process)
	process.up = was
	return s
}

// Elects reports whether the processes have the variable elected.
func (h *Host) Elects() bool { return h.k.protocol.elected != nil }

// Invokes reports whether the protocol has operations.
func (h *Host) Invokes() bool { return len(h.k.protocol.operations) > 0 }

// Assumptions has the assumptions about the other processes, and about draws, in a step of a process. A step
// that depends on an unknown fact asks a question, and each answer is one possible step.
type Assumptions struct {
	// Unsure marks the processes, by number, that may be up or down; nil for none.
	Unsure []bool
	// Down is true if the processes that were down at the start are unknown.
	Down bool
	// Draws is true if the draws of the process are unknown, so that each is a question. Otherwise they follow from
	// the seed.
	Draws bool
	// Answers are the answers to the questions of the step, in their order; missing ones are 0.
	Answers []int
	// Asked is a result: the number of possible answers of each question.
	Asked []int
	// Consulted is a result: the step depends on which other processes are up, or were up at the start.
	Consulted bool
	// Unsettled is a result: the step did not end, since the process sent itself more messages than a step with assumptions
	// may.
	Unsettled bool

	given []givenAnswer
	drawn int                // the number of draws in the step so far
	self  tracefmt.ProcessID // the process that takes the step; it knows that it is up
}

// givenAnswer is a question with its answer, so that the same question has the same answer throughout the step.
type givenAnswer struct {
	question, answer int
}

// begin prepares for a step of a process.
func (s *Assumptions) begin(p tracefmt.ProcessID) {
	s.Asked, s.given, s.Consulted, s.Unsettled, s.drawn, s.self = s.Asked[:0], s.given[:0], false, false, 0, p
}

// Next advances Answers to the next combination, and reports whether there is one. The first combination is 0
// for each question.
func (s *Assumptions) Next() bool {
	for len(s.Answers) < len(s.Asked) {
		s.Answers = append(s.Answers, 0)
	}
	s.Answers = s.Answers[:len(s.Asked)]
	for i := len(s.Answers) - 1; i >= 0; i-- {
		s.Answers[i]++
		if s.Answers[i] < s.Asked[i] {
			return true
		}
		s.Answers = s.Answers[:i]
	}
	return false
}

// answer returns the present answer to a question, from 0 to answers-1. With n = len(kernel.processes), question q < n is
// whether process q is up, n+q is whether q was down at the start, 2n is the highest of these, and 3n+i is the i-th draw.
func (s *Assumptions) answer(question, answers int) int {
	for _, g := range s.given {
		if g.question == question {
			return g.answer
		}
	}
	answer := 0
	if i := len(s.Asked); i < len(s.Answers) {
		answer = s.Answers[i]
	}
	s.Asked = append(s.Asked, answers)
	s.given = append(s.given, givenAnswer{question, answer})
	return answer
}

// StepFrom applies an input to a process in state s, as [Host.Step] does, and returns the next state. Another
// process is up after [Host.MarkUp] and down after [Host.MarkDown], unless about leaves this open.
func (h *Host) StepFrom(s *State, e *tracefmt.Event, about *Assumptions) (*State, error) {
	return h.stepFrom(s, e, about, h.Step)
}

// BeginFrom is [Host.StepFrom] for a start, as [Host.Begin] does it.
func (h *Host) BeginFrom(s *State, e *tracefmt.Event, about *Assumptions) (*State, error) {
	return h.stepFrom(s, e, about, h.Begin)
}

// stepFrom restores the state s, takes the step with the assumptions of about, and returns the new state.
func (h *Host) stepFrom(s *State, e *tracefmt.Event, about *Assumptions, step func(*tracefmt.Event) error) (*State, error) {
	p := &h.k.processes[e.Process]
	up := p.up
	h.restore(p, s)
	about.begin(e.Process)
	h.k.assumed = about
	err := step(e)
	h.k.assumed = nil
	after := h.state(p)
	p.up = up
	return after, err
}

// MarkUp makes a process up in the view of the others.
func (h *Host) MarkUp(p tracefmt.ProcessID) { h.k.processes[p].up = true }

// MarkDown makes a process down in the view of the others.
func (h *Host) MarkDown(p tracefmt.ProcessID) { h.k.processes[p].up = false }

// IsUp reports whether the last call for the process was MarkUp.
func (h *Host) IsUp(p tracefmt.ProcessID) bool { return h.k.processes[p].up }

// States returns the number of distinct states that the host keeps.
func (h *Host) States() int { return len(h.states) }

// Keep keeps only the states that used yields.
func (h *Host) Keep(used func(yield func(*State) bool)) {
	h.states = make(map[string]*State)
	for s := range used {
		h.states[s.key] = s
	}
}

// state returns the present state of a process.
func (h *Host) state(p *Process) *State {
	b := h.appendState(h.key[:0], p)
	h.key = b
	if s := h.states[string(b)]; s != nil {
		return s
	}
	s := &State{key: string(b), up: p.up, round: p.lastNumber, draws: p.draws, timers: p.armed()}
	for i, v := range h.k.protocol.variables {
		var value, recorded any
		if p.up || v.has(Stable) {
			value = h.k.columns[i].save(p.id)
		}
		if v.items != nil && p.up {
			recorded = h.k.columns[i].saveRecorded(p.id)
		}
		s.values, s.recorded = append(s.values, value), append(s.recorded, recorded)
	}
	if h.states == nil {
		h.states = make(map[string]*State)
	}
	h.states[s.key] = s
	return s
}

// appendState appends the key of the state: equal states have equal keys.
func (h *Host) appendState(b []byte, p *Process) []byte {
	up := byte(0)
	if p.up {
		up = 1
	}
	b = append(b, up)
	for i, v := range h.k.protocol.variables {
		if !p.up && !v.has(Stable) {
			continue
		}
		b = v.appendBinary(b, h.k.columns[i].at(p.id), nil)
		if v.items != nil && p.up {
			b = v.appendBinary(b, h.k.columns[i].recordedAt(p.id), nil)
		}
	}
	b = binary.AppendVarint(binary.AppendVarint(b, p.lastNumber), p.draws)
	for t := range p.timers {
		if p.timers[t].order != 0 {
			b = binary.AppendVarint(b, int64(t))
		}
	}
	if len(p.numbered) > 0 {
		for _, t := range slices.Sorted(maps.Keys(p.numbered)) {
			b = binary.AppendVarint(b, int64(t))
		}
	}
	return b
}

// restore sets a process to a state.
func (h *Host) restore(p *Process, s *State) {
	p.up, p.lastNumber, p.draws, p.dirty = s.up, s.round, s.draws, 0
	for i := range h.k.protocol.variables {
		h.k.columns[i].load(p.id, s.values[i], s.recorded[i])
	}
	clear(p.timers)
	clear(p.numbered)
	for _, t := range s.timers {
		p.arm(t, timer{order: 1})
	}
}

// armed returns the armed timers, in ascending order.
func (p *Process) armed() []Timer {
	var armed []Timer
	for t := range p.timers {
		if p.timers[t].order != 0 {
			armed = append(armed, Timer(t))
		}
	}
	return append(armed, slices.Sorted(maps.Keys(p.numbered))...)
}

// isUp reports whether a process is up in the view of the process that takes a step.
func (k *kernel) isUp(q tracefmt.ProcessID) bool {
	up := k.processes[q].up
	if s := k.assumed; s != nil && q != s.self {
		s.Consulted = true
		if s.Unsure != nil && s.Unsure[q] { // the answer 0 is the known state
			return up == (s.answer(int(q), 2) == 0)
		}
	}
	return up
}

// wasDown reports whether a process was down at the start.
func (k *kernel) wasDown(q tracefmt.ProcessID) bool {
	if s := k.assumed; s != nil {
		s.Consulted = true
		if s.Down {
			return k.initiallyDown[q] == (s.answer(len(k.processes)+int(q), 2) == 0)
		}
	}
	return k.initiallyDown[q]
}

// firstDown returns the highest process that was down at the start, 0 if no process was.
func (k *kernel) firstDown() tracefmt.ProcessID {
	if s := k.assumed; s != nil {
		s.Consulted = true
		// The answer 0 is the known process; the others follow in the order of their numbers, and 0 after the greatest.
		if s.Down {
			n := len(k.processes)
			return tracefmt.ProcessID((int(k.firstSuspect) + s.answer(2*n, n)) % n)
		}
	}
	return k.firstSuspect
}
