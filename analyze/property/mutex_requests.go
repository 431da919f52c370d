package property

import (
	"slices"

	"etrace/replay"
	"etrace/tracefmt"
)

// requestNote is the label of the note by which a process asks to enter.
const requestNote = "request"

// requestNeeds is what the properties of waiting processes need.
const requestNeeds = "note events request, enter and exit of the processes"

// noRequests is the reason for properties of waiting processes.
const noRequests = "no process notes that it requests to enter"

// requests tells which processes wait for the critical section: those that
// noted request and since then neither came inside, nor crashed, halted or
// recovered. A request of a process that waits already asks for the same, and
// one of a process that is inside or down asks for nothing.
type requests struct {
	inside inside
	since  []tracefmt.Seq // by process: the event of its request, 0 if it does not wait
	told   bool           // some process noted a request
}

func newRequests(run *tracefmt.Run) requests {
	return requests{inside: newInside(run), since: make([]tracefmt.Seq, len(run.Members)+1)}
}

// step takes in an event, after the state has. It reports whether the process
// begins to wait, and whether it comes inside and if so since when it waited,
// 0 if it did not ask.
func (q *requests) step(s *replay.State, e *tracefmt.Event) (asks, enters bool, waited tracefmt.Seq) {
	was, is := q.inside.step(e)
	at := &q.since[e.Process]
	waited = *at
	switch {
	case !was && is:
		*at = 0
		return false, true, waited
	case !s.Live(e.Process) || e.Kind == tracefmt.Recover:
		*at = 0
	case e.Kind == tracefmt.Note && e.Type == requestNote && e.Process != 0:
		q.told = true
		if *at == 0 && !is {
			*at = e.Seq
			return true, false, 0
		}
	}
	return false, false, 0
}

// others returns the list without p, in place.
func others(ps []tracefmt.ProcessID, p tracefmt.ProcessID) []tracefmt.ProcessID {
	return slices.DeleteFunc(ps, func(q tracefmt.ProcessID) bool { return q == p })
}
