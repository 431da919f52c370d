package conform

import (
	"encoding/binary"

	"etrace/record/sim"
	"etrace/tracefmt"
)

// output is an event that the algorithm makes, linked to the next event of the same step. Outputs are
// interned: equal outputs are the same pointer.
type output struct {
	event tracefmt.Event
	next  *output
	// names are the shared variables that the event assigns.
	names []string
	// fields caches the fields of the payload.
	fields map[string]any
	// due is the time from the step to the expiry of the timer that the event sets.
	due tracefmt.Time
	// silent: the event only changes variables that the run does not have.
	silent bool
}

// outcome is a result of a step.
type outcome struct {
	state *sim.State
	// out is the first event of the step, which may be the input itself.
	out *output
	err error
}

// steps lets processes take steps from any state, and caches the outcomes.
type steps struct {
	host    *sim.Host
	numbers *numbering
	shared  *shared
	run     *tracefmt.Run

	// inputs numbers the inputs, known caches the outcomes of steps, outputs interns the events.
	inputs  map[string]int32
	known   map[stepKey][]outcome
	outputs map[outputKey]*output
	// chains are keyed by all that a step wrote.
	chains map[string]*output
	// written are the events of the present step.
	written []tracefmt.Event
	bytes   []byte
	key     []byte
	// assumptions holds the unknown facts about other processes, and the answers that the present step assumes.
	assumptions sim.Assumptions
	// context numbers the set of processes that are up; -1 if the set is unknown, so that the outcome must not
	// be cached.
	context int32
	// present is the context of the present event.
	present int32
	// tried counts the unrecorded steps. hidden is true if the present step is unrecorded.
	tried  int64
	hidden bool
	// cut is true once a step had more than maxOutcomes outcomes.
	cut bool
}

// stepKey identifies a step in the cache.
type stepKey struct {
	process tracefmt.ProcessID
	from    *sim.State
	input   int32
	context int32
}

// outputKey identifies an output: equal events before the same outputs are one.
type outputKey struct {
	event string
	next  *output
}

// maxCached is the number of cached steps, outputs and states at which the cache is discarded.
const maxCached = 1 << 16

// clear empties the caches.
func (s *steps) clear() {
	s.inputs, s.known = map[string]int32{}, map[stepKey][]outcome{}
	s.outputs, s.chains = map[outputKey]*output{}, map[string]*output{}
}

// outcomes returns the possible outcomes of a step that a process takes in a state: on the input e or, if begins
// is true, as a start. There may be several, since the step may depend on unknown facts about other
// processes.
func (s *steps) outcomes(from *sim.State, e *tracefmt.Event, begins bool) []outcome {
	if s.hidden {
		s.tried++
	}
	// The context -2 matches every context: the step does not ask which processes are up.
	key := stepKey{e.Process, from, s.input(e, begins), -2}
	if found, ok := s.known[key]; ok {
		return found
	}
	key.context = s.context
	if found, ok := s.known[key]; ok && s.context >= 0 {
		return found
	}
	outcomes, consulted := s.explore(from, e, begins)
	if !consulted {
		key.context = -2
	}
	if consulted && s.context < 0 {
		return outcomes
	}
	s.known[key] = outcomes
	return outcomes
}

// input returns a number for the input of a step. Inputs that differ only in time have the same number.
func (s *steps) input(e *tracefmt.Event, begins bool) int32 {
	b := append(s.key[:0], byte(e.Kind))
	if begins {
		b[0] |= 0x80
		if e.Kind != tracefmt.Suspect {
			b[0] = 0x80
		}
	}
	b = binary.AppendVarint(b, int64(e.Peer))
	if !begins {
		b = append(append(b, e.Type...), 0)
		b = append(b, e.Payload...)
	}
	s.key = b
	n, ok := s.inputs[string(b)]
	if !ok {
		n = int32(len(s.inputs))
		s.inputs[string(b)] = n
	}
	return n
}

// maxOutcomes is the number of answers about unknown facts to try in a step.
const maxOutcomes = 1 << 10

// explore takes a step once for each combination of answers to its questions about unknown facts. consulted is
// true if it asked any.
func (s *steps) explore(from *sim.State, e *tracefmt.Event, begins bool) (outcomes []outcome, consulted bool) {
	s.assumptions.Answers = s.assumptions.Answers[:0]
	input := s.numbers.toHost(e)
	input.Time = 0
	suppose := s.host.StepFrom
	if begins {
		suppose = s.host.BeginFrom
	}
	for {
		s.written, s.bytes = s.written[:0], s.bytes[:0]
		next, err := suppose(from, input, &s.assumptions)
		consulted = consulted || s.assumptions.Consulted
		outcomes = append(outcomes, outcome{next, s.chain(), err})
		if !s.assumptions.Next() {
			return outcomes, consulted
		}
		if len(outcomes) == maxOutcomes {
			s.cut = true
			return outcomes, consulted
		}
		s.tried++
	}
}

// write receives what the algorithm does from the host.
func (s *steps) write(e *tracefmt.Event) {
	start := len(s.bytes)
	s.bytes = append(s.bytes, e.Payload...)
	event := *s.numbers.fromHost(e)
	event.Seq, event.Message, event.Cause, event.Lamport, event.Time, event.Term = 0, 0, 0, 0, 0, 0
	if e.Payload != nil {
		event.Payload = s.bytes[start:len(s.bytes):len(s.bytes)]
	}
	s.written = append(s.written, event)
}

// chain returns the written events as linked outputs.
func (s *steps) chain() *output {
	b := s.key[:0]
	for i := range s.written {
		e := &s.written[i]
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(len(e.Type))), uint64(len(e.Payload)))
		b = appendOutput(b, e)
	}
	s.key = b
	if first, ok := s.chains[string(b)]; ok {
		return first
	}
	key := string(b)
	first := s.link()
	s.chains[key] = first
	return first
}

// appendOutput appends the key of an output.
func appendOutput(b []byte, e *tracefmt.Event) []byte {
	b = append(b, byte(e.Kind))
	b = binary.AppendVarint(binary.AppendVarint(b, int64(e.Process)), int64(e.Peer))
	return append(append(append(b, e.Type...), 0), e.Payload...)
}

// link makes outputs of the written events, from the last to the first, and returns the first. It leaves out
// events that only change variables of the algorithm alone.
func (s *steps) link() *output {
	var next *output
	for i := len(s.written) - 1; i >= 0; i-- {
		if o := s.output(&s.written[i], next); !o.silent {
			next = o
		}
	}
	return next
}

// output returns the interned output of an event before next.
func (s *steps) output(e *tracefmt.Event, next *output) *output {
	s.key = appendOutput(s.key[:0], e)
	key := outputKey{string(s.key), next}
	if o := s.outputs[key]; o != nil {
		return o
	}
	o := &output{event: *e.Clone(), next: next}
	if e.Kind.AssignsVariables() {
		for name := range tracefmt.Fields(e.Payload) {
			if v := variableName(name); s.shared.common[v] {
				o.names = append(o.names, v)
			}
		}
		o.silent = e.Kind == tracefmt.State && len(o.names) == 0
	}
	o.due = dueOf(e)
	s.outputs[key] = o
	return o
}

// dueOf returns the due time of a timer event; 0 if it has none.
func dueOf(e *tracefmt.Event) (due tracefmt.Time) {
	if e.Kind != tracefmt.SetTimer && e.Kind != tracefmt.Timeout {
		return 0
	}
	if value, ok := e.Field("due"); ok {
		for _, c := range value {
			if c < '0' || c > '9' {
				return 0
			}
			due = due*10 + tracefmt.Time(c-'0')
		}
	}
	return due
}
