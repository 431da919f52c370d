package lint

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"etrace/analyze"
	"etrace/tracefmt"
)

// withdraw turns an event into a note with its former fields, and declares that events of the process may be
// missing there.
func (p *repairedRun) withdraw(e *tracefmt.Event) {
	if e == nil || p.withdrawn[e.Seq] {
		return
	}
	p.withdrawn[e.Seq] = true
	description := e.Kind.String()
	p.change(e, "event", eventText(&p.run, e), "note withdrawn "+description)
	if e.Process == 0 {
		p.gapOfAll(e.Seq, e.Seq)
	} else {
		p.gap(e.Process, e.Seq, e.Seq, 0)
	}
	if e.Kind == tracefmt.Send {
		p.orphan(e.Seq)
	}
	held := p.fieldsOf(e)
	e.Kind, e.Type, e.Peer, e.Message, e.Cause = tracefmt.Note, "withdrawn "+description, 0, 0, 0
	e.Payload = withMark(e.Payload, held, false)
	p.noteRepairs(e.Process)
}

// orphan removes the withdrawn send from its arrivals.
func (p *repairedRun) orphan(send tracefmt.Seq) {
	for i := range p.events {
		if e := &p.events[i]; isArrival(e) && e.Cause == send {
			p.dropCause(e)
		}
	}
}

// noteRepairs keeps the completeness of notes unchanged by the withdrawn events.
func (p *repairedRun) noteRepairs(process tracefmt.ProcessID) {
	notes := analyze.Facts("note")
	if p.recorded.Silent() && p.recorded.Level(process, notes[0]) == tracefmt.None &&
		p.run.Completeness.Kinds["note"] == tracefmt.Undeclared {
		p.run.Completeness.Kinds["note"] = tracefmt.None
	}
	p.declareLevel(process, tracefmt.Some, func(present tracefmt.Level) bool { return present == tracefmt.None }, notes)
}

// fieldsOf returns the fields of an event as members of a JSON object.
func (p *repairedRun) fieldsOf(e *tracefmt.Event) []byte {
	b := tracefmt.AppendString([]byte(`"kind":`), e.Kind.String())
	if e.Type != "" {
		b = tracefmt.AppendString(append(b, `,"type":`...), e.Type)
	}
	if e.Peer != 0 {
		b = p.run.AppendProcess(append(b, `,"peer":`...), e.Peer)
	}
	if e.Message != 0 {
		b = strconv.AppendInt(append(b, `,"message":`...), int64(e.Message), 10)
	}
	if payload := withoutLog(e.Payload); payload != nil {
		b = append(append(b, `,"payload":`...), payload...)
	}
	return b
}

// storeFormer stores the former value of a field in the event, as a member of a JSON object. If the event has a
// variable called log, there is no room for it, and it is only in the list of changes.
func storeFormer(e *tracefmt.Event, before string) {
	e.Payload = withMark(e.Payload, []byte(before), true)
}

// repairedKey is the key, in an event's log, of the values before a repair.
const repairedKey = "repaired"

// withMark returns a payload with members added under [repairedKey] of its log. If the log is missing or no
// object, it is created. The rest of the payload is kept if complete is set, otherwise dropped.
func withMark(payload, members []byte, complete bool) []byte {
	log, present := []byte(nil), false
	b := []byte{'{'}
	for name, value := range tracefmt.Fields(payload) {
		switch {
		case string(name) == tracefmt.LogKey && bytes.HasPrefix(value, []byte(`{"text":`)):
			log = value
		// The payload has a variable called log, so that there is no room for the mark.
		case string(name) == tracefmt.LogKey && complete:
			return payload
		case complete:
			b = appendMember(b, string(name), value)
		}
	}
	if log == nil {
		log = []byte(`{"text":""}`)
	}
	inner := []byte{'{'}
	for name, value := range tracefmt.Fields(log) {
		if string(name) == repairedKey {
			value, present = slices.Concat(value[:len(value)-1], []byte{','}, members, []byte{'}'}), true
		}
		inner = appendMember(inner, string(name), value)
	}
	if !present {
		inner = appendMember(inner, repairedKey, slices.Concat([]byte{'{'}, members, []byte{'}'}))
	}
	return append(appendMember(b, tracefmt.LogKey, append(inner, '}')), '}')
}

// withoutLog returns the payload without the importer's additions; nil if nothing remains.
func withoutLog(payload []byte) []byte {
	b := []byte{'{'}
	for name, value := range tracefmt.Fields(payload) {
		if string(name) != tracefmt.LogKey && string(name) != tracefmt.CausesKey {
			b = appendMember(b, string(name), value)
		}
	}
	if len(b) == 1 {
		return nil
	}
	return append(b, '}')
}

// appendMember adds a member to an open JSON object.
func appendMember(b []byte, name string, value []byte) []byte {
	if len(b) > 1 {
		b = append(b, ',')
	}
	return append(append(tracefmt.AppendString(b, name), ':'), value...)
}

// eventText describes an event by its kind, type and message.
func eventText(run *tracefmt.Run, e *tracefmt.Event) string {
	text := e.Kind.String()
	if e.Type != "" {
		text += " " + e.Type
	}
	if e.Message != 0 {
		text += fmt.Sprintf(" (message %d)", e.Message)
	}
	return text
}

// The repairs of the rules about events; each takes a finding of its rule.

func withdrawLast(p *repairedRun, f *Finding) { p.withdraw(p.lastEvent(f)) }

// withdrawMessage repairs a message that was sent twice: it is unknown which send is right and which of them
// arrived.
func withdrawMessage(p *repairedRun, f *Finding) {
	twice := p.lastEvent(f)
	for i := range p.events {
		if e := &p.events[i]; isArrival(e) && e.Message == twice.Message {
			p.withdraw(e)
		}
	}
	p.withdraw(twice)
}

// withdrawEnds repairs a message with different fields at its ends. An arrival that names another send belongs to
// neither.
func withdrawEnds(p *repairedRun, f *Finding) {
	received, sent := p.lastEvent(f), p.eventAt(f.Events[0].Seq)
	same := received.Cause == sent.Seq
	p.withdraw(received)
	if same {
		p.withdraw(sent)
	}
}

// hideSend repairs an arrival without a send: it declares the sends of the sender incomplete, which is enough.
func hideSend(p *repairedRun, f *Finding) {
	e := p.lastEvent(f)
	if e.Cause != 0 {
		p.dropCause(e)
	}
	if _, taken := p.sends()[e.Message]; taken { // the id is that of another message
		p.change(e, "message", strconv.FormatInt(int64(e.Message), 10), "a number of its own")
		storeFormer(e, fmt.Sprintf(`"message":%d`, e.Message))
		e.Message = p.unusedMessage()
	}
	p.lower(e.Peer, sendFacts...)
}

// unusedMessage returns a message id that no event has.
func (p *repairedRun) unusedMessage() tracefmt.MessageID {
	greatest := slices.MaxFunc(p.events, func(a, b tracefmt.Event) int { return cmp.Compare(a.Message, b.Message) })
	return greatest.Message + 1
}

// dropCause removes the cause of an event.
func (p *repairedRun) dropCause(e *tracefmt.Event) {
	p.change(e, "cause", fmt.Sprintf("seq %d", e.Cause), "none")
	storeFormer(e, fmt.Sprintf(`"cause":%d`, e.Cause))
	e.Cause = 0
}

// hideNumbered repairs an answer to an unrecorded message: it declares the sends of the other process
// incomplete.
func hideNumbered(p *repairedRun, f *Finding) { p.lower(p.lastEvent(f).Peer, sendFacts...) }

// hideArrival repairs a message that has not arrived in a run that claims to be quiescent: either may be wrong.
func hideArrival(p *repairedRun, f *Finding) {
	p.lower(p.lastEvent(f).Peer, arrivalFacts...)
	p.stop()
}

// stop removes the claim that the run is quiescent.
func (p *repairedRun) stop() {
	if p.run.End != tracefmt.Stopped {
		p.change(nil, "end", string(p.run.End), string(tracefmt.Stopped))
		p.run.End = tracefmt.Stopped
	}
}

// repairEnd repairs a run that wrongly claims to be quiescent, or in a loop.
func repairEnd(p *repairedRun, _ *Finding) {
	if last := p.eventAt(tracefmt.Seq(len(p.events))); last != nil && last.Kind == tracefmt.Note &&
		last.Type == tracefmt.LoopNote {
		p.withdraw(last)
	}
	p.stop()
}

var lifeFacts = analyze.Facts("start", "halt", "crash", "recover")

// hideLife repairs a step of a process that is down: its crash, or the time of its crash, is uncertain.
func hideLife(p *repairedRun, f *Finding) {
	crash, step := p.eventAt(f.Events[0].Seq), p.lastEvent(f)
	p.withdraw(crash)
	p.gap(crash.Process, crash.Seq, step.Seq, 0)
	p.lower(crash.Process, lifeFacts...)
}

// hideTurn repairs a crash of a process that is down, or a recovery of a process that is up: more than
// one event may be missing in between.
func hideTurn(p *repairedRun, f *Finding) {
	e, from := p.lastEvent(f), tracefmt.Seq(0)
	if before := p.eventAt(f.Events[0].Seq); before != nil && before != e {
		from = before.Seq
	}
	p.gap(e.Process, from, e.Seq, 0)
}

var timerFacts = analyze.Facts("timers")

// hideTimers repairs an unexpected timer: it declares the timers of the process incomplete.
func hideTimers(p *repairedRun, f *Finding) { p.lower(p.lastEvent(f).Process, timerFacts...) }

// silence repairs a process that others name and that has no events: nothing about it is recorded.
func silence(p *repairedRun, f *Finding) {
	e := p.lastEvent(f)
	name, levels := p.run.ProcessName(e.Peer), tracefmt.Levels{Default: tracefmt.None}
	for i := range p.events {
		switch o := &p.events[i]; {
		case o.Process != e.Peer: // an event of another process
		case o.Kind == tracefmt.Lose: // a loss is an event of the network
			levels.Default = tracefmt.Some
		default:
			return // the elected value is no process at all
		}
	}
	if e.Peer != 0 {
		p.change(nil, "complete", name+" as all", name+":"+levels.Default.String())
		p.run.Completeness.Processes[name] = levels
	}
}

// raiseCompleteness repairs a fact that occurs although the run declares none.
func raiseCompleteness(p *repairedRun, f *Finding) {
	e := p.lastEvent(f)
	nothing := func(present tracefmt.Level) bool { return present == tracefmt.None }
	if e.Kind != tracefmt.State {
		p.declareLevel(e.Process, tracefmt.Some, nothing, []tracefmt.Fact{{Kind: e.Kind}})
		return
	}
	for name, value := range tracefmt.Fields(e.Payload) {
		if tracefmt.IsVariable(e.Kind, name, value) {
			p.declareLevel(e.Process, tracefmt.Some, nothing,
				[]tracefmt.Fact{tracefmt.StateOf(string(tracefmt.ListName(name)))})
		}
	}
}
