package broadcast

import (
	"fmt"
	"iter"
	"slices"

	"etrace/analyze"
	"etrace/analyze/property/members"
	"etrace/analyze/property/paper"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

var broadcastAgreement = analyze.Property{
	Name: "broadcast-agreement",
	Kind: analyze.Liveness,
	Doc: `If some correct process delivers a message, every correct process eventually delivers it.

A process is correct if it participates, and neither crashes nor halts in the whole run. If the run does not state
whether a process participates, it participates if it broadcasts or delivers. If it only starts or has states, timers
or notes, or if such events may be unrecorded, the property is unknown; otherwise the process counts as a
non-participant. Deliveries by processes that are not correct do not count. Each message counts once for each correct
process that does not deliver it. While the run can go on, a missing delivery is an open obligation.`,
	Needs:      broadcastNeeds,
	Source:     paper.ReliableProgramming + ", 3.3: RB4, agreement",
	Problem:    "broadcast",
	ViolatedBy: unrecorded.NoteFacts,
	ExcusedBy:  analyze.Facts("note", "crash", "halt"),
	New: func(run *tracefmt.Run) analyze.Monitor {
		return &broadcastAgreementMonitor{promised: newPromised(run)}
	},
}

// broadcastAgreementMonitor checks that all correct processes deliver the messages that one of them delivers or,
// in the uniform reading, that any participant delivers.
type broadcastAgreementMonitor struct {
	promised
	uniform bool
}

// End reports, for each message that an obliging process delivered, the correct processes that have not delivered it.
func (m *broadcastAgreementMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	if !m.end(r) {
		return
	}
	correct := m.faults.Correct(s)
	deliverers := m.deliverers(s)
	owed, last := false, 0
	for i := range m.list {
		actor := m.deliverer(i, deliverers)
		if actor == 0 {
			continue
		}
		r.Examined++
		last = i
		for _, p := range correct {
			if *m.delivered(i, p) == 0 {
				owed = true
				m.oweDelivery(r, s, end, delivery{i, actor}, p)
			}
		}
	}
	if p := m.faults.Doubtful(s); p != 0 && r.Examined > 0 && !owed {
		r.Undecided(func() string {
			return fmt.Sprintf("%s; it has not delivered %s", members.PartUnknown(s.Run, p), m.name(s, last))
		})
	}
}

// deliverers returns the processes whose deliveries oblige the others: the correct ones or, in the uniform reading,
// all participants.
func (m *broadcastAgreementMonitor) deliverers(s *replay.State) []tracefmt.ProcessID {
	if m.uniform {
		return members.All(s.Run) // deliveries of non-participants are not stored
	}
	return m.faults.Correct(s)
}

// deliverer returns the process of the list that delivered a message first, 0 if no process did.
func (m *broadcastAgreementMonitor) deliverer(i int, deliverers []tracefmt.ProcessID) (actor tracefmt.ProcessID) {
	first := tracefmt.Seq(0)
	for _, p := range deliverers {
		if at := *m.delivered(i, p); at != 0 && (first == 0 || at < first) {
			actor, first = p, at
		}
	}
	return actor
}

// delivery is the first delivery of a message, by its index.
type delivery struct {
	message int
	process tracefmt.ProcessID
}

// oweDelivery reports that p has not delivered a message that another process delivered.
func (m *broadcastAgreementMonitor) oweDelivery(
	r *analyze.Result, s *replay.State, end analyze.Ending, first delivery, p tracefmt.ProcessID,
) {
	at := *m.delivered(first.message, first.process)
	unrecorded.OweUnless(r, end, m.excuses(s, first.message, p), func() string {
		return fmt.Sprintf("process %s has not delivered %s, which process %s delivered at seq %d",
			s.Run.ProcessName(p), m.name(s, first.message), s.Run.ProcessName(first.process), at)
	}, m.list[first.message].sent, at, end.LoopFrom, end.LoopTo)
}

// excuses returns the facts that would lift p's duty to deliver a message: a delivery by p, a failure of p, or,
// except in the uniform reading, failures of all that delivered it.
func (m *broadcastAgreementMonitor) excuses(s *replay.State, i int, p tracefmt.ProcessID) []analyze.Need {
	needs := append(deliveries(p, 0, 0), analyze.Needs(p, 0, 0, unrecorded.DownFacts...)...)
	if m.uniform {
		return needs
	}
	var faulty []analyze.Need
	for _, q := range m.faults.Correct(s) {
		if *m.delivered(i, q) == 0 {
			continue
		}
		if !m.faults.PossibleFailure(s, q) {
			return needs
		}
		faulty = append(faulty, analyze.Needs(q, 0, 0, unrecorded.DownFacts...)...)
	}
	return append(needs, faulty...)
}

// Relies implements [analyze.Relying]: a disagreement takes two correct processes, or a correct one and a
// participant.
func (m *broadcastAgreementMonitor) Relies(s *replay.State, _ analyze.Ending) iter.Seq[analyze.Need] {
	correct, notes := m.possiblyCorrectProcesses(s)
	switch {
	case m.uniform && len(correct) > 0:
		return slices.Values(analyze.Needs(analyze.AnyProcess, 0, 0, unrecorded.NoteFacts...))
	case len(correct) < 2:
		return nil
	}
	return notes
}
