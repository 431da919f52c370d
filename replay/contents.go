package replay

import (
	"cmp"
	"maps"
	"slices"

	"etrace/tracefmt"
)

// Variables returns the names of the variables of p, sorted. A crashed process has none: its memory is lost.
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
	// Due is the time of expiry, if Known: only some traces record it.
	Due   tracefmt.Time
	Known bool
}

// When describes when the timer is due: a time, or "armed" if the trace has none.
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

// Payload is the content of the message: a JSON object, or nothing. It is reused when the message has arrived.
func (f *Flight) Payload() []byte { return f.payload }

// Channel is the messages in flight from one process to another, in the order of the sends.
type Channel struct {
	From, To tracefmt.ProcessID
	Flights  []Flight
}

// Channels returns the channels with messages in flight, by sender and receiver.
func (s *State) Channels() []Channel {
	flights := s.Flights()
	slices.SortStableFunc(flights, func(a, b Flight) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
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
