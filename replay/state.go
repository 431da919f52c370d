package replay

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"etrace/tracefmt"
)

// Status says whether a process takes steps.
type Status uint8

// The statuses of a process. Unknown is a process of which the trace has not
// said yet that it runs or does not; it is taken for live. See [Process.Shown], too.
const (
	Unknown Status = iota
	Running
	Crashed
	Halted
)

var statuses = [...]string{Unknown: "unknown", Running: "running", Crashed: "crashed", Halted: "halted"}

// String is the word for the status.
func (s Status) String() string { return statuses[s%Status(len(statuses))] }

// statusAfter says which kinds of events decide whether a process is up.
var statusAfter = [...]Status{tracefmt.Start: Running, tracefmt.Recover: Running, tracefmt.Crash: Crashed, tracefmt.Halt: Halted}

// StatusAfter returns the status that an event of the kind gives its process,
// false if it leaves it as it is.
func StatusAfter(k tracefmt.Kind) (Status, bool) {
	if int(k) >= len(statusAfter) || statusAfter[k] == Unknown {
		return Unknown, false
	}
	return statusAfter[k], true
}

// ChangesProcess reports whether an event of the kind may change the status or
// the variables of its process, unless it is down; see [State.Changed].
func ChangesProcess(k tracefmt.Kind) bool {
	_, ok := StatusAfter(k)
	return ok || k == tracefmt.State
}

// Concerns reports whether an event, which the state has yet to take in, changes the status of a process or its
// variables, or is the first step that shows that it runs. A state that is shown these alone, of a run that
// is recorded whole, knows of each process what one that is shown all events knows, but for its clock and its timers.
func (s *State) Concerns(e *tracefmt.Event) bool {
	p := e.Process
	return ChangesProcess(e.Kind) || p > 0 && int(p) < len(s.processes) && IsAct(e) && s.processes[p].Shown() != Running
}

// Nobody is the value of a variable that names neither a process of the run
// nor none: a process that the trace does not know.
const Nobody tracefmt.ProcessID = -1

// Process is the state of one process.
type Process struct {
	Status Status
	// Since is the event that gave the status, 0 for none.
	Since tracefmt.Seq
	// Inferred: the event that gave the status was guessed, see [tracefmt.InferredKey].
	Inferred bool
	// Incarnation counts how often the process was begun, from 1: a recovery begins it
	// anew, and so does a start after it has taken steps, and a step while it was down.
	Incarnation int64
	// Down is the event that took down a process of which only its own steps show that
	// it is up again, 0 for all others; see [State.ShowsRestart].
	Down tracefmt.Seq
	// Elected is the value of the variable elected: 0 for none, [Nobody] for
	// a value that names no process. ElectedAt is the event that assigned it.
	Elected   tracefmt.ProcessID
	ElectedAt tracefmt.Seq
	// Role is what its variable role says of leading.
	Role RoleTold
	// SaidAt is the last event in which it said of itself whether it leads: by its role,
	// or by having elected itself, since it came up, and in its present term; 0 for none.
	SaidAt tracefmt.Seq
	// Lamport is the logical clock of the process, as its last step tells it.
	Lamport int64

	// stepAt is the last event in which it took a step, resetAt the last that gave it its
	// variables anew: a start, a recovery, of which there were resets. assigned are the events that
	// assigned its variables, by the name of the list for items of one; only of a run that does
	// not tell everything.
	stepAt, resetAt tracefmt.Seq
	resets          int64
	assigned        map[string]*assignment

	speaks  bool // it has told elected or role
	stepped bool // it has taken a step
	term    Term
	termAt  tracefmt.Seq // the event that told it
	// saidIn and chosenIn are the terms of SaidAt and ElectedAt, or the first that it
	// told after.
	saidIn, chosenIn Term

	variables variables
	timers    map[string]timer // the armed ones
	inbound   int              // messages on their way to the process
}

// Live reports whether the process has neither crashed nor halted.
func (p *Process) Live() bool { return p.Status == Unknown || p.Status == Running }

// Shown is the status as its events show it: a process that has taken a step runs, though
// the trace has not said that it does.
func (p *Process) Shown() Status {
	if p.Status == Unknown && p.stepped {
		return Running
	}
	return p.Status
}

// statusAt is Shown when the event happens to it: who takes a step there ran before.
func (p *Process) statusAt(e *tracefmt.Event) Status {
	if p.Status == Unknown && IsAct(e) {
		return Running
	}
	return p.Shown()
}

// StatusText is the status for people, with what else is known of it: crashed (inferred),
// running (incarnation 2).
func (p *Process) StatusText() string {
	var more []string
	if p.Incarnation > 1 {
		more = append(more, fmt.Sprintf("incarnation %d", p.Incarnation))
	}
	if p.Inferred {
		more = append(more, tracefmt.InferredKey)
	}
	if more == nil {
		return p.Shown().String()
	}
	return p.Shown().String() + " (" + strings.Join(more, ", ") + ")"
}

type timer struct {
	set   tracefmt.Seq
	setAt tracefmt.Time
	due   tracefmt.Time
	known bool // the trace says when it is due
}

// Flight is a message on its way.
type Flight struct {
	Message  tracefmt.MessageID
	From, To tracefmt.ProcessID
	Type     string
	Sent     tracefmt.Seq
	SentAt   tracefmt.Time

	payload []byte
}

// State is the state of a run after the event Seq. Its size is that of the
// processes and of what is in flight, not of the trace; an event costs the
// same wherever it stands.
type State struct {
	Run  *tracefmt.Run
	Seq  tracefmt.Seq
	Time tracefmt.Time

	processes []Process // by ProcessID; 0 is unused
	flights   map[tracefmt.MessageID]Flight
	inFlight  int // to live processes
	armed     int
	values    map[string]tracefmt.ProcessID // by JSON value
	ranks     []int64                       // see Ranks
	restarted bool                          // by the event that was taken in last; see Restarted
	nextLife  bool                          // the same; see NextLife
	hasLeader bool
	hasRole   bool
	hasTerm   bool
	oddRole   string
	parts     []tracefmt.Part // by process
	byzantine []tracefmt.ProcessID
	term      string // the variable that is the term
	roles     map[string]saidRole
	// payloads is memory of messages that have arrived, for later ones.
	payloads   [][]byte
	pool       pagePool
	read       reading
	elections  bool // it keeps the variables of elections only
	coverage   *tracefmt.Coverage
	vocabulary *Vocabulary // nil in a run that claims to be recorded whole
	finished   bool        // no event follows
	inferred   map[tracefmt.Seq]Inferred
}

// Process returns the state of p, which must be a process of the run. It
// changes with the next Apply.
func (s *State) Process(p tracefmt.ProcessID) *Process { return &s.processes[p] }

// Live reports whether p, a process of the run, has neither crashed nor halted.
func (s *State) Live(p tracefmt.ProcessID) bool { return s.processes[p].Live() }

// HasElected reports whether any process ever assigned the variable elected.
func (s *State) HasElected() bool { return s.hasLeader }

// InFlight returns how many messages are on their way to live processes.
func (s *State) InFlight() int { return s.inFlight }

// Flights returns the messages on their way, in the order of their sends.
func (s *State) Flights() []Flight {
	return slices.SortedFunc(maps.Values(s.flights), func(a, b Flight) int {
		return cmp.Or(cmp.Compare(a.Sent, b.Sent), cmp.Compare(a.Message, b.Message))
	})
}

// Armed returns how many timers are armed.
func (s *State) Armed() int { return s.armed }

// Quiescent reports whether nothing can happen any more, as far as the trace
// tells: no message is on its way to a live process and no timer is armed.
func (s *State) Quiescent() bool { return s.armed == 0 && s.inFlight == 0 }

// Variable returns the raw JSON value of a variable of p; a variable that is
// null has none.
func (s *State) Variable(p tracefmt.ProcessID, name string) ([]byte, bool) {
	value := s.processes[p].variables.get(name)
	return value, value != nil
}

// Apply takes in the next event of the run. What names no process of the run
// changes nothing.
func (s *State) Apply(e *tracefmt.Event) {
	s.Seq, s.Time, s.restarted, s.nextLife = e.Seq, e.Time, s.ShowsRestart(e), false
	s.coverage.ShowKind(e)
	s.vocabulary.show(e)
	if e.Process < 1 || int(e.Process) >= len(s.processes) {
		return
	}
	p := &s.processes[e.Process]
	if s.restarted {
		s.restart(p, e.Seq)
		p.Incarnation++
	}
	if e.Kind != tracefmt.Lose { // which is no step of the receiver
		p.Lamport = e.Lamport
	}
	if s.nextLife = e.Kind == tracefmt.Recover || p.stepped && e.Kind == tracefmt.Start; s.nextLife {
		s.beginNextLife(p, e.Seq)
	}
	if e.Kind == tracefmt.Start || e.Kind == tracefmt.Recover || IsAct(e) {
		p.stepped, p.stepAt = true, e.Seq
	}
	if status, ok := StatusAfter(e.Kind); ok {
		s.setStatus(p, status, e.Seq)
		s.doubt(p, e)
	}
	switch e.Kind {
	case tracefmt.Start, tracefmt.Recover:
		p.reset(e.Seq)
		s.assign(p, e)
	case tracefmt.State:
		s.assign(p, e)
	case tracefmt.Send:
		s.send(e)
	case tracefmt.Receive, tracefmt.Lose:
		s.arrive(e.Message)
	case tracefmt.SetTimer:
		s.arm(p, e)
	case tracefmt.CancelTimer, tracefmt.Timeout:
		s.disarm(p, e.Type)
	}
}

// doubt takes in that an event which was inferred may not have happened.
func (s *State) doubt(p *Process, e *tracefmt.Event) {
	if p.Inferred = e.Inferred(); !p.Inferred {
		return
	}
	s.coverage.Doubt(e)
	if s.inferred == nil {
		s.inferred = make(map[tracefmt.Seq]Inferred)
	}
	s.inferred[e.Seq] = Inferred{e.Process, e.Kind}
}

// Inferred is an event that was guessed from others.
type Inferred struct {
	Process tracefmt.ProcessID
	Kind    tracefmt.Kind
}

// Inferred returns the event of that seq if the state has taken it in and it is inferred.
func (s *State) Inferred(seq tracefmt.Seq) (Inferred, bool) {
	e, ok := s.inferred[seq]
	return e, ok
}

// setStatus keeps the counts of what can still happen: a process that is
// down has no timers, and what arrives at it happens to no process.
func (s *State) setStatus(p *Process, status Status, at tracefmt.Seq) {
	was := p.Live()
	p.Status, p.Since, p.Down, p.Inferred = status, at, 0, false
	if was && !p.Live() {
		p.SaidAt, p.saidIn = 0, Term{} // once it is up again, it leads when it says so
	}
	if !p.Live() {
		s.armed -= len(p.timers)
		p.forgetTimers()
	}
	switch {
	case was && !p.Live():
		s.inFlight -= p.inbound
	case !was && p.Live():
		s.inFlight += p.inbound
	}
}

func (s *State) send(e *tracefmt.Event) {
	if e.Peer < 1 || int(e.Peer) >= len(s.processes) {
		return
	}
	s.arrive(e.Message) // no trace that is well-formed sends a message twice
	f := Flight{Message: e.Message, From: e.Process, To: e.Peer, Type: e.Type, Sent: e.Seq, SentAt: e.Time}
	if last := len(s.payloads) - 1; last >= 0 && len(e.Payload) > 0 {
		f.payload, s.payloads = s.payloads[last][:0], s.payloads[:last]
	}
	f.payload = append(f.payload, e.Payload...)
	s.flights[e.Message] = f
	s.travel(f.To, 1)
}

// arrive ends the flight of a message, if it is on its way.
func (s *State) arrive(message tracefmt.MessageID) {
	f, ok := s.flights[message]
	if !ok {
		return
	}
	delete(s.flights, message)
	s.travel(f.To, -1)
	if cap(f.payload) > 0 {
		s.payloads = append(s.payloads, f.payload)
	}
}

func (s *State) travel(to tracefmt.ProcessID, n int) {
	p := &s.processes[to]
	p.inbound += n
	if p.Live() {
		s.inFlight += n
	}
}

// Named returns the process that the JSON value of a variable or field names, 0
// for null and "", and Nobody for all else.
func (s *State) Named(value []byte) tracefmt.ProcessID {
	if p, ok := s.values[string(value)]; ok {
		return p
	}
	if bytes.IndexByte(value, '\\') > 0 {
		return s.namedWithEscapes(value)
	}
	return Nobody
}

// namedWithEscapes is Named of a text that may be escaped in another way than
// AppendString does.
func (s *State) namedWithEscapes(value []byte) tracefmt.ProcessID {
	var name string
	if json.Unmarshal(value, &name) == nil {
		if p, ok := s.values[string(tracefmt.AppendString(nil, name))]; ok {
			return p
		}
	}
	return Nobody
}

func (s *State) arm(p *Process, e *tracefmt.Event) {
	t := timer{set: e.Seq, setAt: e.Time}
	if due, ok := e.Field("due"); ok {
		n, known := tracefmt.ParseInteger(due)
		t.due, t.known = tracefmt.Time(n), known
	}
	if p.timers == nil {
		p.timers = make(map[string]timer)
	}
	s.armed -= len(p.timers)
	p.timers[e.Type] = t
	s.armed += len(p.timers)
}

// forgetTimers takes all timers away.
func (p *Process) forgetTimers() {
	if len(p.timers) > mostReused {
		p.timers = nil
	}
	clear(p.timers)
}

func (s *State) disarm(p *Process, name string) {
	s.armed -= len(p.timers)
	delete(p.timers, name)
	s.armed += len(p.timers)
}
