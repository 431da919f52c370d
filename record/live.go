package record

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"time"
	"unicode/utf8"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Everything returns the declaration of a complete recording: unrecorded events did not happen.
func Everything() *tracefmt.Completeness {
	return &tracefmt.Completeness{Levels: tracefmt.Levels{Default: tracefmt.All}}
}

// Live records a program while it runs: the events of any number of goroutines, in memory, in the order in which
// they are recorded. [Live.Dump] writes the events to a sink at any time. A nil Live records nothing and costs
// nothing, so a program can keep its calls and leave out the recorder.
//
// Times are those of the program's clock: in a bubble of testing/synctest they are virtual. The first invalid
// call, such as an event of a process that the run does not have, ends the recording. Then [Live.Err] and
// [Live.Dump] return its error, and nothing is written.
type Live struct {
	mu       sync.Mutex
	run      tracefmt.Run
	complete tracefmt.Completeness
	closed   bool // the run has declared members; others must call Join
	began    time.Time
	limit    Limit
	numbers  map[string]tracefmt.ProcessID
	procs    []*member // by ProcessID - 1
	events   buffer
	messages tracefmt.MessageID
	watchers []chan struct{}
	room     []byte // memory for the payload of an event
	err      error  // the error of the first invalid call
}

// Limit bounds the events that a [Live] keeps, as a flight recorder does. Older events are dropped, and a dump
// declares them as a gap of each process. The zero value keeps all events.
type Limit struct {
	// Events is the number of stored events, 0 for all.
	Events int
	// For is the time for which an event is stored, 0 for no limit.
	For time.Duration
}

// NewLive begins the recording of a run. It uses only these fields of run: the description, Name,
// Problem, Traits, Best, Basic, Token and Members. Without members, each name that the program uses
// becomes a member. Complete lists the events that the program records: [Everything], or less, see
// [tracefmt.ParseCompleteness]. A process that occurs only in events of others is declared as not
// recorded.
func NewLive(run tracefmt.Run, complete *tracefmt.Completeness, limit Limit) (*Live, error) {
	if complete == nil {
		return nil, errors.New("record: expected what is recorded, such as record.Everything()")
	}
	if limit.Events < 0 || limit.For < 0 {
		return nil, fmt.Errorf("record: a limit of %d events and %v, expected none below 0", limit.Events, limit.For)
	}
	r := &Live{
		run: run, complete: *complete, closed: len(run.Members) > 0, limit: limit, began: time.Now(),
		numbers: map[string]tracefmt.ProcessID{},
	}
	for _, m := range run.Members {
		r.add(m)
	}
	r.run.Source, r.run.TimeUnit = tracefmt.Recorded, tracefmt.Nanoseconds
	r.run.Members = slices.Clone(run.Members)
	return r, r.err
}

// member has the known facts about a process.
type member struct {
	live   *Live
	name   string
	number tracefmt.ProcessID
	// local is true if the program has recorded an event of it.
	local   bool
	lamport int64
	term    int64
	count   int64   // the number of its events so far
	peer    *member // the peer of its last event, to find the next one faster
}

// Process returns the process with the name. If no members were declared, a new name joins the run; otherwise an
// unknown name is an error, see [Live.Err]. The result is nil only for a nil Live.
func (r *Live) Process(name string) *Process {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	m := r.named(name)
	if m == nil {
		return &Process{member: &member{live: r, name: name}}
	}
	m.local = true
	return &Process{member: m}
}

// Join adds a member to a run with declared members, and returns its process. An existing member stays
// unchanged.
func (r *Live) Join(m tracefmt.Member) *Process {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := r.numbers[m.Name]; n == 0 {
		if !r.add(m) {
			return &Process{member: &member{live: r, name: m.Name}}
		}
		r.run.Members = append(r.run.Members, m)
	}
	joined := r.procs[r.numbers[m.Name]-1]
	joined.local = true
	return &Process{member: joined}
}

// add adds a member. It returns false if its name cannot be the name of a member.
func (r *Live) add(m tracefmt.Member) bool {
	switch {
	case m.Name == "" || !utf8.ValidString(m.Name):
		r.fail(fmt.Errorf("a member called %q, expected a name in UTF-8", m.Name))
		return false
	case r.numbers[m.Name] != 0:
		r.fail(fmt.Errorf("two members are called %q", m.Name))
		return false
	}
	p := &member{live: r, name: m.Name, number: tracefmt.ProcessID(len(r.procs) + 1)}
	r.procs = append(r.procs, p)
	r.numbers[m.Name] = p.number
	return true
}

// named returns the process of that name, or an error if the run does not have it.
func (r *Live) named(name string) *member {
	if n := r.numbers[name]; n != 0 {
		return r.procs[n-1]
	}
	if r.closed {
		names := make([]string, len(r.procs))
		for i, p := range r.procs {
			names[i] = p.name
		}
		r.fail(fmt.Errorf("%w; Join adds a member", text.Unknown("process", name, names)))
		return nil
	}
	m := tracefmt.Member{Name: name, Position: len(r.procs) + 1}
	if !r.add(m) {
		return nil
	}
	r.run.Members = append(r.run.Members, m)
	return r.procs[len(r.procs)-1]
}

// fail ends the recording with an error, unless it has one.
func (r *Live) fail(err error) {
	if r.err == nil {
		r.err = fmt.Errorf("record: after %s: %w", text.Counted(int64(r.events.next), "event", "events"), err)
	}
}

// Err returns the error of the first invalid call, nil for none.
func (r *Live) Err() error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// now returns the time since the run began, on a clock that never goes back.
func (r *Live) now() tracefmt.Time { return tracefmt.Time(time.Since(r.began)) }

// add records an event of the process. peer is the name of the other process, "" for none; err is the error of
// the payload, nil for none. It returns the peer, and false if nothing was recorded. The caller holds the lock.
func (p *member) add(e *tracefmt.Event, peer string, payload []byte, err error) (receiver *member, ok bool) {
	r := p.live
	if p.number == 0 || r.err != nil {
		return nil, false
	}
	lack := missingPart(e, peer)
	if e.Type != r.events.latest && !utf8.ValidString(e.Type) {
		lack = "a type in UTF-8"
	}
	if lack != "" {
		r.fail(fmt.Errorf("%s of %s without %s", e.Kind, p.name, lack))
		return nil, false
	}
	if peer != "" {
		receiver = p.peer
		if receiver == nil || receiver.name != peer {
			receiver = r.named(peer)
			if receiver == nil {
				return nil, false
			}
			p.peer = receiver
		}
		e.Peer = receiver.number
	}
	if err != nil {
		r.fail(fmt.Errorf("%s of %s: %w", e.Kind, p.name, err))
		return nil, false
	}
	p.lamport++
	p.count++
	e.Process, e.Lamport, e.Payload, e.Time = p.number, p.lamport, payload, r.now()
	e.Term = p.term
	e.Seq = r.events.append(e, r.limit)
	r.notify()
	return receiver, true
}

// missingPart returns the name of a required part that the event lacks, "" if it is complete.
func missingPart(e *tracefmt.Event, peer string) string {
	switch e.Kind {
	case tracefmt.Send, tracefmt.Receive, tracefmt.Lose, tracefmt.Suspect, tracefmt.Trust:
		if peer == "" {
			return "the other process"
		}
	case tracefmt.SetTimer, tracefmt.CancelTimer, tracefmt.Timeout, tracefmt.Invoke, tracefmt.Return:
		if e.Type == "" {
			return "a name"
		}
	}
	return ""
}

// lock takes the lock, and returns the payload of an event, which is valid while the lock is held. If a value
// has methods of the program, it is encoded before the lock is taken, as these may call the recorder.
func (r *Live) lock(kind tracefmt.Kind, fields []slog.Attr) (payload []byte, err error) {
	if !isPlain(fields) {
		payload, err = appendFields(nil, kind, fields)
		r.mu.Lock()
		return payload, err
	}
	r.mu.Lock()
	r.room, err = appendFields(r.room[:0], kind, fields)
	return r.room, err
}

// Lose records that a message will not arrive. The reason is dropped, partitioned or receiver crashed.
func (r *Live) Lose(s Stamp, reason string) {
	if r != nil && !s.void {
		r.fate(nil, tracefmt.Lose, s, []slog.Attr{slog.String("reason", reason)})
	}
}

// fate records the receive or loss of the message with the stamp; p is nil if the message was lost on the way to
// its receiver.
func (r *Live) fate(p *Process, kind tracefmt.Kind, s Stamp, fields []slog.Attr) {
	payload, err := r.lock(kind, fields)
	defer r.mu.Unlock()
	if p != nil && p.hasEnded() {
		return
	}
	if s.From == "" {
		at := ""
		if p != nil {
			at = " of " + p.name
		}
		r.fail(fmt.Errorf("%s%s: a stamp of no message, expected that of Send, or ReceiveFrom", kind, at))
		return
	}
	from, at := r.named(s.From), (*member)(nil)
	if p != nil {
		at = p.member
	} else {
		at = r.named(s.To)
	}
	if from == nil || at == nil {
		return
	}
	// A stamp comes from outside: a stamp that this recorder cannot have made is ignored.
	if s.To != "" && s.To != at.name || from.local && s.seq > r.events.next {
		s.number, s.seq, s.lamport = 0, 0, 0
	}
	e := tracefmt.Event{Kind: kind, Type: s.Type, Message: tracefmt.MessageID(s.number), Cause: s.seq}
	if !from.local || s.number == 0 { // the send was recorded by another program, or by none
		r.messages++
		e.Message, e.Cause = r.messages, 0
		if s.number > 0 { // finds the send in the recording of the other program
			payload = appendLog(payload, s)
		}
	}
	before, term := at.lamport, at.term
	switch kind {
	case tracefmt.Receive:
		at.lamport = max(at.lamport, s.lamport) // Lamport 1978, rule IR2
	case tracefmt.Lose: // no step of the receiver: its clock stays
		at.lamport = s.lamport
	}
	at.term = s.term
	at.add(&e, s.From, payload, err)
	at.term = term
	if kind == tracefmt.Lose {
		at.lamport = before
	}
}

// appendLog adds to a payload the name of the message in the recording of another program.
func appendLog(payload []byte, s Stamp) []byte {
	separator := byte('{')
	if len(payload) > 0 {
		payload, separator = payload[:len(payload)-1], ','
	}
	payload = append(append(payload, separator), `"`+tracefmt.LogKey+`":{"message":`...)
	return append(tracefmt.AppendString(payload, s.From+"/"+strconv.FormatInt(s.number, 10)), "}}"...)
}

// Partition records that the network splits into groups of processes. Processes in no group form one further
// group.
func (r *Live) Partition(groups ...[]string) {
	if r == nil {
		return
	}
	r.mu.Lock()
	grouped := map[string]bool{}
	for _, name := range slices.Concat(groups...) {
		if r.named(name) != nil && grouped[name] {
			r.fail(fmt.Errorf("process %s is in two groups of a partition", name))
		}
		grouped[name] = true
	}
	names := make([]string, len(r.procs))
	for i, p := range r.procs {
		names[i] = p.name
	}
	r.mu.Unlock()
	r.environment(tracefmt.Partition, slog.Any("groups", PartitionGroups(groups, names)))
}

// PartitionGroups returns the groups of a partition. Members in no group form one further group.
func PartitionGroups(groups [][]string, members []string) [][]string {
	ungrouped := slices.DeleteFunc(slices.Clone(members), func(name string) bool {
		return slices.ContainsFunc(groups, func(group []string) bool { return slices.Contains(group, name) })
	})
	complete := append([][]string{}, groups...)
	if len(ungrouped) > 0 {
		complete = append(complete, ungrouped)
	}
	return complete
}

// Heal records that the network is whole again.
func (r *Live) Heal() { r.environment(tracefmt.Heal) }

// environment records an event without a process.
func (r *Live) environment(kind tracefmt.Kind, fields ...slog.Attr) {
	if r == nil {
		return
	}
	payload, err := r.lock(kind, fields)
	defer r.mu.Unlock()
	if err != nil {
		r.fail(err)
	}
	if r.err != nil {
		return
	}
	r.events.append(&tracefmt.Event{Kind: kind, Payload: payload, Time: r.now()}, r.limit)
	r.notify()
}
