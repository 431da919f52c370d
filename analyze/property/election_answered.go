package property

import (
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// answeredInRecordings makes a rule of answers one for recordings, too, which may have none of
// them, or the receive after the answer, where a call is logged when it returns.
func answeredInRecordings(p *analyze.Property) {
	created := p.New
	p.Pairs = true
	p.New = func(run *tracefmt.Run) analyze.Monitor {
		rule := created(run)
		if run.Source == tracefmt.Simulated {
			return rule
		}
		return &answeredMonitor{Relying: rule.(analyze.Relying), spare: map[channel]*tracefmt.Event{}, asked: map[channel]bool{}}
	}
}

// answeredMonitor shows its rule an answer once more after the receive that it was
// recorded before.
type answeredMonitor struct {
	analyze.Relying
	spare map[channel]*tracefmt.Event // the latest answer to what is not recorded yet
	asked map[channel]bool            // with the channel of the answer: none has come since
	told  bool                        // there was an answer
}

func (m *answeredMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	m.Relying.Step(r, s, e)
	switch {
	case e.Kind == tracefmt.Send && slices.Contains(answers, e.Type):
		m.told = true
		if c := (channel{e.Process, e.Peer}); m.asked[c] {
			delete(m.asked, c)
		} else {
			m.spare[c] = e.Clone()
		}
	case e.Kind == tracefmt.Receive && slices.Contains(answers, e.Type): // so it was sent
		m.told = true
	case e.Kind == tracefmt.Receive && slices.Contains(asks, e.Type):
		c := channel{e.Process, e.Peer}
		if early := m.spare[c]; early != nil && 0 < e.Cause && e.Cause < early.Seq {
			delete(m.spare, c)
			early.Time = e.Time
			m.Relying.Step(r, s, early)
			return
		}
		m.asked[c] = true
	}
}

func (m *answeredMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	sends := analyze.Needs(analyze.AnyProcess, 0, 0, sendFact)
	if r.Examined > 0 && !m.told && (s.Coverage().Silent() || !certain(s, sends)) {
		r.Undecided(func() string { return "the recording has no message " + either(answers) + " at all" }, sends...)
		return
	}
	m.Relying.End(r, s, end)
}
