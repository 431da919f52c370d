package election

import (
	"slices"

	"etrace/analyze"
	"etrace/analyze/property/overlap"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

// leadershipFold computes, for an incomplete recording, which processes may lead at each event, in some completion. It
// stores the relevant events of each process, and replays them at the end, when it is known which facts may be missing.
type leadershipFold struct {
	evidence  []leadingEvent
	terms     []replay.Term         // the recorded terms
	termIndex map[replay.Term]int32 // their places
	// truncated is set if evidence was truncated, so that any process may have led at any time.
	truncated bool
	answer    *possibleLeaders
}

// leadingEvent is an event that may change whether its process leads.
type leadingEvent struct {
	seq     tracefmt.Seq
	process int32
	term    int32 // the index of the recorded term of the process at this event
	kind    tracefmt.Kind
	role    replay.RoleClass
	// self: the process has elected itself. leads: by its recorded role it leads.
	hasRole, hasElected, hasTerm, self, leads bool
	restarts, inferred                        bool
}

// newLeadershipFold returns the fold before the first event.
func newLeadershipFold(*tracefmt.Run) *leadershipFold {
	return &leadershipFold{terms: []replay.Term{{}}, termIndex: map[replay.Term]int32{{}: 0}}
}

// Step takes an event.
func (l *leadershipFold) Step(s *replay.State, e *tracefmt.Event) {
	p := e.Process
	if s.Coverage().Complete() {
		l.truncated = true // only a complete record stays decided without the list
		return
	}
	if p == 0 || l.truncated || !s.Changed(e) {
		return
	}
	t := leadingEvent{
		seq: e.Seq, process: int32(p), kind: e.Kind, restarts: s.Restarted(), leads: s.Leads(p),
		inferred: e.Inferred(),
	}
	if e.Kind.AssignsVariables() {
		t.hasRole, t.hasElected = s.AssignedAt(p, "role") == e.Seq, s.AssignedAt(p, "elected") == e.Seq
		t.role, t.self, t.hasTerm = s.Process(p).Role, s.Process(p).Elected == p, s.TermIn(e).Known()
		// Assignments of other variables do not change who leads.
		if e.Kind == tracefmt.State && !t.hasRole && !t.hasElected && !t.hasTerm && !t.restarts {
			return
		}
	}
	var known bool
	t.term, known = l.termIndex[s.Term(p)]
	if !known {
		t.term = int32(len(l.terms))
		l.termIndex[s.Term(p)] = t.term
		l.terms = append(l.terms, s.Term(p))
	}
	l.truncated = len(l.evidence) >= overlap.MostListed
	l.evidence = append(l.evidence, t)
}

// possibleLeaders are the processes that may have led, over all completions of the recording.
type possibleLeaders struct {
	ever, wasDown    []bool // by process: it may have led, and it has been down
	overlap.Meetings        // of leaders in one term
	// sharedTerm is set if two processes may have led in one term, at any times, one of them without a record.
	sharedTerm bool
}

// result returns which processes may have led; it must be called at the end of the run.
func (l *leadershipFold) result(s *replay.State) *possibleLeaders {
	if l.answer == nil {
		l.answer = newLeaderReplay(s, l).run()
	}
	return l.answer
}

// leaderReplay replays the stored events to find which processes may have led.
type leaderReplay struct {
	*leadershipFold
	possibleLeaders
	state      *replay.State
	candidates []contender
	possible   []tracefmt.ProcessID // the processes that may lead, and some others
	// inTerm has, by the index of a known term, the first two processes that may lead in it. unknownTerm has the
	// processes that may lead in an unknown term, and anyTerm those of any term.
	inTerm               map[int32]*overlap.Contenders
	unknownTerm, anyTerm overlap.Contenders
	// hiddenLeader is set if some process may lead in a known term without a record.
	hiddenLeader bool
}

// contender is a process that may lead, with the evidence.
type contender struct {
	states  stateSet
	missing missingFacts // the facts that may be missing at any time
	inGap   missingFacts // the facts that may also be missing in a gap
	last    tracefmt.Seq // the last replayed event of the process
	term    int32
	leads   bool // as recorded
	// early is set if it may have led before its recorded leadership began.
	early bool
	// listed is set if the process is in the list possible; gaps if its record has gaps.
	listed bool
	gaps   bool
}

// hidden reports whether the process may lead without a record, or since before its recorded begin.
func (c *contender) hidden() bool { return !c.leads || c.early }

// newLeaderReplay finds which facts of each possible elector may be missing, in and outside of gaps, and starts every
// process in all states that these allow.
func newLeaderReplay(s *replay.State, l *leadershipFold) *leaderReplay {
	w := &leaderReplay{
		leadershipFold: l, state: s, candidates: make([]contender, len(s.Run.Members)+1),
		inTerm: make(map[int32]*overlap.Contenders),
	}
	w.ever, w.wasDown = make([]bool, len(w.candidates)), make([]bool, len(w.candidates))
	c := s.Coverage()
	for _, p := range unrecorded.ElectorsNow(s) {
		process := &w.candidates[p]
		mayLack := func(f tracefmt.Fact) bool { return c.Exists(f) && c.Level(p, f) != tracefmt.All }
		process.missing = missingFacts{
			role: mayLack(unrecorded.RoleFact), elected: mayLack(unrecorded.ElectedFact), term: mayLack(s.TermFact()),
			recovery: mayLack(unrecorded.RecoverFact) || c.Declared(p, unrecorded.StartFact) > tracefmt.All,
		}
		process.missing.restart = process.missing.recovery && mayLack(unrecorded.CrashFact)
		process.inGap = missingFacts{
			role: c.Exists(unrecorded.RoleFact), elected: c.Exists(unrecorded.ElectedFact),
			term: true, recovery: true, restart: true,
		}
		process.gaps = len(c.Gaps(p)) > 0
		process.states = freshState(false).closure(process.missing)
		w.list(p)
	}
	return w
}

// run replays the stored events and returns the result.
func (w *leaderReplay) run() *possibleLeaders {
	for i := range w.evidence {
		if t := &w.evidence[i]; w.state.Run.Part(tracefmt.ProcessID(t.process)) != tracefmt.Bystander {
			w.step(t)
		}
	}
	for i, p := range w.possible {
		w.noteLeading(p, 0)
		for _, q := range w.possible[:i] {
			w.compare(p, q, 0)
		}
	}
	// A hidden leader of unknown term may share its term with any other leader.
	w.sharedTerm = w.truncated || w.anyTerm.Second != 0 &&
		(w.unknownTerm.Hidden || w.unknownTerm.First != 0 && w.hiddenLeader)
	for _, c := range w.inTerm {
		w.sharedTerm = w.sharedTerm || c.Hidden && c.Second != 0
	}
	// Without the list, any possible elector may have led at any time.
	if w.truncated {
		w.Many, w.Hidden = true, true
		for _, p := range unrecorded.ElectorsNow(w.state) {
			w.ever[p], w.wasDown[p] = true, true
		}
	}
	return &w.possibleLeaders
}

// list adds p to the processes that may lead, from the last replayed event on.
func (w *leaderReplay) list(p tracefmt.ProcessID) {
	if process := &w.candidates[p]; !process.listed && (process.gaps || process.states&leadingStates != 0) {
		process.listed = true
		w.possible = append(w.possible, p)
	}
}

// statesBefore returns the possible states of p right before an event, 0 for the end.
func (w *leaderReplay) statesBefore(p tracefmt.ProcessID, seq tracefmt.Seq) stateSet {
	process := &w.candidates[p]
	if process.gaps && w.state.Coverage().InGap(p, process.last, seq) {
		return process.states.closure(process.inGap)
	}
	return process.states
}

// step takes the next event of a process. Before its possible states shrink, the process is compared with the others
// that may lead.
func (w *leaderReplay) step(t *leadingEvent) {
	p := tracefmt.ProcessID(t.process)
	process := &w.candidates[p]
	before := w.statesBefore(p, t.seq)
	states := before.step(t, w.terms[process.term], w.terms[t.term]).closure(process.missing)
	led := before & leadingStates
	// A process that may have led is compared when its possible terms or states are about to shrink.
	if led != 0 && (led&^states != 0 || process.term != t.term || process.leads != t.leads) {
		w.noteLeading(p, t.seq)
		for _, q := range w.possible {
			if q != p {
				w.compare(p, q, t.seq)
			}
		}
	}
	// It leads by the record now, and may have led before without a record.
	process.early = t.leads && (process.early || led&otherTermStates != 0 || led != 0 && !process.leads)
	process.states, process.last, process.term, process.leads = states, t.seq, t.term, t.leads
	w.wasDown[p] = w.wasDown[p] || t.kind == tracefmt.Crash || t.kind == tracefmt.Halt
	if w.list(p); process.listed && !process.gaps && states&leadingStates == 0 {
		process.listed = false
		w.possible = slices.DeleteFunc(w.possible, func(q tracefmt.ProcessID) bool { return q == p })
	}
}

// noteLeading records that p may lead before an event, or may have led since its last event.
func (w *leaderReplay) noteLeading(p tracefmt.ProcessID, seq tracefmt.Seq) {
	process, led := &w.candidates[p], w.statesBefore(p, seq)&leadingStates
	if led == 0 {
		return
	}
	w.ever[p] = true
	w.anyTerm.Add(overlap.Contender{Process: p})
	if led&otherTermStates != 0 {
		w.unknownTerm.Add(overlap.Contender{Process: p, Hidden: true})
	}
	switch known := w.terms[process.term].Known(); {
	case led&^otherTermStates == 0: // it led only in another term
	case !known:
		w.unknownTerm.Add(overlap.Contender{Process: p, Hidden: !process.leads})
	default:
		w.hiddenLeader = w.hiddenLeader || !process.leads
		if w.inTerm[process.term] == nil {
			w.inTerm[process.term] = new(overlap.Contenders)
		}
		w.inTerm[process.term].Add(overlap.Contender{Process: p, Hidden: !process.leads})
	}
}

// compare records that p and q may lead together before an event.
func (w *leaderReplay) compare(p, q tracefmt.ProcessID, seq tracefmt.Seq) {
	if w.Full() {
		return
	}
	x, y := w.statesBefore(p, seq)&leadingStates, w.statesBefore(q, seq)&leadingStates
	maySameTerm := w.terms[w.candidates[p].term].MaySame(w.terms[w.candidates[q].term])
	// Two leaders of different recorded terms overlap only if one of them may be in another term than recorded.
	if x == 0 || y == 0 || !maySameTerm && (x|y)&otherTermStates == 0 {
		return
	}
	hidden := !maySameTerm || w.candidates[p].hidden() || w.candidates[q].hidden()
	w.Add(overlap.Meeting{P: p, Q: q, Seq: seq, Hidden: hidden})
}

// needs returns the facts by which processes may have led without a record.
func (w *possibleLeaders) needs(s *replay.State) (needs []analyze.Need) {
	for _, p := range unrecorded.ElectorsNow(s) {
		if !w.ever[p] {
			continue
		}
		needs = append(needs, analyze.Needs(p, 0, 0, unrecorded.ElectedFact, unrecorded.RoleFact, s.TermFact())...)
		needs = append(needs, analyze.MayRestart(p, 0, 0))
		if w.wasDown[p] {
			needs = append(needs, analyze.Needs(p, 0, 0, unrecorded.RecoverFact)...)
		}
	}
	return needs
}
