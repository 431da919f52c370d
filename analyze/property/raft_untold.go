package property

import (
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// raftPast is what a server ever did.
type raftPast struct {
	// It has had an entry, known of a commitment, led, and elected itself.
	entered, committed, led, chose bool
	// It has gone down.
	fell bool
	raftTerms
	// ledIn are the terms in which it led.
	ledIn raftTerms
}

// raftTerms are the lowest and the highest of the terms that are numbers.
type raftTerms struct{ low, high replay.Term }

// take takes in a term.
func (t *raftTerms) take(u replay.Term) {
	if !t.low.Known() || u.Before(t.low) {
		t.low = u
	}
	if !t.high.Known() || t.high.Before(u) {
		t.high = u
	}
}

// take takes in who leads.
func (past *raftPast) take(s *replay.State, p tracefmt.ProcessID, leads bool) {
	process := s.Process(p)
	past.led = past.led || leads
	past.chose = past.chose || process.Elected == p
	past.fell = past.fell || !process.Live()
}

// What may have happened to servers without being recorded. A recovery of which nothing is
// recorded takes from a server what it had, and gives it nothing: where its variables are
// told, those that it has after it are, too.

// mayForget is that a server may have come up between two events, without its log and all
// else.
func (rs *raftServers) mayForget(p tracefmt.ProcessID, after, before tracefmt.Seq) []analyze.Need {
	if rs.server(p).past.fell {
		return analyze.Needs(p, after, before, recoverFact)
	}
	return []analyze.Need{analyze.MayRestart(p, after, before)}
}

// mayLose is that a server may not have had at an event what was recorded of its log before.
func (rs *raftServers) mayLose(s *replay.State, p tracefmt.ProcessID, at tracefmt.Seq) []analyze.Need {
	if s.Coverage().Complete() {
		return nil
	}
	return append(analyze.Needs(p, 0, at, logFact), rs.mayForget(p, 0, at)...)
}

// mayLead is that a server which is not known to have led may have.
func (rs *raftServers) mayLead(p tracefmt.ProcessID) []analyze.Need {
	needs := analyze.Needs(p, 0, 0, roleFact, electedFact)
	if rs.server(p).past.chose { // and tells a role that says otherwise
		needs = append(needs, rs.mayForget(p, 0, 0)...)
	}
	return needs
}

// saysLead reports whether a leader says in the event that it is one.
func saysLead(s *replay.State, e *tracefmt.Event) bool {
	says := roleFact
	if s.Process(e.Process).Role == replay.RoleUntold {
		says = electedFact
	}
	return s.AssignedAt(e.Process, says.Variable) == e.Seq
}

// mayNotLead is that a leader may have ceased to be one before an event, or lead in another
// term.
func (rs *raftServers) mayNotLead(s *replay.State, p tracefmt.ProcessID, before tracefmt.Seq) []analyze.Need {
	says := rs.server(p).says
	needs := analyze.Needs(p, says, before, electedFact, s.TermFact())
	// One that has a role leads by that alone, though it may have said later that it has elected itself.
	needs = append(needs, analyze.Needs(p, min(says, s.AssignedAt(p, roleFact.Variable)), before, roleFact)...)
	return append(needs, rs.mayForget(p, says, before)...)
}

// mayCommit returns the facts by which a server may have committed entries of which that
// is not recorded, none if it cannot have.
func (rs *raftServers) mayCommit(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	entry, commit := analyze.Needs(p, 0, 0, logFact), analyze.Needs(p, 0, 0, commitFact)
	past := &rs.server(p).past
	if !past.entered && certain(s, entry) || !past.committed && certain(s, commit) {
		return nil
	}
	return analyze.Untold(s, append(entry, commit...))
}

// mayReplicate are the processes that may have a log, none of a run of which all is recorded.
func mayReplicate(s *replay.State) []tracefmt.ProcessID {
	if s.Coverage().Complete() {
		return nil
	}
	return slices.DeleteFunc(allProcesses(s.Run), func(p tracefmt.ProcessID) bool { return !s.Run.Replicates(p) })
}

// mayDo returns what a violation takes, if some of that may have happened, and what else it
// takes, as far as that is not recorded.
func mayDo(s *replay.State, takes, besides []analyze.Need) []analyze.Need {
	if certain(s, takes) {
		return nil
	}
	return slices.Concat(takes, besides)
}
