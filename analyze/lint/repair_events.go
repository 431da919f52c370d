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

// withdraw takes an event back: it becomes a note in its place, which holds what it said, and
// the run says that events of the process may be missing there.
func (p *patient) withdraw(e *tracefmt.Event) {
	if e == nil || p.withdrawn[e.Seq] {
		return
	}
	p.withdrawn[e.Seq] = true
	told := e.Kind.String()
	p.change(e, "event", eventText(&p.run, e), "note withdrawn "+told)
	if e.Process == 0 {
		p.gapOfAll(e.Seq, e.Seq)
	} else {
		p.gap(e.Process, e.Seq, e.Seq, 0)
	}
	if e.Kind == tracefmt.Send {
		p.orphan(e.Seq)
	}
	held := p.fieldsOf(e)
	e.Kind, e.Type, e.Peer, e.Message, e.Cause = tracefmt.Note, "withdrawn "+told, 0, 0, 0
	e.Payload = withMark(e.Payload, held, false)
	p.tellOfNotes(e.Process)
}

// orphan takes the send away from what arrives of it, since it is withdrawn.
func (p *patient) orphan(send tracefmt.Seq) {
	for i := range p.events {
		if e := &p.events[i]; isArrival(e) && e.Cause == send {
			p.dropCause(e)
		}
	}
}

// tellOfNotes sees to it that what was withdrawn shows no notes to be recorded that were not.
func (p *patient) tellOfNotes(process tracefmt.ProcessID) {
	notes := analyze.Facts("note")
	if p.told.Silent() && p.told.Level(process, notes[0]) == tracefmt.None && p.run.Completeness.Kinds["note"] == tracefmt.Unsaid {
		p.run.Completeness.Kinds["note"] = tracefmt.None
	}
	p.tell(process, tracefmt.Some, func(said tracefmt.Level) bool { return said == tracefmt.None }, notes)
}

// fieldsOf are the fields of an event as members of a JSON object.
func (p *patient) fieldsOf(e *tracefmt.Event) []byte {
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
	if rest := withoutLog(e.Payload); rest != nil {
		b = append(append(b, `,"payload":`...), rest...)
	}
	return b
}

// mark keeps in the event what a field of it was before, as a member of a JSON object. An event
// that has no room for that, since its variable is called log, is in the list of changes only.
func mark(e *tracefmt.Event, before string) {
	e.Payload = withMark(e.Payload, []byte(before), true)
}

// repairedKey holds what was before a repair, in what the log says of an event.
const repairedKey = "repaired"

// withMark is a payload with members under [repairedKey] of its log, beside those that are
// there; unless whole, nothing else of the payload remains.
func withMark(payload, members []byte, whole bool) []byte {
	log, said := []byte(nil), false
	b := []byte{'{'}
	for name, value := range tracefmt.Fields(payload) {
		switch {
		case string(name) == tracefmt.LogKey && bytes.HasPrefix(value, []byte(`{"text":`)):
			log = value
		case string(name) == tracefmt.LogKey && whole:
			return payload
		case whole:
			b = appendMember(b, string(name), value)
		}
	}
	if log == nil {
		log = []byte(`{"text":""}`)
	}
	inner := []byte{'{'}
	for name, value := range tracefmt.Fields(log) {
		if string(name) == repairedKey {
			value, said = slices.Concat(value[:len(value)-1], []byte{','}, members, []byte{'}'}), true
		}
		inner = appendMember(inner, string(name), value)
	}
	if !said {
		inner = appendMember(inner, repairedKey, slices.Concat([]byte{'{'}, members, []byte{'}'}))
	}
	return append(appendMember(b, tracefmt.LogKey, append(inner, '}')), '}')
}

// withoutLog is the payload without what an importer has added; nil if nothing remains.
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

func appendMember(b []byte, name string, value []byte) []byte {
	if len(b) > 1 {
		b = append(b, ',')
	}
	return append(append(tracefmt.AppendString(b, name), ':'), value...)
}

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

// The repairs of the rules about events; each gets a finding of its rule.

func withdrawLast(p *patient, f *Finding) { p.withdraw(p.last(f)) }

// withdrawMessage is for a message that was sent twice: the second send is none, and which
// of them arrived is not known.
func withdrawMessage(p *patient, f *Finding) {
	twice := p.last(f)
	for i := range p.events {
		if e := &p.events[i]; isArrival(e) && e.Message == twice.Message {
			p.withdraw(e)
		}
	}
	p.withdraw(twice)
}

// withdrawEnds is for a message that arrives otherwise than it was sent. One that names another
// send is an arrival of neither.
func withdrawEnds(p *patient, f *Finding) {
	received, sent := p.last(f), p.at(f.Events[0].Seq)
	same := received.Cause == sent.Seq
	p.withdraw(received)
	if same {
		p.withdraw(sent)
	}
}

// hideSend is for a message that arrives and was not sent: that not all is recorded which
// its sender has sent says enough.
func hideSend(p *patient, f *Finding) {
	e := p.last(f)
	if e.Cause != 0 {
		p.dropCause(e)
	}
	if _, other := p.sends()[e.Message]; other { // which is that of another message
		p.change(e, "message", strconv.FormatInt(int64(e.Message), 10), "a number of its own")
		mark(e, fmt.Sprintf(`"message":%d`, e.Message))
		e.Message = p.unusedMessage()
	}
	p.lower(e.Peer, sendFacts...)
}

func (p *patient) unusedMessage() tracefmt.MessageID {
	greatest := slices.MaxFunc(p.events, func(a, b tracefmt.Event) int { return cmp.Compare(a.Message, b.Message) })
	return greatest.Message + 1
}

// dropCause takes back the cause of an event.
func (p *patient) dropCause(e *tracefmt.Event) {
	p.change(e, "cause", fmt.Sprintf("seq %d", e.Cause), "none")
	mark(e, fmt.Sprintf(`"cause":%d`, e.Cause))
	e.Cause = 0
}

func hideNumbered(p *patient, f *Finding) { p.lower(p.last(f).Peer, sendFacts...) }

// hideArrival is for a message that has not arrived in a run that claims to be at rest: either
// may be wrong.
func hideArrival(p *patient, f *Finding) {
	p.lower(p.last(f).Peer, arrivalFacts...)
	p.stop()
}

// stop takes back that the run is at rest.
func (p *patient) stop() {
	if p.run.End != tracefmt.Stopped {
		p.change(nil, "end", string(p.run.End), string(tracefmt.Stopped))
		p.run.End = tracefmt.Stopped
	}
}

// falsifyEnd is for a run that claims to be at rest, or in a loop, and is not.
func falsifyEnd(p *patient, _ *Finding) {
	if last := p.at(tracefmt.Seq(len(p.events))); last != nil && last.Kind == tracefmt.Note && last.Type == tracefmt.LoopNote {
		p.withdraw(last)
	}
	p.stop()
}

var lifeFacts = analyze.Facts("start", "halt", "crash", "recover")

// hideLife is for a step of a process that is down: that it crashed, and when, is not sure.
func hideLife(p *patient, f *Finding) {
	crash, step := p.at(f.Events[0].Seq), p.last(f)
	p.withdraw(crash)
	p.gap(crash.Process, crash.Seq, step.Seq, 0)
	p.lower(crash.Process, lifeFacts...)
}

// hideTurn is for a crash of a process that is down, or a recovery of one that is up: what is
// missing in between may be more than that.
func hideTurn(p *patient, f *Finding) {
	e, from := p.last(f), tracefmt.Seq(0)
	if before := p.at(f.Events[0].Seq); before != nil && before != e {
		from = before.Seq
	}
	p.gap(e.Process, from, e.Seq, 0)
}

var timerFacts = analyze.Facts("timers")

func hideTimers(p *patient, f *Finding) { p.lower(p.last(f).Process, timerFacts...) }

// silence is for a process that others name and that has no events: nothing is told of it.
func silence(p *patient, f *Finding) {
	e := p.last(f)
	name, own := p.run.ProcessName(e.Peer), tracefmt.Levels{Default: tracefmt.None}
	for i := range p.events {
		switch o := &p.events[i]; {
		case o.Process != e.Peer:
		case o.Kind == tracefmt.Lose: // which is the network's
			own.Default = tracefmt.Some
		default:
			return // whom it has elected is no process at all
		}
	}
	if e.Peer != 0 {
		p.change(nil, "complete", name+" as all", name+":"+own.Default.String())
		p.run.Completeness.Processes[name] = own
	}
}

// raise is for what occurs though the run declares as none it.
func raise(p *patient, f *Finding) {
	e := p.last(f)
	nothing := func(said tracefmt.Level) bool { return said == tracefmt.None }
	if e.Kind != tracefmt.State {
		p.tell(e.Process, tracefmt.Some, nothing, []tracefmt.Fact{{Kind: e.Kind}})
		return
	}
	for name, value := range tracefmt.Fields(e.Payload) {
		if tracefmt.IsVariable(e.Kind, name, value) {
			p.tell(e.Process, tracefmt.Some, nothing, []tracefmt.Fact{tracefmt.StateOf(string(tracefmt.ListName(name)))})
		}
	}
}
