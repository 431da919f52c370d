package property

import (
	"fmt"
	"math"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

var timersWellBehaved = analyze.Property{
	Name: "timers-well-behaved",
	Kind: analyze.Safety,
	Doc: `A timer expires only while it is armed, and not before it is due.

Setting a timer that is armed restarts it. It is no longer armed when it has
expired, when it is stopped, and when its process goes down, recovers or starts; to stop
a timer that is not armed does no harm. When it is due is told by the field due
of the set-timer event; without that, any time is right, and a timer may always
be late. A run that sets no timer tells nothing of them: only what follows the
first set-timer event is examined.`,
	Needs:  "set-timer, cancel-timer and timeout events",
	Source: "the meaning of the events set-timer, cancel-timer and timeout, package tracefmt",
	New: func(run *tracefmt.Run) analyze.Monitor {
		return &timersMonitor{armed: make([]map[string]armedTimer, len(run.Members)+1)}
	},
}

// armedTimer says where a timer was set, and when it is due: from the beginning of
// time if it does not say so.
type armedTimer struct {
	set tracefmt.Seq
	due tracefmt.Time
}

type timersMonitor struct {
	armed []map[string]armedTimer // by process and name
	any   bool                    // a timer was set in this run
}

func (m *timersMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	timers := m.armed[e.Process]
	switch e.Kind {
	case tracefmt.SetTimer:
		if timers == nil {
			timers = map[string]armedTimer{}
			m.armed[e.Process] = timers
		}
		timers[e.Type], m.any = armedTimer{e.Seq, dueTime(e)}, true
	case tracefmt.Timeout:
		if m.any {
			m.expire(r, s, e)
		}
		delete(timers, e.Type)
	case tracefmt.CancelTimer:
		delete(timers, e.Type)
	case tracefmt.Crash, tracefmt.Halt, tracefmt.Recover, tracefmt.Start:
		clear(timers)
	}
}

func (m *timersMonitor) expire(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	r.Examined++
	switch t := m.armed[e.Process][e.Type]; {
	case t.set == 0:
		r.Violate(func() string {
			return fmt.Sprintf("the timer %s of process %s expires at seq %d, but is not armed", e.Type, s.Run.ProcessName(e.Process), e.Seq)
		}, e.Seq)
	case e.Time < t.due:
		r.Violate(func() string {
			return fmt.Sprintf("the timer %s of process %s expires at seq %d, at time %v, expected %v, as set at seq %d",
				e.Type, s.Run.ProcessName(e.Process), e.Seq, s.Run.TimeUnit.Units(e.Time), s.Run.TimeUnit.Units(t.due), t.set)
		}, t.set, e.Seq)
	}
}

func dueTime(e *tracefmt.Event) tracefmt.Time {
	value, _ := e.Field("due")
	if due, ok := tracefmt.ParseInteger(value); ok {
		return tracefmt.Time(due)
	}
	return math.MinInt64
}

func (m *timersMonitor) End(*analyze.Result, *replay.State, analyze.Ending) {}
