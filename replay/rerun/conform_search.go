package rerun

import (
	"fmt"
	"slices"

	"etrace/record/sim"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// search follows the processes of a partial recording: each by itself, in all states that
// it may have come to by steps of which some were not recorded. It refuses no run of the
// algorithm; what it supposes is bounded from above only:
//
//   - Nothing unrecorded has a time, and no timer that is not recorded has to expire.
//   - Of others, a step sees whether they are up: where a crash of theirs may be missing,
//     or happened since the last recorded event of the process, either is supposed.
//   - A process receives unrecorded what the recording shows as sent to it and not as
//     received or lost; where the sends of the sender may be missing, too, as often as it
//     likes all that the sender may have sent by then, or that was received by somebody else.
//   - What is inferred may not have happened.
//   - Without sends, every recorded receipt is possible.
type search struct {
	c        *conformer
	contents *contents
	steps    steps
	tracks   []track // by process
	graph    *graph
	// limit is how many nodes a process may have at a time, budget how many steps may be
	// tried.
	limit  int
	budget int64
	// coupled: processes may receive unrecorded what others sent unrecorded, so that all
	// are to be followed at once.
	coupled        bool
	receivesHidden []bool
	lost           map[tracefmt.MessageID][]byte // payloads of what may be recorded as lost
	// doubt says why what follows cannot be refused, "" if it can.
	doubt string
	// ended: a process has left the algorithm, and the others cannot be followed alone.
	ended bool

	up                  []bool // when the run begins
	unsure, unsureSince []bool
	changed             []tracefmt.Seq // when it was last recorded that a process is up, or down
	ups                 map[string]int32
	recorded            map[string]any // what the payload of the present event says, if it was asked for
	key                 []byte
}

func newSearch(c *conformer, about *contents, limit int, budget int64, g *graph) *search {
	n := len(c.followers)
	s := &search{
		c: c, contents: about, limit: limit, budget: budget, graph: g,
		tracks: make([]track, n), receivesHidden: make([]bool, n), unsure: make([]bool, n), unsureSince: make([]bool, n),
		up: make([]bool, n), changed: make([]tracefmt.Seq, n), ups: map[string]int32{}, lost: map[tracefmt.MessageID][]byte{},
	}
	s.steps = steps{host: c.host, numbers: &c.numbers, shared: &c.shared, run: c.report.Run}
	s.steps.about.Draws = true
	s.steps.forget()
	return s
}

// begin places each process where it may have begun.
func (s *search) begin() {
	var senders []int
	for p := tracefmt.ProcessID(1); int(p) < len(s.tracks); p++ {
		s.up[p] = s.c.host.IsUp(s.c.numbers.host[p])
		s.steps.about.Down = s.steps.about.Down || s.up[p] && s.mayBeDown(p)
		s.receivesHidden[p] = s.contents.ever(p, tracefmt.Receive)
		s.unsure[s.c.numbers.host[p]] = s.contents.ever(p, tracefmt.Crash) || s.contents.ever(p, tracefmt.Recover)
		if s.contents.ever(p, tracefmt.Send) {
			senders = append(senders, int(p))
		}
	}
	s.coupled = len(senders) > 1 && slices.Contains(s.receivesHidden, true) ||
		len(senders) == 1 && slices.Contains(slices.Delete(slices.Clone(s.receivesHidden), senders[0], senders[0]+1), true)
	s.doubt = s.boundless()
	s.status()
	for p := tracefmt.ProcessID(1); int(p) < len(s.tracks); p++ {
		s.place(p)
	}
}

// boundless says why what may have happened cannot be listed, "" if it can.
func (s *search) boundless() string {
	for p := range s.tracks[1:] {
		p := tracefmt.ProcessID(p + 1)
		switch {
		case s.c.host.Invokes() && s.contents.ever(p, tracefmt.Invoke):
			return "any operation may have been invoked that is not recorded"
		case s.coupled && s.c.followers[p].report.Byzantine && s.contents.ever(p, tracefmt.Send):
			return "a Byzantine process may have sent anything that is not recorded"
		}
	}
	return ""
}

// place gives a process its first nodes.
func (s *search) place(p tracefmt.ProcessID) {
	t, about, host := &s.tracks[p], s.contents, s.c.host
	t.p, t.report = p, s.c.followers[p].report
	t.gaps = len(about.coverage.Gaps(p)) > 0
	about.between(&t.missing, p, 0, about.firstSeq[p])
	if s.c.durations && about.whole(p, tracefmt.SetTimer) {
		t.dues = map[string]tracefmt.Time{}
	}
	s.steps.about.Unsure = s.unsure
	number := s.c.numbers.host[p]
	if !s.up[p] {
		s.root(t, host.Initial(number, false, 0, &s.steps.about), tally{})
		return
	}
	for _, coordinator := range s.coordinators(p) {
		s.placeUp(t, number, s.c.numbers.host[coordinator])
	}
	if s.mayBeDown(p) {
		s.root(t, host.Initial(number, false, 0, &s.steps.about), tally{tracefmt.Crash: 1})
	}
}

// placeUp gives a process that is up its first nodes, as long as there is room for more: as
// recorded first, then by each answer to which of the others may have been up.
func (s *search) placeUp(t *track, number, coordinator tracefmt.ProcessID) {
	for s.steps.about.Answers = nil; ; s.steps.tried++ {
		begun := s.c.host.Initial(number, true, coordinator, &s.steps.about)
		if s.c.host.Wakes() && s.contents.first[t.p] != tracefmt.Start { // it has, unrecorded
			s.supposeInput(t, &node{state: begun}, &tracefmt.Event{Kind: tracefmt.Start, Process: t.p})
		} else {
			s.root(t, begun, tally{})
		}
		if t.cut || s.spent() || !s.steps.about.Next() {
			return
		}
	}
}

// mayBeDown reports whether a process may be down when the run begins, though that is not
// recorded.
func (s *search) mayBeDown(p tracefmt.ProcessID) bool {
	return s.contents.first[p] != tracefmt.Start && s.contents.coverage.Missing(p, tracefmt.Fact{Kind: tracefmt.Crash}, 0, s.contents.firstSeq[p])
}

// root adds a node in which a process may begin.
func (s *search) root(t *track, state *sim.State, supposed tally) {
	s.push(t, node{state: state, tally: supposed}, 0, nil)
}

// coordinators are those that a process may have known when it began.
func (s *search) coordinators(p tracefmt.ProcessID) []tracefmt.ProcessID {
	if s.contents.knows || !s.c.host.Elects() {
		return []tracefmt.ProcessID{s.contents.coordinator}
	}
	all := []tracefmt.ProcessID{0}
	for q := range s.tracks[1:] {
		all = append(all, tracefmt.ProcessID(q+1))
	}
	return all
}

// take follows the next event.
func (s *search) take(e *tracefmt.Event) {
	c := s.c
	if c.switchProtocol(e) {
		s.steps.forget()
		s.doubt = "parameters of the algorithm changed while steps may be missing"
	}
	c.messages.see(e)
	s.recorded = nil
	if e.Kind == tracefmt.Lose {
		s.post(e)
		return
	}
	t := &s.tracks[e.Process]
	s.follow(t, e)
	if e.Kind == tracefmt.Send || e.Kind == tracefmt.Receive {
		s.post(e)
	}
	s.show(e)
	s.tidy()
}

// follow compares an event of a process with all that it may do.
func (s *search) follow(t *track, e *tracefmt.Event) {
	c := s.c
	if t.report.Byzantine || commentary[e.Kind] && !c.host.IsInput(e) && !c.host.Makes(e.Kind, e.Type) || c.shared.untold(e) {
		return
	}
	t.report.Events++
	if t.report.Deviation != nil || t.report.Open != "" || s.ended || s.spent() {
		return
	}
	s.graph.open(t)
	s.reach(t, e)
	if s.spent() {
		return
	}
	input := c.host.IsInput(e)
	s.match(t, e, input)
	if s.spent() {
		return
	}
	if len(t.nodes) == 0 {
		s.refuse(t, e)
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

// reach tries what may have happened unrecorded before an event of a process.
func (s *search) reach(t *track, e *tracefmt.Event) {
	if !s.coupled {
		s.until(t, e.Seq)
		t.goal = e
		if e.Inferred() {
			t.goal = nil // none need lead there
		}
		s.grow(t)
		return
	}
	s.untilAll(e.Seq)
	s.growAll()
}

// untilAll is until for all processes.
func (s *search) untilAll(before tracefmt.Seq) {
	for p := range s.tracks[1:] {
		s.until(&s.tracks[p+1], before)
	}
}

// growAll is grow for all processes, which may receive what others send.
func (s *search) growAll() {
	for more := true; more && !s.spent(); {
		more = false
		for p := range s.tracks[1:] {
			if other := &s.tracks[p+1]; !other.report.Byzantine {
				more = s.grow(other) || more
			}
		}
	}
}

// until finds what may be missing of a process before an event, 0 for its end.
func (s *search) until(t *track, before tracefmt.Seq) {
	if t.gaps && s.contents.between(&t.missing, t.p, t.after, before) {
		for i := range t.nodes {
			t.nodes[i].grown, t.nodes[i].offered = false, 0
		}
	}
}

// match leaves the nodes that an event leads to.
func (s *search) match(t *track, e *tracefmt.Event, input bool) {
	from := t.nodes
	t.nodes, t.spare, t.index, t.goal, t.reason, t.lacking = t.spare[:0], from, nil, nil, "", nil
	t.least = leastSupposed(from)
	inferred := e.Inferred()
	for i := range from {
		n := &from[i]
		if inferred { // it may not have happened
			s.push(t, *n, n.point, e)
		}
		switch {
		case n.rest != nil && e.Kind != tracefmt.Crash:
			if s.agrees(t, e, n.rest) {
				s.advance(t, n, n.state, n.rest, e)
			}
		case input:
			s.see(t, false)
			s.enter(t, n, e, false)
		default:
			s.see(t, false)
			s.enter(t, n, e, true)
		}
	}
}

// enter has a process take a step that an event begins.
func (s *search) enter(t *track, n *node, e *tracefmt.Event, begins bool) {
	for _, r := range s.steps.take(n.state, e, begins) {
		switch {
		case r.err != nil:
			if t.reason == "" && n.tally.total() == t.least {
				t.reason = r.err.Error()
			}
		case r.out != nil && s.agrees(t, e, r.out):
			s.advance(t, n, r.to, r.out, e)
		case t.lacking == nil && n.tally.total() == t.least && s.lacks(t, e, r.out, begins):
			t.lacking = r.out
		}
	}
}

// lacks reports whether a step is the one that is recorded, but for something that it does first or for the
// variables with which a process starts.
func (s *search) lacks(t *track, e *tracefmt.Event, o *output, begins bool) bool {
	if begins {
		return s.comes(t, e, o)
	}
	return beginsLife(e.Kind)
}

// comes reports whether a step does what is recorded after something else.
func (s *search) comes(t *track, e *tracefmt.Event, o *output) bool {
	for ; o != nil; o = o.next {
		if s.agrees(t, e, o) {
			return true
		}
	}
	return false
}

// advance adds where a node gets by an event.
func (s *search) advance(t *track, n *node, to *sim.State, o *output, e *tracefmt.Event) {
	next := *n
	next.state, next.rest = to, o.next
	s.push(t, next, n.point, e)
}

func (s *search) exhausted() string {
	if s.steps.cut {
		return fmt.Sprintf("a step may come out in more than %d ways", mostOutcomes)
	}
	return fmt.Sprintf("the budget of %s is spent", text.Counted(s.budget, "unrecorded step", "unrecorded steps"))
}

// spent reports whether the budget is, or not everything that may come of a step was tried.
func (s *search) spent() bool { return s.steps.tried > s.budget || s.steps.cut }

// tidy forgets what the search remembers, when it has become too much.
func (s *search) tidy() {
	if len(s.steps.known) < mostRemembered && len(s.steps.outputs) < mostRemembered && len(s.steps.chains) < mostRemembered && s.c.host.States() < mostRemembered {
		return
	}
	s.steps.forget()
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
