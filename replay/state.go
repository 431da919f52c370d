package replay

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"etrace/tracefmt"
)

// Status is whether a process takes steps.
type Status uint8

// The statuses of a process. Unknown is a process whose start, crash or halt the trace has not shown yet; it
// counts as live. See [Process.Shown], too.
const (
	Unknown Status = iota
	Running
	Crashed
	Halted
)

var statuses = [...]string{Unknown: "unknown", Running: "running", Crashed: "crashed", Halted: "halted"}

// String returns the word for the status.
func (s Status) String() string { return statuses[s%Status(len(statuses))] }

// statusAfter maps the kinds of events that start or stop a process to the status after them.
var statusAfter = [...]Status{
	tracefmt.Start: Running, tracefmt.Recover: Running, tracefmt.Crash: Crashed,
	tracefmt.Halt: Halted,
}

// StatusAfter returns the status that an event of the kind gives its process; false if it leaves it as it is.
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

// Concerns reports whether the next event changes the status of a process or its variables, or is its first
// step. These events alone suffice for the state of a complete recording, except for the clocks and timers of
// processes.
func (s *State) Concerns(e *tracefmt.Event) bool {
	if ChangesProcess(e.Kind) {
		return true
	}
	p := e.Process
	isMember := p > 0 && int(p) < len(s.processes)
	return isMember && IsAct(e) && s.processes[p].Shown() != Running
}

// Nobody is the value of a variable that names a process unknown to the trace, as opposed to no process.
const Nobody tracefmt.ProcessID = -1

// Process is the state of one process.
type Process struct {
	Status Status
	// Since is the event that gave the status; 0 for none.
	Since tracefmt.Seq
	// Inferred: the event that gave the status was inferred, see [tracefmt.InferredKey].
	Inferred bool
	// Incarnation counts the lives of the process, from 1. A recovery begins a new one, and so does a start
	// after it has taken steps, or a step while it was down.
	Incarnation int64
	// Down is the event that took the process down before, if only its own steps, or that it went down again, show that it
	// has been up since, else 0; see [State.ShowsRestart].
	Down tracefmt.Seq
	// Elected is the value of the variable elected: 0 for no process, [Nobody] for a value that names no
	// process of the run. ElectedAt is the event that assigned it.
	Elected   tracefmt.ProcessID
	ElectedAt tracefmt.Seq
	// Role is the class of its variable role.
	Role RoleClass
	// LeadingAt is the last event, since it came up and in its present term, in which it recorded whether it
	// leads: by its role, or by having elected itself. 0 for none.
	LeadingAt tracefmt.Seq
	// Lamport is the logical clock of the process at its last step.
	Lamport int64

	// stepAt is the last step of the process. resetAt is the last event that gave it new variables: a start or
	// recovery; resets counts these. assigned are the events that assigned its variables, by the name of the
	// list for items of one; only in an incomplete recording.
	stepAt, resetAt tracefmt.Seq
	resets          int64
	assigned        map[string]*assignment

	// assignedElection is true once it has assigned elected or role.
	assignedElection bool
	// stepped is true once it has taken a step.
	stepped bool
	term    Term
	// termAt is the event that recorded the term.
	termAt tracefmt.Seq
	// leadingIn and chosenIn are the terms of LeadingAt and ElectedAt, or the first recorded after them.
	leadingIn, chosenIn Term

	variables variables
	// timers holds the armed ones.
	timers map[string]timer
	// inbound counts the messages in flight to the process.
	inbound int
}

// Live reports whether the process has neither crashed nor halted.
func (p *Process) Live() bool { return p.Status == Unknown || p.Status == Running }

// Shown is the status as the events show it: a process that has taken a step runs, even without a recorded
// start.
func (p *Process) Shown() Status {
	if p.Status == Unknown && p.stepped {
		return Running
	}
	return p.Status
}

// statusAt is Shown at an event of the process: a step shows that the process ran before.
func (p *Process) statusAt(e *tracefmt.Event) Status {
	if p.Status == Unknown && IsAct(e) {
		return Running
	}
	return p.Shown()
}

// StatusText returns the status for people, with remarks: crashed (inferred), running (incarnation 2).
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

// timer is an armed timer of a process.
type timer struct {
	// set is the event that armed it, setAt its time.
	set   tracefmt.Seq
	setAt tracefmt.Time
	// due is the time of expiry.
	due tracefmt.Time
	// known: the trace records when it is due.
	known bool
}

// Flight is a message in flight.
type Flight struct {
	Message  tracefmt.MessageID
	From, To tracefmt.ProcessID
	Type     string
	Sent     tracefmt.Seq
	SentAt   tracefmt.Time

	payload []byte
}

// State is the state of a run after the event Seq. Its size is that of the processes and of what is in flight,
// not of the trace. An event costs the same everywhere in the run.
type State struct {
	Run  *tracefmt.Run
	Seq  tracefmt.Seq
	Time tracefmt.Time

	// processes is indexed by ProcessID; 0 is unused.
	processes []Process
	flights   map[tracefmt.MessageID]*Flight // pointers: half of the slots of a large map are empty
	// inFlight counts the messages in flight to live processes.
	inFlight int
	// armed counts the armed timers of all processes.
	armed int
	// values maps JSON values to processes.
	values map[string]tracefmt.ProcessID
	// ranks is the result of Ranks.
	ranks []int64
	// restarted and nextLife describe the last applied event; see Restarted and NextLife.
	restarted, nextLife bool
	// hasLeader, hasRole and hasTerm: any process has assigned elected, role or a term.
	hasLeader, hasRole, hasTerm bool
	oddRole                     string
	// parts holds, by process, whether it participates.
	parts     []tracefmt.Part
	byzantine []tracefmt.ProcessID
	// term is the name of the variable that holds the term.
	term string
	// roles caches the classes of role values.
	roles map[string]classifiedRole
	// arrived is memory of arrived messages, for later ones.
	arrived []*Flight
	pool    pagePool
	read    parsedPayload
	// elections: only variables of elections are kept. noFlights: no messages in flight are.
	elections, noFlights bool
	coverage             *tracefmt.Coverage
	// vocabulary is nil for a complete recording.
	vocabulary *Vocabulary
	// finished: no event follows.
	finished bool
	inferred []Inferred // in order
}

// Process returns the state of p, which must be a process of the run. It
// changes with the next Apply.
func (s *State) Process(p tracefmt.ProcessID) *Process { return &s.processes[p] }

// Live reports whether p, a process of the run, has neither crashed nor halted.
func (s *State) Live(p tracefmt.ProcessID) bool { return s.processes[p].Live() }

// HasElected reports whether any process ever assigned the variable elected.
func (s *State) HasElected() bool { return s.hasLeader }

// InFlight returns the number of messages in flight to live processes.
func (s *State) InFlight() int { return s.inFlight }

// Flights returns the messages in flight, in the order of their sends.
func (s *State) Flights() []Flight {
	list := make([]Flight, 0, len(s.flights))
	for _, f := range s.flights {
		list = append(list, *f)
	}
	slices.SortFunc(list, func(a, b Flight) int {
		return cmp.Or(cmp.Compare(a.Sent, b.Sent), cmp.Compare(a.Message, b.Message))
	})
	return list
}

// Armed returns the number of armed timers.
func (s *State) Armed() int { return s.armed }

// Quiescent reports whether nothing can happen any more by the record: no message is in flight to a live
// process and no timer is armed.
func (s *State) Quiescent() bool { return s.armed == 0 && s.inFlight == 0 }

// Variable returns the raw JSON value of a variable of p; false if it is null or absent.
func (s *State) Variable(p tracefmt.ProcessID, name string) ([]byte, bool) {
	value := s.processes[p].variables.get(name)
	return value, value != nil
}

// IgnoreFlights makes the state keep no messages in flight. It saves time where nothing asks for them.
func (s *State) IgnoreFlights() { s.noFlights = true }

// Apply applies the next event of the run. References to processes that are not in the run change nothing.
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
	// A loss is no step of the receiver.
	if e.Kind != tracefmt.Lose {
		p.Lamport = e.Lamport
	}
	s.nextLife = e.Kind == tracefmt.Recover || p.stepped && e.Kind == tracefmt.Start
	if s.nextLife {
		s.beginNextLife(p, e.Seq)
	}
	if e.Kind == tracefmt.Start || e.Kind == tracefmt.Recover || IsAct(e) {
		p.stepped, p.stepAt = true, e.Seq
	}
	if status, ok := StatusAfter(e.Kind); ok {
		before := *p
		s.setStatus(p, status, e.Seq)
		if !before.Live() && !p.Live() { // it went down again, so it was up in between, unrecorded
			p.Down = before.Since
		}
		s.noteInferred(p, e)
	}
	switch e.Kind {
	case tracefmt.Start, tracefmt.Recover:
		p.reset(e.Seq)
		s.assign(p, e)
	case tracefmt.State:
		s.assign(p, e)
	case tracefmt.Send:
		if !s.noFlights {
			s.send(e)
		}
	case tracefmt.Receive, tracefmt.Lose:
		if !s.noFlights {
			s.arrive(e.Message)
		}
	case tracefmt.SetTimer:
		s.arm(p, e)
	case tracefmt.CancelTimer, tracefmt.Timeout:
		s.disarm(p, e.Type)
	}
}

// noteInferred records whether the event that gave p its status was inferred: then it may not have happened.
func (s *State) noteInferred(p *Process, e *tracefmt.Event) {
	p.Inferred = e.Inferred()
	if !p.Inferred {
		return
	}
	s.coverage.Doubt(e)
	s.inferred = append(s.inferred, Inferred{e.Seq, e.Process, e.Kind})
}

// Inferred is an event that was inferred from others.
type Inferred struct {
	Seq     tracefmt.Seq
	Process tracefmt.ProcessID
	Kind    tracefmt.Kind
}

// Inferred returns the event of that seq if the state has applied it and it is inferred.
func (s *State) Inferred(seq tracefmt.Seq) (Inferred, bool) {
	i, ok := s.searchInferred(seq)
	if !ok {
		return Inferred{}, false
	}
	return s.inferred[i], true
}

// InferredBetween returns the first inferred event of the process that the state has applied, from one seq to another,
// both included; until 0 is the end of the run.
func (s *State) InferredBetween(p tracefmt.ProcessID, from, until tracefmt.Seq) (Inferred, bool) {
	begin, _ := s.searchInferred(from)
	for _, e := range s.inferred[begin:] {
		if until != 0 && e.Seq > until {
			break
		}
		if e.Process == p {
			return e, true
		}
	}
	return Inferred{}, false
}

// searchInferred returns the index of the first inferred event from the seq on, and whether it has that seq.
func (s *State) searchInferred(seq tracefmt.Seq) (int, bool) {
	return slices.BinarySearchFunc(s.inferred, seq, func(e Inferred, seq tracefmt.Seq) int { return cmp.Compare(e.Seq, seq) })
}

// setStatus sets the status of a process. A process that goes down loses its timers and no longer leads; the
// messages in flight to it no longer count as in flight until it is up again.
func (s *State) setStatus(p *Process, status Status, at tracefmt.Seq) {
	wasLive := p.Live()
	p.Status, p.Since, p.Down, p.Inferred = status, at, 0, false
	if wasLive && !p.Live() {
		// When it is up again, it leads only after it records so.
		p.LeadingAt, p.leadingIn = 0, Term{}
	}
	if !p.Live() {
		s.armed -= len(p.timers)
		p.forgetTimers()
	}
	switch {
	case wasLive && !p.Live():
		s.inFlight -= p.inbound
	case !wasLive && p.Live():
		s.inFlight += p.inbound
	}
}

// send puts the message of a send event in flight.
func (s *State) send(e *tracefmt.Event) {
	if e.Peer < 1 || int(e.Peer) >= len(s.processes) {
		return
	}
	// A well-formed trace sends a message only once.
	s.arrive(e.Message)
	if len(s.arrived) == 0 {
		s.arrived = append(s.arrived, new(Flight))
	}
	last := len(s.arrived) - 1
	f := s.arrived[last]
	s.arrived = s.arrived[:last]
	payload := append(f.payload[:0], e.Payload...)
	*f = Flight{
		Message: e.Message, From: e.Process, To: e.Peer, Type: e.Type, Sent: e.Seq, SentAt: e.Time,
		payload: payload,
	}
	s.flights[e.Message] = f
	s.countFlight(f.To, 1)
}

// arrive ends the flight of a message, if it is in flight.
func (s *State) arrive(message tracefmt.MessageID) {
	f, ok := s.flights[message]
	if !ok {
		return
	}
	delete(s.flights, message)
	s.countFlight(f.To, -1)
	s.arrived = append(s.arrived, f)
}

// countFlight adds n to the counts of messages in flight to a receiver.
func (s *State) countFlight(receiver tracefmt.ProcessID, n int) {
	p := &s.processes[receiver]
	p.inbound += n
	if p.Live() {
		s.inFlight += n
	}
}

// Named returns the process that the JSON value of a variable or field names: 0 for null and "", Nobody for
// any other value.
func (s *State) Named(value []byte) tracefmt.ProcessID {
	if p, ok := s.values[string(value)]; ok {
		return p
	}
	if bytes.IndexByte(value, '\\') > 0 {
		return s.namedWithEscapes(value)
	}
	return Nobody
}

// namedWithEscapes is Named of a text that may be escaped in another way than AppendString does.
func (s *State) namedWithEscapes(value []byte) tracefmt.ProcessID {
	var name string
	if json.Unmarshal(value, &name) == nil {
		if p, ok := s.values[string(tracefmt.AppendString(nil, name))]; ok {
			return p
		}
	}
	return Nobody
}

// arm arms the timer of a set_timer event. A timer of the same name is replaced.
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

// forgetTimers disarms all timers.
func (p *Process) forgetTimers() {
	if len(p.timers) > maxReused {
		p.timers = nil
	}
	clear(p.timers)
}

// disarm removes an armed timer, if the process has one of that name.
func (s *State) disarm(p *Process, name string) {
	s.armed -= len(p.timers)
	delete(p.timers, name)
	s.armed += len(p.timers)
}
