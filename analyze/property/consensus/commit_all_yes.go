package consensus

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
)

var commitAllYes = analyze.Property{
	Name: "commit-all-yes",
	Kind: analyze.Safety,
	Doc: `A process decides to commit only after each process has voted yes.

After refers to the recorded order; a vote in the event of the decision is in time. Each participant must vote, except
one with the role coordinator. If the run does not state whether a process participates, it participates if it votes
at some time. If it only decides, starts or has other states, timers or notes, or if such events may be unrecorded,
the property is unknown; otherwise the process counts as a non-participant. A Byzantine process need not vote, and its
decisions are no violation. Each decision to commit counts once. The monitor stores a vote and a decision of each
process.`,
	Needs:      commitNeeds,
	Source:     paper.ReliableProgramming + ", 6.6: NBAC3, commit-validity; " + paper.Gray + ", 5.8.3.3",
	Problem:    tracefmt.Commit,
	ViolatedBy: slices.Concat(ballotFacts, decisionFacts),
	ExcusedBy:  ballotFacts,
	Triggers:   slices.Concat(ballotFacts, decisionFacts),
	New: func(run *tracefmt.Run) analyze.Monitor {
		n := len(run.Members) + 1
		return &commitAllYesMonitor{
			voted: make([]tracefmt.Seq, n), acts: make(members.Acts, n),
			yes: make([]tracefmt.Seq, n),
		}
	},
}

// commitAllYesMonitor stores the first votes of each process, and the decisions to commit. The end decides, when it
// is known which processes had to vote.
type commitAllYesMonitor struct {
	decider
	voted    []tracefmt.Seq // by process: its first vote
	acts     members.Acts
	yes      []tracefmt.Seq // by process: its first vote yes
	hasVotes bool           // some process has the variable vote
	commits  []commitment
}

// commitment is a decision to commit.
type commitment struct {
	actor tracefmt.ProcessID
	at    tracefmt.Seq
}

// Step stores a vote or a decision to commit.
func (m *commitAllYesMonitor) Step(r *analyze.Result, _ *replay.State, e *tracefmt.Event) {
	m.acts.Step(e)
	if vote, ok := members.Assigned(e, voteVariable); ok {
		m.hasVotes = true
		if isVote(vote) && m.voted[e.Process] == 0 {
			m.voted[e.Process] = e.Seq
		}
		if casts(e, yesVote) && m.yes[e.Process] == 0 {
			m.yes[e.Process] = e.Seq
		}
	}
	if value := m.decisions.decided.value; value != nil && members.SameValue(value, []byte(toCommit)) &&
		memory.RoomFor(r, len(m.commits)+1, "decisions to commit") {
		m.commits = append(m.commits, commitment{e.Process, e.Seq})
	}
}

// End reports each decision to commit before which some process had not voted yes.
func (m *commitAllYesMonitor) End(r *analyze.Result, s *replay.State, _ analyze.Ending) {
	if !m.hasVotes && r.NoFacts(noVoteRecorded, ballotFacts...) || m.decisions.nothingRecorded(r) {
		return
	}
	for _, c := range m.commits {
		r.Examined++
		p, excuses := m.missingYes(s, c.at)
		if p == 0 {
			continue
		}
		vote := m.voted[p]
		r.ViolateUnless(excuses, func() string {
			text := fmt.Sprintf("process %s decides to commit at seq %d, ", s.Run.ProcessName(c.actor), c.at)
			if vote != 0 && vote <= c.at {
				return text + fmt.Sprintf("though process %s has voted no at seq %d", s.Run.ProcessName(p), vote)
			}
			return text + fmt.Sprintf("before which process %s has not voted yes", s.Run.ProcessName(p))
		}, c.at, vote)
	}
	if p := m.doubtful(s); p != 0 && r.Examined > 0 {
		r.Undecided(func() string {
			return fmt.Sprintf("whether process %s has to vote is unknown (by its role in the header, such as "+
				"participant or coordinator); it has not voted", s.Run.ProcessName(p))
		})
	}
}

// doubtful returns the first process that acts, may have to vote, and has not voted: 0 for none.
func (m *commitAllYesMonitor) doubtful(s *replay.State) tracefmt.ProcessID {
	for _, p := range members.All(s.Run) {
		if s.Run.Part(p) == tracefmt.PartUnknown && (m.acts[p] || unrecorded.ActsUnrecorded(s, p)) && m.voted[p] == 0 {
			return p
		}
	}
	return 0
}

// missingYes returns a process that had to vote yes up to an event and has not, 0 for none, with the needs
// that would excuse it. It prefers a process without such needs.
func (m *commitAllYesMonitor) missingYes(
	s *replay.State, at tracefmt.Seq,
) (p tracefmt.ProcessID, excuses []analyze.Need) {
	for _, q := range members.All(s.Run) {
		if !m.votes(s.Run, q) || m.yes[q] != 0 && m.yes[q] <= at {
			continue
		}
		needs := analyze.Needs(q, 0, at, ballotFacts...)
		if unrecorded.None(s, needs) {
			return q, needs
		}
		if p == 0 {
			p, excuses = q, needs
		}
	}
	return p, excuses
}

// votes reports whether p has to vote.
func (m *commitAllYesMonitor) votes(run *tracefmt.Run, p tracefmt.ProcessID) bool {
	switch run.Part(p) {
	case tracefmt.TakesPart:
		return m.voted[p] != 0 || run.Role(p) != tracefmt.Coordinator
	case tracefmt.PartUnknown:
		return m.voted[p] != 0
	}
	return false
}

// Relies implements [analyze.Relying]: no decision to commit came before all votes yes, and no process of unknown
// participation has voted.
func (m *commitAllYesMonitor) Relies(s *replay.State, _ analyze.Ending) iter.Seq[analyze.Need] {
	last := tracefmt.Seq(0) // a decision before it would be too early
	var silent []tracefmt.ProcessID
	for _, p := range members.All(s.Run) {
		switch {
		case s.Run.Part(p) == tracefmt.Bystander:
		case m.yes[p] != 0:
			last = max(last, m.yes[p])
		case m.votes(s.Run, p):
			return slices.Values(analyze.Needs(analyze.EveryProcess, 0, 0, decisionFacts...))
		default:
			silent = append(silent, p)
		}
	}
	if len(silent) > 0 { // these may have voted after any decision
		last = 0
	}
	return members.InTurn(members.NeedsOfEach(silent,
		func(p tracefmt.ProcessID) []analyze.Need { return analyze.Needs(p, 0, 0, ballotFacts...) }),
		slices.Values(analyze.Needs(analyze.EveryProcess, 0, last, decisionFacts...)))
}
