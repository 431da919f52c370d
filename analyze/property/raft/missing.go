package raft

import (
	"slices"

	"etrace/analyze"
	"etrace/analyze/property/members"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

// raftPast is the history of a server.
type raftPast struct {
	// Whether it ever had an entry, knew of a commitment, led, and elected itself.
	entered, committed, led, chose bool
	// Whether it has gone down.
	fell bool
	raftTerms
	// ledIn are the terms in which it led.
	ledIn raftTerms
}

// raftTerms has the lowest and the highest of the numeric terms.
type raftTerms struct{ low, high replay.Term }

// add adds a term.
func (t *raftTerms) add(u replay.Term) {
	if !t.low.Known() || u.Before(t.low) {
		t.low = u
	}
	if !t.high.Known() || t.high.Before(u) {
		t.high = u
	}
}

// update updates the history with the current leadership.
func (past *raftPast) update(s *replay.State, p tracefmt.ProcessID, leads bool) {
	process := s.Process(p)
	past.led = past.led || leads
	past.chose = past.chose || process.Elected == p
	past.fell = past.fell || !process.Live()
}

// The functions below return the needs for unrecorded events of servers. A recovery without a record takes the
// state from a server, and gives it nothing: its variables after the recovery are recorded if variables are.

// possibleLoss returns the needs by which a server may have restarted between two events, without its log and
// other state.
func (rs *raftServers) possibleLoss(p tracefmt.ProcessID, after, before tracefmt.Seq) []analyze.Need {
	if rs.server(p).past.fell {
		return analyze.Needs(p, after, before, unrecorded.RecoverFact)
	}
	return []analyze.Need{analyze.MayRestart(p, after, before)}
}

// possibleEntryLoss returns the needs by which a server may not have had, at an event, its recorded log.
func (rs *raftServers) possibleEntryLoss(s *replay.State, p tracefmt.ProcessID, at tracefmt.Seq) []analyze.Need {
	return append(analyze.Needs(p, 0, at, logFact), rs.possibleLoss(p, 0, at)...)
}

// possibleRaftLeader returns the needs by which a server that never led by the record may have led.
func (rs *raftServers) possibleRaftLeader(p tracefmt.ProcessID) []analyze.Need {
	needs := analyze.Needs(p, 0, 0, unrecorded.RoleFact, unrecorded.ElectedFact)
	if rs.server(p).past.chose { // its recorded role contradicts its choice of itself
		needs = append(needs, rs.possibleLoss(p, 0, 0)...)
	}
	return needs
}

// recordsLead reports whether the event itself records that its process leads.
func recordsLead(s *replay.State, e *tracefmt.Event) bool {
	says := unrecorded.RoleFact
	if s.Process(e.Process).Role == replay.RoleOther {
		says = unrecorded.ElectedFact
	}
	return s.AssignedAt(e.Process, says.Variable) == e.Seq
}

// possiblyNoLeader returns the needs by which a leader may have ceased to lead before an event, or lead in
// another term.
func (rs *raftServers) possiblyNoLeader(s *replay.State, p tracefmt.ProcessID, before tracefmt.Seq) []analyze.Need {
	claimedAt := rs.server(p).claimedAt
	needs := analyze.Needs(p, claimedAt, before, unrecorded.ElectedFact, s.TermFact())
	// The role alone decides if it has one, though the process may have elected itself later.
	needs = append(needs, analyze.Needs(p, min(claimedAt, s.AssignedAt(p, unrecorded.RoleFact.Variable)), before,
		unrecorded.RoleFact)...)
	return append(needs, rs.possibleLoss(p, claimedAt, before)...)
}

// possibleCommit returns the facts by which a server may have unrecorded commitments; nil if it cannot.
func (rs *raftServers) possibleCommit(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	entry, commit := analyze.Needs(p, 0, 0, logFact), analyze.Needs(p, 0, 0, commitFact)
	past := &rs.server(p).past
	// A commitment needs an entry and a commit index, recorded or missing.
	if !past.entered && unrecorded.None(s, entry) || !past.committed && unrecorded.None(s, commit) {
		return nil
	}
	return analyze.Missing(s, append(entry, commit...))
}

// possibleReplicas returns the processes that may have a log; nil in a complete recording.
func possibleReplicas(s *replay.State) []tracefmt.ProcessID {
	if s.Coverage().Complete() {
		return nil
	}
	return slices.DeleteFunc(members.All(s.Run), func(p tracefmt.ProcessID) bool { return !s.Run.Replicates(p) })
}

// possibleActions returns the needs of a violation: takes, if some of these may have happened, and the unrecorded
// ones of besides.
func possibleActions(s *replay.State, takes, besides []analyze.Need) []analyze.Need {
	if unrecorded.None(s, takes) {
		return nil
	}
	return slices.Concat(takes, besides)
}
