package snapshot

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"etrace/analyze"
	"etrace/analyze/property/members"
	"etrace/analyze/property/memory"
	"etrace/analyze/property/paper"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

// The labels of the notes of waves.
const (
	startNote  = "start"
	decideNote = "decide"
)

const noWave = "no process notes that it begins or decides"

var waveCovers = analyze.Property{
	Name:  "wave-covers",
	Kind:  analyze.Safety,
	Pairs: true,
	Doc: `For each decision, every participant has taken a step that happened before the decision.

Happened-before is defined by the messages and causes of the run, whatever the recorded order. Every participant
counts, also a process that crashes. If the run does not state whether a process participates, it participates if it
notes start or decide at some time. If it only starts or has states, timers or other notes, the property is unknown;
otherwise the process counts as a non-participant. A Byzantine process need not take a step, and its decisions do not
count. Each decision counts once. The monitor stores the vector clocks of the processes and of the decisions that do
not cover all of them; equal clocks are shared.`,
	Needs:      "note events start and decide; messages with their causes",
	Source:     paper.Tel + ", 6.1: dependence",
	Problem:    tracefmt.Wave,
	ViolatedBy: unrecorded.NoteFacts,
	ExcusedBy:  analyze.Facts("receive", "send"),
	Triggers:   unrecorded.NoteFacts,
	New: func(run *tracefmt.Run) analyze.Monitor {
		n := len(run.Members) + 1
		return &waveCoversMonitor{
			clocks: replay.NewClocks(run), noted: make([]tracefmt.Seq, n), acts: make(members.Acts, n),
			next: make([]tracefmt.ProcessID, n), covered: make([]tracefmt.Seq, n),
		}
	},
}

// waveCoversMonitor follows, for each process, whether an event of every participant happened before its last event.
type waveCoversMonitor struct {
	clocks   *replay.Clocks
	orphans  unrecorded.Orphans
	noted    []tracefmt.Seq // by process: its first note start or decide
	acts     members.Acts
	hasNotes bool // some process begins or decides
	// decisions are the decisions that did not follow an event of each possible participant.
	decisions []replay.Clock
	// next is, by process, the first possible participant without an event in the process's past. covered is the event
	// at which the past had one of each, 0 for never.
	next    []tracefmt.ProcessID
	covered []tracefmt.Seq
}

// Step updates the causal past of the event's process, and stores a decision that does not follow all participants.
func (m *waveCoversMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	m.clocks.Step(e)
	m.orphans.Step(e)
	m.acts.Step(e)
	if e.Process == 0 {
		return
	}
	m.cover(s.Run, e)
	if e.Kind != tracefmt.Note || e.Type != startNote && e.Type != decideNote {
		return
	}
	m.hasNotes, m.noted[e.Process] = true, cmp.Or(m.noted[e.Process], e.Seq)
	if e.Type != decideNote || s.Run.Part(e.Process) == tracefmt.Bystander || m.clocks.Incomplete() != "" {
		return
	}
	r.Examined++
	if m.covered[e.Process] == 0 && memory.RoomFor(r, len(m.decisions)+1, "decisions that do not cover all") {
		m.decisions = append(m.decisions, m.clocks.Clock(e.Process))
	}
}

// cover updates the knowledge of an event's process.
func (m *waveCoversMonitor) cover(run *tracefmt.Run, e *tracefmt.Event) {
	p := e.Process
	if m.covered[p] != 0 {
		return
	}
	known, last := m.clocks.Clock(p), tracefmt.ProcessID(len(run.Members))
	q := max(m.next[p], 1)
	for q <= last && (run.Part(q) == tracefmt.Bystander || known.Latest(q) != 0) {
		q++
	}
	m.next[p] = q
	if q > last {
		m.covered[p] = e.Seq
	}
}

// End reports the stored decisions, now that it is known which processes participate.
func (m *waveCoversMonitor) End(r *analyze.Result, s *replay.State, _ analyze.Ending) {
	if !m.hasNotes {
		r.NoFacts(noWave, unrecorded.NoteFacts...)
	}
	if reason := m.clocks.Incomplete(); reason != "" {
		r.Undecided(func() string { return reason })
	}
	flights := s.Flights()
	broken := false
	for _, decide := range m.decisions {
		if q := m.uncoveredParticipant(s.Run, decide, m.takesPart); q != 0 {
			broken = true
			r.ViolateUnless(m.possibleKnowledge(s, flights, decide), func() string {
				return fmt.Sprintf("process %s decides at seq %d, before which nothing that process %s did has happened",
					s.Run.ProcessName(decide.Process()), decide.Seq(), s.Run.ProcessName(q))
			}, decide.Seq(), m.noted[q])
		}
	}
	if !broken {
		m.leaveUndecided(r, s)
	}
}

// leaveUndecided leaves a decision undecided if it is wrong only if a process of unknown participation participates.
func (m *waveCoversMonitor) leaveUndecided(r *analyze.Result, s *replay.State) {
	mayTakePart := func(run *tracefmt.Run, p tracefmt.ProcessID) bool {
		return run.Part(p) == tracefmt.PartUnknown && m.acts[p]
	}
	for _, decide := range m.decisions {
		if q := m.uncoveredParticipant(s.Run, decide, mayTakePart); q != 0 {
			r.Undecided(func() string {
				return fmt.Sprintf("%s; process %s decides at seq %d before anything that it did",
					members.PartUnknown(s.Run, q), s.Run.ProcessName(decide.Process()), decide.Seq())
			})
			return
		}
	}
}

// uncoveredParticipant returns a participant without an event that the deciding process knows; 0 for none.
func (m *waveCoversMonitor) uncoveredParticipant(
	run *tracefmt.Run, decide replay.Clock, takesPart func(*tracefmt.Run, tracefmt.ProcessID) bool,
) tracefmt.ProcessID {
	for _, q := range members.All(run) {
		if takesPart(run, q) && decide.Latest(q) == 0 {
			return q
		}
	}
	return 0
}

// takesPart reports whether a process participates, as far as recorded.
func (m *waveCoversMonitor) takesPart(run *tracefmt.Run, p tracefmt.ProcessID) bool {
	part := run.Part(p)
	return part == tracefmt.TakesPart || part == tracefmt.PartUnknown && m.noted[p] != 0
}

// possibleKnowledge returns the needs by which the deciding process may know others by an unrecorded receipt: its
// own, or the step of a process whose later event it knows. flights are the messages in transit at the end.
func (m *waveCoversMonitor) possibleKnowledge(
	s *replay.State, flights []replay.Flight, decide replay.Clock,
) []analyze.Need {
	list := members.All(s.Run)
	switch {
	case s.Coverage().Complete():
		return nil
	// An earlier orphan may carry any knowledge, and many pairs of processes cost too much.
	case len(list) > unrecorded.FewProofs || m.orphans.First != 0 && m.orphans.First < decide.Seq():
		return m.orphans.Influence(0, decide.Seq())
	}
	var needs []analyze.Need
	for _, q := range list {
		before := decide.Latest(q)
		for _, p := range list {
			if before != 0 && p != q {
				needs = append(needs, unrecorded.Path(s, flights, memory.Channel{From: p, Receiver: q}, 0, before)...)
			}
		}
	}
	return needs
}

// Relies implements [analyze.Relying]: no process decided before it knew of all participants, and no other
// process participates.
func (m *waveCoversMonitor) Relies(s *replay.State, _ analyze.Ending) iter.Seq[analyze.Need] {
	return members.NeedsOfEach(members.All(s.Run), func(p tracefmt.ProcessID) (needs []analyze.Need) {
		if s.Run.Part(p) == tracefmt.Bystander {
			return nil
		}
		if m.possibleOmission(s, p) {
			needs = analyze.Needs(p, 0, m.covered[p], unrecorded.NoteFacts...)
		}
		if !m.takesPart(s.Run, p) && slices.ContainsFunc(m.decisions,
			func(decide replay.Clock) bool { return decide.Latest(p) == 0 }) {
			needs = append(needs, analyze.Needs(p, 0, 0, unrecorded.NoteFacts...)...)
		}
		return needs
	})
}

// possibleOmission reports whether a process other than p may participate.
func (m *waveCoversMonitor) possibleOmission(s *replay.State, p tracefmt.ProcessID) bool {
	return len(s.Run.Members) > unrecorded.FewProofs ||
		slices.ContainsFunc(members.All(s.Run), func(q tracefmt.ProcessID) bool {
			return q != p && s.Run.Part(q) != tracefmt.Bystander &&
				(m.takesPart(s.Run, q) || s.Coverage().Missing(q, unrecorded.NoteFact, 0, 0))
		})
}
