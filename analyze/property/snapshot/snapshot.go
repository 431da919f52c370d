package snapshot

import (
	"etrace/analyze"
	"etrace/analyze/property/members"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

// The labels of the notes of snapshots, the payload keys of their records, and the variable with a process's
// initial amount.
const (
	recordNote     = "record"
	recordedNote   = "recorded"
	stateKey       = "state"
	sentKey        = "sent"
	receivedKey    = "received"
	beforeKey      = "before"
	channelsKey    = "channels"
	amountVariable = "amount"
)

// The needs of the properties of snapshots, and the reason why they are not applicable.
const (
	snapshotNeeds = "note events record and recorded of the processes"
	noSnapshot    = "no process notes that it records its state"
)

// snapshot is the fold that has which processes have recorded their parts of the global state. A part is the
// process's own state, by its first note record, and its channels. These are in the same note if its payload has
// the messages received so far, else in its next note recorded. Notes of non-participants do not count.
type snapshot struct {
	nonParticipants []bool
	recorded        []tracefmt.Seq // by process: its note record, 0 for none
	complete        []tracefmt.Seq // by process: the note that completes its part
	first           tracefmt.Seq   // the first note record of all
}

// newSnapshot returns the fold before the first event.
func newSnapshot(run *tracefmt.Run) *snapshot {
	n := len(run.Members) + 1
	return &snapshot{
		nonParticipants: members.Bystanders(run), recorded: make([]tracefmt.Seq, n),
		complete: make([]tracefmt.Seq, n),
	}
}

// Step implements [analyze.Fold].
func (n *snapshot) Step(_ *replay.State, e *tracefmt.Event) {
	if e.Kind != tracefmt.Note || e.Process == 0 || n.nonParticipants[e.Process] {
		return
	}
	switch p := e.Process; {
	case e.Type == recordNote && n.recorded[p] == 0:
		n.recorded[p] = e.Seq
		if n.first == 0 {
			n.first = e.Seq
		}
		// A note with the received messages completes the part at once.
		if _, ok := e.Field(receivedKey); ok {
			n.complete[p] = e.Seq
		}
	case e.Type == recordedNote && n.recorded[p] != 0 && n.complete[p] == 0:
		n.complete[p] = e.Seq
	}
}

// records reports whether the event is the note that records its process's state.
func (n *snapshot) records(e *tracefmt.Event) bool { return n.recorded[e.Process] == e.Seq }

// completes reports whether the event is the note that completes its process's part.
func (n *snapshot) completes(e *tracefmt.Event) bool { return n.complete[e.Process] == e.Seq }

// end reports whether there is a snapshot; it reports a run without one as not applicable.
func (n *snapshot) end(r *analyze.Result) (applicable bool) {
	if n.first == 0 {
		r.NoFacts(noSnapshot, unrecorded.NoteFacts...)
	}
	return n.first != 0
}
