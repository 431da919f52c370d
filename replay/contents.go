package replay

import (
	"cmp"
	"maps"
	"slices"

	"etrace/tracefmt"
)

// Variables returns the names of the variables that p has, sorted. A crashed
// process has none: what it remembered is lost.
func (s *State) Variables(p tracefmt.ProcessID) []string {
	if s.processes[p].Status == Crashed {
		return nil
	}
	return s.processes[p].variables.names()
}

// Timer is an armed timer.
type Timer struct {
	Name string
	// Set is the event that armed it.
	Set tracefmt.Seq
	// Due is when it expires, if Known: if the trace says so.
	Due   tracefmt.Time
	Known bool
}

// When says when the timer is due: a time, or "armed" if the trace does not
// say.
func (t Timer) When() string {
	if !t.Known {
		return "armed"
	}
	return t.Due.String()
}

// Timers returns the armed timers of p, by name.
func (s *State) Timers(p tracefmt.ProcessID) []Timer {
	armed := s.processes[p].timers
	timers := make([]Timer, 0, len(armed))
	for _, name := range slices.Sorted(maps.Keys(armed)) {
		t := armed[name]
		timers = append(timers, Timer{Name: name, Set: t.set, Due: t.due, Known: t.known})
	}
	return timers
}

// Payload is what the message carries: a JSON object, or nothing. It is
// reused when the message has arrived.
func (f *Flight) Payload() []byte { return f.payload }

// Channel is what is on its way from one process to another, in the order of
// the sends.
type Channel struct {
	From, To tracefmt.ProcessID
	Flights  []Flight
}

// Channels returns the channels with messages on their way, by sender and
// receiver.
func (s *State) Channels() []Channel {
	flights := s.Flights()
	slices.SortStableFunc(flights, func(a, b Flight) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	var channels []Channel
	for _, f := range flights {
		last := len(channels) - 1
		if last < 0 || channels[last].From != f.From || channels[last].To != f.To {
			channels = append(channels, Channel{From: f.From, To: f.To})
			last++
		}
		channels[last].Flights = append(channels[last].Flights, f)
	}
	return channels
}
