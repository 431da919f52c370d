package rerun

import (
	"encoding/binary"

	"etrace/record/sim"
	"etrace/tracefmt"
)

// output is an event that the algorithm has a process make, and what comes after it in
// the same step. Equal ones are the same output.
type output struct {
	event tracefmt.Event
	next  *output
	// names are the variables of the event that the run has, too.
	names []string
	// fields is what the payload says, once it was asked for.
	fields map[string]any
	// due is when a timer is due that the event sets, after the instant of the step.
	due tracefmt.Time
	// silent: it is a change of variables that the run does not have.
	silent bool
}

// outcome is what comes of a step.
type outcome struct {
	to  *sim.State
	out *output // the first is the input itself, if it is one
	err error
}

// steps lets processes take steps from any state, and remembers what came of each.
type steps struct {
	host    *sim.Host
	numbers *numbering
	shared  *shared
	run     *tracefmt.Run

	inputs  map[string]int32
	known   map[stepKey][]outcome
	outputs map[outputKey]*output
	chains  map[string]*output // by all that was written
	written []tracefmt.Event   // by the present step
	bytes   []byte
	key     []byte
	about   sim.Supposition
	// context numbers what is known of who is up; -1: it is not to be remembered.
	context int32
	// present is the one of the present event.
	present int32
	// tried counts the steps that are hidden, as the present one is.
	tried  int64
	hidden bool
	// cut: some step has more than mostOutcomes.
	cut bool
}

type stepKey struct {
	process tracefmt.ProcessID
	from    *sim.State
	input   int32
	context int32
}

type outputKey struct {
	event string
	next  *output
}

// mostRemembered is how many steps, outputs and states are remembered before it begins anew.
const mostRemembered = 1 << 16

func (s *steps) forget() {
	s.inputs, s.known = map[string]int32{}, map[stepKey][]outcome{}
	s.outputs, s.chains = map[outputKey]*output{}, map[string]*output{}
}

// take returns what may come of a step of a process in a state: an input, in the run's
// numbers, or a start, where begins. What comes of it depends on what is not known of the
// others, so there may be several outcomes.
func (s *steps) take(from *sim.State, e *tracefmt.Event, begins bool) []outcome {
	if s.hidden {
		s.tried++
	}
	key := stepKey{e.Process, from, s.input(e, begins), -2}
	if found, ok := s.known[key]; ok {
		return found
	}
	key.context = s.context
	if found, ok := s.known[key]; ok && s.context >= 0 {
		return found
	}
	outcomes, consulted := s.all(from, e, begins)
	if !consulted {
		key.context = -2
	}
	if consulted && s.context < 0 {
		return outcomes
	}
	s.known[key] = outcomes
	return outcomes
}

// input numbers what happens to a process. A time is no part of it.
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

// mostOutcomes is how many answers to what is not known of the others are tried in a step.
const mostOutcomes = 1 << 10

// all tries each answer to what the step asks and is not known.
func (s *steps) all(from *sim.State, e *tracefmt.Event, begins bool) (outcomes []outcome, consulted bool) {
	s.about.Answers = s.about.Answers[:0]
	input := s.numbers.toHost(e)
	input.Time = 0
	for {
		s.written, s.bytes = s.written[:0], s.bytes[:0]
		to, err := s.host.Suppose(from, input, begins, &s.about)
		consulted = consulted || s.about.Consulted
		outcomes = append(outcomes, outcome{to, s.chain(), err})
		if !s.about.Next() {
			return outcomes, consulted
		}
		if len(outcomes) == mostOutcomes {
			s.cut = true
			return outcomes, consulted
		}
		s.tried++
	}
}

// write takes what the algorithm does from the host.
func (s *steps) write(e *tracefmt.Event) {
	at := len(s.bytes)
	s.bytes = append(s.bytes, e.Payload...)
	own := *s.numbers.fromHost(e)
	own.Seq, own.Message, own.Cause, own.Lamport, own.Time, own.Term = 0, 0, 0, 0, 0, 0
	if e.Payload != nil {
		own.Payload = s.bytes[at:len(s.bytes):len(s.bytes)]
	}
	s.written = append(s.written, own)
}

// chain returns what was written as outputs.
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
	whole := string(b)
	first := s.link()
	s.chains[whole] = first
	return first
}

// appendOutput appends what makes an output different from others.
func appendOutput(b []byte, e *tracefmt.Event) []byte {
	b = append(b, byte(e.Kind))
	b = binary.AppendVarint(binary.AppendVarint(b, int64(e.Process)), int64(e.Peer))
	return append(append(append(b, e.Type...), 0), e.Payload...)
}

// link makes the outputs of what was written.
func (s *steps) link() *output {
	var next *output
	for i := len(s.written) - 1; i >= 0; i-- {
		if o := s.output(&s.written[i], next); !o.silent {
			next = o
		}
	}
	return next
}

func (s *steps) output(e *tracefmt.Event, next *output) *output {
	s.key = appendOutput(s.key[:0], e)
	key := outputKey{string(s.key), next}
	if o := s.outputs[key]; o != nil {
		return o
	}
	o := &output{event: *e.Clone(), next: next}
	if e.Kind.AssignsVariables() {
		for name := range tracefmt.Fields(e.Payload) {
			if v := variableName(name); s.shared.both[v] {
				o.names = append(o.names, v)
			}
		}
		o.silent = e.Kind == tracefmt.State && len(o.names) == 0
	}
	o.due = dueOf(e)
	s.outputs[key] = o
	return o
}

// dueOf is when the timer of an event is due, 0 where it does not say so.
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
