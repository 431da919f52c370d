package replay

import (
	"cmp"
	"iter"
	"slices"

	"etrace/tracefmt"
)

// Aspect is a part of a process that can change.
type Aspect uint8

// The aspects of a process.
const (
	StatusAspect Aspect = iota
	VariableAspect
	TimerAspect
)

var aspects = [...]string{StatusAspect: "status", VariableAspect: "variable", TimerAspect: "timer"}

// String returns the word for the aspect.
func (a Aspect) String() string { return aspects[a%Aspect(len(aspects))] }

// Change is one change of a process by an event.
type Change struct {
	Process tracefmt.ProcessID
	Aspect  Aspect
	// Name of the variable or timer; "" for the status.
	Name string
	// Before and After are the values: JSON of a variable, the due time of a timer (or "armed" if the trace
	// has none), the word of a status. "" is an absent variable or timer.
	Before, After string
	// Doubtful: Before is the last recorded value, and may have changed since.
	Doubtful bool
}

// fact is the value of one aspect of a process: its status, a variable or a timer.
type fact struct {
	aspect      Aspect
	name, value string
	// doubtful is true if the recording may lack an event that changed the value.
	doubtful bool
}

func (f fact) compare(g fact) int {
	return cmp.Or(cmp.Compare(f.aspect, g.aspect), cmp.Compare(f.name, g.name))
}

// facts appends all aspects of the process of an event, sorted, and marks the aspects that are uncertain before the
// event. It appends nothing if the run has no such process.
func (s *State) facts(list []fact, e *tracefmt.Event) []fact {
	p, now := e.Process, e.Seq
	if !s.has(p) {
		return list
	}
	list = append(list, fact{aspect: StatusAspect, value: s.processes[p].statusAt(e).String()})
	for _, name := range s.Variables(p) {
		value, _ := s.Variable(p, name)
		list = append(list, fact{VariableAspect, name, string(value), s.doubtfulBefore(p, name, now)})
	}
	for _, t := range s.Timers(p) {
		list = append(list, fact{aspect: TimerAspect, name: t.Name, value: t.When()})
	}
	return list
}

// changes returns the differences between two sorted lists of facts of p.
func changes(p tracefmt.ProcessID, before, after []fact) []Change {
	var list []Change
	for len(before)+len(after) > 0 {
		order := 0
		switch {
		case len(before) == 0:
			order = 1
		case len(after) == 0:
			order = -1
		default:
			order = before[0].compare(after[0])
		}
		// A fact of both lists has order 0, and fills in both sides of the change.
		c := Change{Process: p}
		if order <= 0 {
			old := before[0]
			c.Aspect, c.Name, c.Before, c.Doubtful = old.aspect, old.name, old.value, old.doubtful
			before = before[1:]
		}
		if order >= 0 {
			present := after[0]
			c.Aspect, c.Name, c.After = present.aspect, present.name, present.value
			after = after[1:]
		}
		if c.Before != c.After {
			list = append(list, c)
		}
	}
	return slices.Clip(list)
}

// Watch yields each event that changes a variable, with the change, in process p or, if p is 0, in every
// process. The event is reused by the next step of the loop.
func Watch(rec tracefmt.Recording, variable string, p tracefmt.ProcessID) iter.Seq2[Moment, error] {
	return func(yield func(Moment, error) bool) {
		s := NewState(rec.Run())
		for e, err := range rec.Events(1) {
			if err != nil {
				yield(Moment{}, err)
				return
			}
			// The state must follow all events, watched or not.
			if p != 0 && e.Process != p || !s.has(e.Process) {
				s.Apply(e)
				continue
			}
			before, doubtful := s.value(e.Process, variable), s.doubtfulBefore(e.Process, variable, e.Seq)
			s.Apply(e)
			c := Change{
				Process: e.Process, Aspect: VariableAspect, Name: variable, Before: before,
				After: s.value(e.Process, variable), Doubtful: doubtful,
			}
			if c.Before != c.After && !yield(Moment{e, c}, nil) {
				return
			}
		}
	}
}

// Moment is an event and one of its changes.
type Moment struct {
	Event  *tracefmt.Event
	Change Change
}

// has reports whether the run has the process.
func (s *State) has(p tracefmt.ProcessID) bool { return p > 0 && int(p) < len(s.processes) }

// value returns the value of a variable in p's memory; "" if it has none.
func (s *State) value(p tracefmt.ProcessID, name string) string {
	if s.processes[p].Status == Crashed {
		return ""
	}
	value, _ := s.Variable(p, name)
	return string(value)
}
