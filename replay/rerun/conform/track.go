package conform

import (
	"math"
	"reflect"
	"slices"

	"etrace/record/sim"
	"etrace/tracefmt"
)

// tally counts assumed steps by kind. Kind start counts the starts of the algorithm's task, such as elections.
type tally [tracefmt.Note + 1]int32

// total returns the number of all assumed steps.
func (t *tally) total() (n int32) {
	for _, c := range t {
		n += c
	}
	return n
}

// node is a state that a process may have reached, with the events of its present step that are still to happen.
type node struct {
	state   *sim.State
	pending *output
	// taken counts the recorded sends that the process has received without a recorded receipt.
	taken taken
	// tally counts the unrecorded steps assumed on the way here.
	tally tally
	// grown is set once all unrecorded steps from here have been tried. offered is the number of classes of messages in
	// the inbox that have been tried.
	grown   bool
	offered int32
	// nextEqual is the index, from 1, of the next node with equal state and pending events.
	nextEqual int32
	// point is the node's point in the graph of explanations.
	point int32
}

// nodeKey identifies a place; nodes of equal keys differ in the messages that they took.
type nodeKey struct {
	state   *sim.State
	pending *output
}

// track is a process with all nodes that it may have reached by its last recorded event.
type track struct {
	report *ProcessConformance
	p      tracefmt.ProcessID
	// nodes are the possible places now, spare those before the last recorded event.
	nodes []node
	spare []node
	// index maps keys to positions in nodes, from 1; nil while there are indexThreshold nodes.
	index map[nodeKey]int32
	// after is the seq of the last recorded event of the process.
	after tracefmt.Seq
	// missing is what may be unrecorded since then; it changes along the run only if gaps is true.
	missing missing
	gaps    bool
	inbox   inbox
	// dues are the due times of the timers set last; nil unless all settings of timers are recorded.
	dues map[string]tracefmt.Time
	// cut is true once nodes were discarded because of the limit.
	cut bool
	// goal is the recorded event to explain, lent for the step; nil for any. Nodes that cannot lead to it are not kept.
	goal *tracefmt.Event
	// reason is the algorithm's error for the event, from a node with the fewest assumptions.
	reason string
	// lacking is an event that was expected before the recorded one: the first of a step that makes the event
	// later, or a start with other variables.
	lacking *output
	// fewest is the smallest number of assumed steps of a node before the event.
	fewest int32
	// input is the last recorded input.
	input   tracefmt.Event
	stepped bool
}

// indexThreshold is the number of nodes from which on find uses an index.
const indexThreshold = 16

// find returns the position of the first node with a key, from 1; 0 if none exists.
func (t *track) find(key nodeKey) int32 {
	if t.index != nil {
		return t.index[key]
	}
	for i := range t.nodes {
		if n := &t.nodes[i]; n.state == key.state && n.pending == key.pending {
			return int32(i + 1)
		}
	}
	return 0
}

// push adds a node that a step reaches from the point from. It adds none if the node cannot explain the goal,
// if an equal one exists that took no more messages, or if the limit is reached.
func (s *search) push(t *track, n node, from int32, step *tracefmt.Event) {
	if s.isDead(t, &n) {
		return
	}
	key := nodeKey{n.state, n.pending}
	first := t.find(key)
	for at := first; at != 0; at = t.nodes[at-1].nextEqual {
		existing := &t.nodes[at-1]
		// A node that took fewer messages can do all that this one can, so this one adds nothing.
		if !existing.taken.within(n.taken) {
			continue
		}
		if n.taken.within(existing.taken) && n.tally.total() < existing.tally.total() {
			existing.tally = n.tally
		}
		s.graph.addEdge(from, existing.point, step)
		return
	}
	if len(t.nodes) >= s.limit {
		t.cut = true
		return
	}
	if t.index == nil && len(t.nodes) >= indexThreshold {
		t.reindex()
	}
	n.grown, n.offered, n.nextEqual = false, 0, 0
	n.point = s.graph.addNode(t, from, step)
	t.nodes = append(t.nodes, n)
	place := int32(len(t.nodes))
	switch {
	// Nodes with an equal key form a list, which begins at the indexed one.
	case first != 0:
		t.nodes[place-1].nextEqual = t.nodes[first-1].nextEqual
		t.nodes[first-1].nextEqual = place
	case t.index != nil:
		t.index[key] = place
	}
}

// isDead reports whether a node cannot explain the goal: its next event must be recorded, and is not the
// goal.
func (s *search) isDead(t *track, n *node) bool {
	return t.goal != nil && n.pending != nil && !s.graph.covers(t) && t.goal.Kind != tracefmt.Crash &&
		!s.canBeMissing(t, n.pending) && !s.agrees(t, t.goal, n.pending)
}

// canBeMissing reports whether an event of the algorithm may be missing from the recording.
func (s *search) canBeMissing(t *track, o *output) bool {
	if !t.missing.any {
		return false
	}
	if o.event.Kind != tracefmt.State {
		return t.missing.kinds[o.event.Kind]
	}
	for _, name := range o.names {
		if !t.missing.variables[name] {
			return false
		}
	}
	return true
}

// agrees reports whether the algorithm made the event as recorded. Variables that may be missing are not
// compared.
func (s *search) agrees(t *track, e *tracefmt.Event, o *output) bool {
	x := &o.event
	if e.Kind != x.Kind || e.Peer != x.Peer || e.Type != x.Type {
		return false
	}
	switch e.Kind {
	case tracefmt.SetTimer:
		return !s.c.durations || dueOf(e)-e.Time == o.due
	case tracefmt.Timeout:
		due, known := t.dues[e.Type]
		return !known || dueOf(e) == due
	}
	if string(e.Payload) == string(x.Payload) {
		return true
	}
	// Decoding costs most of the comparison, and each output is compared with many events.
	if o.fields == nil {
		o.fields = s.c.fields(x)
	}
	if s.recorded == nil {
		s.recorded = s.c.fields(e)
	}
	if !e.Kind.AssignsVariables() {
		return reflect.DeepEqual(s.recorded, o.fields)
	}
	return s.sameVariables(t, e.Kind, s.recorded, o.fields)
}

// sameVariables reports whether the recorded variables have the expected values, and the other expected ones
// may be missing.
func (s *search) sameVariables(t *track, kind tracefmt.Kind, recorded, expected map[string]any) bool {
	unassigned := func(value any) bool { return value == nil && beginsLife(kind) }
	for name, value := range expected {
		got, ok := recorded[name]
		switch {
		case ok && !reflect.DeepEqual(got, value):
			return false
		case !ok && !unassigned(value) && !t.missing.variables[variableName([]byte(name))]:
			return false
		}
	}
	for name, value := range recorded {
		if _, ok := expected[name]; !ok && !unassigned(value) {
			return false
		}
	}
	return true
}

// grow tries unrecorded steps from each node, fewest steps first, and reports whether it added anything. New
// nodes are appended, so the inner loop reaches them; the limit on nodes ends it.
func (s *search) grow(t *track) bool {
	if !t.missing.any {
		return false
	}
	found := false
	for more := true; more && !s.budgetSpent(); {
		more = false
		// suppose and offer append to t.nodes, which may move it: pointers to nodes are taken again.
		for i := 0; i < len(t.nodes) && !s.budgetSpent(); i++ {
			if n := &t.nodes[i]; !n.grown {
				n.grown, more = true, true
				s.assumeStep(t, *n)
			}
			if n := &t.nodes[i]; n.pending == nil && n.state.Up() && t.missing.kinds[tracefmt.Receive] {
				more = s.offer(t, i) || more
			}
		}
		found = found || more
	}
	return found
}

// assumeStep adds the nodes that one unrecorded step leads to, for every kind of step that may be missing. offer
// adds those of unrecorded receipts.
func (s *search) assumeStep(t *track, n node) {
	if t.missing.kinds[tracefmt.Crash] && n.state.Up() {
		s.assumeInput(t, &n, &tracefmt.Event{Kind: tracefmt.Crash, Process: t.p})
	}
	switch {
	// Within a step, only its next event or a crash may follow.
	case n.pending != nil:
		if s.canBeMissing(t, n.pending) {
			s.assumeOutput(t, n)
		}
		return
	case !n.state.Up():
		if t.missing.kinds[tracefmt.Recover] {
			s.assumeInput(t, &n, &tracefmt.Event{Kind: tracefmt.Recover, Process: t.p})
		}
		return
	}
	if t.missing.kinds[tracefmt.Timeout] {
		for _, name := range s.c.host.Timers(n.state) {
			s.assumeInput(t, &n, &tracefmt.Event{Kind: tracefmt.Timeout, Process: t.p, Type: name})
		}
	}
	if number := s.c.host.Round(n.state); number > 0 && t.missing.kinds[tracefmt.Note] {
		s.assumeInput(t, &n, roundEvent(t.p, number))
	}
	s.assumeStart(t, &n)
}

// assumeOutput adds the node after the next event of the present step, assuming that the event happened unrecorded.
func (s *search) assumeOutput(t *track, n node) {
	o := n.pending
	n.pending = o.next
	n.tally[o.event.Kind]++
	if o.event.Kind == tracefmt.Send {
		s.noteHiddenSend(t, o)
	}
	s.push(t, n, n.point, &o.event)
}

// assumeInput adds the nodes after an input, assuming that it happened unrecorded.
func (s *search) assumeInput(t *track, n *node, e *tracefmt.Event) {
	s.setContext(t, true)
	for _, r := range s.steps.outcomes(n.state, e, false) {
		if r.err != nil {
			continue
		}
		next := *n
		next.state, next.pending = r.state, r.out
		if next.pending != nil && next.pending.event.Kind == e.Kind {
			// The step's first event is the input itself.
			next.pending = next.pending.next
		}
		next.tally[e.Kind]++
		s.push(t, next, n.point, e)
	}
}

// assumeStart adds the nodes after a start, such as that of an election, if its first event may be
// unrecorded.
func (s *search) assumeStart(t *track, n *node) {
	e := &tracefmt.Event{Kind: tracefmt.Start, Process: t.p}
	s.setContext(t, true)
	for _, r := range s.steps.outcomes(n.state, e, true) {
		if changesNothing := r.out == nil && r.state == n.state; r.err != nil || changesNothing {
			continue
		}
		// A start whose first event must be recorded did not happen.
		if r.out != nil && !s.canBeMissing(t, r.out) {
			continue
		}
		next := *n
		next.state, next.pending = r.state, r.out
		next.tally[tracefmt.Start]++
		s.push(t, next, n.point, e)
	}
}

// sort orders the nodes by their number of assumed steps, and links and indexes them anew.
func (t *track) sort() {
	if len(t.nodes) < 2 {
		return
	}
	slices.SortStableFunc(t.nodes, func(m, n node) int { return int(m.tally.total() - n.tally.total()) })
	places := make(map[nodeKey]int32, len(t.nodes))
	// From the last to the first, so that each node links to the next one of equal key.
	for i := len(t.nodes) - 1; i >= 0; i-- {
		key := nodeKey{t.nodes[i].state, t.nodes[i].pending}
		t.nodes[i].nextEqual, places[key] = places[key], int32(i+1)
	}
	t.index = nil
	if len(t.nodes) >= indexThreshold {
		t.index = places
	}
}

// reindex builds the index of the nodes.
func (t *track) reindex() {
	t.index = make(map[nodeKey]int32, 4*indexThreshold)
	for i := len(t.nodes) - 1; i >= 0; i-- {
		t.index[nodeKey{t.nodes[i].state, t.nodes[i].pending}] = int32(i + 1)
	}
}

// fewestAssumed returns the smallest number of assumed steps of any node.
func fewestAssumed(nodes []node) int32 {
	fewest := int32(math.MaxInt32)
	for i := range nodes {
		fewest = min(fewest, nodes[i].tally.total())
	}
	return fewest
}
