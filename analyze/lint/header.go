package lint

import (
	"fmt"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// refuted is the monitor of declared-none: facts that occur although the run declares none.
type refuted struct {
	quiet
	found map[declaredFact]bool
}

// declaredFact is a fact of a process that declares none of it.
type declaredFact struct {
	process tracefmt.ProcessID
	fact    tracefmt.Fact
}

func newRefuted(*tracefmt.Run) analyze.Monitor { return &refuted{found: make(map[declaredFact]bool)} }

// Step implements [analyze.Monitor]. It finds the first event of each fact of a process.
func (m *refuted) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if s.Run.Completeness == nil || e.Mark() != "" {
		return
	}
	r.Examined++
	if e.Kind != tracefmt.State {
		m.examine(r, s, e, tracefmt.Fact{Kind: e.Kind})
		return
	}
	for name, value := range tracefmt.Fields(e.Payload) {
		if tracefmt.IsVariable(e.Kind, name, value) {
			m.examine(r, s, e, tracefmt.StateOf(string(tracefmt.ListName(name))))
		}
	}
}

// examine reports an event of a fact that the run declares as none, once for each process and fact.
func (m *refuted) examine(r *analyze.Result, s *replay.State, e *tracefmt.Event, f tracefmt.Fact) {
	at := declaredFact{e.Process, f}
	if s.Coverage().Declared(e.Process, f) != tracefmt.None || m.found[at] {
		return
	}
	m.found[at] = true
	r.ViolateUnless(nil, func() string {
		return fmt.Sprintf("the run declares %s of process %s as none, but there is one at seq %d", f,
			s.Run.ProcessName(e.Process), e.Seq)
	}, e.Seq)
}

// falseEnd is the monitor of false-end.
type falseEnd struct{ quietStep }

func newFalseEnd(*tracefmt.Run) analyze.Monitor { return falseEnd{} }

// End implements [analyze.Monitor]. The reason is that of a check for a doubted end.
func (falseEnd) End(r *analyze.Result, _ *replay.State, end analyze.Ending) {
	if end.Doubt != "" {
		r.ViolateUnless(nil, func() string { return end.Doubt })
	}
}

// gaps is the monitor of gap.
type gaps struct{ quietStep }

func newGaps(*tracefmt.Run) analyze.Monitor { return gaps{} }

// End implements [analyze.Monitor].
func (gaps) End(r *analyze.Result, s *replay.State, _ analyze.Ending) {
	if s.Run.Completeness == nil {
		return
	}
	for _, g := range s.Run.Completeness.Gaps {
		r.ViolateUnless(nil, func() string { return "the run says: " + g.Text() }, existingSeq(s, g.From),
			existingSeq(s, g.To))
	}
}

// existingSeq returns seq, or 0 if the run has fewer events.
func existingSeq(s *replay.State, seq tracefmt.Seq) tracefmt.Seq {
	if seq > s.Seq {
		return 0
	}
	return seq
}
