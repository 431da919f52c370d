package property

import (
	"fmt"
	"iter"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

var electionLiveness = analyze.Property{
	Name: "election-liveness",
	Kind: analyze.Liveness,
	Doc: `The election ends, and every live elector ends with somebody elected, of whatever term.

A process that tells which role it has, and not whom it has elected, has somebody
elected where its role is not that of one that still looks (candidate, LOOKING), and
some process leads; a run whose problem is an election is examined by roles alone, too.

Ended means that no message is in flight to a live process and no timer is
armed. That a run never ends is proved by a loop: the same global state twice
in a deterministic run. A simulated run that was stopped has not ended, whatever its
last state is: that it will is an open obligation. The record of a system that goes on
is always stopped, and owes nothing where every live elector has somebody elected. The
property is vacuous where
no elector calls an election (no suspicion, no recovery, no message between electors, no
candidate, no leader, no vote, no choice) and where no process is left to elect. A run that states
the trait heartbeats promises no end: eventual-leader says what becomes of its elections.

In a run of anonymous processes, a loop in which all are in the same state at every instant is one that no
deterministic algorithm can leave (Angluin, Local and Global Properties in Networks of Processors,
STOC 1980): the verdict says so. Identical processes cannot elect, as the lecture notes remark.`,
	Needs:    "state events that assign elected, or role in a run whose problem is an election; how the run ended",
	Source:   slides + ", Problem Specification, Liveness",
	Problem:  "election",
	Excluded: []string{tracefmt.Heartbeats}, Mentioned: []string{tracefmt.Anonymous},
	Convicts: callFacts, Acquits: choiceFacts, Shiftable: true,
	New: func(run *tracefmt.Run) analyze.Monitor { return &livenessMonitor{newCallers(run), newSymmetry(run)} },
}

type livenessMonitor struct {
	callers  callers
	symmetry symmetry
}

func (m *livenessMonitor) Step(_ *analyze.Result, s *replay.State, e *tracefmt.Event) {
	m.callers.step(s, e)
	m.symmetry.step(s, e)
}

func (m *livenessMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	switch {
	case !tellsElection(s):
		r.NotApplicable(noElection)
		return
	case !m.callers.called(s):
		return
	}
	live := s.Electors()
	if len(live) == 0 && !end.Looping() {
		noElectorLeft(r, s)
		return
	}
	r.Examined++
	sayTerms(r, s, live, anyTerm)
	without, excuses := withoutLeader(s, live)
	excuses = append(excuses, m.callers.mayNotCall(s)...)
	witness := []tracefmt.Seq{s.Seq}
	for _, p := range without {
		witness = append(witness, s.Process(p).ElectedAt)
	}
	switch {
	case end.Looping():
		r.Violate(func() string {
			why := fmt.Sprintf("the run never ends: the global state after seq %d is that after seq %d, and %s",
				end.LoopTo, end.LoopFrom, nobodyElected(s.Run, without))
			if m.symmetry.holds() {
				why += "; all processes are in the same state at every instant: no deterministic algorithm can elect one (Angluin 1980)"
			}
			return why
		}, end.LoopFrom, end.LoopTo)
	case end.Quiescent && len(without) > 0:
		r.ViolateUnless(excuses, func() string { return nobodyElected(s.Run, without) }, witness...)
	case end.Quiescent:
	case len(without) > 0:
		r.OweUnless(excuses, nobodyElected(s.Run, without), witness...)
	case s.Run.Source != tracefmt.Simulated:
	case !s.Quiescent():
		r.OweUnless(append(excuses, mayAllFall(s, live)...), "the election has not ended: "+analyze.Unfinished(s))
	default:
		r.OweUnless(append(excuses, mayAllFall(s, live)...), "the run was stopped before it is known to have ended")
	}
}

// mayAllFall is that none of the processes may be left.
func mayAllFall(s *replay.State, live []tracefmt.ProcessID) (needs []analyze.Need) {
	for _, p := range live {
		falls := mayFall(s, p)
		if certain(s, falls) {
			return nil
		}
		needs = append(needs, falls...)
	}
	return needs
}

// noElectorLeft says why nothing of the end of an election can be examined, if that is because all who
// might elect have gone down.
func noElectorLeft(r *analyze.Result, s *replay.State) {
	var last tracefmt.Seq
	halted, crashed := false, false
	for i := range s.Run.Members {
		p := tracefmt.ProcessID(i + 1)
		switch down := s.Process(p); {
		case !s.Elector(p):
		case s.Live(p):
			return
		default:
			last = max(last, down.Since)
			halted, crashed = halted || down.Status == replay.Halted, crashed || down.Status == replay.Crashed
		}
	}
	went := "halted"
	switch {
	case halted && crashed:
		went = "halted or crashed"
	case crashed:
		went = "crashed"
	}
	if last > 0 {
		r.Idle(fmt.Sprintf("all processes that elect have %s by seq %d", went, last))
	}
}

// withoutLeader returns those of the processes that know of no leader. Where some of them
// certainly do not, these are all; else excuses are what may have happened.
func withoutLeader(s *replay.State, live []tracefmt.ProcessID) (without []tracefmt.ProcessID, excuses []analyze.Need) {
	for _, p := range live {
		if !s.Knows(p) {
			without = append(without, p)
		}
	}
	if s.Coverage().Complete() {
		return without, nil
	}
	sure := slices.DeleteFunc(slices.Clone(without), func(p tracefmt.ProcessID) bool { return !certain(s, mayKnow(s, p)) })
	if len(sure) > 0 {
		return sure, nil
	}
	for _, p := range without {
		excuses = append(excuses, mayKnow(s, p)...)
	}
	return without, excuses
}

// mayKnow is that p, which knows of no leader, may know of one, or be down.
func mayKnow(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	if s.Coverage().Complete() {
		return nil
	}
	needs := append(mayFall(s, p), mayDiffer(s, p, electedFact, roleFact)...)
	if knowsByOthers(s, p) {
		for _, q := range mayElect(s) {
			needs = append(needs, mayLead(s, q)...)
		}
	}
	return needs
}

// knowsByOthers reports whether p knows of a leader if any process leads: it does not say whom it has
// elected, nor looks for a leader.
func knowsByOthers(s *replay.State, p tracefmt.ProcessID) bool {
	st := s.Process(p)
	return st.ElectedAt == 0 && st.Role != replay.RoleSeeks && !(st.Role == replay.RoleUntold && s.HasElected())
}

// mayNotKnow is that p, a live elector that knows of a leader, may know of none.
func mayNotKnow(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	switch st := s.Process(p); {
	case s.Leads(p) && st.Role == replay.RoleLeads:
		return append(mayDiffer(s, p, roleFact), mayDifferInTerm(s, p)...)
	case st.Elected != 0:
		return mayDiffer(s, p, electedFact)
	}
	needs := mayDiffer(s, p, roleFact, electedFact)
	if s.Process(p).Role == replay.RoleUntold { // it is asked whom it elected if any process says that
		needs = append(needs, analyze.Needs(analyze.AnyProcess, 0, 0, electedFact)...)
	}
	for _, q := range mayElect(s) {
		if s.Leads(q) {
			return append(needs, mayCease(s, q)...)
		}
	}
	return needs
}

// Relies implements [analyze.Relying]: each process that may be up knows of a leader or,
// where one does not, none wants an election.
func (m *livenessMonitor) Relies(s *replay.State, end analyze.Ending) iter.Seq[analyze.Need] {
	if s.Coverage().Complete() {
		return nil
	}
	return inTurn(needsOfEach(mayElect(s), func(p tracefmt.ProcessID) []analyze.Need {
		switch {
		case !s.Live(p) || !s.Elector(p):
			return mayCount(s, p)
		case !s.Knows(p):
			return analyze.Needs(analyze.AnyProcess, 0, 0, callFacts...)
		}
		return mayNotKnow(s, p)
	}), slices.Values(mayLoop(s, end)))
}

func nobodyElected(run *tracefmt.Run, ps []tracefmt.ProcessID) string {
	switch len(ps) {
	case 0:
		return "every live process has elected somebody"
	case 1:
		return fmt.Sprintf("process %s has elected no process", names(run, ps))
	}
	return fmt.Sprintf("processes %s have elected no process", names(run, ps))
}
