package property

import (
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// The labels of the notes in which runs of termination detection tell their story.
const (
	activeNote   = "active"
	passiveNote  = "passive"
	announceNote = "announce"
)

// What the properties of termination detection need, and why they are not applicable.
const (
	terminationNeeds = "note events active, passive and announce of the processes; basic in the header, the " +
		"types of the messages of the base computation"
	noComputation = "no process notes that it is active, passive, or announces"
)

var loseFact = tracefmt.Fact{Kind: tracefmt.Lose}

// computation is the fold that knows who is active in the base computation, and which of its
// messages are on their way. A process is active from its note active to its note passive,
// or until it goes down or comes up anew. Those that take no part count for nothing, nor do messages
// from or to them. What was inferred ends nothing: it may not have happened.
type computation struct {
	basic  []string
	aside  []bool         // by process: it takes no part
	active []tracefmt.Seq // by process: since which note, 0 for passive
	flying map[tracefmt.MessageID]replay.Flight
	// told: some process notes something of that; began: there was something to do; busy is
	// where there last was.
	told, began bool
	busy        tracefmt.Seq
}

func newComputation(run *tracefmt.Run) *computation {
	return &computation{
		basic: run.Basic, aside: standingBy(run), active: make([]tracefmt.Seq,
			len(run.Members)+1), flying: make(map[tracefmt.MessageID]replay.Flight),
	}
}

// Step implements [analyze.Fold].
func (c *computation) Step(_ *replay.State, e *tracefmt.Event) {
	if e.Process == 0 || c.aside[e.Process] {
		return
	}
	was := c.active[e.Process] != 0
	switch e.Kind {
	case tracefmt.Note:
		c.note(e)
	case tracefmt.Crash, tracefmt.Halt, tracefmt.Start, tracefmt.Recover:
		if !e.Inferred() {
			c.active[e.Process] = 0
		}
	case tracefmt.Send:
		if slices.Contains(c.basic, e.Type) && !c.aside[e.Peer] {
			c.flying[e.Message] = replay.Flight{Message: e.Message, From: e.Process, To: e.Peer, Type: e.Type, Sent: e.Seq}
			c.began, was = true, true
		}
	case tracefmt.Receive, tracefmt.Lose:
		if _, ok := c.flying[e.Message]; ok {
			delete(c.flying, e.Message)
			was = true
		}
	}
	if was || c.active[e.Process] != 0 {
		c.busy = e.Seq
	}
}

func (c *computation) note(e *tracefmt.Event) {
	switch e.Type {
	case activeNote:
		c.told, c.began = true, true
		if c.active[e.Process] == 0 {
			c.active[e.Process] = e.Seq
		}
	case passiveNote:
		c.told = true
		c.active[e.Process] = 0
	case announceNote:
		c.told = true
	}
}

// nothingTold states that the run has no notes of a computation, if so, and reports whether the property does not
// apply for that.
func (c *computation) nothingTold(r *analyze.Result) bool {
	return !c.told && r.NothingTold(noComputation, noteFacts...)
}

// flights are the messages of the base computation on their way, in the order of their sends.
func (c *computation) flights() []replay.Flight {
	all := make([]replay.Flight, 0, len(c.flying))
	for _, f := range c.flying {
		all = append(all, f)
	}
	slices.SortFunc(all, func(x, y replay.Flight) int { return int(x.Sent - y.Sent) })
	return all
}

// mayHaveArrived is that a message on its way may not be.
func mayHaveArrived(f replay.Flight, now tracefmt.Seq) []analyze.Need {
	return append(analyze.Needs(f.To, f.Sent, now, receiveFacts...), analyze.Needs(f.To, f.Sent, now, loseFact)...)
}
