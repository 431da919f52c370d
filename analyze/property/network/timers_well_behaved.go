package network

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

var timersWellBehaved = analyze.Property{
	Name: "timers-well-behaved",
	Kind: analyze.Safety,
	Doc: `A timer expires only while it is armed, and not before it is due.

Setting an armed timer restarts it. It is no longer armed when it has expired, when it is stopped, and when its
process goes down, recovers or starts; stopping a timer that is not armed does no harm. The field due of the set-timer
event is the earliest time at which the timer may expire; without this field, it may expire at any time. To expire late is
no violation. Only events after the first set-timer event are examined, since a run without such events does not record timers.`,
	Needs:      "set-timer, cancel-timer and timeout events",
	ViolatedBy: analyze.Facts("timers", "crash", "halt"),
	ExcusedBy:  setTimerFacts,
	Times:      true,
	Triggers:   analyze.Facts("set-timer", "timeout"),
	Source:     "the meaning of the events set-timer, cancel-timer and timeout, package tracefmt",
	New: func(run *tracefmt.Run) analyze.Monitor {
		return &timersMonitor{
			armed: make([]map[string]armedTimer, len(run.Members)+1),
			reset: make([]tracefmt.Seq, len(run.Members)+1),
		}
	},
}

var setTimerFacts, timeoutFacts, disarmFacts = analyze.Facts("set-timer"), analyze.Facts("timeout"),
	analyze.Facts("timeout", "cancel-timer", "crash", "halt")

// armedTimer is the event that set a timer, with the time at which it is due: from the beginning if that is not
// recorded. A timer that is not armed is stored with the event that stopped it or with which it expired.
type armedTimer struct {
	set tracefmt.Seq
	due tracefmt.Time
	off tracefmt.Seq
}

// timersMonitor stores the armed timers of each process.
type timersMonitor struct {
	armed []map[string]armedTimer // by process and name
	reset []tracefmt.Seq          // by process: the last event that disarmed all
	first tracefmt.Seq            // the first event that set a timer, 0 for none
}

// Step arms or disarms a timer, and checks a timer that expires.
func (m *timersMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	timers := m.armed[e.Process]
	switch e.Kind {
	case tracefmt.SetTimer:
		if timers == nil {
			timers = map[string]armedTimer{}
			m.armed[e.Process] = timers
		}
		timers[e.Type], m.first = armedTimer{set: e.Seq, due: dueTime(e)}, cmp.Or(m.first, e.Seq)
	case tracefmt.Timeout:
		if m.first != 0 {
			m.expire(r, s, e)
		} else {
			r.Lacks(analyze.Needs(analyze.EveryProcess, 0, e.Seq, setTimerFacts...)...)
		}
		m.disarm(e)
	case tracefmt.CancelTimer:
		m.disarm(e)
	case tracefmt.Crash, tracefmt.Halt, tracefmt.Recover, tracefmt.Start:
		if e.Inferred() {
			return // its timers may be armed still
		}
		clear(timers)
		m.reset[e.Process] = e.Seq
	}
}

// disarm records the event that disarmed a timer.
func (m *timersMonitor) disarm(e *tracefmt.Event) {
	if timers := m.armed[e.Process]; timers != nil {
		timers[e.Type] = armedTimer{off: e.Seq}
	}
}

// expire checks that the timer was armed and due.
func (m *timersMonitor) expire(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	r.Examined++
	switch t := m.armed[e.Process][e.Type]; {
	case t.set == 0:
		since := max(t.off, m.reset[e.Process])
		r.ViolateUnless(analyze.Needs(e.Process, since, e.Seq, setTimerFacts...), func() string {
			return fmt.Sprintf("the timer %s of process %s expires at seq %d, but is not armed", e.Type,
				s.Run.ProcessName(e.Process), e.Seq)
		}, m.first, since, e.Seq)
	case e.Time < t.due:
		r.ViolateUnless(analyze.Needs(e.Process, t.set, e.Seq, setTimerFacts...), func() string {
			return fmt.Sprintf("the timer %s of process %s expires at seq %d, at time %v, expected %v, as set at seq %d",
				e.Type, s.Run.ProcessName(e.Process), e.Seq, s.Run.When(e.Time), s.Run.When(t.due), t.set)
		}, t.set, e.Seq)
	default: // an unrecorded stop may explain it
		r.Lacks(analyze.Needs(e.Process, t.set, e.Seq, disarmFacts...)...)
	}
}

// dueTime returns the time at which the timer is due, the earliest time if it is not recorded.
func dueTime(e *tracefmt.Event) tracefmt.Time {
	value, _ := e.Field("due")
	if due, ok := tracefmt.ParseInteger(value); ok {
		return tracefmt.Time(due)
	}
	return math.MinInt64
}

// End does nothing: each event was judged at once.
func (m *timersMonitor) End(*analyze.Result, *replay.State, analyze.Ending) {}

// Relies implements [analyze.Relying]: a timer may also expire unrecorded.
func (m *timersMonitor) Relies(s *replay.State, _ analyze.Ending) iter.Seq[analyze.Need] {
	return slices.Values(analyze.Needs(analyze.EveryProcess, 0, 0, timeoutFacts...))
}
