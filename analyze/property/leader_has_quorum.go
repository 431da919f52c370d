package property

import (
	"fmt"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

var leaderHasQuorum = analyze.Property{
	Name:  "leader-has-quorum",
	Kind:  analyze.Safety,
	About: []string{tracefmt.Raft},
	Doc: `The leader of a term has the votes of a majority in that term.

A vote is an assignment of the variable votedFor that names a process of the run; the majority is one of the
processes that elect or vote, whether they are up or not. A leader of which the votes of a
majority are told is examined. One that has voted for another process itself
violates the property, and so does one that cannot have a majority, since too many
have voted for others in its term, or say that they have voted for none: live at the end
of a run that has ended, they told votedFor = null in that term and no vote in it. That is
known only where it is known who elects: a member has a role that takes part, or each one
tells its role, whom it has elected, or its vote. One that tells none of these, and takes other
steps than a client does, may elect: where it decides whether a leader has a majority, the
property is unknown. In a run that was simulated, and in any other that tells all
but what its header names, the votes told so far must be a majority. Other logs may begin after a vote was
given, or have it after what it brings about: where they tell too few votes of some leader
the property is unknown, and not applicable where that is so of all leaders.`,
	Needs:        "state events that assign votedFor, and role or elected, and name a term",
	Source:       raftPaper + ", 5.2: Leader election",
	WitnessOmits: "the term in which the votes and the leader are, and the votes for it",
	Convicts:     append([]tracefmt.Fact{votedFact}, leaderFacts...), Acquits: slices.Concat([]tracefmt.Fact{votedFact}, leaderFacts, receiveFacts, sendFacts),
	Triggers: []tracefmt.Fact{votedFact},
	New: func(run *tracefmt.Run) analyze.Monitor {
		return &quorumMonitor{
			whole: run.RecordsAll(), voted: make([]bool, len(run.Members)+1), aside: standingBy(run), acts: make(acts, len(run.Members)+1), led: make(map[candidacy]bool),
			ballots: make(map[ballot]tracefmt.Seq), votes: make(map[candidacy]int),
			denials: make(map[ballot]tracefmt.Seq), denied: make(map[replay.Term]bool), unseen: newUnseenVotes(run),
		}
	},
}

// candidacy is a process in a term; process 0 is all of them.
type candidacy struct {
	term    replay.Term
	process tracefmt.ProcessID
}

// ballot is a vote in a term; its candidacy for process 0 says that there is one.
type ballot struct {
	candidacy
	voter tracefmt.ProcessID
}

type quorumMonitor struct {
	whole   bool
	voted   []bool // by process: it tells its vote, in any term, which may be none
	aside   []bool // by process: it has no vote
	acts    acts
	ballots map[ballot]tracefmt.Seq
	votes   map[candidacy]int // those for a process, and the voters of a term
	denials map[ballot]tracefmt.Seq
	denied  map[replay.Term]bool // some votes are for none
	leaders []leadership
	led     map[candidacy]bool
	told    bool // some process has voted
	unseen  unseenVotes
}

// leadership is where a process first leads a term, with the votes that are told
// by then.
type leadership struct {
	candidacy
	at    tracefmt.Seq
	votes int
	doubt doubt
}

func (m *quorumMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	m.acts.step(e)
	if !e.Kind.AssignsVariables() {
		return
	}
	value, votes := e.Field(votedVariable)
	leads := saysThatItLeads(s, e)
	if !votes && !leads {
		m.unseen.believe(s, e)
		return
	}
	m.told, votes = m.told || votes, votes && !m.aside[e.Process]
	m.voted[e.Process] = m.voted[e.Process] || votes
	term := s.Term(e.Process)
	if !s.Coverage().Complete() {
		m.unseen.step(s, e, leads, votes)
	}
	if !term.Known() {
		return
	}
	switch candidate := vote(s, e); {
	case votes && candidate != 0:
		m.vote(r, ballot{candidacy{term, candidate}, e.Process}, e.Seq)
	case votes && s.Named(value) == 0 && !m.whole && roomFor(r, len(m.denials)+1, "votes"):
		m.denials[ballot{candidacy{term, 0}, e.Process}] = e.Seq
	}
	if leads {
		m.lead(r, s, candidacy{term, e.Process}, e.Seq)
	}
}

// vote counts a vote, and its voter.
func (m *quorumMonitor) vote(r *analyze.Result, b ballot, at tracefmt.Seq) {
	for _, b := range [...]ballot{b, {candidacy{b.term, 0}, b.voter}} {
		if m.ballots[b] == 0 && roomFor(r, len(m.ballots)+1, "votes") {
			m.ballots[b] = at
			m.votes[b.candidacy]++
		}
	}
}

// lead takes in that a process leads a term.
func (m *quorumMonitor) lead(r *analyze.Result, s *replay.State, c candidacy, at tracefmt.Seq) {
	if m.led[c] || !roomFor(r, len(m.led)+1, "leaders") {
		return
	}
	m.led[c] = true
	m.leaders = append(m.leaders, leadership{c, at, m.votes[c], newDoubt(s, c.process, at)})
}

// electors counts the processes that elect or vote; known says whether there are no
// others.
func (m *quorumMonitor) electors(s *replay.State) (n int, known bool) {
	silent := false
	for _, p := range allProcesses(s.Run) {
		elects := s.Elector(p) || m.voted[p]
		if elects {
			n++
		}
		silent = silent || !elects && !m.aside[p]
		known = known || s.Run.Part(p) == tracefmt.TakesPart
	}
	return n, known || !silent
}

// mayElect are those that may elect, though they do not say so: they act, and the run does not say
// whether they take part.
func (m *quorumMonitor) mayElect(s *replay.State) (all []tracefmt.ProcessID) {
	for _, p := range allProcesses(s.Run) {
		if m.acts[p] && !m.aside[p] && !m.voted[p] && !s.Elector(p) {
			all = append(all, p)
		}
	}
	return all
}

// deny counts those that say to the end that they have voted for none as voters for
// others than the leader of a term.
func (m *quorumMonitor) deny(s *replay.State) {
	for b, at := range m.denials {
		if s.Live(b.voter) && m.ballots[b] == 0 && !m.led[candidacy{b.term, b.voter}] {
			m.ballots[b] = at
			m.votes[b.candidacy]++
			m.denied[b.term] = true
		}
	}
}

func (m *quorumMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	switch {
	case !m.told:
		r.NotApplicable("no process has a variable " + votedVariable)
		return
	case !s.TellsLeader():
		r.NotApplicable(noRaftLeader)
		return
	}
	if end.Final() {
		m.deny(s)
	}
	n, known := m.electors(s)
	others := m.mayElect(s)
	for _, l := range m.leaders {
		if votes := m.counted(s.Run, l); votes > n/2 && votes <= (n+len(others))/2 {
			r.Undecided(func() string { return m.tooFew(s, l, n) + ", and " + partNotSaid(s.Run, others[0]) })
		}
		switch {
		case m.whole:
			m.examineWhole(r, s, l, n)
		case m.examine(r, s, l, n, known):
		case tellsVotes(s.Run):
			m.examineTold(r, s, l, n)
		case m.counted(s.Run, l) > n/2:
			r.Examined++
		default:
			r.Undecided(func() string {
				return m.tooFew(s, l, n) + ", as far as recorded; if the log has every vote, add --complete all"
			})
		}
	}
	if len(m.leaders) > 0 && r.Examined == 0 {
		r.NotApplicable("of no leader the votes of a majority are recorded")
	}
}

// counted are the votes of a leader that count: those by the time that it leads, unless the log may have them late.
func (m *quorumMonitor) counted(run *tracefmt.Run, l leadership) int {
	if m.whole || tellsVotes(run) {
		return l.votes
	}
	return m.votes[l.candidacy]
}

// examineWhole examines a leader of a run that tells all.
func (m *quorumMonitor) examineWhole(r *analyze.Result, s *replay.State, l leadership, n int) {
	if r.Examined++; l.votes <= n/2 {
		r.Violate(func() string { return m.tooFew(s, l, n) }, l.at)
	}
}

// tooFew says that a leader has no majority by the time that it leads.
func (m *quorumMonitor) tooFew(s *replay.State, l leadership, n int) string {
	return fmt.Sprintf("process %s leads in %v at seq %d with the votes of %d of %d processes",
		s.Run.ProcessName(l.process), l.term, l.at, l.votes, n)
}

// tellsVotes reports whether a run tells all votes but those that its header says may be missing: a log that only
// says so of each kind may begin after the vote.
func tellsVotes(run *tracefmt.Run) bool {
	return run.RecordsAll() || run.Completeness != nil && run.Completeness.Default == tracefmt.All
}

// examineTold examines a leader that nothing else shows to lack a majority, in a run that tells
// all votes but those that may be missing. Whether one that is recorded too late was given too late is known only where messages are told.
func (m *quorumMonitor) examineTold(r *analyze.Result, s *replay.State, l leadership, n int) {
	if l.votes > n/2 {
		r.Examined++
		return
	}
	excuses := m.mayBeElected(s, l, n)
	if m.votes[l.candidacy] > n/2 {
		excuses = append(excuses, analyze.Needs(analyze.AnyProcess, 0, s.Now(), slices.Concat(receiveFacts, sendFacts)...)...)
	}
	if m.votes[l.candidacy] > n/2 || certain(s, excuses) {
		r.Examined++
	}
	r.ViolateUnless(excuses, func() string { return m.tooFew(s, l, n) }, l.at)
}

// examine examines a leader of another run, in which its place in the record may be before that of a vote, by
// the votes of the others, and reports whether they show that it has no majority.
func (m *quorumMonitor) examine(r *analyze.Result, s *replay.State, l leadership, n int, known bool) (lacks bool) {
	own := m.ballots[ballot{candidacy{l.term, 0}, l.process}]
	votes := m.votes[l.candidacy]
	others := m.votes[candidacy{l.term, 0}] - votes
	orNone := ""
	if m.denied[l.term] {
		orNone = ", or say for none"
	}
	switch {
	case own != 0 && m.ballots[ballot{l.candidacy, l.process}] == 0:
		r.Examined++
		r.ViolateUnless(m.mayBeElected(s, l, n), func() string {
			return fmt.Sprintf("process %s, which leads in %v at seq %d, voted for another one at seq %d",
				s.Run.ProcessName(l.process), l.term, l.at, own)
		}, own, l.at)
	case known && n-others <= n/2:
		r.Examined++
		r.ViolateUnless(m.mayBeElected(s, l, n), func() string {
			return fmt.Sprintf("process %s leads in %v at seq %d, but %d of %d processes voted for others%s",
				s.Run.ProcessName(l.process), l.term, l.at, others, n, orNone)
		}, append(m.votesForOthers(s, l), l.at)...)
	default:
		return false
	}
	return true
}

// votesForOthers are the first votes, or what they last said of them, of those that did not vote for a leader.
func (m *quorumMonitor) votesForOthers(s *replay.State, l leadership) (at []tracefmt.Seq) {
	for i := range s.Run.Members {
		p := tracefmt.ProcessID(i + 1)
		if vote := m.ballots[ballot{candidacy{l.term, 0}, p}]; vote != 0 && m.ballots[ballot{l.candidacy, p}] == 0 {
			at = append(at, vote)
		}
	}
	return at
}
