package complexity

import (
	"cmp"
	"encoding/json"

	"etrace/replay"
	"etrace/tracefmt"
)

// Outcome is a run in one line: the counts that cost almost nothing while the run is recorded.
type Outcome struct {
	Run       int             `json:"run"`
	Algorithm string          `json:"algorithm"`
	Processes int             `json:"processes"`
	Events    int64           `json:"events"`
	Messages  int64           `json:"messages"`
	End       tracefmt.End    `json:"end"`
	Leader    json.RawMessage `json:"leader"`
	// Problem is the problem that the algorithm solves. Title names the algorithm, otherwise the run.
	Problem string `json:"-"`
	Title   string `json:"-"`
}

// Sink passes runs on to another sink and collects their outcomes. It follows the elections of the processes,
// but no messages.
type Sink struct {
	tracefmt.Sink
	// Runs are the outcomes of the finished runs, in order.
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

// Finish passes on the end of the run, and adds its outcome to Runs.
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
