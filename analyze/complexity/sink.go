package complexity

import "etrace/tracefmt"

// Sink counts runs on their way to another sink.
type Sink struct {
	tracefmt.Sink
	// Runs are what those come to that are over, in order.
	Runs []*Stats

	run     *tracefmt.Run
	counter *Counter
}

// Begin implements [tracefmt.Sink].
func (s *Sink) Begin(run *tracefmt.Run) error {
	if err := s.Sink.Begin(run); err != nil {
		return err
	}
	s.run, s.counter = run, NewCounter(run)
	return nil
}

// Write passes an event on and counts it.
func (s *Sink) Write(e *tracefmt.Event) error {
	if err := s.Sink.Write(e); err != nil {
		return err
	}
	return s.counter.Write(e)
}

// Finish passes on how the run ended, and adds it to Runs.
func (s *Sink) Finish(end tracefmt.End) error {
	if err := s.Sink.Finish(end); err != nil {
		return err
	}
	s.run.End = end
	s.Runs = append(s.Runs, s.counter.Stats())
	return nil
}
