package detection

import (
	"slices"

	"etrace/analyze"
	"etrace/analyze/property/members"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

// The labels of the notes in runs of termination detection.
const (
	activeNote   = "active"
	passiveNote  = "passive"
	announceNote = "announce"
)

// The needs of the properties of termination detection, and the reason why they are not applicable.
const (
	terminationNeeds = "note events active, passive and announce of the processes; basic in the header, the " +
		"types of the messages of the base computation"
	noComputation = "no process notes that it is active, passive, or announces"
)

// computation is the fold that follows the active processes of the base computation and its messages in transit. A
// process is active from its note active to its note passive, or until it crashes or restarts. Non-participants, and
// messages from or to them, do not count. An inferred event ends nothing, since it may not have happened.
type computation struct {
	basic           []string
	nonParticipants []bool         // by process: it does not participate
	active          []tracefmt.Seq // by process: its note active, 0 while passive
	flying          map[tracefmt.MessageID]replay.Flight
	// recorded is set once a process notes something of this, began once there was something to do; busy is the last
	// event with something to do.
	recorded, began bool
	busy            tracefmt.Seq
}

// newComputation returns the fold before the first event.
func newComputation(run *tracefmt.Run) *computation {
	return &computation{
		basic: run.Basic, nonParticipants: members.Bystanders(run), active: make([]tracefmt.Seq, len(run.Members)+1),
		flying: make(map[tracefmt.MessageID]replay.Flight),
	}
}

// Step implements [analyze.Fold].
func (c *computation) Step(_ *replay.State, e *tracefmt.Event) {
	if e.Process == 0 || c.nonParticipants[e.Process] {
		return
	}
	busy := c.active[e.Process] != 0
	switch e.Kind {
	case tracefmt.Note:
		c.note(e)
	case tracefmt.Crash, tracefmt.Halt, tracefmt.Start, tracefmt.Recover:
		// An inferred crash may not have happened, so it ends no activity.
		if !e.Inferred() {
			c.active[e.Process] = 0
		}
	case tracefmt.Send:
		if slices.Contains(c.basic, e.Type) && !c.nonParticipants[e.Peer] {
			c.flying[e.Message] = replay.Flight{
				Message: e.Message, From: e.Process, To: e.Peer, Type: e.Type,
				Sent: e.Seq,
			}
			c.began, busy = true, true
		}
	case tracefmt.Receive, tracefmt.Lose:
		if _, ok := c.flying[e.Message]; ok {
			delete(c.flying, e.Message)
			busy = true
		}
	}
	if busy || c.active[e.Process] != 0 {
		c.busy = e.Seq
	}
}

// note records that a process becomes active or passive, or announces the end.
func (c *computation) note(e *tracefmt.Event) {
	switch e.Type {
	case activeNote:
		c.recorded, c.began = true, true
		if c.active[e.Process] == 0 {
			c.active[e.Process] = e.Seq
		}
	case passiveNote:
		c.recorded = true
		c.active[e.Process] = 0
	case announceNote:
		c.recorded = true
	}
}

// nothingRecorded reports a run without notes of a computation as not applicable, and returns whether it did.
func (c *computation) nothingRecorded(r *analyze.Result) bool {
	return !c.recorded && r.NoFacts(noComputation, unrecorded.NoteFacts...)
}

// flights returns the messages of the base computation in transit, in the order of their sends.
func (c *computation) flights() []replay.Flight {
	list := make([]replay.Flight, 0, len(c.flying))
	for _, f := range c.flying {
		list = append(list, f)
	}
	slices.SortFunc(list, func(x, y replay.Flight) int { return int(x.Sent - y.Sent) })
	return list
}
