package broadcast

import (
	"fmt"
	"iter"
	"slices"

	"etrace/analyze"
	"etrace/analyze/property/members"
	"etrace/analyze/property/memory"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/replay/sparse"
	"etrace/tracefmt"
)

// The labels of the notes of a broadcast run, and the payload keys of the message and its sender.
const (
	broadcastNote = "broadcast"
	deliverNote   = "deliver"
	broadcastKey  = "m"
	senderKey     = "sender"
)

// broadcastNeeds are the events that the properties of broadcast need.
const broadcastNeeds = "note events broadcast and deliver of the processes, with the message's id in the payload, such as {\"m\":1}"

// noBroadcast is the reason for properties of broadcast.
const noBroadcast = "no process notes that it broadcasts or delivers"

// broadcasts records which messages were broadcast, and where each process delivered them first. It takes 24
// bytes for each message and 8 for each process that may deliver it, up to mostKept of the latter. Messages are
// distinguished by hashes of their ids. Deliveries by Byzantine processes do not count.
type broadcasts struct {
	processes       int
	nonParticipants []bool         // by process: it does not participate
	index           map[uint64]int // the place of a message, by the hash of its id
	list            []broadcast
	deliverAt       []tracefmt.Seq // by message, then process: the first delivery
	recorded        bool
}

// broadcast is a recorded message. It has no sender if only deliveries are recorded.
type broadcast struct {
	sender tracefmt.ProcessID
	number int32 // the number among the sender's broadcasts, from 1
	sent   tracefmt.Seq
}

// recording is what an event records of a message: its broadcast, its first delivery by the process, or a further
// one.
type recording uint8

const (
	recordsNothing recording = iota
	recordsBroadcast
	recordsDelivery
	recordsDeliveryAgain
)

// newBroadcasts returns the record before the first event.
func newBroadcasts(run *tracefmt.Run) broadcasts {
	return broadcasts{
		processes: len(run.Members), nonParticipants: members.Bystanders(run),
		index: make(map[uint64]int),
	}
}

// step takes an event, after the state has, and returns its message and content. The caller numbers the message.
func (b *broadcasts) step(r *analyze.Result, s *replay.State, e *tracefmt.Event) (i int, outcome recording) {
	if e.Kind != tracefmt.Note || e.Process == 0 || e.Type != broadcastNote && e.Type != deliverNote {
		return 0, recordsNothing
	}
	b.recorded = true
	if e.Type == deliverNote && b.nonParticipants[e.Process] {
		return 0, recordsNothing
	}
	i, ok := b.message(r, e)
	if !ok {
		return 0, recordsNothing
	}
	if e.Type == broadcastNote {
		return i, b.broadcast(r, e, i)
	}
	// Only the first delivery counts as one.
	if at := b.delivered(i, e.Process); *at == 0 {
		*at = e.Seq
		return i, recordsDelivery
	}
	return i, recordsDeliveryAgain
}

// message returns the place of the event's message; ok is false if the event names none, or if there is no room.
func (b *broadcasts) message(r *analyze.Result, e *tracefmt.Event) (i int, ok bool) {
	id, ok := e.Field(broadcastKey)
	if !ok {
		r.Undecided(func() string {
			return fmt.Sprintf("the %s at seq %d does not name its message: its payload has no %s", e.Type, e.Seq,
				broadcastKey)
		})
		return 0, false
	}
	key := memory.ValueHash(id)
	i, ok = b.index[key]
	if ok || !memory.RoomFor(r, len(b.deliverAt)+b.processes, "deliveries") {
		return i, ok
	}
	i = len(b.list)
	b.index[key] = i
	b.list = append(b.list, broadcast{})
	for range b.processes {
		b.deliverAt = append(b.deliverAt, 0)
	}
	return i, true
}

// broadcast stores the broadcast of message i. Two broadcasts with one id make the property unknown.
func (b *broadcasts) broadcast(r *analyze.Result, e *tracefmt.Event, i int) recording {
	if m := &b.list[i]; m.sent == 0 {
		m.sender, m.sent = e.Process, e.Seq
		return recordsBroadcast
	}
	r.Undecided(func() string {
		return fmt.Sprintf("two messages have one id: that broadcast at seq %d and that at seq %d",
			b.list[i].sent, e.Seq)
	})
	return recordsNothing
}

// delivered returns the first delivery of a message by p, 0 so far.
func (b *broadcasts) delivered(i int, p tracefmt.ProcessID) *tracefmt.Seq {
	return &b.deliverAt[i*b.processes+int(p)-1]
}

// name names a message in an explanation.
func (b *broadcasts) name(s *replay.State, i int) string {
	m := b.list[i]
	if m.sent == 0 {
		return "a message that no process broadcast"
	}
	return fmt.Sprintf("what process %s broadcast at seq %d", s.Run.ProcessName(m.sender), m.sent)
}

// end reports a run without notes of broadcast as not applicable, and returns whether the property applies.
func (b *broadcasts) end(r *analyze.Result) (applicable bool) {
	if !b.recorded {
		r.NoFacts(noBroadcast, unrecorded.NoteFacts...)
	}
	return b.recorded
}

// promised are broadcasts that correct processes must deliver.
type promised struct {
	broadcasts
	faults unrecorded.Faults
}

// newPromised returns the record before the first event, with all processes correct.
func newPromised(run *tracefmt.Run) promised {
	return promised{newBroadcasts(run), unrecorded.NewFaults(run)}
}

// Step implements [analyze.Monitor] for properties decided at the end.
func (b *promised) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	b.faults.Step(e)
	if _, outcome := b.step(r, s, e); outcome != recordsNothing {
		b.faults.Speaks[e.Process] = true
	}
}

// possiblyCorrectProcesses returns the processes that may be correct, with the needs for their unrecorded notes.
func (b *promised) possiblyCorrectProcesses(s *replay.State) (list []tracefmt.ProcessID, notes iter.Seq[analyze.Need]) {
	if s.Coverage().Complete() {
		return nil, nil
	}
	for _, p := range members.All(s.Run) {
		// Silent processes of unknown participation, and certainly failed ones, need not deliver.
		self := deliveries(p, 0, 0)
		silent := !b.faults.Speaks[p] && b.faults.Parts[p] == tracefmt.PartUnknown && unrecorded.None(s, self)
		fell := b.faults.Failed[p] && b.faults.Guessed[p] == 0
		if fell || silent || b.faults.Parts[p] == tracefmt.Bystander {
			continue
		}
		list = append(list, p)
	}
	return list, members.NeedsOfEach(list, func(p tracefmt.ProcessID) []analyze.Need { return deliveries(p, 0, 0) })
}

// ordered are broadcasts numbered by their senders, with each process's progress through each sender's messages.
type ordered struct {
	broadcasts
	from [][]int      // by sender: its messages in order
	next []sparse.Row // by process, then sender: the number of messages delivered without a gap
}

// newOrdered returns the record before the first event.
func newOrdered(run *tracefmt.Run) ordered {
	n := len(run.Members) + 1
	return ordered{broadcasts: newBroadcasts(run), from: make([][]int, n), next: make([]sparse.Row, n)}
}

// step takes an event as broadcasts.step does, and numbers a new message of its sender.
func (o *ordered) step(r *analyze.Result, s *replay.State, e *tracefmt.Event) (i int, outcome recording) {
	i, outcome = o.broadcasts.step(r, s, e)
	if outcome == recordsBroadcast {
		o.from[e.Process] = append(o.from[e.Process], i)
		o.list[i].number = int32(len(o.from[e.Process]))
	}
	return i, outcome
}

// firstMissing returns a message among the first count ones of a sender that p has not delivered. It skips each
// delivered message once, so the total cost is that of the deliveries.
func (o *ordered) firstMissing(p, sender tracefmt.ProcessID, count int) (i int, lacks bool) {
	from := int(o.next[p].At(int(sender)))
	next := from
	for next < count && !lacks {
		i = o.from[sender][next]
		if *o.delivered(i, p) == 0 {
			lacks = true
		} else {
			next++
		}
	}
	if next > from {
		o.next[p].Set(int(sender), uint64(next))
	}
	return i, lacks
}

// Relies implements [analyze.Relying]: no further message was broadcast, by any process, or delivered.
func (o *ordered) Relies(*replay.State, analyze.Ending) iter.Seq[analyze.Need] {
	return slices.Values(analyze.Needs(analyze.EveryProcess, 0, 0, unrecorded.NoteFacts...))
}

// deliveries returns the needs for unrecorded deliveries by p between two events.
func deliveries(p tracefmt.ProcessID, from, receiver tracefmt.Seq) []analyze.Need {
	return analyze.Needs(p, from, receiver, unrecorded.NoteFacts...)
}
