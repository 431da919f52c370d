package property

import (
	"cmp"
	"fmt"
	"slices"

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
does not say whether it takes part does if it notes start or decide at some time, may if it starts or has states, timers
or other notes, so that the property is unknown, and is else taken for one that stands by. A Byzantine
process need not take part, and its decisions do not count. Each decision counts once. What is kept is
the vector clocks of the processes and of the decisions that do not cover all of them, each shared by all that have it.`,
	Needs:    "note events start and decide; messages with their causes",
	Source:   tel + ", 6.1: dependence",
	Problem:  tracefmt.Wave,
	Convicts: noteFacts,
	Acquits:  analyze.Facts("receive", "send"),
	Triggers: noteFacts,
	New: func(run *tracefmt.Run) analyze.Monitor {
		n := len(run.Members) + 1
		return &waveCoversMonitor{clocks: replay.NewClocks(run), noted: make([]tracefmt.Seq, n), acts: make(acts, n),
			next: make([]tracefmt.ProcessID, n), covered: make([]tracefmt.Seq, n)}
	},
}

type waveCoversMonitor struct {
	clocks  *replay.Clocks
	orphans orphans
	noted   []tracefmt.Seq // by process: where it first noted start or decide
	acts    acts
	told    bool // some process begins or decides
	// decisions are those that did not come after an event of each process that may take part.
	decisions []replay.Clock
	// next is by process the first one that may take part of which it knows no event, and covered
	// where it knew some of all, 0 for never.
	next    []tracefmt.ProcessID
	covered []tracefmt.Seq
}

func (m *waveCoversMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	m.clocks.Step(e)
	m.orphans.step(e)
	m.acts.step(e)
	if e.Process == 0 {
		return
	}
	m.cover(s.Run, e)
	if e.Kind != tracefmt.Note || e.Type != startNote && e.Type != decideNote {
		return
	}
	m.told, m.noted[e.Process] = true, cmp.Or(m.noted[e.Process], e.Seq)
	if e.Type != decideNote || s.Run.Part(e.Process) == tracefmt.StandsBy || m.clocks.Incomplete() != "" {
		return
	}
	r.Examined++
	if m.covered[e.Process] == 0 && roomFor(r, len(m.decisions)+1, "decisions that do not cover all") {
		m.decisions = append(m.decisions, m.clocks.Clock(e.Process))
	}
}

// cover takes in what the process of an event knows after it.
func (m *waveCoversMonitor) cover(run *tracefmt.Run, e *tracefmt.Event) {
	p := e.Process
	if m.covered[p] != 0 {
		return
	}
	known, last := m.clocks.Clock(p), tracefmt.ProcessID(len(run.Members))
	q := max(m.next[p], 1)
	for q <= last && (run.Part(q) == tracefmt.StandsBy || known.Latest(q) != 0) {
		q++
	}
	m.next[p] = q
	if q > last {
		m.covered[p] = e.Seq
	}
}

func (m *waveCoversMonitor) End(r *analyze.Result, s *replay.State, _ analyze.Ending) {
	if !m.told {
		r.NothingTold(noWave, noteFacts...)
	}
	if reason := m.clocks.Incomplete(); reason != "" {
		r.Undecided(func() string { return reason })
	}
	flights := s.Flights()
	broken := false
	for _, decide := range m.decisions {
		if q := m.missing(s.Run, decide, m.takesPart); q != 0 {
			broken = true
			r.ViolateUnless(m.mayKnow(s, flights, decide), func() string {
				return fmt.Sprintf("process %s decides at seq %d, before which nothing that process %s did has happened", s.Run.ProcessName(decide.Process()), decide.Seq(), s.Run.ProcessName(q))
			}, decide.Seq(), m.noted[q])
		}
	}
	if !broken {
		m.doubt(r, s)
	}
}

// doubt leaves undecided a decision that is wrong if a process takes part of which that is not said.
func (m *waveCoversMonitor) doubt(r *analyze.Result, s *replay.State) {
	mayTakePart := func(run *tracefmt.Run, p tracefmt.ProcessID) bool {
		return run.Part(p) == tracefmt.PartUnknown && m.acts[p]
	}
	for _, decide := range m.decisions {
		if q := m.missing(s.Run, decide, mayTakePart); q != 0 {
			r.Undecided(func() string {
				return fmt.Sprintf("%s; process %s decides at seq %d before anything that it did",
					partNotSaid(s.Run, q), s.Run.ProcessName(decide.Process()), decide.Seq())
			})
			return
		}
	}
}

// missing returns a process of those that take part of which who decides knows no event; 0 for none.
func (m *waveCoversMonitor) missing(run *tracefmt.Run, decide replay.Clock,
	takesPart func(*tracefmt.Run, tracefmt.ProcessID) bool) tracefmt.ProcessID {
	for _, q := range allProcesses(run) {
		if takesPart(run, q) && decide.Latest(q) == 0 {
			return q
		}
	}
	return 0
}

// takesPart reports whether a process takes part, as far as is recorded.
func (m *waveCoversMonitor) takesPart(run *tracefmt.Run, p tracefmt.ProcessID) bool {
	part := run.Part(p)
	return part == tracefmt.TakesPart || part == tracefmt.PartUnknown && m.noted[p] != 0
}

// mayKnow is that who decides may know of others by a message of which the receipt is not recorded: its own, or
// that of a process of which it knows a later event. flights are those that are on their way at the end.
func (m *waveCoversMonitor) mayKnow(s *replay.State, flights []replay.Flight, decide replay.Clock) []analyze.Need {
	all := allProcesses(s.Run)
	switch {
	case s.Coverage().Complete():
		return nil
	case len(all) > fewProofs || m.orphans.first != 0 && m.orphans.first < decide.Seq():
		return m.orphans.influence(0, decide.Seq())
	}
	var needs []analyze.Need
	for _, q := range all {
		before := decide.Latest(q)
		for _, p := range all {
			if before != 0 && p != q {
				needs = append(needs, mayPass(s, flights, p, q, 0, before)...)
			}
		}
	}
	return needs
}

// Relies implements [analyze.Relying]: no process decided before it knew of all that take part, and no other takes
// part.
func (m *waveCoversMonitor) Relies(s *replay.State, _ analyze.Ending) (needs []analyze.Need) {
	if s.Coverage().Complete() {
		return nil
	}
	for _, p := range allProcesses(s.Run) {
		if s.Run.Part(p) == tracefmt.StandsBy {
			continue
		}
		if m.mayOmit(s, p) {
			needs = append(needs, analyze.Needs(p, 0, m.covered[p], noteFacts...)...)
		}
		if !m.takesPart(s.Run, p) && slices.ContainsFunc(m.decisions, func(decide replay.Clock) bool { return decide.Latest(p) == 0 }) {
			needs = append(needs, analyze.Needs(p, 0, 0, noteFacts...)...)
		}
	}
	return needs
}

// mayOmit reports whether another process than p may take part.
func (m *waveCoversMonitor) mayOmit(s *replay.State, p tracefmt.ProcessID) bool {
	return len(s.Run.Members) > fewProofs || slices.ContainsFunc(allProcesses(s.Run), func(q tracefmt.ProcessID) bool {
		return q != p && s.Run.Part(q) != tracefmt.StandsBy && (m.takesPart(s.Run, q) || s.Coverage().Missing(q, noteFact, 0, 0))
	})
}
