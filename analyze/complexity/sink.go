package complexity

import (
	"cmp"
	"encoding/json"

	"etrace/replay"
	"etrace/tracefmt"
)

// Outcome is what one line says of a run: the few of its [Stats] that cost next
// to nothing while the run is recorded.
type Outcome struct {
	Run       int             `json:"run"`
	Algorithm string          `json:"algorithm"`
	Processes int             `json:"processes"`
	Events    int64           `json:"events"`
	Messages  int64           `json:"messages"`
	End       tracefmt.End    `json:"end"`
	Leader    json.RawMessage `json:"leader"`
	// Problem is what the algorithm solves. Title names the algorithm, or else the run.
	Problem string `json:"-"`
	Title   string `json:"-"`
}

// Sink notes the outcomes of runs on their way to another sink. It remembers who
// is up and has elected whom, and nothing of messages.
type Sink struct {
	tracefmt.Sink
	// Runs are what those come to that are over, in order.
	Runs []*Outcome

	state            *replay.State
	events, messages int64
}

// Begin implements [tracefmt.Sink].
func (s *Sink) Begin(run *tracefmt.Run) error {
	if err := s.Sink.Begin(run); err != nil {
		return err
	}
	s.state, s.events, s.messages = replay.NewState(run), 0, 0
	return nil
}

// Write passes an event on and counts it.
func (s *Sink) Write(e *tracefmt.Event) error {
	if err := s.Sink.Write(e); err != nil {
		return err
	}
	s.events++
	if e.Kind == tracefmt.Send {
		s.messages++
	}
	if !s.state.Coverage().Complete() || s.state.Concerns(e) {
		s.state.Apply(e)
	}
	return nil
}

// Finish passes on how the run ended, and adds it to Runs.
func (s *Sink) Finish(end tracefmt.End) error {
	if err := s.Sink.Finish(end); err != nil {
		return err
	}
	run := s.state.Run
	s.Runs = append(s.Runs, &Outcome{
		Run: run.Number, Algorithm: run.Algorithm, Processes: len(run.Members), Events: s.events, Messages: s.messages,
		End: end, Leader: leader(s.state), Problem: run.Problem, Title: run.Titled(cmp.Or(run.Algorithm, run.Name)),
	})
	return nil
}
