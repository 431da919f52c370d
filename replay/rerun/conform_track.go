package rerun

import (
	"math"
	"reflect"
	"slices"

	"etrace/record/sim"
	"etrace/tracefmt"
)

// tally counts supposed steps by kind: under start those that begin what the algorithm is
// there for.
type tally [tracefmt.Note + 1]int32

func (t *tally) total() (n int32) {
	for _, c := range t {
		n += c
	}
	return n
}

// node is where a process may be: the state that the step has led to, and what of the
// step has not happened yet.
type node struct {
	state *sim.State
	rest  *output
	// took are the recorded sends that it has received without that being recorded.
	took  taken
	tally tally
	// grown: what it may do unrecorded has been tried, and for so many of the inbox.
	grown   bool
	offered int32
	// same is the place of another node of equal state and rest, from 1.
	same int32
	// point of the explanation.
	point int32
}

type nodeKey struct {
	state *sim.State
	rest  *output
}

// track is a process and all that it may have come to.
type track struct {
	report *ProcessConformance
	p      tracefmt.ProcessID
	nodes  []node
	spare  []node
	index  map[nodeKey]int32 // places in nodes, from 1, where there are many
	// after is the last recorded event of the process.
	after   tracefmt.Seq
	missing missing
	gaps    bool
	inbox   inbox
	// dues are those of timers that were set last, where all of that is recorded.
	dues map[string]tracefmt.Time
	// cut: not everything was tried.
	cut bool
	// goal is the event that is to be explained, lent for the step; what leads elsewhere need not be kept.
	goal *tracefmt.Event
	// reason is why the algorithm cannot take the event, where the least is supposed.
	reason string
	// lacking is what a step begins with that does the event only later, or the start that the event is but for
	// its variables.
	lacking *output
	least   int32
	// input is the last recorded one.
	input   tracefmt.Event
	stepped bool
}

// few is how many nodes are looked through without an index.
const few = 16

// find returns the place of the first node of a key, from 1; 0 for none.
func (t *track) find(key nodeKey) int32 {
	if t.index != nil {
		return t.index[key]
	}
	for i := range t.nodes {
		if n := &t.nodes[i]; n.state == key.state && n.rest == key.rest {
			return int32(i + 1)
		}
	}
	return 0
}

// push adds a node, unless there is one that is as good: in the same place, without
// having used up more messages.
func (s *search) push(t *track, n node, from int32, by *tracefmt.Event) {
	if s.isDead(t, &n) {
		return
	}
	key := nodeKey{n.state, n.rest}
	first := t.find(key)
	for at := first; at != 0; at = t.nodes[at-1].same {
		other := &t.nodes[at-1]
		if !other.took.within(n.took) {
			continue
		}
		if n.took.within(other.took) && n.tally.total() < other.tally.total() {
			other.tally = n.tally
		}
		s.graph.edge(from, other.point, by)
		return
	}
	if len(t.nodes) >= s.limit {
		t.cut = true
		return
	}
	if t.index == nil && len(t.nodes) >= few {
		t.reindex()
	}
	n.grown, n.offered, n.same = false, 0, 0
	n.point = s.graph.reach(t, from, by)
	t.nodes = append(t.nodes, n)
	place := int32(len(t.nodes))
	switch {
	case first != 0:
		t.nodes[place-1].same = t.nodes[first-1].same
		t.nodes[first-1].same = place
	case t.index != nil:
		t.index[key] = place
	}
}

// isDead reports whether a node leads to no explanation of the goal: the next thing of its
// step has to be recorded, and is something else.
func (s *search) isDead(t *track, n *node) bool {
	return t.goal != nil && n.rest != nil && !s.graph.shows(t) && t.goal.Kind != tracefmt.Crash &&
		!s.mayHide(t, n.rest) && !s.agrees(t, t.goal, n.rest)
}

// mayHide reports whether something that a process does may be missing from the recording.
func (s *search) mayHide(t *track, o *output) bool {
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

// agrees reports whether an event is recorded as the algorithm makes it, but for
// variables that may be missing.
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

// sameVariables reports whether what is recorded of the variables is as expected, and the
// rest may be missing.
func (s *search) sameVariables(t *track, kind tracefmt.Kind, recorded, expected map[string]any) bool {
	unassigned := func(value any) bool { return value == nil && beginsLife(kind) }
	for name, value := range expected {
		other, ok := recorded[name]
		switch {
		case ok && !reflect.DeepEqual(other, value):
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

// grow tries what a process may have done unrecorded, from each of its nodes, fewest
// steps first, and reports whether anything was new.
func (s *search) grow(t *track) bool {
	if !t.missing.any {
		return false
	}
	found := false
	for more := true; more && !s.spent(); {
		more = false
		for i := 0; i < len(t.nodes) && !s.spent(); i++ {
			if n := &t.nodes[i]; !n.grown {
				n.grown, more = true, true
				s.suppose(t, *n)
			}
			if n := &t.nodes[i]; n.rest == nil && n.state.Up() && t.missing.kinds[tracefmt.Receive] {
				more = s.offer(t, i) || more
			}
		}
		found = found || more
	}
	return found
}

// suppose adds what comes of one unrecorded step of a node, but for receipts.
func (s *search) suppose(t *track, n node) {
	if t.missing.kinds[tracefmt.Crash] && n.state.Up() {
		s.supposeInput(t, &n, &tracefmt.Event{Kind: tracefmt.Crash, Process: t.p})
	}
	switch {
	case n.rest != nil:
		if s.mayHide(t, n.rest) {
			s.skip(t, n)
		}
		return
	case !n.state.Up():
		if t.missing.kinds[tracefmt.Recover] {
			s.supposeInput(t, &n, &tracefmt.Event{Kind: tracefmt.Recover, Process: t.p})
		}
		return
	}
	if t.missing.kinds[tracefmt.Timeout] {
		for _, name := range s.c.host.Timers(n.state) {
			s.supposeInput(t, &n, &tracefmt.Event{Kind: tracefmt.Timeout, Process: t.p, Type: name})
		}
	}
	if number := s.c.host.Round(n.state); number > 0 && t.missing.kinds[tracefmt.Note] {
		s.supposeInput(t, &n, roundEvent(t.p, number))
	}
	s.supposeStart(t, &n)
}

// skip supposes that the next thing of a step happened unrecorded.
func (s *search) skip(t *track, n node) {
	o := n.rest
	n.rest = o.next
	n.tally[o.event.Kind]++
	if o.event.Kind == tracefmt.Send {
		s.hear(t, o)
	}
	s.push(t, n, n.point, &o.event)
}

// supposeInput supposes that something happened to the process unrecorded.
func (s *search) supposeInput(t *track, n *node, e *tracefmt.Event) {
	s.see(t, true)
	for _, r := range s.steps.take(n.state, e, false) {
		if r.err != nil {
			continue
		}
		next := *n
		next.state, next.rest = r.to, r.out
		if next.rest != nil && next.rest.event.Kind == e.Kind {
			next.rest = next.rest.next // the input itself
		}
		next.tally[e.Kind]++
		s.push(t, next, n.point, e)
	}
}

// supposeStart supposes that the process starts, where that would begin unrecorded.
func (s *search) supposeStart(t *track, n *node) {
	e := &tracefmt.Event{Kind: tracefmt.Start, Process: t.p}
	s.see(t, true)
	for _, r := range s.steps.take(n.state, e, true) {
		if r.err != nil || r.out == nil && r.to == n.state || r.out != nil && !s.mayHide(t, r.out) {
			continue
		}
		next := *n
		next.state, next.rest = r.to, r.out
		next.tally[tracefmt.Start]++
		s.push(t, next, n.point, e)
	}
}

// sort places the nodes first that suppose least.
func (t *track) sort() {
	if len(t.nodes) < 2 {
		return
	}
	slices.SortStableFunc(t.nodes, func(m, n node) int { return int(m.tally.total() - n.tally.total()) })
	places := make(map[nodeKey]int32, len(t.nodes))
	for i := len(t.nodes) - 1; i >= 0; i-- { // those of equal state and rest are found one from the other
		key := nodeKey{t.nodes[i].state, t.nodes[i].rest}
		t.nodes[i].same, places[key] = places[key], int32(i+1)
	}
	if t.index = nil; len(t.nodes) >= few {
		t.index = places
	}
}

// reindex makes the index.
func (t *track) reindex() {
	t.index = make(map[nodeKey]int32, 4*few)
	for i := len(t.nodes) - 1; i >= 0; i-- {
		t.index[nodeKey{t.nodes[i].state, t.nodes[i].rest}] = int32(i + 1)
	}
}

// leastSupposed is how many steps the node supposes that supposes least.
func leastSupposed(nodes []node) int32 {
	least := int32(math.MaxInt32)
	for i := range nodes {
		least = min(least, nodes[i].tally.total())
	}
	return least
}
