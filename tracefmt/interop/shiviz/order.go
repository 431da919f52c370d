package shiviz

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"etrace/tracefmt/interop"
)

// mostListed bounds the events of a cycle that an error names.
const mostListed = 10

// known returns how many events of a host happened at or before its own clock
// value n. Where the log has holes that is fewer than n; an entry that names
// an event which is not there still tells of those before it.
func (h *history) known(host hostID, n int64) int {
	events := h.hosts[host].events
	if n <= int64(len(events)) && h.events[events[n-1]].own == n {
		return int(n) // no hole so far
	}
	return sort.Search(len(events), func(i int) bool { return h.events[events[i]].own > n })
}

// findCandidates finds for every event the events of other hosts that its
// host did not know of before: for each host whose entry rose, the latest
// event that the entry reaches. All direct causes are among them.
func (h *history) findCandidates() {
	counts := make([]int, len(h.hosts)) // known so far to the host at hand
	var memory []eventID
	for i := range h.hosts {
		events := h.hosts[i].events
		for _, id := range events {
			e := &h.events[id]
			start := len(memory)
			for _, x := range e.clock {
				if x.host == e.host {
					continue
				}
				if n := h.known(x.host, x.value); n > counts[x.host] {
					counts[x.host] = n
					memory = append(memory, h.hosts[x.host].events[n-1])
				}
			}
			e.candidates = memory[start:len(memory):len(memory)]
		}
		for _, id := range events {
			for _, x := range h.events[id].clock {
				counts[x.host] = 0
			}
		}
	}
}

// sortByCausality fills order: the file's order, except that what an event
// depends on is drawn forward before it.
func (h *history) sortByCausality() error {
	s := sorter{history: h, state: make([]sortState, len(h.events))}
	h.order = make([]eventID, 0, len(h.events))
	for id := range h.events {
		if err := s.visit(eventID(id)); err != nil {
			return err
		}
	}
	return nil
}

// sorter is a depth-first search with its own stack, since chains of causes
// may be as long as the log.
type sorter struct {
	*history
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
	if n == 0 && e.previous != noEvent {
		return e.previous, true
	}
	if e.previous != noEvent {
		n--
	}
	if n < len(e.candidates) {
		return e.candidates[n], true
	}
	return noEvent, false
}

// cycle complains about the part of the stack from the event on.
func (s *sorter) cycle(from eventID) error {
	var names []string
	line := s.events[from].line
	for i := slices.IndexFunc(s.stack, func(v visit) bool { return v.id == from }); i < len(s.stack); i++ {
		id := s.stack[i].id
		line = min(line, s.events[id].line)
		names = append(names, s.name(id)+" ("+interop.ListLines([]int{int(s.events[id].line)}, 1)+")")
	}
	names = append(names, s.name(from))
	if len(names) > mostListed {
		names = slices.Concat(names[:mostListed/2], []string{"…"}, names[len(names)-mostListed/2:])
	}
	return s.log.in.Errorf(int(line), "a causal cycle, each event knows of the next, so one comes from the future: %s", strings.Join(names, ", "))
}

// findParents reduces the candidates to the direct causes, and computes the
// Lamport clocks. Going by descending Lamport clock, a candidate can only be
// known to one that was looked at before: mostly the first knows all others,
// so that this costs little more than reading the clocks.
func (h *history) findParents() {
	for _, id := range h.order {
		e := &h.events[id]
		slices.SortFunc(e.candidates, func(a, b eventID) int {
			x, y := &h.events[a], &h.events[b]
			return cmp.Or(cmp.Compare(y.lamport, x.lamport), cmp.Compare(x.host, y.host))
		})
		for _, c := range e.candidates {
			if !h.knownToAny(c, e.parents) {
				e.parents = append(e.parents, c)
			}
		}
		if len(e.candidates) > 0 {
			e.lamport = h.events[e.candidates[0]].lamport
		}
		if e.previous != noEvent {
			e.lamport = max(e.lamport, h.events[e.previous].lamport)
		}
		e.lamport++
	}
}

func (h *history) knownToAny(id eventID, others []eventID) bool {
	e := &h.events[id]
	return slices.ContainsFunc(others, func(other eventID) bool {
		return h.events[other].clock.at(e.host) >= e.own
	})
}
