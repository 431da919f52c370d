package ptrace

import (
	"maps"
	"slices"
	"strconv"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
)

// trace makes a run of the entries.
type trace struct {
	*interop.Builder
	r      *interop.Reading
	number int              // the number of entries so far
	late   map[string]int64 // 1 for each machine whose own clock begins at 2, since its creation is not in the file
	news   map[string]map[string]int64
	open   map[event][]sent  // sent messages without a receive, oldest first
	last   map[string]string // by machine, the key of its last event
}

// event is the key of a message, equal at both ends.
type event struct{ target, name, payload string }

// sent is a message in flight: its sender, the sender's own clock at the send, and its name.
type sent struct {
	sender string
	clock  int64
	name   string
}

// beginnings has the least own clock of each machine.
type beginnings map[string]int64

// see adds the clock of an entry.
func (b beginnings) see(e *entry) {
	if p := e.machine(); p != "" && e.Clock[p] > 0 && (b[p] == 0 || e.Clock[p] < b[p]) {
		b[p] = e.Clock[p]
	}
}

// newTrace begins the run. It notes the machines whose own clocks begin at 2.
func newTrace(r *interop.Reading, first beginnings) *trace {
	t := &trace{
		Builder: r.Build(tracefmt.Run{}), r: r, late: make(map[string]int64),
		news: make(map[string]map[string]int64), open: make(map[event][]sent), last: make(map[string]string),
	}
	t.FirstSeen = true
	t.Completeness = &tracefmt.Completeness{Levels: tracefmt.Levels{Kinds: map[string]tracefmt.Level{"state": tracefmt.All}}}
	for _, p := range slices.Sorted(maps.Keys(first)) {
		if first[p] == 2 {
			t.late[p] = 1
			t.Note("the own clock of %s begins at 2: its creation is not in the file, entries for it count one less", p)
		}
	}
	return t
}

// kinds are the types of entries that become other events than notes.
var kinds = map[string]tracefmt.Kind{
	"CreateStateMachine": tracefmt.Start, "SendEvent": tracefmt.Send,
	"ReceiveEvent": tracefmt.Receive, "DequeueEvent": tracefmt.Receive, "Halt": tracefmt.Halt,
}

// add adds the event of the next entry.
func (t *trace) add(e *entry) {
	t.number++
	at := interop.Entry{Line: t.r.Line(e.line), Text: e.Log, Kind: tracefmt.Note, Type: e.Type, Process: e.machine()}
	if at.Process == "" {
		at.Fields = e.fields()
		t.Add(at)
		return
	}
	at.Key, at.Clock = strconv.Itoa(t.number), t.clock(e)
	kind, known := kinds[e.Type]
	switch {
	case e.Type == "StateTransition" && e.IsEntry && e.State != "":
		at.Kind, at.Type, at.Fields = tracefmt.State, "", []interop.Field{interop.Text("state", e.State)}
	case !known, kind == tracefmt.Send && e.Target == "":
		at.Fields = e.fields()
	default:
		at.Kind, at.Type = kind, ""
	}
	switch at.Kind {
	case tracefmt.Start:
		// Its clock does not know of what created it.
		if creator, ok := t.last[e.CreatorName]; ok {
			at.After, at.Own, at.Clock = []string{creator}, max(0, e.Clock[at.Process]), nil
		}
	case tracefmt.Send:
		t.send(e, &at)
	case tracefmt.Receive:
		t.receive(e, &at)
	}
	t.last[at.Process] = at.Key
	if len(e.Clock) > 0 {
		t.news[at.Process] = e.Clock
	}
	t.Add(at)
}

// clock returns the clock of an entry, nil without one. It subtracts 1 from the count of each machine whose creation
// is not in the file, so that its first entry counts 1.
func (t *trace) clock(e *entry) (ticks []interop.Tick) {
	if e.Clock[e.machine()] <= t.late[e.machine()] {
		return nil
	}
	for _, p := range slices.Sorted(maps.Keys(e.Clock)) {
		count := e.Clock[p]
		if count > 0 {
			count -= t.late[p]
		}
		ticks = append(ticks, interop.Tick{Process: p, Count: count})
	}
	return ticks
}

// send completes the event of a SendEvent, and opens its message.
func (t *trace) send(e *entry, at *interop.Entry) {
	at.Peer = e.Target
	at.Type, at.Message = e.Event, at.Key
	at.Fields = e.payload()
	key := event{e.Target, e.Event, string(e.Payload)}
	t.open[key] = append(t.open[key], sent{at.Process, e.Clock[at.Process], at.Key})
}

// maxOpen bounds the open messages of equal content among which a receive looks for its own. A file may have
// 100,000 of these, and as many receives that fit none of them.
const maxOpen = 1000

// receive finds the message: the oldest send that the clock newly knows or else the oldest send that it knows.
func (t *trace) receive(e *entry, at *interop.Entry) {
	at.Type, at.Fields, at.Label = e.Event, e.payload(), e.Type
	received := event{at.Process, e.Event, string(e.Payload)}
	found := -1
	open := t.open[received]
	for k, m := range open[:min(len(open), maxOpen)] {
		if m.sender != at.Process && e.Clock[m.sender] < m.clock {
			continue
		}
		// The receive is the first event of the process that knows of the send.
		if t.news[at.Process][m.sender] < m.clock && m.sender != at.Process {
			found = k
			break
		}
		if found < 0 {
			found = k // the oldest known send, unless a newly known one follows
		}
	}
	if found < 0 {
		return
	}
	m := open[found]
	at.Peer, at.Message = m.sender, m.name
	// The few messages before the found one move, instead of the many after it.
	copy(open[1:found+1], open[:found])
	t.open[received] = open[1:]
}

func (e *entry) payload() []interop.Field {
	if len(e.Payload) == 0 {
		return nil
	}
	return []interop.Field{interop.JSON("payload", e.Payload)}
}

// fields returns the details of a note that have no field of their own in the event.
func (e *entry) fields() (fields []interop.Field) {
	for key, value := range tracefmt.Fields(e.Details) {
		switch string(key) {
		case "log", "id", "clock": // these have fields of their own
		default:
			fields = append(fields, interop.JSON(string(key), slices.Clone(value)))
		}
	}
	return fields
}
