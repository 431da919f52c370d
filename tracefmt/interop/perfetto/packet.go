package perfetto

import (
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"etrace/tracefmt"
)

// Fields by number, and values of enumerations, of the messages that are written.
const (
	tracePacket = 1

	packetTimestamp  = 8
	packetSequence   = 10
	packetTrackEvent = 11
	packetDescriptor = 60

	trackUUID          = 1
	trackName          = 2
	trackProcess       = 3
	trackParent        = 5
	trackChildOrdering = 11
	trackRank          = 12
	explicitOrdering   = 3
	processPID         = 1
	processName        = 6
	processLabels      = 8

	eventAnnotation  = 4
	eventType        = 9
	eventTrack       = 11
	eventName        = 23
	eventFlow        = 47
	eventLastOfFlow  = 48
	typeInstant      = 3
	annotationInt    = 4
	annotationString = 6
	annotationName   = 10

	sequenceID = 1 // one writer
)

// mark is the label of a run that shows that etrace wrote the file.
const mark = "Written by etrace as TrackEvent"

// packet builds one packet at a time, in memory that the next one reuses.
type packet struct {
	out, body, track, part []byte
}

// bytes returns the packet as a part of the trace.
func (p *packet) bytes() []byte {
	p.out = appendMessage(p.out[:0], tracePacket, p.body)
	return p.out
}

// describe makes the packet that describes a track. The track of a run has a process number and no parent.
func (p *packet) describe(uuid, parent uint64, name string, pid, rank int64) {
	track := appendUint(p.track[:0], trackUUID, uuid)
	track = appendText(track, trackName, name)
	if parent == 0 {
		p.part = appendText(appendUint(p.part[:0], processPID, uint64(pid)), processName, name)
		p.part = appendText(p.part, processLabels, mark)
		track = appendMessage(track, trackProcess, p.part)
		track = appendUint(track, trackChildOrdering, explicitOrdering)
	} else {
		track = appendUint(track, trackParent, parent)
		track = appendUint(track, trackRank, uint64(rank))
	}
	p.track = track
	p.body = appendUint(p.body[:0], packetSequence, sequenceID)
	p.body = appendMessage(p.body, packetDescriptor, track)
}

// event makes the packet of an event at a time.
func (p *packet) event(t *traceWriter, e *tracefmt.Event, at uint64) {
	b := appendUint(p.track[:0], eventType, typeInstant)
	b = appendUint(b, eventTrack, t.uuid(int(e.Process)))
	b = appendText(b, eventName, t.title(e))
	b = p.annotate(b, t, e)
	switch flow := t.number<<40 ^ uint64(e.Message); {
	case e.Message == 0: // not about a message
	case e.Kind == tracefmt.Send:
		b = protowire.AppendFixed64(protowire.AppendTag(b, eventFlow, protowire.Fixed64Type), flow)
	case e.Kind == tracefmt.Receive && t.stamps.Awaited(e.Cause):
		// A duplicate will receive the same send, so the flow goes on.
		b = protowire.AppendFixed64(protowire.AppendTag(b, eventFlow, protowire.Fixed64Type), flow)
	case e.Kind == tracefmt.Receive:
		b = protowire.AppendFixed64(protowire.AppendTag(b, eventLastOfFlow, protowire.Fixed64Type), flow)
	}
	p.track = b
	p.body = appendUint(p.body[:0], packetTimestamp, at)
	p.body = appendUint(p.body, packetSequence, sequenceID)
	p.body = appendMessage(p.body, packetTrackEvent, b)
}

// title returns the name of an event in the trace.
func (t *traceWriter) title(e *tracefmt.Event) string {
	name := strings.TrimSpace(e.Kind.String() + " " + e.Type)
	switch {
	case e.Kind != tracefmt.Send: // only a send shows the fate of its message
	case t.lost[e.Message]:
		name += " (lost)"
	case !t.stamps.Awaited(e.Seq):
		name += " (not received)"
	}
	return name
}

// annotate appends the fields of the event that are neither its place nor its time.
func (p *packet) annotate(b []byte, t *traceWriter, e *tracefmt.Event) []byte {
	for _, a := range [...]struct {
		name  string
		value int64
		zero  bool // written even if it is 0
	}{
		{"seq", int64(e.Seq), false},
		{"time", int64(e.Time), true},
		{"message", int64(e.Message), false},
		{"cause", int64(e.Cause), false},
		{"lamport", e.Lamport, false},
		{"term", e.Term, false},
	} {
		if a.value == 0 && !a.zero {
			continue
		}
		p.part = appendUint(appendText(p.part[:0], annotationName, a.name), annotationInt, uint64(a.value))
		b = appendMessage(b, eventAnnotation, p.part)
	}
	for _, a := range [...]struct{ name, value string }{
		{"wall", t.wall(e)}, {"type", e.Type}, {"peer", t.desc.ProcessName(e.Peer)}, {"payload", string(e.Payload)},
	} {
		if a.value == "" {
			continue
		}
		p.part = appendText(appendText(p.part[:0], annotationName, a.name), annotationString, a.value)
		b = appendMessage(b, eventAnnotation, p.part)
	}
	return b
}

func appendUint(b []byte, field protowire.Number, value uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), value)
}

func appendText(b []byte, field protowire.Number, value string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), value)
}

func appendMessage(b []byte, field protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), value)
}
