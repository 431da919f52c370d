package election

import (
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
	"etrace/tracefmt/text"
)

var electedHasSeenMost = analyze.Property{
	Name: "elected-has-seen-most",
	Kind: analyze.Safety,
	Doc: `No process elects a process that has seen less than itself.

The run defines which process has seen more: by the key best of its header or, in runs of zab, by the epoch, the zxid and
the id. The first key that differs decides. The property compares the values before the choice, since an election changes
them: the epoch rises, a log is truncated. Values from before the previous choice of a process are out of date, except in a
simulated run, whose record is complete. If values are missing, the property is undecided.

A majority elects, so a better process may have been slow or down, or may come back later. A process that follows an
established leader may have seen more than the leader, and loses the surplus. A leader is established when a majority
recorded that they elected it. It is also established when it recorded that it leads, and a majority without the other
process may have elected it: electors that are not known to have seen more, and were not down all the time. A process
chooses when it assigns elected, or records that it leads or follows. Its initial value is no choice, and while it looks
for a leader, elected keeps the old value.`,
	Needs:        "state events that assign elected, and the keys by which the run ranks processes: in zab epoch and zxid",
	Source:       paper.Zab + "; " + paper.ZabPractice + ": fast leader election",
	WitnessOmits: "the values by which the run ranks processes",
	Problem:      tracefmt.Election,
	About:        []string{tracefmt.Zab},
	NeedsBest:    true,
	ViolatedBy:   choiceFacts, ExcusedBy: choiceFacts, Triggers: electedFacts,
	Assumption: "the problem of the run is zab: in other elections a process may have been wrong for a while, and " +
		"election-safety asks for the best one",
	Assumes: func(run *tracefmt.Run) string {
		if run.Solves(tracefmt.Zab) {
			return ""
		}
		return "the run does not solve zab"
	},
	New: func(run *tracefmt.Run) analyze.Monitor {
		return &seenMostMonitor{candidacies: newCandidacies(run)}
	},
}

// seenMostMonitor examines each choice: the chosen process must have seen at least as much as the process that
// chooses it. lateFollowers have made choices that only the end of the run can judge.
type seenMostMonitor struct {
	candidacies
	lateFollowers []lateFollower
}

// lateFollower is a process that elects a leader which has seen less: the leader may have been established by
// others.
type lateFollower struct {
	at               tracefmt.Seq
	voters, electors int // the processes that may have elected the leader, and all electors, at that time
	explain          string
	witness          []tracefmt.Seq
	excuses          []analyze.Need
}

// Step examines the event if its process chooses another leader than before, and counts it as an elector of that
// leader.
func (m *seenMostMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if e.Process == 0 || !s.Changed(e) {
		return
	}
	p := e.Process
	oldChoice := m.list[p].choice
	q, says := m.step(s, e)
	if !says || q <= 0 {
		return
	}
	// Only an assignment is a choice. A start or recovery restores an old one.
	if q != p && q != oldChoice && e.Kind == tracefmt.State && m.list[p].elector {
		m.examine(r, s, p, q)
	}
	m.count(p, q)
}

// examine compares p with the process q that it elects.
func (m *seenMostMonitor) examine(r *analyze.Result, s *replay.State, p, q tracefmt.ProcessID) {
	if m.isMajority(m.list[q].electors) {
		return // q is established
	}
	order, key, lacks := m.compare(s.Run, p, q)
	if lacks != "" {
		r.Undecided(func() string { return lacks }, m.factsUntilNow(s)...)
		return
	}
	if r.Examined++; order <= 0 {
		return
	}
	voted, its := m.list[p].vote[key], m.valuesFor(q, q)[key]
	explain := func() string {
		less, more := members.Short(its.value), members.Short(voted.value)
		if m.keys[key] == tracefmt.BestID { // the value of this key is a rank
			less, more = s.Run.ProcessName(q), s.Run.ProcessName(p)
		}
		return fmt.Sprintf("process %s elects process %s, which has seen less: its %s is %s, and %s that of process %s",
			s.Run.ProcessName(p), s.Run.ProcessName(q), text.Printable(m.keys[key]), less, more, s.Run.ProcessName(p))
	}
	witness := []tracefmt.Seq{its.at, voted.at, s.Seq}
	if m.list[q].choice != q {
		r.ViolateUnless(m.factsUntilNow(s), explain, witness...)
		return
	}
	voters := m.voters(s, p, q)
	if 2*voters > m.electors {
		return // a majority may have elected q, which the property permits
	}
	if memory.RoomFor(r, len(m.lateFollowers)+1, "processes that follow a process which has seen less") {
		m.lateFollowers = append(m.lateFollowers, lateFollower{
			at: s.Seq, voters: voters, electors: m.electors, explain: explain(), witness: witness,
			excuses: m.factsUntilNow(s),
		})
	}
}

// factsUntilNow returns the facts that show what each process has seen and elected until now.
func (m *seenMostMonitor) factsUntilNow(s *replay.State) (needs []analyze.Need) {
	facts := append(unrecorded.Variables(s), unrecorded.ElectedFact, unrecorded.RoleFact, s.TermFact(),
		unrecorded.CrashFact)
	for _, p := range unrecorded.ElectorsNow(s) {
		needs = append(needs, analyze.Needs(p, 0, s.Now(), facts...)...)
		needs = append(needs, unrecorded.Restart(s, p, 0)...)
	}
	return needs
}

// Relies implements [analyze.Relying].
func (m *seenMostMonitor) Relies(s *replay.State, _ analyze.Ending) iter.Seq[analyze.Need] {
	return slices.Values(m.factsUntilNow(s))
}

// voters returns the number of electors other than p that may have elected q.
func (m *seenMostMonitor) voters(s *replay.State, p, q tracefmt.ProcessID) (n int) {
	for _, v := range members.All(s.Run) {
		if v != p && m.list[v].elector && !m.wasDown(s, v, q) && !m.hasSeenMore(s.Run, v, q) {
			n++
		}
	}
	return n
}

// wasDown reports whether v has been down since q began to look for a leader.
func (m *seenMostMonitor) wasDown(s *replay.State, v, q tracefmt.ProcessID) bool {
	return !s.Live(v) && s.Process(v).Since < m.list[q].searchingSince
}

// hasSeenMore reports whether v certainly has seen more than q.
func (m *seenMostMonitor) hasSeenMore(run *tracefmt.Run, v, q tracefmt.ProcessID) bool {
	if choice := m.list[v].choice; choice != 0 && choice != q {
		return false // the values of v before its choice may be out of date
	}
	order, _, lacks := m.compare(run, v, q)
	return lacks == "" && order > 0
}

// End judges the late followers: their choice is a violation if too few processes had elected the leader before, so
// that they were needed for its majority.
func (m *seenMostMonitor) End(r *analyze.Result, s *replay.State, _ analyze.Ending) {
	switch key := m.missing(); {
	case !s.HasElected():
		r.NotApplicable(noElection)
		return
	case key != "":
		r.NotApplicable(fmt.Sprintf("no process records its %s, a key by which the run ranks processes",
			text.Printable(key)))
		return
	}
	for _, l := range m.lateFollowers {
		lateElectors := 0 // processes that proved to be electors only later
		for i := range m.list {
			if m.list[i].elector && m.list[i].electorShownAt > l.at {
				lateElectors++
			}
		}
		if 2*(l.voters+lateElectors) <= l.electors+lateElectors {
			r.ViolateUnless(l.excuses, func() string {
				return fmt.Sprintf("%s; only %d of %d processes may have elected it without that one", l.explain,
					l.voters, l.electors)
			}, l.witness...)
		}
	}
}
