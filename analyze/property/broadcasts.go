package property

import (
	"fmt"

	"etrace/analyze"
	"etrace/replay"
	"etrace/replay/sparse"
	"etrace/tracefmt"
)

// The labels of the notes in which runs of broadcast tell their story, and the
// payload keys that name the message and whose it is.
const (
	broadcastNote = "broadcast"
	deliverNote   = "deliver"
	broadcastKey  = "m"
	senderKey     = "sender"
)

// broadcastNeeds is what the properties of broadcast need.
const broadcastNeeds = "note events broadcast and deliver of the processes, with the message's id in the payload, such as {\"m\":1}"

// noBroadcast is the reason for properties of broadcast.
const noBroadcast = "no process notes that it broadcasts or delivers"

// broadcasts tells which messages were broadcast, and which process delivered
// which of them where. It keeps 24 bytes of each message and 8 for each
// process that may deliver it, up to mostKept of the latter; the messages are
// distinguished by hashes of their ids. What a Byzantine process says that it
// delivers does not count.
type broadcasts struct {
	processes int
	aside     []bool         // by process: it does not take part
	index     map[uint64]int // of a message in all, by the hash of its id
	all       []broadcast
	deliverAt []tracefmt.Seq // by message, then process: the first delivery
	told      bool
}

// broadcast is a message as far as the run has told of it: without a sender if
// it was delivered only.
type broadcast struct {
	sender tracefmt.ProcessID
	number int32 // of the sender's broadcasts, from 1
	sent   tracefmt.Seq
}

// told is what an event tells of broadcast.
type told uint8

const (
	recordsNothing told = iota
	tellsBroadcast
	tellsDelivery
	tellsDeliveryAgain
)

func newBroadcasts(run *tracefmt.Run) broadcasts {
	return broadcasts{processes: len(run.Members), aside: standingBy(run), index: make(map[uint64]int)}
}

// step takes in an event, after the state has, and returns what it tells, and
// of which message. The message's number is for the caller to give.
func (b *broadcasts) step(r *analyze.Result, s *replay.State, e *tracefmt.Event) (i int, what told) {
	if e.Kind != tracefmt.Note || e.Process == 0 || e.Type != broadcastNote && e.Type != deliverNote {
		return 0, recordsNothing
	}
	b.told = true
	if e.Type == deliverNote && b.aside[e.Process] {
		return 0, recordsNothing
	}
	i, ok := b.message(r, e)
	if !ok {
		return 0, recordsNothing
	}
	if e.Type == broadcastNote {
		return i, b.broadcast(r, e, i)
	}
	if at := b.delivered(i, e.Process); *at == 0 {
		*at = e.Seq
		return i, tellsDelivery
	}
	return i, tellsDeliveryAgain
}

// message returns the place of the message that the event names; ok is false
// if it names none, or if there is no room for it.
func (b *broadcasts) message(r *analyze.Result, e *tracefmt.Event) (i int, ok bool) {
	id, ok := e.Field(broadcastKey)
	if !ok {
		r.Undecided(func() string {
			return fmt.Sprintf("the %s at seq %d does not say which message: its payload has no %s", e.Type, e.Seq, broadcastKey)
		})
		return 0, false
	}
	key := valueHash(id)
	i, ok = b.index[key]
	if ok || !roomFor(r, len(b.deliverAt)+b.processes, "deliveries") {
		return i, ok
	}
	i = len(b.all)
	b.index[key] = i
	b.all = append(b.all, broadcast{})
	for range b.processes {
		b.deliverAt = append(b.deliverAt, 0)
	}
	return i, true
}

func (b *broadcasts) broadcast(r *analyze.Result, e *tracefmt.Event, i int) told {
	if m := &b.all[i]; m.sent == 0 {
		m.sender, m.sent = e.Process, e.Seq
		return tellsBroadcast
	}
	r.Undecided(func() string {
		return fmt.Sprintf("two messages have one id: that broadcast at seq %d and that at seq %d", b.all[i].sent, e.Seq)
	})
	return recordsNothing
}

// delivered is where p delivered a message first, 0 if it has not.
func (b *broadcasts) delivered(i int, p tracefmt.ProcessID) *tracefmt.Seq {
	return &b.deliverAt[i*b.processes+int(p)-1]
}

// name names a message in an explanation.
func (b *broadcasts) name(s *replay.State, i int) string {
	m := b.all[i]
	if m.sent == 0 {
		return "a message that no process broadcast"
	}
	return fmt.Sprintf("what process %s broadcast at seq %d", s.Run.ProcessName(m.sender), m.sent)
}

func (b *broadcasts) end(r *analyze.Result) (applicable bool) {
	if !b.told {
		r.NothingTold(noBroadcast, noteFacts...)
	}
	return b.told
}

// promised are broadcasts of which correct processes owe the deliveries.
type promised struct {
	broadcasts
	faults faults
}

func newPromised(run *tracefmt.Run) promised {
	return promised{newBroadcasts(run), newFaults(run)}
}

// Step implements [analyze.Monitor] for what is decided at the end.
func (b *promised) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	b.faults.step(e)
	if _, what := b.step(r, s, e); what != recordsNothing {
		b.faults.speaks[e.Process] = true
	}
}

// mayBeCorrect returns the processes that may be correct, and the needs of what they may have
// noted.
func (b *promised) mayBeCorrect(s *replay.State) (all []tracefmt.ProcessID, notes []analyze.Need) {
	if s.Coverage().Complete() {
		return nil, nil
	}
	for _, p := range allProcesses(s.Run) {
		own := deliveries(p, 0, 0)
		silent := !b.faults.speaks[p] && b.faults.parts[p] == tracefmt.PartUnknown && certain(s, own)
		fell := b.faults.failed[p] && b.faults.guessed[p] == 0
		if fell || silent || b.faults.parts[p] == tracefmt.StandsBy {
			continue
		}
		all, notes = append(all, p), append(notes, own...)
	}
	return all, notes
}

// ordered are broadcasts whose senders number them, with the progress of each
// process through each sender's messages.
type ordered struct {
	broadcasts
	from [][]int      // by sender: its messages in order
	next []sparse.Row // by process, then sender: how many it has delivered without a gap
}

func newOrdered(run *tracefmt.Run) ordered {
	n := len(run.Members) + 1
	return ordered{broadcasts: newBroadcasts(run), from: make([][]int, n), next: make([]sparse.Row, n)}
}

// step does what that of broadcasts does, and numbers the messages.
func (o *ordered) step(r *analyze.Result, s *replay.State, e *tracefmt.Event) (i int, what told) {
	i, what = o.broadcasts.step(r, s, e)
	if what == tellsBroadcast {
		o.from[e.Process] = append(o.from[e.Process], i)
		o.all[i].number = int32(len(o.from[e.Process]))
	}
	return i, what
}

// lacks returns a message of the first count ones of a sender that p has not
// delivered. Each message is passed once, so that the cost is that of the
// deliveries.
func (o *ordered) lacks(p, sender tracefmt.ProcessID, count int) (i int, lacks bool) {
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

// Relies implements [analyze.Relying]: nothing else was broadcast, be it by a process that only
// stands by, nor delivered.
func (o *ordered) Relies(*replay.State, analyze.Ending) []analyze.Need {
	return analyze.Needs(analyze.EveryProcess, 0, 0, noteFacts...)
}

// deliveries are the needs of what p may have delivered between two events without a
// record of it.
func deliveries(p tracefmt.ProcessID, from, to tracefmt.Seq) []analyze.Need {
	return analyze.Needs(p, from, to, noteFacts...)
}
