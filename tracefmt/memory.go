package tracefmt

import "iter"

// Memory is a run kept in memory: a [Recording] for small runs, tests and
// simulations. Its zero value is an empty run of no processes.
type Memory struct {
	run    Run
	events []Event
	// payloads holds the bytes of many payloads in few allocations.
	payloads []byte
}

// NewMemory returns an empty recording of the run.
func NewMemory(run Run) *Memory { return &Memory{run: run} }

// Run returns the description; the caller may complete it.
func (m *Memory) Run() *Run { return &m.run }

// Len returns the number of events.
func (m *Memory) Len() int { return len(m.events) }

// Write appends a copy of the event.
func (m *Memory) Write(e *Event) error {
	m.events = append(m.events, *e)
	if len(e.Payload) == 0 {
		return nil
	}
	if cap(m.payloads)-len(m.payloads) < len(e.Payload) {
		m.payloads = make([]byte, 0, max(64<<10, len(e.Payload)))
	}
	start := len(m.payloads)
	m.payloads = append(m.payloads, e.Payload...)
	m.events[len(m.events)-1].Payload = m.payloads[start:len(m.payloads):len(m.payloads)]
	return nil
}

// Finish states how the run ended.
func (m *Memory) Finish(end End) {
	m.run.End = end
	m.run.Events = int64(len(m.events))
}

// At returns the event with that seq, which must be in 1..Len.
func (m *Memory) At(seq Seq) *Event { return &m.events[seq-1] }

// Events implements [Recording].
func (m *Memory) Events(from Seq) iter.Seq2[*Event, error] {
	return func(yield func(*Event, error) bool) {
		for i := max(from, 1) - 1; int(i) < len(m.events); i++ {
			if !yield(&m.events[i], nil) {
				return
			}
		}
	}
}
