package property

import (
	"fmt"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// The labels of the notes in which waves tell their story.
const (
	startNote  = "start"
	decideNote = "decide"
)

const noWave = "no process notes that it begins or decides"

var waveCovers = analyze.Property{
	Name:  "wave-covers",
	Kind:  analyze.Safety,
	Pairs: true,
	Doc: `Before a process decides, each process has taken part: some event of each happened
before the decision.

Happened-before is that of the messages and causes of the run, whatever the recorded
order. Each process is meant that takes part, also one that crashes; one of which the run
does not say whether it takes part does once it has noted start or decide. A Byzantine
process need not take part, and its decisions do not count. Each decision counts once. What is kept is
the vector clocks of the processes, each shared by all that have it.`,
	Needs:    "note events start and decide; messages with their causes",
	Source:   tel + ", 6.1: dependence",
	Problem:  tracefmt.Wave,
	Convicts: noteFacts,
	Acquits:  analyze.Facts("receive", "send"),
	Triggers: noteFacts,
	New: func(run *tracefmt.Run) analyze.Monitor {
		return &waveCoversMonitor{clocks: replay.NewClocks(run), noted: make([]bool, len(run.Members)+1)}
	},
}

type waveCoversMonitor struct {
	clocks  *replay.Clocks
	orphans orphans
	noted   []bool // by process: it has noted start or decide
	told    bool   // some process begins or decides
}

func (m *waveCoversMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	m.clocks.Step(e)
	m.orphans.step(e)
	if e.Kind != tracefmt.Note || e.Process == 0 || e.Type != startNote && e.Type != decideNote {
		return
	}
	m.told, m.noted[e.Process] = true, true
	if e.Type != decideNote || s.Run.Part(e.Process) == tracefmt.StandsBy || m.clocks.Incomplete() != "" {
		return
	}
	r.Examined++
	if p := m.missing(s, e.Process); p != 0 {
		r.ViolateUnless(m.orphans.influence(0, e.Seq), func() string {
			return fmt.Sprintf("process %s decides at seq %d, before which nothing that process %s did has happened", s.Run.ProcessName(e.Process), e.Seq, s.Run.ProcessName(p))
		}, e.Seq)
	}
}

// missing returns a process of which p knows no event, though it takes part; 0 for none.
func (m *waveCoversMonitor) missing(s *replay.State, p tracefmt.ProcessID) tracefmt.ProcessID {
	known := m.clocks.Clock(p)
	for _, q := range allProcesses(s.Run) {
		takesPart := s.Run.Part(q) == tracefmt.TakesPart || s.Run.Part(q) == tracefmt.PartUnknown && m.noted[q]
		if takesPart && known.Latest(q) == 0 {
			return q
		}
	}
	return 0
}

func (m *waveCoversMonitor) End(r *analyze.Result, _ *replay.State, _ analyze.Ending) {
	if !m.told {
		r.NotApplicable(noWave)
	}
	if reason := m.clocks.Incomplete(); reason != "" {
		r.Undecided(func() string { return reason })
	}
}
