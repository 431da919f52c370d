package story

import (
	"slices"

	"etrace/tracefmt"
)

// strands follow the elections that go round a ring: a message that a process
// sends at the instant at which it received one carries on what that one belongs
// to, any other begins a strand of its process. A token belongs to no strand: it is of whoever has it.
type strands struct {
	on      bool
	token   []string                   // types of messages that carry it
	numbers map[tracefmt.MessageID]int // by message; 0 is unknown
	latest  []arrival                  // by process
	number  map[tracefmt.ProcessID]int
	begun   []tracefmt.ProcessID
}

// arrival is what a process has received last.
type arrival struct {
	at     tracefmt.Time
	strand int
	known  bool
	passed bool // it has been carried on
}

func newStrands(run *tracefmt.Run) strands {
	return strands{
		on: run.States(tracefmt.OnRing) && run.TimeUnit == tracefmt.Delays, token: run.Token, numbers: make(map[tracefmt.MessageID]int),
		latest: make([]arrival, len(run.Members)+1), number: make(map[tracefmt.ProcessID]int),
	}
}

// follow takes in the event and returns the number of its message's strand, or 0.
func (s *strands) follow(e *tracefmt.Event) int {
	if !s.on || e.Process == 0 || slices.Contains(s.token, e.Type) {
		return 0
	}
	latest := &s.latest[e.Process]
	switch e.Kind {
	case tracefmt.Send:
		if !latest.known || latest.at != e.Time {
			*latest = arrival{at: e.Time, strand: s.begin(e.Process), known: true}
		}
		latest.passed = true
		s.numbers[e.Message] = latest.strand
		return latest.strand
	case tracefmt.Receive:
		*latest = arrival{at: e.Time, strand: s.take(e.Message), known: true}
		return latest.strand
	case tracefmt.Lose:
		return s.take(e.Message)
	case tracefmt.Timeout, tracefmt.Recover:
		*latest = arrival{}
	case tracefmt.Suspect:
		if latest.passed {
			*latest = arrival{} // one of its own, and not on the way to a successor
		}
	}
	return 0
}

// take returns the strand of a message that has come to its end, and forgets it.
func (s *strands) take(m tracefmt.MessageID) int {
	strand := s.numbers[m]
	delete(s.numbers, m)
	return strand
}

// begin returns the number of the strands that the process begins.
func (s *strands) begin(p tracefmt.ProcessID) int {
	if s.number[p] == 0 {
		s.begun = append(s.begun, p)
		s.number[p] = len(s.begun)
	}
	return s.number[p]
}

// Strands returns the initiators of the strands of a ring, by number from 1: see [Step.Strand]. With
// fewer than two initiators it returns nothing.
func (s *Story) Strands() []tracefmt.ProcessID {
	if len(s.strands.begun) < 2 {
		return nil
	}
	return s.strands.begun
}
