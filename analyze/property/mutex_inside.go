package property

import (
	"etrace/tracefmt"
)

// The labels of the notes in which runs of mutual exclusion tell their story.
const (
	enterNote = "enter"
	exitNote  = "exit"
)

// mutexNeeds is what the properties of the critical section need.
const mutexNeeds = "note events enter and exit of the processes"

// noMutex is the reason for properties of the critical section.
const noMutex = "no process notes that it enters or exits"

// inside tells which processes are in the critical section: those that noted
// enter and since then neither exit, nor crashed, halted or recovered. A process
// that was down and notes either is up again; see replay.
type inside struct {
	since []tracefmt.Seq // by process: the event of its entry, 0 if it is outside
	told  bool           // some process noted that it enters or exits
}

func newInside(run *tracefmt.Run) inside {
	return inside{since: make([]tracefmt.Seq, len(run.Members)+1)}
}

// step takes in an event, after the state has, and reports whether its process
// was inside before and is now. Both of an enter that follows an enter: it
// stays inside, since the first.
func (in *inside) step(e *tracefmt.Event) (was, is bool) {
	at := &in.since[e.Process]
	was = *at != 0
	switch e.Kind {
	case tracefmt.Crash, tracefmt.Halt, tracefmt.Recover:
		*at = 0
	case tracefmt.Note:
		in.note(e, at)
	}
	return was, *at != 0
}

func (in *inside) note(e *tracefmt.Event, at *tracefmt.Seq) {
	if e.Process == 0 || e.Type != enterNote && e.Type != exitNote {
		return
	}
	in.told = true
	switch {
	case e.Type == exitNote:
		*at = 0
	case *at == 0:
		*at = e.Seq
	}
}
