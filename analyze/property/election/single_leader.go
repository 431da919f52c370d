package election

import (
	"fmt"
	"iter"
	"slices"

	"etrace/analyze"
	"etrace/analyze/causal"
	"etrace/analyze/property/overlap"
	"etrace/analyze/property/paper"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

var singleLeader = analyze.Property{
	Name: "single-leader",
	Kind: analyze.Safety,
	Doc: `No two processes lead in the same term at the same time.

A process leads if it is live, participates, and its variable role is leader, LEADING, primary or master. If it
records no role, it leads if it has elected itself. If participants record terms, leaders of different terms may
overlap: the leader of the lower term has not heard of the other. The recorded order of events counts. A process that
starts or recovers without a recorded crash has crashed at some moment after its last step. If crashes may be missing,
it is unknown whether it has led since; otherwise it has led until then. If terms are recorded, but not the term of a
leader, an overlap is undecided. If the problem has terms, as Raft, and none is recorded, the property is not
applicable. Each pair counts once for each time that it begins to lead together.`,
	Needs:      leaderNeeds,
	Source:     paper.Slides + ", Assumptions: all elections combined must yield a single leader",
	Problem:    "election",
	ViolatedBy: LeaderFacts, ExcusedBy: choiceFacts,
	New: func(*tracefmt.Run) analyze.Monitor {
		m := &singleLeaderMonitor{unconfirmed: make(unconfirmed)}
		m.doubtful.unconfirmed = make(unconfirmed)
		return m
	},
}

// singleLeaderMonitor stores the present leaders and compares each new one with them.
type singleLeaderMonitor struct {
	leaders     []leader
	leading     *leadershipFold
	unconfirmed unconfirmed
	// doubtful are overlaps with a leader of unknown term. Their meaning is known at the end, when it is known
	// whether the run records terms at all.
	doubtful struct {
		unconfirmed unconfirmed
		confirmed   []*finding // at most maxDoubtful; the first also counts the omitted ones
	}
}

// leader leads since an event, in a term if that is known.
type leader struct {
	process tracefmt.ProcessID
	since   tracefmt.Seq
	term    replay.Term
	termAt  tracefmt.Seq // the event that recorded the term
}

// Follow implements [analyze.Follower].
func (m *singleLeaderMonitor) Follow(f *analyze.Folds) {
	m.leading = analyze.Shared(f, newLeadershipFold)
}

// Step updates the leaders by the event. A process that begins to lead, or changes its term, is compared with the
// others.
func (m *singleLeaderMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	m.unconfirmed.step(e).violate(r)
	m.confirm(m.doubtful.unconfirmed.step(e))
	p := e.Process
	if p == 0 || !replay.ChangesProcess(e.Kind) {
		return
	}
	i := slices.IndexFunc(m.leaders, func(l leader) bool { return l.process == p })
	if i >= 0 && (!s.Leads(p) || overlap.BeginsAnew(e)) {
		m.leaders, i = slices.Delete(m.leaders, i, i+1), -1
	}
	if !s.Leads(p) {
		return
	}
	current := leader{p, e.Seq, s.Term(p), s.TermAt(p)}
	led := i >= 0
	var before leader
	if led {
		before = m.leaders[i]
		m.leaders, current.since = slices.Delete(m.leaders, i, i+1), before.since
	}
	for _, q := range m.leaders {
		switch known := current.term.Known() && q.term.Known(); {
		// Leaders of different terms may overlap; a pair in an unchanged term was counted before.
		case !q.term.MaySame(current.term) || led && current.term == before.term:
		case known:
			m.violate(m.unconfirmed, s, q, current)
		case !led || !q.term.MaySame(before.term):
			m.violate(m.doubtful.unconfirmed, s, q, current)
		}
	}
	if !led || current.term != before.term {
		r.Examined++
	}
	m.leaders = append(m.leaders, current)
}

// violate stores the finding that p and q lead together. It counts once q proves, by a further step, that it was up.
func (*singleLeaderMonitor) violate(u unconfirmed, s *replay.State, q, p leader) {
	var excuses []analyze.Need
	if !s.Coverage().Complete() {
		excuses = append(unrecorded.StepDown(s, q.process), unrecorded.StepDown(s, p.process)...)
	}
	u.violateUnless(s, q.process, excuses, func() string {
		text := fmt.Sprintf("process %s leads since seq %d, and process %s, too, since seq %d",
			s.Run.ProcessName(q.process), q.since, s.Run.ProcessName(p.process), p.since)
		if p.term.Known() && q.term.Known() {
			text += fmt.Sprintf(", both in %v", p.term)
		}
		return text
	}, q.termAt, q.since, p.termAt, p.since, s.Seq)
}

// End reports the findings that no step confirmed, and decides those with a leader of unknown term.
func (m *singleLeaderMonitor) End(r *analyze.Result, s *replay.State, _ analyze.Ending) {
	for _, f := range m.unconfirmed.remaining() {
		f.violate(r)
	}
	for _, f := range m.doubtful.unconfirmed.remaining() {
		m.confirm(f)
	}
	doubtful := m.doubtful.confirmed
	switch {
	case !s.HasLeader():
		r.NotApplicable(noLeader)
	case len(doubtful) == 0:
	// If the run records terms elsewhere, the unknown terms may differ.
	case s.HasTerm():
		r.Undecided(func() string { return doubtful[0].explanation + ", in a term that is not recorded" },
			slices.Concat(doubtful[0].excuses, doubtful[0].downNeeds)...)
	case hasTerms(s.Run):
		r.NotApplicable(fmt.Sprintf("no process records a term, and in %s leaders of different terms may overlap",
			s.Run.Problem))
	default:
		for _, f := range doubtful {
			f.violate(r)
		}
	}
}

// confirm stores a finding about leaders of unknown terms; nil is ignored.
func (m *singleLeaderMonitor) confirm(f *finding) {
	switch confirmed := &m.doubtful.confirmed; {
	case f == nil:
	case len(*confirmed) < maxDoubtful:
		*confirmed = append(*confirmed, f)
	default:
		(*confirmed)[0].times += f.times
	}
}

// maxDoubtful bounds the findings that are stored until the end of the run.
const maxDoubtful = 1 << 10

// Relies implements [analyze.Relying].
func (m *singleLeaderMonitor) Relies(s *replay.State, _ analyze.Ending) iter.Seq[analyze.Need] {
	if w := m.leading.result(s); w.Hidden {
		return slices.Values(w.needs(s))
	}
	return nil
}

// hasTerms reports whether the problem of the run has terms, recorded or not.
func hasTerms(run *tracefmt.Run) bool {
	p, ok := tracefmt.Problems().Get(run.Problem)
	return ok && p.Terms
}

var singleLeaderPossibly = analyze.Property{
	Name:  "single-leader-possibly",
	Pairs: true,
	Kind:  analyze.Safety,
	Doc: `No consistent cut has two leaders of the same term.

Leadership and terms are defined as in single-leader.

The recorded order is one of many in which the same run may have taken place. This property examines all of them. Two
processes violate it if causality does not ensure that one ceased to lead before the other began, even if they do not
lead at the same time in the recorded order. A process that crashes or halts no longer leads. But a process that
takes over after a timeout has not heard of the crash, and so violates this property. A timeout proves a crash only
in a system with bounds on delays. Each pair of processes counts once, and the cut of the result is the first in
which both lead.`,
	Needs:      leaderNeeds + "; receive events that name their sends",
	Source:     paper.CooperMarzullo + ": possibly",
	Problem:    "election",
	ViolatedBy: analyze.Facts("state.elected", "state.role", "state.term", "recover"),
	ExcusedBy: analyze.Facts("state.elected", "state.role", "state.term", "recover", "crash", "halt", "send",
		"receive"),
	OnRequest: true,
	New:       func(run *tracefmt.Run) analyze.Monitor { return leadersTogether(run, false) },
}

// leadersTogether returns the monitor for two leaders, in some cut or on every path.
func leadersTogether(run *tracefmt.Run, definite bool) analyze.Monitor {
	m := new(leadersMonitor)
	m.Monitor = overlap.New(run, causal.NewTracker(run), overlap.Monitor{
		Does: "leads", Do: "lead", Definite: definite,
		Holds: func(s *replay.State, e *tracefmt.Event) bool { return e.Process != 0 && s.Leads(e.Process) },
		Round: (*replay.State).Term,
		Lacks: func(s *replay.State) string {
			if s.HasLeader() {
				return ""
			}
			return noLeader
		},
		Edges: new(analyze.Edges),
		Rests: unrecorded.StepDown,
		Unrecorded: func(s *replay.State) (*overlap.Meetings, bool, []analyze.Need) {
			w := m.leading.result(s)
			return &w.Meetings, w.sharedTerm, w.needs(s)
		},
		Ends: func(s *replay.State) []tracefmt.Fact { return append(slices.Clone(changesOfLeaders), s.TermFact()) },
	})
	return m
}

// changesOfLeaders are the facts by which a process may cease to lead, without its term.
var changesOfLeaders = analyze.Facts("state.elected", "state.role", "recover", "crash", "halt")

// leadersMonitor looks for two leaders in all orders of the events.
type leadersMonitor struct {
	*overlap.Monitor
	leading *leadershipFold
}

// Follow implements [analyze.Follower].
func (m *leadersMonitor) Follow(f *analyze.Folds) { m.leading = analyze.Shared(f, newLeadershipFold) }

var singleLeaderDefinitely = analyze.Property{
	Name:  "single-leader-definitely",
	Pairs: true,
	Kind:  analyze.Safety,
	Doc: `For any two processes, causality allows an order of the events in which they never both lead in the same term.

Leadership and terms are defined as in single-leader.

This is the weakest variant. Two processes violate it only if they led at the same time in every order of the
concurrent events. That is so if the start of each leadership happened before the end of the other. While the run can
go on, a leader may cease to lead in its next step, so a leadership without an end shows no violation. Each pair of
processes counts once.

The property examines each pair and, if terms are recorded, each term separately. In every order the two may share some
term, but not the same term in all orders. The property does not report that; this rule does: never definitely
leads(p) and leads(q) and term(p) == term(q).`,
	Needs:        leaderNeeds + "; receive events that name their sends",
	Source:       paper.CooperMarzullo + ": definitely",
	WitnessOmits: "the messages that prove that each leadership began before the other ended",
	Problem:      "election",
	ViolatedBy:   analyze.Facts("state.elected", "state.role", "state.term", "recover", "send", "receive"),
	ExcusedBy:    analyze.Facts("state.elected", "state.role", "state.term", "recover", "crash", "halt"),
	OnRequest:    true,
	New:          func(run *tracefmt.Run) analyze.Monitor { return leadersTogether(run, true) },
}
