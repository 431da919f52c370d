package conform

import (
	"fmt"
	"slices"

	"etrace/record/sim"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// search follows the processes of a partial recording: each by itself, in all states that it may have reached
// by recorded and unrecorded steps. It refuses no run of the algorithm, since its assumptions only
// over-approximate:
//
//   - Unrecorded steps have no time, and an unrecorded timer need not expire.
//   - A step sees whether other processes are up. Where a crash of another may be missing, or happened since the
//     last recorded event of the process, both answers are tried.
//   - A process may receive, without a recorded receipt, what was sent to it and not recorded as received or lost.
//     If sends of the sender may be missing, it may receive any number of the messages that the sender may have
//     sent by then, or that others received.
//   - Inferred events may not have happened.
//   - Without recorded sends, every recorded receipt is possible.
type search struct {
	c        *conformer
	contents *contents
	steps    steps
	// tracks are indexed by process.
	tracks []track
	graph  *graph
	// limit is the greatest number of nodes of a process, budget the greatest number of steps to try.
	limit  int
	budget int64
	// coupled is true if a process may receive, unrecorded, a message whose send is unrecorded: then all
	// processes must be followed at once.
	coupled bool
	// receivesHidden are the processes whose receipts may be missing.
	receivesHidden []bool
	// lost holds the payloads of messages that may be recorded as lost.
	lost map[tracefmt.MessageID][]byte
	// undecidable explains why no later event can be a deviation; "" if it can.
	undecidable string
	// ended is true once a process has left the algorithm and the others cannot be followed without it.
	ended bool

	// up are the processes that are up when the run begins.
	up []bool
	// uncertainUp are the processes whose crashes or recoveries may be missing. uncertainSince adds the processes that
	// crashed or recovered since the last event of the present process. Both are indexed by the host's numbers.
	uncertainUp, uncertainSince []bool
	// changed is, by process, the seq of the last recorded event that started or stopped it.
	changed []tracefmt.Seq
	// ups numbers the sets of processes that were up together.
	ups map[string]int32
	// recorded caches the payload fields of the present event.
	recorded map[string]any
	key      []byte
}

// newSearch returns a search without nodes, for one pass.
func newSearch(c *conformer, p pass) *search {
	n := len(c.followers)
	s := &search{
		c: c, contents: p.contents, limit: p.limit, budget: p.budget, graph: p.graph,
		tracks: make([]track, n), receivesHidden: make([]bool, n), uncertainUp: make([]bool, n),
		uncertainSince: make([]bool, n),
		up:             make([]bool, n), changed: make([]tracefmt.Seq, n), ups: map[string]int32{},
		lost: map[tracefmt.MessageID][]byte{},
	}
	s.steps = steps{host: c.host, numbers: &c.numbers, shared: &c.shared, run: c.report.Run}
	s.steps.assumptions.Draws = true
	s.steps.clear()
	return s
}

// begin adds the states in which each process may have begun.
func (s *search) begin() {
	var senders []int
	for p := tracefmt.ProcessID(1); int(p) < len(s.tracks); p++ {
		s.up[p] = s.c.host.IsUp(s.c.numbers.host[p])
		s.steps.assumptions.Down = s.steps.assumptions.Down || s.up[p] && s.possiblyDown(p)
		s.receivesHidden[p] = s.contents.incomplete(p, tracefmt.Receive)
		s.uncertainUp[s.c.numbers.host[p]] = s.contents.incomplete(p, tracefmt.Crash) ||
			s.contents.incomplete(p, tracefmt.Recover)
		if s.contents.incomplete(p, tracefmt.Send) {
			senders = append(senders, int(p))
		}
	}
	// A hidden send matters to the receipts of another process, not to those of its sender.
	s.coupled = len(senders) > 1 && slices.Contains(s.receivesHidden, true) ||
		len(senders) == 1 && slices.Contains(slices.Delete(slices.Clone(s.receivesHidden), senders[0],
			senders[0]+1), true)
	s.undecidable = s.unbounded()
	s.updateUps()
	for p := tracefmt.ProcessID(1); int(p) < len(s.tracks); p++ {
		s.addInitialNodes(p)
	}
}

// unbounded explains why the possible unrecorded steps cannot be enumerated; "" if they can.
func (s *search) unbounded() string {
	for p := range s.tracks[1:] {
		p := tracefmt.ProcessID(p + 1)
		switch {
		case s.c.host.Invokes() && s.contents.incomplete(p, tracefmt.Invoke):
			return "any operation may have been invoked that is not recorded"
		case s.coupled && s.c.followers[p].report.Byzantine && s.contents.incomplete(p, tracefmt.Send):
			return "a Byzantine process may have sent anything that is not recorded"
		}
	}
	return ""
}

// addInitialNodes adds the nodes in which a process may be when the run begins: up or down, for each coordinator that
// it may know.
func (s *search) addInitialNodes(p tracefmt.ProcessID) {
	t, about, host := &s.tracks[p], s.contents, s.c.host
	t.p, t.report = p, s.c.followers[p].report
	t.gaps = len(about.coverage.Gaps(p)) > 0
	about.between(&t.missing, p, 0, about.firstSeq[p])
	if s.c.durations && about.complete(p, tracefmt.SetTimer) {
		t.dues = map[string]tracefmt.Time{}
	}
	s.steps.assumptions.Unsure = s.uncertainUp
	number := s.c.numbers.host[p]
	if !s.up[p] {
		s.addRoot(t, host.InitialDown(number, &s.steps.assumptions), tally{})
		return
	}
	for _, coordinator := range s.coordinators(p) {
		s.addInitialUp(t, number, s.c.numbers.host[coordinator])
	}
	if s.possiblyDown(p) {
		s.addRoot(t, host.InitialDown(number, &s.steps.assumptions), tally{tracefmt.Crash: 1})
	}
}

// addInitialUp adds the nodes in which a process may begin if it is up, one for each set of other processes that
// may have been up, the recorded one first.
func (s *search) addInitialUp(t *track, number, coordinator tracefmt.ProcessID) {
	for s.steps.assumptions.Answers = nil; ; s.steps.tried++ {
		initialStates := s.c.host.Initial(number, coordinator, &s.steps.assumptions)
		// The process must have started, without a recorded start.
		if s.c.host.Wakes() && s.contents.first[t.p] != tracefmt.Start {
			s.assumeInput(t, &node{state: initialStates}, &tracefmt.Event{Kind: tracefmt.Start, Process: t.p})
		} else {
			s.addRoot(t, initialStates, tally{})
		}
		if t.cut || s.budgetSpent() || !s.steps.assumptions.Next() {
			return
		}
	}
}

// possiblyDown reports whether a process may be down when the run begins without a recorded crash.
func (s *search) possiblyDown(p tracefmt.ProcessID) bool {
	if s.contents.first[p] == tracefmt.Start {
		return false
	}
	return s.contents.coverage.Missing(p, tracefmt.Fact{Kind: tracefmt.Crash}, 0, s.contents.firstSeq[p])
}

// addRoot adds a node in which a process may begin.
func (s *search) addRoot(t *track, state *sim.State, supposed tally) {
	s.push(t, node{state: state, tally: supposed}, 0, nil)
}

// coordinators returns the processes that a process may have known as coordinator when it began; 0 is none.
func (s *search) coordinators(p tracefmt.ProcessID) []tracefmt.ProcessID {
	if s.contents.knowsCoordinator || !s.c.host.Elects() {
		return []tracefmt.ProcessID{s.contents.coordinator}
	}
	possible := []tracefmt.ProcessID{0}
	for q := range s.tracks[1:] {
		possible = append(possible, tracefmt.ProcessID(q+1))
	}
	return possible
}

// compare compares the next event of the run. After a loss it updates only the inboxes.
func (s *search) compare(e *tracefmt.Event) {
	c := s.c
	if c.switchProtocol(e) {
		s.steps.clear()
		s.undecidable = "parameters of the algorithm changed while steps may be missing"
	}
	c.messages.examine(e)
	s.recorded = nil
	if e.Kind == tracefmt.Lose {
		s.updateInbox(e)
		return
	}
	t := &s.tracks[e.Process]
	s.follow(t, e)
	if e.Kind == tracefmt.Send || e.Kind == tracefmt.Receive {
		s.updateInbox(e)
	}
	s.markUp(e)
	s.discardCaches()
}

// follow keeps the nodes of a process that explain its next recorded event. If none does, the process leaves
// the algorithm.
func (s *search) follow(t *track, e *tracefmt.Event) {
	c := s.c
	// These events are no part of the comparison. They do not even count, so a run of them alone shows nothing.
	isCommentary := commentary[e.Kind] && !c.host.IsInput(e) && !c.host.Makes(e.Kind, e.Type)
	if t.report.Byzantine || isCommentary || c.shared.ignores(e) {
		return
	}
	t.report.Events++
	c.report.noteAct(e)
	// The result of this process, or of the whole search, is settled.
	if t.report.Deviation != nil || t.report.Open != "" || s.ended || s.budgetSpent() {
		return
	}
	s.graph.open(t)
	s.reach(t, e)
	if s.budgetSpent() {
		// Steps are missing that were not tried, so the absence of a node would prove nothing.
		return
	}
	input := c.host.IsInput(e)
	s.match(t, e, input)
	if s.budgetSpent() {
		return
	}
	if len(t.nodes) == 0 {
		s.reject(t, e)
		return
	}
	t.sort()
	if input {
		payload := append(t.input.Payload[:0], e.Payload...)
		t.input, t.stepped = *e, true
		t.input.Payload = payload
	}
	t.report.Explained++
	t.after = e.Seq
	if e.Kind == tracefmt.SetTimer && t.dues != nil {
		t.dues[e.Type] = dueOf(e)
	}
	t.inbox.compact()
}

// reach adds the nodes that unrecorded steps lead to before an event of a process.
func (s *search) reach(t *track, e *tracefmt.Event) {
	if !s.coupled {
		s.updateMissing(t, e.Seq)
		t.goal = e
		if e.Inferred() {
			// An inferred event may not have happened, so nodes that do not lead there must stay.
			t.goal = nil
		}
		s.grow(t)
		return
	}
	s.updateAllMissing(e.Seq)
	s.growAll()
}

// updateAllMissing calls updateMissing for all processes.
func (s *search) updateAllMissing(before tracefmt.Seq) {
	for p := range s.tracks[1:] {
		s.updateMissing(&s.tracks[p+1], before)
	}
}

// growAll calls grow for all processes until no call adds a node, since each may receive what another sends.
// It ends, since the nodes are limited and each is grown once.
func (s *search) growAll() {
	for more := true; more && !s.budgetSpent(); {
		more = false
		for p := range s.tracks[1:] {
			if track := &s.tracks[p+1]; !track.report.Byzantine {
				more = s.grow(track) || more
			}
		}
	}
}

// updateMissing sets what may be missing at a process before an event; 0 is the end of the run. A change makes all
// nodes grow again.
func (s *search) updateMissing(t *track, before tracefmt.Seq) {
	if t.gaps && s.contents.between(&t.missing, t.p, t.after, before) {
		for i := range t.nodes {
			t.nodes[i].grown, t.nodes[i].offered = false, 0
		}
	}
}

// match replaces the nodes of a process by those after the event. An inferred event may not have happened, so
// the nodes before it stay, too.
func (s *search) match(t *track, e *tracefmt.Event, input bool) {
	from := t.nodes
	t.nodes, t.spare, t.index, t.goal, t.reason, t.lacking = t.spare[:0], from, nil, nil, "", nil
	t.fewest = fewestAssumed(from)
	inferred := e.Inferred()
	for i := range from {
		n := &from[i]
		// An inferred event may not have happened, so the node stays as it is, too.
		if inferred {
			s.push(t, *n, n.point, e)
		}
		switch {
		case n.pending != nil && e.Kind != tracefmt.Crash:
			if s.agrees(t, e, n.pending) {
				s.advance(t, n, n.state, n.pending, e)
			}
		case input:
			s.setContext(t, false)
			s.enter(t, n, e, false)
		default:
			s.setContext(t, false)
			s.enter(t, n, e, true)
		}
	}
}

// enter adds the nodes after the step that an event begins: as an input, or, if begins is true, as a start.
// If no outcome of the step agrees with the event, it notes the reason.
func (s *search) enter(t *track, n *node, e *tracefmt.Event, begins bool) {
	for _, r := range s.steps.outcomes(n.state, e, begins) {
		switch {
		case r.err != nil:
			// The reason of the simplest explanation is reported.
			if t.reason == "" && n.tally.total() == t.fewest {
				t.reason = r.err.Error()
			}
		case r.out != nil && s.agrees(t, e, r.out):
			s.advance(t, n, r.state, r.out, e)
		case t.lacking == nil && n.tally.total() == t.fewest && s.lacksEarlier(t, e, r.out, begins):
			t.lacking = r.out
		}
	}
}

// lacksEarlier reports whether a step disagrees with the event only in that an earlier event of the step is not
// recorded, or in the variables of a start.
func (s *search) lacksEarlier(t *track, e *tracefmt.Event, o *output, begins bool) bool {
	if begins {
		return s.makesLater(t, e, o)
	}
	return beginsLife(e.Kind)
}

// makesLater reports whether the event is among the outputs from o on.
func (s *search) makesLater(t *track, e *tracefmt.Event, o *output) bool {
	for ; o != nil; o = o.next {
		if s.agrees(t, e, o) {
			return true
		}
	}
	return false
}

// advance adds the node after an event of a step; o is the output that the event agrees with.
func (s *search) advance(t *track, n *node, state *sim.State, o *output, e *tracefmt.Event) {
	next := *n
	next.state, next.pending = state, o.next
	s.push(t, next, n.point, e)
}

// exhausted explains why the search ended early.
func (s *search) exhausted() string {
	if s.steps.cut {
		return fmt.Sprintf("a step may come out in more than %d ways", maxOutcomes)
	}
	return fmt.Sprintf("the budget of %s is spent", text.Counted(s.budget, "unrecorded step", "unrecorded steps"))
}

// budgetSpent reports whether the budget is used up, or some outcomes of a step were not tried.
func (s *search) budgetSpent() bool { return s.steps.tried > s.budget || s.steps.cut }

// discardCaches discards the caches of the search when they are too large. It keeps the states of the nodes.
func (s *search) discardCaches() {
	steps := &s.steps
	if max(len(steps.known), len(steps.outputs), len(steps.chains), s.c.host.States()) < maxCached {
		return
	}
	s.steps.clear()
	s.c.host.Keep(func(yield func(*sim.State) bool) {
		for i := range s.tracks {
			for j := range s.tracks[i].nodes {
				if !yield(s.tracks[i].nodes[j].state) {
					return
				}
			}
		}
	})
}
