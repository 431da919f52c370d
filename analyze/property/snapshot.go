package property

import (
	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// The labels of the notes in which runs of snapshots tell their story, the payload keys of
// what they record, and the variable that has what a process begins with.
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

// What the properties of snapshots need, and why they are not applicable.
const (
	snapshotNeeds = "note events record and recorded of the processes"
	noSnapshot    = "no process notes that it records its state"
)

// snapshot is the fold that knows which process has recorded its part of the global state: its own
// state, by its first note record, and what is in its channels, with that note if its payload
// says what it has received so far, else by its next note recorded. What those note that take no part
// does not count.
type snapshot struct {
	aside    []bool
	recorded []tracefmt.Seq // by process: its note record, 0 for none
	complete []tracefmt.Seq // by process: with which note its part is whole
	first    tracefmt.Seq   // the first note record of all
}

func newSnapshot(run *tracefmt.Run) *snapshot {
	n := len(run.Members) + 1
	return &snapshot{aside: standingBy(run), recorded: make([]tracefmt.Seq, n), complete: make([]tracefmt.Seq, n)}
}

// Step implements [analyze.Fold].
func (n *snapshot) Step(_ *replay.State, e *tracefmt.Event) {
	if e.Kind != tracefmt.Note || e.Process == 0 || n.aside[e.Process] {
		return
	}
	switch p := e.Process; {
	case e.Type == recordNote && n.recorded[p] == 0:
		n.recorded[p] = e.Seq
		if n.first == 0 {
			n.first = e.Seq
		}
		if _, ok := e.Field(receivedKey); ok {
			n.complete[p] = e.Seq
		}
	case e.Type == recordedNote && n.recorded[p] != 0 && n.complete[p] == 0:
		n.complete[p] = e.Seq
	}
}

// records and completes report whether an event is the note by which its process records its
// state, and the one with which its part is whole.
func (n *snapshot) records(e *tracefmt.Event) bool   { return n.recorded[e.Process] == e.Seq }
func (n *snapshot) completes(e *tracefmt.Event) bool { return n.complete[e.Process] == e.Seq }

// end reports whether there is a snapshot.
func (n *snapshot) end(r *analyze.Result) (applicable bool) {
	if n.first == 0 {
		r.NothingTold(noSnapshot, noteFacts...)
	}
	return n.first != 0
}
