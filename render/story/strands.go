package story

import (
	"slices"

	"etrace/tracefmt"
)

// strands follows the elections that go round a ring. A message that a process sends at the instant of a receipt
// belongs to the strand of the received message. Any other message begins a strand of its process. A token belongs to
// no strand.
type strands struct {
	on    bool
	token []string // types of messages that carry it
	// numbers has the strand of each message in flight; 0 is unknown.
	numbers map[tracefmt.MessageID]int
	latest  []arrival // by process
	number  map[tracefmt.ProcessID]int
	begun   []tracefmt.ProcessID
}

// arrival is the last receipt of a process; passed is set once a message has continued its strand.
type arrival struct {
	at     tracefmt.Time
	strand int
	known  bool
	passed bool // it has been carried on
}

// newStrands returns strands that are active only for rings in virtual time.
func newStrands(run *tracefmt.Run) strands {
	return strands{
		on: run.States(tracefmt.OnRing) && run.TimeUnit == tracefmt.Delays, token: run.Token, numbers: make(map[tracefmt.MessageID]int),
		latest: make([]arrival, len(run.Members)+1), number: make(map[tracefmt.ProcessID]int),
	}
}

// strandOf takes an event and returns the number of its message's strand, or 0.
func (s *strands) strandOf(e *tracefmt.Event) int {
	if !s.on || e.Process == 0 || slices.Contains(s.token, e.Type) {
		return 0
	}
	latest := &s.latest[e.Process]
	switch e.Kind {
	case tracefmt.Send:
		if !latest.known || latest.at != e.Time {
			*latest = arrival{at: e.Time, strand: s.strandFrom(e.Process), known: true}
		}
		latest.passed = true
		s.numbers[e.Message] = latest.strand
		return latest.strand
	case tracefmt.Receive:
		*latest = arrival{at: e.Time, strand: s.removeMessage(e.Message), known: true}
		return latest.strand
	case tracefmt.Lose:
		return s.removeMessage(e.Message)
	case tracefmt.Timeout, tracefmt.Recover:
		*latest = arrival{}
	case tracefmt.Suspect:
		if latest.passed {
			// The suspicion begins a new chain of messages; it does not belong to the list on its way round the ring.
			*latest = arrival{}
		}
	}
	return 0
}

// removeMessage returns the strand of a message that was received or lost, and removes the message.
func (s *strands) removeMessage(m tracefmt.MessageID) int {
	strand := s.numbers[m]
	delete(s.numbers, m)
	return strand
}

// strandFrom returns the number of the strands that the process begins.
func (s *strands) strandFrom(p tracefmt.ProcessID) int {
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
