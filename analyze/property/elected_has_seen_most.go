package property

import (
	"fmt"
	"iter"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

var electedHasSeenMost = analyze.Property{
	Name: "elected-has-seen-most",
	Kind: analyze.Safety,
	Doc: `No process takes part in the election of one that has seen less than itself.

Who has seen more is decided by the keys of the run: best in its header, in runs of zab
otherwise the epoch, the zxid and the id, the first that differs. Compared is what the two
had said before they chose, since an election changes it: the epoch rises, a log is cut
off. What a process said before its former choice is out of date in its next election,
except in a simulated run, which tells all. What was not said leaves the property
undecided.

A majority elects, so a better process may have been slow, down, or come back later: one
that follows an established leader may have seen more, and loses it. A leader is
established when a majority said that they elected it; or when it said that it leads, and
a majority without the other may have elected it: electors that are not known to have
seen more, and were not down all the time. A process chooses when it assigns elected, or
says that it leads or follows; what it begins with is no choice, and while its role is
that of one that looks for a leader, elected is what it was.`,
	Needs:        "state events that assign elected, and what the run says who is best by: in zab epoch and zxid",
	Source:       zabPaper + "; " + zabPractice + ": fast leader election",
	WitnessOmits: "the values by which the run says who is best",
	Problem:      tracefmt.Election,
	About:        []string{tracefmt.Zab},
	NeedsBest:    true,
	Convicts:     choiceFacts, Acquits: choiceFacts, Triggers: electedFacts,
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

type seenMostMonitor struct {
	candidacies
	late []lateFollower
}

// lateFollower is a process that elects a leader which has seen less: the leader may
// have been established, if enough others elected it.
type lateFollower struct {
	at             tracefmt.Seq
	voters, others int // that may have elected the leader, and all electors, at that time
	explain        string
	witness        []tracefmt.Seq
	excuses        []analyze.Need
}

func (m *seenMostMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if e.Process == 0 || !s.Changed(e) {
		return
	}
	p := e.Process
	was := m.all[p].choice
	q, says := m.step(s, e)
	if !says || q <= 0 {
		return
	}
	if q != p && q != was && e.Kind == tracefmt.State && m.all[p].elector {
		m.examine(r, s, p, q)
	}
	m.count(p, q)
}

// examine compares p with the process q that it elects.
func (m *seenMostMonitor) examine(r *analyze.Result, s *replay.State, p, q tracefmt.ProcessID) {
	if m.isMajority(m.all[q].electors) {
		return // q is established
	}
	order, key, lacks := m.compare(s.Run, p, q)
	if lacks != "" {
		r.Undecided(func() string { return lacks }, m.seen(s)...)
		return
	}
	if r.Examined++; order <= 0 {
		return
	}
	mine, its := m.all[p].vote[key], m.standing(q, q)[key]
	explain := func() string {
		less, more := short(its.value), short(mine.value)
		if m.keys[key] == tracefmt.BestID { // whose value is a rank
			less, more = s.Run.ProcessName(q), s.Run.ProcessName(p)
		}
		return fmt.Sprintf("process %s elects process %s, which has seen less: its %s is %s, and %s that of process %s",
			s.Run.ProcessName(p), s.Run.ProcessName(q), text.Printable(m.keys[key]), less, more, s.Run.ProcessName(p))
	}
	witness := []tracefmt.Seq{its.at, mine.at, s.Seq}
	if m.all[q].choice != q {
		r.ViolateUnless(m.seen(s), explain, witness...)
		return
	}
	voters := m.voters(s, p, q)
	if 2*voters <= m.electors && roomFor(r, len(m.late)+1, "processes that follow one that has seen less") {
		m.late = append(m.late, lateFollower{s.Seq, voters, m.electors, explain(), witness, m.seen(s)})
	}
}

// seen are the facts by which it is known what each process has seen and elected until now.
func (m *seenMostMonitor) seen(s *replay.State) (needs []analyze.Need) {
	if s.Coverage().Complete() {
		return nil
	}
	facts := append(variableKeys(s), electedFact, roleFact, s.TermFact(), crashFact)
	for _, p := range mayElect(s) {
		needs = append(needs, analyze.Needs(p, 0, s.Now(), facts...)...)
		needs = append(needs, mayRestart(s, p, 0)...)
	}
	return needs
}

// Relies implements [analyze.Relying].
func (m *seenMostMonitor) Relies(s *replay.State, _ analyze.Ending) iter.Seq[analyze.Need] {
	return slices.Values(m.seen(s))
}

// voters counts the electors that may have elected q without p.
func (m *seenMostMonitor) voters(s *replay.State, p, q tracefmt.ProcessID) (n int) {
	for _, v := range allProcesses(s.Run) {
		if v != p && m.all[v].elector && !m.wasDown(s, v, q) && !m.refuses(s.Run, v, q) {
			n++
		}
	}
	return n
}

// wasDown reports whether v has been down since q looks, or looked, for a leader.
func (m *seenMostMonitor) wasDown(s *replay.State, v, q tracefmt.ProcessID) bool {
	return !s.Live(v) && s.Process(v).Since < m.all[q].looks
}

// refuses reports whether v is known to have seen more than q.
func (m *seenMostMonitor) refuses(run *tracefmt.Run, v, q tracefmt.ProcessID) bool {
	if choice := m.all[v].choice; choice != 0 && choice != q {
		return false // what it had seen before may be out of date
	}
	order, _, lacks := m.compare(run, v, q)
	return lacks == "" && order > 0
}

func (m *seenMostMonitor) End(r *analyze.Result, s *replay.State, _ analyze.Ending) {
	switch key := m.untold(); {
	case !s.HasElected():
		r.NotApplicable(noElection)
		return
	case key != "":
		r.NotApplicable(fmt.Sprintf("no process says its %s, by which the run says who is best", text.Printable(key)))
		return
	}
	for _, l := range m.late {
		unheard := 0 // who turned out to be electors only later
		for i := range m.all {
			if m.all[i].elector && m.all[i].speaks > l.at {
				unheard++
			}
		}
		if 2*(l.voters+unheard) <= l.others+unheard {
			r.ViolateUnless(l.excuses, func() string {
				return fmt.Sprintf("%s; only %d of %d processes may have elected it without that one", l.explain, l.voters, l.others)
			}, l.witness...)
		}
	}
}
