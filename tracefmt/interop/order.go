package interop

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// sortByOwnClock gives each host its events in the order in which they
// happened, which need not be that of the file. Those without an own clock stay
// after the event that they follow in the file.
func (b *Builder) sortByOwnClock() error {
	for i := range b.hosts {
		events := b.hosts[i].events
		b.noteFileOrder(&b.hosts[i])
		slices.SortStableFunc(events, func(one, other eventID) int {
			return cmp.Compare(b.events[one].rank, b.events[other].rank)
		})
		for k, id := range events {
			if k > 0 {
				b.events[id].previous = events[k-1]
			}
			if err := b.checkOwnClock(id, &b.hosts[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *Builder) noteFileOrder(host *host) {
	var lines []int
	latest := int64(0)
	for _, id := range host.events {
		switch e := &b.events[id]; {
		case e.own == 0:
		case e.own < latest:
			lines = append(lines, int(e.line))
		default:
			latest = e.own
		}
	}
	if len(lines) > 0 {
		b.Note("%s: %s out of file order (%s), sorted by own clock",
			host.name, text.Counted(len(lines), "event", "events"), b.r.listLines(lines, len(lines)))
	}
}

// checkOwnClock compares the own entry with that of the previous event: equal
// ones leave the order open, a gap does not.
func (b *Builder) checkOwnClock(id eventID, host *host) error {
	e := &b.events[id]
	if e.own == 0 {
		return nil
	}
	before := int64(0)
	if e.previous != noEvent {
		p := &b.events[e.previous]
		if before = p.rank; before == e.own {
			return b.r.Errorf(int(max(e.line, p.line)), "the own clock %s occurs before, at %s; expected each value once "+
				"(does the file hold several executions? then a delimiter has to divide them)", b.name(id), b.r.lineText(int(min(e.line, p.line))))
		}
	}
	if e.own != before+1 {
		b.holes = append(b.holes, hole{e.host, e.previous, id, e.own - before - 1})
		b.Find(ruleOwnSequence, int(e.line), "the own clock of %q goes from %d to %d, expected %d; events are missing", host.name, before, e.own, before+1)
	}
	return nil
}

// known returns how many events of a host happened at or before its own clock
// value n. Where the log has holes that is fewer than n; an entry that names
// an event which is not there still says that those before it are known.
func (b *Builder) known(host hostID, n int64) int {
	events := b.hosts[host].events
	if n <= int64(len(events)) && b.events[events[n-1]].own == n {
		return int(n) // no hole so far
	}
	k := sort.Search(len(events), func(i int) bool { return b.events[events[i]].rank > n })
	for k > 0 && b.events[events[k-1]].own == 0 { // it came later, and the clock says nothing of it
		k--
	}
	return k
}

// findCandidates finds for every event the events of other hosts that its
// host did not know of before: for each host whose entry rose, the latest
// event that the entry reaches. All direct causes are among them.
func (b *Builder) findCandidates() {
	counts := make([]int, len(b.hosts)) // known so far to the host at hand
	var memory []eventID
	for i := range b.hosts {
		events := b.hosts[i].events
		for _, id := range events {
			e := &b.events[id]
			start := len(memory)
			for _, x := range e.clock {
				if x.host == e.host {
					continue
				}
				if n := b.known(x.host, x.value); n > counts[x.host] {
					counts[x.host] = n
					memory = append(memory, b.hosts[x.host].events[n-1])
				}
			}
			e.candidates = memory[start:len(memory):len(memory)]
		}
		for _, id := range events {
			for _, x := range b.events[id].clock {
				counts[x.host] = 0
			}
		}
	}
}

// sortByCausality fills order: the order of the file, or of time, except that
// what an event depends on is drawn forward before it.
func (b *Builder) sortByCausality() error {
	s := sorter{Builder: b, state: make([]sortState, len(b.events))}
	b.order = make([]eventID, 0, len(b.events))
	plain := make([]eventID, len(b.events))
	for i := range plain {
		plain[i] = eventID(i)
	}
	if b.ByTime {
		slices.SortStableFunc(plain, func(one, other eventID) int { return cmp.Compare(b.events[one].time, b.events[other].time) })
	} else if slices.ContainsFunc(b.events, func(e event) bool { return e.stated }) {
		// What no line says was added late, and names the line after which it happened.
		slices.SortStableFunc(plain, func(one, other eventID) int { return cmp.Compare(b.events[one].line, b.events[other].line) })
	}
	for _, id := range plain {
		if err := s.visit(id); err != nil {
			return err
		}
	}
	return nil
}

// sorter is a depth-first search with its own stack, since chains of causes
// may be as long as the log.
type sorter struct {
	*Builder
	state []sortState
	stack []visit
}

type sortState uint8

const (
	waiting sortState = iota
	begun
	placed
)

// visit is an event whose causes before next are placed.
type visit struct {
	id   eventID
	next int
}

func (s *sorter) visit(id eventID) error {
	if s.state[id] == waiting {
		s.push(id)
	}
	for len(s.stack) > 0 {
		top := &s.stack[len(s.stack)-1]
		cause, more := s.cause(top)
		switch {
		case !more:
			s.state[top.id] = placed
			s.order = append(s.order, top.id)
			s.stack = s.stack[:len(s.stack)-1]
		case s.state[cause] == waiting:
			s.push(cause)
		case s.state[cause] == begun:
			return s.cycle(cause)
		}
	}
	return nil
}

func (s *sorter) push(id eventID) {
	s.state[id] = begun
	s.stack = append(s.stack, visit{id, 0})
}

// cause returns the next event on which the visited one depends.
func (s *sorter) cause(v *visit) (eventID, bool) {
	e := &s.events[v.id]
	n := v.next
	v.next++
	for _, cause := range [...]eventID{e.previous, e.send()} {
		if cause == noEvent {
			continue
		}
		if n == 0 {
			return cause, true
		}
		n--
	}
	if n < len(e.candidates) {
		return e.candidates[n], true
	}
	if n -= len(e.candidates); n < len(e.links) {
		return e.links[n], true
	}
	return noEvent, false
}

// send returns the send of which the event is the other end, if it is known.
func (e *event) send() eventID {
	if e.kind == tracefmt.Receive || e.kind == tracefmt.Lose {
		return e.partner
	}
	return noEvent
}

// cycle complains about the part of the stack from the event on.
func (s *sorter) cycle(from eventID) error {
	var names []string
	line := s.events[from].line
	for i := slices.IndexFunc(s.stack, func(v visit) bool { return v.id == from }); i < len(s.stack); i++ {
		id := s.stack[i].id
		line = min(line, s.events[id].line)
		names = append(names, s.name(id)+" ("+s.r.lineText(int(s.events[id].line))+")")
	}
	names = append(names, s.name(from))
	if len(names) > maxListed {
		names = slices.Concat(names[:maxListed/2], []string{"…"}, names[len(names)-maxListed/2:])
	}
	return s.r.Errorf(int(line), "a causal cycle, each event knows of the next, so one comes from the future: %s", strings.Join(names, ", "))
}

// findParents reduces the candidates to the direct causes, and computes the
// Lamport clocks. Going by descending Lamport clock, a candidate can only be
// known to one that was looked at before: mostly the first knows all others,
// so that this costs little more than reading the clocks.
func (b *Builder) findParents() {
	for _, id := range b.order {
		e := &b.events[id]
		slices.SortFunc(e.candidates, func(one, other eventID) int {
			x, y := &b.events[one], &b.events[other]
			return cmp.Or(cmp.Compare(y.lamport, x.lamport), cmp.Compare(x.host, y.host))
		})
		for _, c := range e.candidates {
			if !b.knownToAny(c, e.parents) {
				e.parents = append(e.parents, c)
			}
		}
		b.addLinks(e)
		e.lamport = b.lamport(e)
	}
}

// addLinks makes direct causes of those that the entry names itself.
func (b *Builder) addLinks(e *event) {
	for _, cause := range e.links {
		if b.events[cause].host != e.host && !slices.Contains(e.parents, cause) {
			e.parents = append(e.parents, cause)
		}
	}
}

// lamport is one more than that of every event on which this one depends, and
// 0 where no process takes a step.
func (b *Builder) lamport(e *event) int64 {
	if e.host == noHost {
		return 0
	}
	most := int64(0)
	for _, id := range [...]eventID{e.previous, e.send()} {
		if id != noEvent {
			most = max(most, b.events[id].lamport)
		}
	}
	if len(e.candidates) > 0 {
		most = max(most, b.events[e.candidates[0]].lamport)
	}
	for _, id := range e.links {
		most = max(most, b.events[id].lamport)
	}
	return most + 1
}

func (b *Builder) knownToAny(id eventID, others []eventID) bool {
	e := &b.events[id]
	return slices.ContainsFunc(others, func(other eventID) bool {
		return b.events[other].clock.at(e.host) >= e.own
	})
}
