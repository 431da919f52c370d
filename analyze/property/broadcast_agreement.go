package property

import (
	"fmt"
	"iter"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

var broadcastAgreement = analyze.Property{
	Name: "broadcast-agreement",
	Kind: analyze.Liveness,
	Doc: `A message that some correct process delivers, every correct process delivers in
the end.

A process is correct if it takes part, and neither crashes nor halts in the whole run;
one of which the run does not say whether it takes part does if it broadcasts or
delivers, may if it starts or has states, timers or notes, or may without a record, so that the property is unknown, and is else taken
for one that stands by. What only others deliver obliges no process. Each message counts once for each correct process
that does not deliver it. While the run can go on, it is an open obligation.`,
	Needs:    broadcastNeeds,
	Source:   reliableProgramming + ", 3.3: RB4, agreement",
	Problem:  "broadcast",
	Convicts: noteFacts,
	Acquits:  analyze.Facts("note", "crash", "halt"),
	New: func(run *tracefmt.Run) analyze.Monitor {
		return &broadcastAgreementMonitor{promised: newPromised(run)}
	},
}

// broadcastAgreementMonitor asks all correct processes to deliver what one of them delivers or,
// in the uniform reading, any process that takes part.
type broadcastAgreementMonitor struct {
	promised
	uniform bool
}

func (m *broadcastAgreementMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	if !m.end(r) {
		return
	}
	correct := m.faults.correct(s)
	deliverers := m.deliverers(s)
	owed, last := false, 0
	for i := range m.all {
		by := m.deliverer(i, deliverers)
		if by == 0 {
			continue
		}
		r.Examined++
		last = i
		for _, p := range correct {
			if *m.delivered(i, p) == 0 {
				owed = true
				m.owe(r, s, end, i, by, p)
			}
		}
	}
	if p := m.faults.doubtful(s); p != 0 && r.Examined > 0 && !owed {
		r.Undecided(func() string {
			return fmt.Sprintf("%s; it has not delivered %s", partNotSaid(s.Run, p), m.name(s, last))
		})
	}
}

// deliverers are the processes whose deliveries oblige the others.
func (m *broadcastAgreementMonitor) deliverers(s *replay.State) []tracefmt.ProcessID {
	if m.uniform {
		return allProcesses(s.Run) // the deliveries of those that take no part are not kept
	}
	return m.faults.correct(s)
}

// deliverer returns which of these processes delivered a message first, 0 if none did.
func (m *broadcastAgreementMonitor) deliverer(i int, of []tracefmt.ProcessID) (by tracefmt.ProcessID) {
	first := tracefmt.Seq(0)
	for _, p := range of {
		if at := *m.delivered(i, p); at != 0 && (first == 0 || at < first) {
			by, first = p, at
		}
	}
	return by
}

func (m *broadcastAgreementMonitor) owe(r *analyze.Result, s *replay.State, end analyze.Ending, i int, by, p tracefmt.ProcessID) {
	at := *m.delivered(i, by)
	oweUnless(r, end, m.excuses(s, i, p), func() string {
		return fmt.Sprintf("process %s has not delivered %s, which process %s delivered at seq %d",
			s.Run.ProcessName(p), m.name(s, i), s.Run.ProcessName(by), at)
	}, m.all[i].sent, at, end.LoopFrom, end.LoopTo)
}

// excuses are the facts that would lift the duty of p to deliver a message: that it did, or
// is not correct or, but in the uniform reading, none is of those who delivered it.
func (m *broadcastAgreementMonitor) excuses(s *replay.State, i int, p tracefmt.ProcessID) []analyze.Need {
	if s.Coverage().Complete() {
		return nil
	}
	needs := append(deliveries(p, 0, 0), analyze.Needs(p, 0, 0, downFacts...)...)
	if m.uniform {
		return needs
	}
	var faulty []analyze.Need
	for _, q := range m.faults.correct(s) {
		if *m.delivered(i, q) == 0 {
			continue
		}
		if !m.faults.mayFail(s, q) {
			return needs
		}
		faulty = append(faulty, analyze.Needs(q, 0, 0, downFacts...)...)
	}
	return append(needs, faulty...)
}

// Relies implements [analyze.Relying]: it takes two that are correct to disagree, or one and
// another that takes part.
func (m *broadcastAgreementMonitor) Relies(s *replay.State, _ analyze.Ending) iter.Seq[analyze.Need] {
	correct, notes := m.mayBeCorrect(s)
	switch {
	case m.uniform && len(correct) > 0:
		return slices.Values(analyze.Needs(analyze.AnyProcess, 0, 0, noteFacts...))
	case len(correct) < 2:
		return nil
	}
	return notes
}
