package election

import (
	"cmp"
	"fmt"
	"iter"
	"strings"

	"etrace/analyze"
	"etrace/analyze/property/members"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

// electedNeeds, leaderNeeds and bestNeeds are the needs of properties of elections.
const (
	electedNeeds = "state events that assign elected"
	leaderNeeds  = "state events that assign elected or role"
	bestNeeds    = electedNeeds + "; a definition of the best process: the trait greatest-wins, or best in its header"
)

// noElection and noLeader are the reasons for runs without the variable elected, and without leaders.
const (
	noElection = "no process has a variable elected"
	noLeader   = "no process has a variable elected or role"
)

// electionTypes are the types of the messages by which a process of the bully algorithm starts an election, in all
// [spellings].
var electionTypes = spellings("ELECTION")

// spellings returns words in capitals, with an initial capital, and in lower case.
func spellings(capitals ...string) []string {
	var list []string
	for _, word := range capitals {
		list = append(list, word, word[:1]+strings.ToLower(word[1:]), strings.ToLower(word))
	}
	return list
}

// joinOr joins types into one phrase, for people.
func joinOr(types []string) string {
	last := len(types) - 1
	return strings.Join(types[:last], ", ") + " or " + types[last]
}

// The facts of the choices of processes, whatever variable is the term.
var (
	electedFacts = []tracefmt.Fact{unrecorded.ElectedFact}
	LeaderFacts  = []tracefmt.Fact{
		unrecorded.ElectedFact, unrecorded.RoleFact, tracefmt.StateOf("term"),
		unrecorded.RecoverFact,
	}
	choiceFacts = append([]tracefmt.Fact{unrecorded.CrashFact, unrecorded.HaltFact}, LeaderFacts...)
	callFacts   = append([]tracefmt.Fact{unrecorded.VotedFact, {Kind: tracefmt.Suspect}, {Kind: tracefmt.Send}},
		LeaderFacts...)
)

// atEnd is a monitor that examines the end of a run only. restsOn returns the facts whose complete record a positive
// verdict needs.
type atEnd struct {
	analyze.AtEnd
	check   analyze.EndCheck
	restsOn func(s *replay.State) iter.Seq[analyze.Need]
}

// Step does nothing, since only the end counts.
func (*atEnd) Step(*analyze.Result, *replay.State, *tracefmt.Event) {}

// Recur examines a state of the loop in which the run ends.
func (m *atEnd) Recur(s *replay.State, e *tracefmt.Event) {
	m.AtEnd.Recur(s, replay.ChangesProcess(e.Kind), m.check)
}

// End checks the last state, or all states of the loop in which the run ends.
func (m *atEnd) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	if !s.HasElected() {
		r.NotApplicable(noElection)
		return
	}
	m.AtEnd.End(r, s, end, m.check)
}

// Relies implements [analyze.Relying].
func (m *atEnd) Relies(s *replay.State, _ analyze.Ending) iter.Seq[analyze.Need] {
	return m.restsOn(s)
}

// elected returns the choice of p, for an explanation.
func elected(s *replay.State, p tracefmt.ProcessID) string {
	if q := s.Process(p).Elected; q > 0 {
		return s.Run.ProcessName(q)
	}
	value, ok := s.Variable(p, "elected")
	if !ok {
		return "no process"
	}
	return members.Short(value)
}

// wrongChoice returns why a process's choice is not the best live process, and the event since which that is so,
// 0 for the choice itself. chosen and lacks are the results of [replay.State.Best].
func wrongChoice(
	s *replay.State, st *replay.Process, chosen []tracefmt.ProcessID, lacks string,
) (string, tracefmt.Seq) {
	best, also := "", "" // "" if the best process is unknown
	if lacks == "" && len(chosen) > 0 {
		best = bestText(s.Run, chosen)
		also = "; " + best
	}
	switch {
	case st.Elected == replay.Nobody:
		return "which is no process of the run" + also, 0
	case !s.Live(st.Elected):
		since := s.Process(st.Elected).Since
		return fmt.Sprintf("which is down since seq %d%s", since, also), since
	case len(chosen) > 0 && s.Process(chosen[0]).Since > st.ElectedAt:
		since := s.Process(chosen[0]).Since
		return fmt.Sprintf("but %s, up since seq %d", best, since), since
	}
	return "but " + best, 0
}

// bestText names the best live processes; electing one of them was expected.
func bestText(run *tracefmt.Run, best []tracefmt.ProcessID) string {
	if len(best) > 1 {
		return "the best live processes are " + members.Names(run, best)
	}
	return "the best live process is " + members.Names(run, best)
}

// lastTerm returns the greatest term of the live electors. A term that is no number is compared only for
// equality.
func lastTerm(s *replay.State) (last replay.Term) {
	for _, p := range s.Electors() {
		if term := s.Term(p); term.Compare(last) > 0 {
			last = term
		}
	}
	return last
}

// assigns reports whether an event assigns an elector's variable elected to some value other than none.
func assigns(s *replay.State, e *tracefmt.Event) bool {
	if !e.Kind.AssignsVariables() || e.Process == 0 || !s.Elector(e.Process) {
		return false
	}
	return s.Choice(e.Process) != 0 && s.Process(e.Process).ElectedAt == e.Seq
}

// recordsElection reports whether a run records enough to decide whether an election ended: the choices or, if its
// problem is an election, the roles of processes.
func recordsElection(s *replay.State) bool {
	return s.HasElected() || s.HasRole() && s.Run.Solves(tracefmt.Election)
}

// callers are the processes with an event that shows that they want an election: they suspect, recover, send to
// another elector, vote, elect, are candidates, or lead.
type callers struct {
	hasCalled []bool     // by process
	sent      [][]uint64 // by sender: a bit for each receiver
	// mayOnly has, by process, the event at which it elected itself without a recorded role: it may only believe in
	// itself. It is used in an incomplete recording.
	mayOnly map[tracefmt.ProcessID]tracefmt.Seq
}

// newCallers returns the callers before the first event.
func newCallers(run *tracefmt.Run) callers {
	n := len(run.Members) + 1
	return callers{make([]bool, n), make([][]uint64, n), make(map[tracefmt.ProcessID]tracefmt.Seq)}
}

// step records an event that shows that its process wants an election. A message counts only if its receiver is an
// elector, which is known at the end.
func (c *callers) step(s *replay.State, e *tracefmt.Event) {
	p := e.Process
	switch e.Kind {
	case tracefmt.Suspect, tracefmt.Recover:
		c.hasCalled[p] = true
	case tracefmt.Send:
		if c.sent[p] == nil {
			c.sent[p] = make([]uint64, len(c.sent)/64+1)
		}
		c.sent[p][e.Peer/64] |= 1 << (e.Peer % 64)
	case tracefmt.State, tracefmt.Start:
		if p == 0 {
			return
		}
		st := s.Process(p)
		switch {
		case vote(s, e) != 0 || st.Role == replay.RoleSeeks || st.Role == replay.RoleLeads:
			c.hasCalled[p] = true
		case e.Kind != tracefmt.State || !assigns(s, e):
		// Its role may be unrecorded: then the process may only believe that it is the leader.
		case st.Elected == p && !s.Coverage().Complete():
			c.mayOnly[p] = cmp.Or(c.mayOnly[p], e.Seq)
		default:
			c.hasCalled[p] = true
		}
	}
}

// anyCalled reports whether an elector wants or wanted an election.
func (c *callers) anyCalled(s *replay.State) bool {
	for _, p := range members.All(s.Run) {
		if s.Elector(p) && (c.hasCalled[p] || c.mayOnly[p] != 0 || c.sentToElector(s, p)) {
			return true
		}
	}
	return false
}

// possiblyNoCall returns the needs by which no elector wanted an election, though the record suggests one.
func (c *callers) possiblyNoCall(s *replay.State) (first []analyze.Need) {
	for _, p := range members.All(s.Run) {
		if !s.Elector(p) {
			continue
		}
		if c.hasCalled[p] || c.sentToElector(s, p) {
			return nil
		}
		if c.mayOnly[p] == 0 {
			continue
		}
		// The process elected itself. If it has an unrecorded role other than leader, that was only a belief.
		roleNeeds := analyze.Needs(p, 0, c.mayOnly[p], unrecorded.RoleFact)
		if unrecorded.None(s, roleNeeds) {
			return nil
		}
		if first == nil {
			first = roleNeeds
		}
	}
	return first
}

// sentToElector reports whether p sent a message to an elector.
func (c *callers) sentToElector(s *replay.State, p tracefmt.ProcessID) bool {
	for _, q := range members.All(s.Run) {
		if c.sent[p] != nil && c.sent[p][q/64]>>(q%64)&1 == 1 && s.Elector(q) {
			return true
		}
	}
	return false
}

// NoLeaderRecorded is the reason why the properties of leaders do not apply.
const NoLeaderRecorded = "no process has a variable role or elected"

// vote returns the process for which the event's process votes by this event, 0 for no vote. Programs also write
// null, "none" or -1 for no vote.
func vote(s *replay.State, e *tracefmt.Event) tracefmt.ProcessID {
	if !e.Kind.AssignsVariables() {
		return 0
	}
	value, _ := e.Field(unrecorded.VotedVariable)
	return max(0, s.Named(value))
}
