package interop

import (
	"slices"

	"etrace/tracefmt"
)

// preview passes the events of a run to a writer while the file is read, in the order of the file. The final run
// may differ: lines of a message may come in any order, names may turn out to be of one process, and missing
// lines lower the completeness. See [Settings.Preview].
type preview struct {
	builder  *Builder
	begin    func(*tracefmt.Run) tracefmt.Writer
	known    knowledge            // when the run was last begun
	run      tracefmt.Run         // the description of the run when the preview began
	numbers  []tracefmt.ProcessID // the numbers of the processes in it, by host
	writer   tracefmt.Writer      // nil before the first event
	valid    *tracefmt.Validator
	shown    int  // the number of events that the writer has
	repeated int  // the number of events that were repeated by renewals so far
	halves   bool // some receive lacks its send
	failed   bool // an event was invalid, or the writer failed

	messages tracefmt.MessageID
	named    map[address]tracefmt.Event   // the send of each named message
	open     map[link][]tracefmt.Event    // sends of messages without a name that have not arrived
	lamport  map[tracefmt.ProcessID]int64 // Lamport clocks
	payload  []byte
}

// knowledge counts the facts on which the description of a run depends. A change means that the description is
// outdated.
type knowledge struct {
	hosts, aliases, kinds, variables int
	timed, halves                    bool
}

// update writes the events that the writer does not have. If the description of the run has changed, it begins the
// run again and repeats all events. All repetitions together write at most factor times all events plus allowance;
// beyond this limit events wait.
func (p *preview) update() {
	const factor, allowance = 3, 200_000
	if p == nil || p.failed {
		return
	}
	b := p.builder
	if known := p.knowledge(); p.writer == nil || known != p.known {
		if p.repeated+p.shown > factor*b.events.Len()+allowance {
			return
		}
		p.repeated += p.shown
		p.known = known
		p.restart()
	}
	for ; p.shown < b.events.Len() && !p.failed; p.shown++ {
		p.write(eventID(p.shown))
	}
	// One of these events was half of a message, which changes the completeness.
	if known := p.knowledge(); known != p.known {
		p.update()
	}
}

// knowledge returns the present state of the facts.
func (p *preview) knowledge() knowledge {
	b := p.builder
	return knowledge{len(b.hosts), len(b.aliases), len(b.kinds), len(b.variables), b.timed, p.halves}
}

// restart begins the run again with a description of all that is known now.
func (p *preview) restart() {
	b := p.builder
	p.run = b.run
	p.run.Members = slices.Clone(b.run.Members)
	p.run.Number = slices.Index(b.r.builders, b) + 1
	p.run.End = tracefmt.Open
	p.run.TimeUnit = tracefmt.Nanoseconds
	if !b.timed {
		p.run.TimeUnit = tracefmt.Logical
	}
	byName := make(map[string]tracefmt.ProcessID)
	for i := range p.run.Members {
		m := &p.run.Members[i]
		m.Position, byName[m.Name] = i+1, tracefmt.ProcessID(i+1)
	}
	p.numbers = make([]tracefmt.ProcessID, len(b.hosts))
	for i := range b.hosts {
		name := b.Called(b.hosts[i].name)
		if byName[name] == 0 && b.hosts[i].member {
			byName[name] = tracefmt.ProcessID(len(p.run.Members) + 1)
			p.run.Members = append(p.run.Members, tracefmt.Member{Name: name, Position: len(p.run.Members) + 1})
		}
		p.numbers[i] = byName[name]
	}
	p.run.Completeness = b.Completeness.Over(b.run.Completeness.Over(b.observed()))
	if p.halves {
		some := &tracefmt.Completeness{Levels: tracefmt.Levels{Kinds: map[string]tracefmt.Level{tracefmt.Send.String(): tracefmt.Some}}}
		p.run.Completeness = some.Over(p.run.Completeness)
	}
	p.shown, p.messages = 0, 0
	p.named, p.open, p.lamport = map[address]tracefmt.Event{}, map[link][]tracefmt.Event{}, map[tracefmt.ProcessID]int64{}
	p.valid = tracefmt.NewValidator(&p.run)
	p.writer = p.begin(&p.run)
}

// write writes an event. An invalid event ends the preview; the import reports the mistake.
func (p *preview) write(id eventID) {
	e := p.event(id)
	p.failed = p.valid.Check(e) != nil || p.writer.Write(e) != nil
}

// event returns an event in its present form. It shares memory with the next one.
func (p *preview) event(id eventID) *tracefmt.Event {
	b := p.builder
	from := b.at(id)
	w := b.wordsOf(from)
	e := &tracefmt.Event{
		Seq: tracefmt.Seq(id) + 1, Time: from.time, Kind: from.kind, Process: p.process(from.host), Peer: p.process(from.peer),
		Type: w.typ, Term: from.term,
	}
	sent := p.pair(from, e)
	if e.Kind == tracefmt.Note && from.kind != tracefmt.Note {
		e.Type, e.Peer, w.content = w.label, 0, ""
	}
	if e.Process != 0 {
		e.Lamport = max(p.lamport[e.Process], sent) + 1
		if e.Kind != tracefmt.Lose { // no step of the receiver
			p.lamport[e.Process] = e.Lamport
		} else {
			e.Lamport = sent + 1
		}
	}
	if p.run.TimeUnit == tracefmt.Logical {
		e.Time = tracefmt.Time(e.Lamport) * tracefmt.Unit
	}
	place := b.source(from)
	p.payload = appendPayload(p.payload[:0], &w, nil, &place)
	e.Payload = payloadOf(p.payload, e.Kind)
	p.keepSend(from, e)
	return e
}

// process returns the number of a host in the preview, 0 for noHost.
func (p *preview) process(id hostID) tracefmt.ProcessID {
	if id == noHost {
		return 0
	}
	return p.numbers[id]
}

// keepSend remembers a send for pair.
func (p *preview) keepSend(from *event, e *tracefmt.Event) {
	if e.Kind != tracefmt.Send {
		return
	}
	send := *e
	send.Payload = nil
	if from.named {
		p.named[address{from.name, from.peer}] = send
	} else if l, known := from.messageKey(); known {
		p.open[l] = append(p.open[l], send)
	}
}

// pair numbers the message of an event, and sets the send as the cause of a receive or loss. It returns the
// Lamport clock of that send. An end without a known message becomes a note, as in the import.
func (p *preview) pair(from *event, e *tracefmt.Event) (sent int64) {
	switch {
	case e.Kind == tracefmt.Send && e.Peer != 0:
		p.messages++
		e.Message = p.messages
	case e.Kind == tracefmt.Send:
		e.Kind, p.halves = tracefmt.Note, true
	case from.isEnd():
		send, known := p.sendOf(from)
		switch {
		case known:
			e.Message, e.Cause, e.Peer, e.Type = send.Message, send.Seq, send.Process, send.Type
			return send.Lamport
		case from.kind == tracefmt.Receive && e.Peer != 0:
			p.messages++
			e.Message, p.halves = p.messages, true
		default:
			e.Kind, p.halves = tracefmt.Note, true
		}
	}
	return 0
}

// sendOf returns the send of a receive or loss, as far as it was read.
func (p *preview) sendOf(from *event) (send tracefmt.Event, known bool) {
	if from.named {
		send, known = p.named[address{from.name, from.host}]
		return send, known && (from.peer == noHost || p.process(from.peer) == send.Process)
	}
	l, known := from.messageKey()
	if !known || len(p.open[l]) == 0 {
		return send, false
	}
	send = p.open[l][0]
	p.open[l] = p.open[l][1:]
	return send, true
}
