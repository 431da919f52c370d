// Package replay folds the events of a run into the state of its processes
// and channels. It is pure: it knows what the trace says and nothing of the
// algorithm that made it.
package replay

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"

	"etrace/tracefmt"
)

// Status says whether a process takes steps.
type Status uint8

// The statuses of a process. Unknown is a process of which the trace has not
// said yet that it runs or does not; it is taken for live.
const (
	Unknown Status = iota
	Running
	Crashed
	Halted
)

// Process is the state of one process.
type Process struct {
	Status Status
	// Since is the event that gave the status, 0 for none.
	Since tracefmt.Seq
	// Elected is the value of the variable elected, 0 for none or for a value
	// that names no process; ElectedAt is the event that assigned it.
	Elected   tracefmt.ProcessID
	ElectedAt tracefmt.Seq

	variables []variable
	timers    []timer
}

type variable struct {
	name  string
	value []byte
}

type timer struct {
	name string
	due  tracefmt.Time
	set  tracefmt.Time
}

// Flight is a message on its way.
type Flight struct {
	Message  tracefmt.MessageID
	From, To tracefmt.ProcessID
	Type     string
	Sent     tracefmt.Seq
	SentAt   tracefmt.Time
	payload  uint64 // a hash
}

// State is the state of a run after the event Seq. Its size is that of the
// processes and of what is in flight, not of the trace.
type State struct {
	Run  *tracefmt.Run
	Seq  tracefmt.Seq
	Time tracefmt.Time

	processes []Process // by ProcessID; 0 is unused
	flights   map[tracefmt.MessageID]Flight
	armed     int
	values    map[string]tracefmt.ProcessID // by JSON value
	hasLeader bool
}

// NewState returns the state before the first event.
func NewState(run *tracefmt.Run) *State {
	s := &State{
		Run: run, processes: make([]Process, len(run.Members)+1),
		flights: make(map[tracefmt.MessageID]Flight), values: make(map[string]tracefmt.ProcessID),
	}
	for i, m := range run.Members {
		p := tracefmt.ProcessID(i + 1)
		s.values[m.Name] = p // the number 4 names process "4"
		s.values[string(tracefmt.AppendString(nil, m.Name))] = p
	}
	return s
}

// Process returns the state of p, which must be a process of the run. It
// changes with the next Apply.
func (s *State) Process(p tracefmt.ProcessID) *Process { return &s.processes[p] }

// Live reports whether p has neither crashed nor halted.
func (s *State) Live(p tracefmt.ProcessID) bool {
	st := s.processes[p].Status
	return st == Unknown || st == Running
}

// HasElected reports whether any process ever assigned the variable elected.
func (s *State) HasElected() bool { return s.hasLeader }

// InFlight returns how many messages are on their way to live processes.
func (s *State) InFlight() int {
	n := 0
	for _, f := range s.flights {
		if s.Live(f.To) {
			n++
		}
	}
	return n
}

// Flights returns the messages on their way, in the order of their ids.
func (s *State) Flights() []Flight {
	return slices.SortedFunc(maps.Values(s.flights), func(a, b Flight) int { return int(a.Message - b.Message) })
}

// Armed returns how many timers are armed.
func (s *State) Armed() int { return s.armed }

// Quiescent reports whether nothing can happen any more, as far as the trace
// tells: no message is on its way to a live process and no timer is armed.
func (s *State) Quiescent() bool { return s.armed == 0 && s.InFlight() == 0 }

// Variable returns the raw JSON value of a variable of p.
func (s *State) Variable(p tracefmt.ProcessID, name string) ([]byte, bool) {
	for _, v := range s.processes[p].variables {
		if v.name == name {
			return v.value, true
		}
	}
	return nil, false
}

// Apply takes in the next event of the run.
func (s *State) Apply(e *tracefmt.Event) {
	s.Seq, s.Time = e.Seq, e.Time
	if e.Process < 0 || int(e.Process) >= len(s.processes) {
		return
	}
	p := &s.processes[e.Process]
	switch e.Kind {
	case tracefmt.Start:
		p.Status, p.Since = Running, e.Seq
		s.assign(p, e)
	case tracefmt.Halt:
		s.stop(p, Halted, e.Seq)
	case tracefmt.Crash:
		s.stop(p, Crashed, e.Seq)
	case tracefmt.Recover:
		*p = Process{Status: Running, Since: e.Seq}
		s.assign(p, e)
	case tracefmt.State:
		s.assign(p, e)
	case tracefmt.Send:
		s.flights[e.Message] = Flight{
			Message: e.Message, From: e.Process, To: e.Peer, Type: e.Type, Sent: e.Seq, SentAt: e.Time, payload: Hash(e.Payload),
		}
	case tracefmt.Receive, tracefmt.Lose:
		delete(s.flights, e.Message)
	case tracefmt.SetTimer:
		s.arm(p, e)
	case tracefmt.CancelTimer, tracefmt.Timeout:
		s.disarm(p, e.Type)
	}
}

func (s *State) stop(p *Process, status Status, at tracefmt.Seq) {
	p.Status, p.Since = status, at
	s.armed -= len(p.timers)
	p.timers = p.timers[:0]
}

// assign takes in the variables of the payload.
func (s *State) assign(p *Process, e *tracefmt.Event) {
	for name, value := range tracefmt.Fields(e.Payload) {
		if string(name) == "elected" {
			p.Elected, p.ElectedAt = s.values[string(value)], e.Seq
			s.hasLeader = true
		}
		i := slices.IndexFunc(p.variables, func(v variable) bool { return v.name == string(name) })
		if i < 0 {
			i = len(p.variables)
			p.variables = append(p.variables, variable{name: string(name)})
		}
		p.variables[i].value = append(p.variables[i].value[:0], value...)
	}
}

func (s *State) arm(p *Process, e *tracefmt.Event) {
	s.disarm(p, e.Type)
	t := timer{name: e.Type, set: e.Time}
	if due, ok := e.Field("due"); ok {
		for _, c := range due {
			if c < '0' || c > '9' {
				break
			}
			t.due = t.due*10 + tracefmt.Time(c-'0')
		}
	}
	p.timers = append(p.timers, t)
	s.armed++
}

func (s *State) disarm(p *Process, name string) {
	for i := range p.timers {
		if p.timers[i].name == name {
			p.timers = slices.Delete(p.timers, i, i+1)
			s.armed--
			return
		}
	}
}

// Snapshot returns the whole state in one canonical form in which equal bytes
// mean equal states: who runs, all variables, the messages on their way with
// the time since their send, and the armed timers with the time until they
// are due. Message ids, seqs and clocks are no part of it, so that a state
// that recurs later in a run gives the same bytes.
func (s *State) Snapshot() []byte {
	var b []byte
	for i := range s.processes[1:] {
		p := &s.processes[i+1]
		b = append(b, byte(p.Status))
		if p.Status == Crashed || p.Status == Halted {
			continue // what it remembers is lost
		}
		vars := slices.Clone(p.variables)
		slices.SortFunc(vars, func(x, y variable) int { return bytes.Compare([]byte(x.name), []byte(y.name)) })
		for _, v := range vars {
			b = append(append(appendText(b, v.name), v.value...), 0)
		}
		for _, t := range p.timers {
			b = binary.AppendVarint(appendText(b, t.name), int64(t.due-s.Time))
		}
	}
	for _, f := range s.Flights() {
		b = binary.AppendVarint(appendText(b, f.Type), int64(f.From))
		b = binary.AppendVarint(b, int64(f.To))
		b = binary.AppendVarint(b, int64(s.Time-f.SentAt))
		b = binary.BigEndian.AppendUint64(b, f.payload)
	}
	return b
}

func appendText(b []byte, s string) []byte { return append(append(b, s...), 0) }

// Hash is a 64-bit hash of bytes (FNV-1a).
func Hash(data []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range data {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}
