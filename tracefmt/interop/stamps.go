package interop

import "etrace/tracefmt"

// Stamps computes times for the events of a run, in whole numbers from 0. The stamp of an event is its time. It
// is later by nanoseconds if the time is not later than the stamps of the direct causes and of the previous
// event of its process.
type Stamps struct {
	unit    tracefmt.TimeUnit
	past    *Past[uint64]
	latest  []uint64 // after the last event, by process
	origin  tracefmt.Time
	started bool
}

// NewStamps reads the run once, as [PastOf] does.
func NewStamps(rec tracefmt.Recording, look ...func(*tracefmt.Event)) (*Stamps, error) {
	past, err := PastOf[uint64](rec, look...)
	return &Stamps{unit: rec.Run().TimeUnit, past: past, latest: make([]uint64, len(rec.Run().Members)+1)}, err
}

// At returns the stamp of the next event.
func (s *Stamps) At(e *tracefmt.Event) uint64 {
	if !s.started {
		s.origin, s.started = min(s.unit.Units(e.Time), 0), true
	}
	at := max(uint64(max(s.unit.Units(e.Time), s.origin))-uint64(s.origin), s.latest[e.Process])
	_, causes := s.past.Take(e)
	for _, cause := range causes {
		at = max(at, cause+1)
	}
	s.latest[e.Process] = at + 1
	s.past.Keep(e.Seq, at)
	return at
}

// Awaited reports whether an event that is still to come names this one as its cause.
func (s *Stamps) Awaited(seq tracefmt.Seq) bool { return s.past.Wanted(seq) }
