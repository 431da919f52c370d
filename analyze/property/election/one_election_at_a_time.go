package election

import (
	"fmt"
	"iter"
	"slices"

	"etrace/analyze"
	"etrace/analyze/property/memory"
	"etrace/analyze/property/paper"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

var oneElectionAtATime = analyze.Property{
	Name: "one-election-at-a-time",
	Kind: analyze.Safety,
	Doc: `A process that holds an election of its own does not begin another one.

The messages show it: within one election a process asks another at most once. So between two messages
` + joinOr(electionTypes) + ` from one process to the same other one, the election has ended at the sender. It ends when the
sender assigns elected, when a timer of the sender expires, and when the sender goes down. Each repeated message counts.
Different processes may hold elections at the same time.
The property is unknown in a recording without any choice of a leader.`,
	Needs: "send events of the messages ELECTION; state events that assign elected; timeout, crash, halt and recover events",
	Source: paper.Slides +
		", Assumptions: each process can call only one election at a time; lecture notes, Distributed Systems - " +
		"Theory 12: unless already holding one",
	Problem:    "election",
	Presumed:   []string{tracefmt.Guarded},
	ViolatedBy: analyze.Facts("send"), ExcusedBy: analyze.Facts("timeout", "state.elected", "crash", "recover", "halt"),
	New: func(run *tracefmt.Run) analyze.Monitor {
		return &oneElectionMonitor{
			asked: map[memory.Channel]tracefmt.Seq{}, ended: make([]tracefmt.Seq, len(run.Members)+1),
			shown: map[memory.Channel]provenAsk{},
		}
	},
}

// oneElectionMonitor compares each ELECTION message with the one before it on the same channel: an end of the
// sender's election must lie between them.
type oneElectionMonitor struct {
	asked map[memory.Channel]tracefmt.Seq // the latest ELECTION
	ended []tracefmt.Seq                  // by process: the latest end of an election

	shown map[memory.Channel]provenAsk // by arrivals

	// withoutChoice are pairs of messages that were found before the recording had a choice of a leader. explain and
	// excuses are those of the first pair.
	withoutChoice []tracefmt.Seq
	explain       func() string
	excuses       []analyze.Need
}

// provenAsk is an ELECTION that arrived, or was lost, without a recorded send.
type provenAsk struct {
	message tracefmt.MessageID
	several bool // there are further ones
}

// Step records the end of an election, and checks the send of an ELECTION message.
func (m *oneElectionMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	switch {
	case endsElection(s, e):
		m.ended[e.Process] = e.Seq
	case e.Kind == tracefmt.Send && slices.Contains(electionTypes, e.Type):
		r.Examined++
		c := memory.Channel{From: e.Process, Receiver: e.Peer}
		// A second question on a channel is legal only after an end of the election.
		if before := m.asked[c]; before > m.ended[e.Process] {
			m.repeated(r, s, c, before, e.Seq)
		}
		m.asked[c] = e.Seq
	case unrecorded.IsOrphan(s, e) && slices.Contains(electionTypes, e.Type):
		c := memory.Channel{From: e.Peer, Receiver: e.Process}
		first, had := m.shown[c]
		if !had {
			first.message = e.Message
		}
		first.several = first.several || first.message != e.Message
		m.shown[c] = first
	}
}

// endsElection reports whether the event ends the election that its process holds.
func endsElection(s *replay.State, e *tracefmt.Event) bool {
	switch e.Kind {
	case tracefmt.Timeout, tracefmt.Crash, tracefmt.Halt:
		return true
	}
	return s.NextLife() || assigns(s, e)
}

// repeated handles a repeated question to the same process. Facts that the recording lacks entirely, such as choices,
// may have ended the election.
func (m *oneElectionMonitor) repeated(
	r *analyze.Result, s *replay.State, c memory.Channel, before, again tracefmt.Seq,
) {
	explain := func() string {
		return fmt.Sprintf("process %s asks process %s at seq %d and again at seq %d, and no election of it has ended in between",
			s.Run.ProcessName(c.From), s.Run.ProcessName(c.Receiver), before, again)
	}
	if s.Coverage().Complete() || s.HasElected() || s.Coverage().Exists(unrecorded.ElectedFact) {
		r.ViolateUnless(m.ends(s, c.From, before), explain, before, again)
		return
	}
	m.withoutChoice = append(m.withoutChoice, before, again)
	if len(m.withoutChoice) == 2 {
		m.explain, m.excuses = explain, m.ends(s, c.From, before)
	}
}

// ends returns the needs by which an election of p may have ended since it asked.
func (m *oneElectionMonitor) ends(s *replay.State, p tracefmt.ProcessID, before tracefmt.Seq) []analyze.Need {
	return append(analyze.Needs(p, before, s.Now(), tracefmt.Fact{Kind: tracefmt.Timeout}, unrecorded.ElectedFact),
		unrecorded.Restart(s, p, before)...)
}

// Relies implements [analyze.Relying]: no further question was asked, and a question known only by its arrival
// was asked once.
func (m *oneElectionMonitor) Relies(s *replay.State, end analyze.Ending) iter.Seq[analyze.Need] {
	needs := unrecorded.Send(s, end, func(send *tracefmt.Event) bool {
		return slices.Contains(electionTypes, send.Type)
	}, electionTypes...)
	for c, ask := range m.shown { // in any order: needs are sorted later
		if ask.several || m.asked[c] != 0 {
			needs = append(needs, analyze.Needs(c.From, 0, 0, unrecorded.SendFacts...)...)
		}
	}
	return slices.Values(needs)
}

// End reports the repeated messages that were found before the run recorded any choice of a leader.
func (m *oneElectionMonitor) End(r *analyze.Result, s *replay.State, _ analyze.Ending) {
	if len(m.withoutChoice) == 0 {
		return
	}
	if !s.HasElected() {
		r.Undecided(func() string { return m.explain() + ", as far as a recording without elected shows" })
		return
	}
	for range len(m.withoutChoice) / 2 {
		r.ViolateUnless(m.excuses, m.explain, m.withoutChoice[:2]...)
	}
}
