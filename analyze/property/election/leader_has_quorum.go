package election

import (
	"fmt"
	"slices"

	"etrace/analyze"
	"etrace/analyze/property/members"
	"etrace/analyze/property/memory"
	"etrace/analyze/property/paper"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

var leaderHasQuorum = analyze.Property{
	Name:  "leader-has-quorum",
	Kind:  analyze.Safety,
	About: []string{tracefmt.Raft},
	Doc: `The leader of a term has the votes of a majority in that term.

A vote is an assignment of the variable votedFor that names a process of the run. A majority is more than half of the
processes that elect or vote, up or down. A leader with recorded votes of a majority satisfies the property. A leader
that voted for another process violates it. So does a leader that cannot have a majority, since too many processes
voted for others in its term or certainly did not vote. A process certainly did not vote if the run has ended, the
process is live, and it recorded votedFor = null but no vote in that term. This needs known electors: members with the
role of a participant, or processes that record a role, a choice or a vote. Any other process that acts unlike a
client may be an elector. If such processes decide whether a leader has a majority, the property is unknown. In a
simulated run, and in any other complete recording, the votes recorded so far must be a majority. Other logs may begin
after a vote, or record it after its effects, but not in another life of the voter. If they record too few votes for
some leader, the property is unknown. If they record too few votes for every leader, it is not applicable.`,
	Needs:        "state events that assign votedFor, and role or elected, and name a term",
	Source:       paper.Raft + ", 5.2: Leader election",
	WitnessOmits: "the term in which the votes and the leader are, and the votes for it",
	ViolatedBy:   append([]tracefmt.Fact{unrecorded.VotedFact}, LeaderFacts...),
	ExcusedBy: slices.Concat([]tracefmt.Fact{unrecorded.VotedFact}, LeaderFacts,
		unrecorded.ReceiveFacts, unrecorded.SendFacts),
	Triggers: []tracefmt.Fact{unrecorded.VotedFact},
	New: func(run *tracefmt.Run) analyze.Monitor {
		return &quorumMonitor{
			complete: run.RecordsAll(), voted: make([]bool, len(run.Members)+1), voteless: members.Bystanders(run),
			acts: make(members.Acts, len(run.Members)+1), led: make(map[candidacy]tracefmt.Seq),
			ballots: make(map[ballot]tracefmt.Seq), votes: make(map[candidacy]int),
			denials: make(map[ballot]tracefmt.Seq), denied: make(map[replay.Term]bool),
			possibleVotes: newPossibleVotes(run),
		}
	},
}

// candidacy is a candidate in a term; process 0 means all processes of the term.
type candidacy struct {
	term    replay.Term
	process tracefmt.ProcessID
}

// ballot is a vote in a term; its candidacy for process 0 marks that the process voted.
type ballot struct {
	candidacy
	voter tracefmt.ProcessID
}

// quorumMonitor counts the votes for each candidate of a term, and compares them with a majority once it leads.
type quorumMonitor struct {
	// complete is set if the recording is complete.
	complete bool
	voted    []bool // by process: it records its votes, in any term, possibly for no process
	voteless []bool // by process: it has no vote
	acts     members.Acts
	ballots  map[ballot]tracefmt.Seq
	votes    map[candidacy]int // the votes for a process, and the voters of a term
	denials  map[ballot]tracefmt.Seq
	denied   map[replay.Term]bool // some processes certainly did not vote
	leaders  []leadership
	led      map[candidacy]tracefmt.Seq // the event with which the process first led the term
	recorded bool                       // some process has voted
	// possibleVotes has what may be missing in an incomplete recording.
	possibleVotes possibleVotes
}

// leadership is the event with which a process first leads a term, and the votes recorded until then.
type leadership struct {
	candidacy
	at    tracefmt.Seq
	votes int
	basis basis
}

// Step counts the event's vote, and stores the event if its process begins to lead.
func (m *quorumMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	m.acts.Step(e)
	if !e.Kind.AssignsVariables() {
		return
	}
	value, votes := e.Field(unrecorded.VotedVariable)
	leads := recordsLeading(s, e)
	if !votes && !leads {
		m.possibleVotes.believe(s, e)
		return
	}
	m.recorded, votes = m.recorded || votes, votes && !m.voteless[e.Process]
	m.voted[e.Process] = m.voted[e.Process] || votes
	term := s.Term(e.Process)
	if !s.Coverage().Complete() {
		m.possibleVotes.step(s, e, leads, votes)
	}
	if !term.Known() {
		return
	}
	switch candidate := vote(s, e); {
	case votes && candidate != 0:
		m.vote(r, s, ballot{candidacy{term, candidate}, e.Process}, e.Seq)
	// In an incomplete recording, a vote for no process may show that a leader lacks a majority.
	case votes && s.Named(value) == 0 && !m.complete && memory.RoomFor(r, len(m.denials)+1, "votes"):
		m.denials[ballot{candidacy{term, 0}, e.Process}] = e.Seq
	}
	if leads {
		m.lead(r, s, candidacy{term, e.Process}, e.Seq)
	}
}

// vote counts a vote, and its voter. A log may record a vote after its effects, but not in another life of the voter:
// then it was given too late for the leader.
func (m *quorumMonitor) vote(r *analyze.Result, s *replay.State, b ballot, at tracefmt.Seq) {
	if led := m.led[b.candidacy]; led != 0 && s.CameUpAt(b.voter) > led {
		return
	}
	for _, b := range [...]ballot{b, {candidacy{b.term, 0}, b.voter}} {
		if m.ballots[b] == 0 && memory.RoomFor(r, len(m.ballots)+1, "votes") {
			m.ballots[b] = at
			m.votes[b.candidacy]++
		}
	}
}

// lead records that a process leads a term.
func (m *quorumMonitor) lead(r *analyze.Result, s *replay.State, c candidacy, at tracefmt.Seq) {
	if m.led[c] != 0 || !memory.RoomFor(r, len(m.led)+1, "leaders") {
		return
	}
	m.led[c] = at
	m.leaders = append(m.leaders, leadership{c, at, m.votes[c], newBasis(s, c.process, at)})
}

// electors returns the number of processes that elect or vote; known is false if there may be more.
func (m *quorumMonitor) electors(s *replay.State) (n int, known bool) {
	silent := false
	for _, p := range members.All(s.Run) {
		elects := s.Elector(p) || m.voted[p]
		if elects {
			n++
		}
		// Without roles in the header, a process that records neither vote nor choice may be an elector.
		silent = silent || !elects && !m.voteless[p]
		known = known || s.Run.Part(p) == tracefmt.TakesPart
	}
	return n, known || !silent
}

// possibleElectors returns processes of unknown participation that act, and may be electors without a record of
// it.
func (m *quorumMonitor) possibleElectors(s *replay.State) (list []tracefmt.ProcessID) {
	for _, p := range members.All(s.Run) {
		if m.acts[p] && !m.voteless[p] && !m.voted[p] && !s.Elector(p) {
			list = append(list, p)
		}
	}
	return list
}

// countDenials counts processes that certainly did not vote as voters for others than the leader of a term.
func (m *quorumMonitor) countDenials(s *replay.State) {
	for b, at := range m.denials {
		if s.Live(b.voter) && m.ballots[b] == 0 && m.led[candidacy{b.term, b.voter}] == 0 {
			m.ballots[b] = at
			m.votes[b.candidacy]++
			m.denied[b.term] = true
		}
	}
}

// End compares the votes of each leader with the majority of the electors.
func (m *quorumMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	switch {
	case !m.recorded:
		r.NotApplicable("no process has a variable " + unrecorded.VotedVariable)
		return
	case !s.HasLeader():
		r.NotApplicable(NoLeaderRecorded)
		return
	}
	if end.Final() {
		m.countDenials(s)
	}
	n, known := m.electors(s)
	rivals := m.possibleElectors(s)
	for _, l := range m.leaders {
		// The majority depends on processes of unknown participation.
		if votes := m.votesFor(s.Run, l); votes > n/2 && votes <= (n+len(rivals))/2 {
			r.Undecided(func() string {
				return m.tooFewText(s, l, n) + ", and " + members.PartUnknown(s.Run, rivals[0])
			})
		}
		switch {
		case m.complete:
			m.examineWhole(r, s, l, n)
		case m.examine(r, s, l, n, known):
		case recordsVotes(s.Run):
			m.examineRecorded(r, s, l, n)
		case m.votesFor(s.Run, l) > n/2:
			r.Examined++
		default:
			r.Undecided(func() string { return m.tooFewText(s, l, n) + ", as far as recorded; " + m.advice(s.Run, l) })
		}
	}
	if len(m.leaders) > 0 && r.Examined == 0 {
		r.NotApplicable("of no leader the votes of a majority are recorded")
	}
}

// advice returns what to add to an incomplete recording. A candidate votes for itself (Raft, 5.2), so the votes are not
// complete if that of a leader is missing.
func (m *quorumMonitor) advice(run *tracefmt.Run, l leadership) string {
	for _, l := range append([]leadership{l}, m.leaders...) {
		if m.ballots[ballot{candidacy{l.term, 0}, l.process}] == 0 {
			return fmt.Sprintf("the vote of %s for itself in %v is not recorded", run.ProcessName(l.process), l.term)
		}
	}
	return "if the log has every vote, add --complete all"
}

// votesFor returns the votes that count for a leader: those before it leads, or all if the log may have them late.
func (m *quorumMonitor) votesFor(run *tracefmt.Run, l leadership) int {
	if m.complete || recordsVotes(run) {
		return l.votes
	}
	return m.votes[l.candidacy]
}

// examineWhole examines a leader in a complete recording.
func (m *quorumMonitor) examineWhole(r *analyze.Result, s *replay.State, l leadership, n int) {
	if r.Examined++; l.votes <= n/2 {
		r.Violate(func() string { return m.tooFewText(s, l, n) }, l.at)
	}
}

// tooFewText explains that a leader has no majority when it begins to lead.
func (m *quorumMonitor) tooFewText(s *replay.State, l leadership, n int) string {
	return fmt.Sprintf("process %s leads in %v at seq %d with the votes of %d of %d processes",
		s.Run.ProcessName(l.process), l.term, l.at, l.votes, n)
}

// recordsVotes reports whether a run records all votes, except the votes that its header declares missing. A log that
// only declares each kind complete may begin after a vote.
func recordsVotes(run *tracefmt.Run) bool {
	return run.DeclaresAll() || run.Completeness != nil && run.Completeness.Default == tracefmt.All
}

// examineRecorded examines a leader that was not refuted otherwise, in a run that records all votes except some
// declared missing. A vote that is recorded too late was given too late only if messages are recorded.
func (m *quorumMonitor) examineRecorded(r *analyze.Result, s *replay.State, l leadership, n int) {
	if l.votes > n/2 {
		r.Examined++
		return
	}
	excuses := m.possiblyElected(s, l, n)
	if m.votes[l.candidacy] > n/2 {
		excuses = append(excuses, analyze.Needs(analyze.AnyProcess, 0, s.Now(),
			slices.Concat(unrecorded.ReceiveFacts, unrecorded.SendFacts)...)...)
	}
	if m.votes[l.candidacy] > n/2 || unrecorded.None(s, excuses) {
		r.Examined++
	}
	r.ViolateUnless(excuses, func() string { return m.tooFewText(s, l, n) }, l.at)
}

// examine examines a leader of another run by the votes for others, and reports whether they show that it has no
// majority. The order of the record is not used: a vote may be recorded after its effects.
func (m *quorumMonitor) examine(r *analyze.Result, s *replay.State, l leadership, n int, known bool) (lacks bool) {
	self := m.ballots[ballot{candidacy{l.term, 0}, l.process}]
	votes := m.votes[l.candidacy]
	rivals := m.votes[candidacy{l.term, 0}] - votes
	orNone := ""
	if m.denied[l.term] {
		orNone = ", or recorded that they did not vote"
	}
	switch {
	case self != 0 && m.ballots[ballot{l.candidacy, l.process}] == 0:
		r.Examined++
		r.ViolateUnless(m.possiblyElected(s, l, n), func() string {
			return fmt.Sprintf("process %s, which leads in %v at seq %d, voted for another one at seq %d",
				s.Run.ProcessName(l.process), l.term, l.at, self)
		}, self, l.at)
	case known && n-rivals <= n/2:
		r.Examined++
		r.ViolateUnless(m.possiblyElected(s, l, n), func() string {
			return fmt.Sprintf("process %s leads in %v at seq %d, but %d of %d processes voted for others%s",
				s.Run.ProcessName(l.process), l.term, l.at, rivals, n, orNone)
		}, append(m.votesForOthers(s, l), l.at)...)
	default:
		return false
	}
	return true
}

// votesForOthers returns the first votes, or last denials, of the processes that did not vote for a leader.
func (m *quorumMonitor) votesForOthers(s *replay.State, l leadership) (at []tracefmt.Seq) {
	for i := range s.Run.Members {
		p := tracefmt.ProcessID(i + 1)
		if vote := m.ballots[ballot{candidacy{l.term, 0}, p}]; vote != 0 && m.ballots[ballot{l.candidacy, p}] == 0 {
			at = append(at, vote)
		}
	}
	return at
}
