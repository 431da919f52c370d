package tracefmt

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Skews finds clocks that contradict each other: a message that arrives before it was sent
// shows by how much at least the clock of its receiver is behind that of its sender. Messages
// the other way show how much it is at most: the shortest delay that these seem to have.
// At is where a message is. The zero value is empty.
type Skews[At any] struct {
	links map[link]*delay[At]
}

// link is from which process messages go to which.
type link struct{ from, to ProcessID }

// delay is of the messages of a link, by the clocks of both its ends.
type delay[At any] struct {
	least        Time // negative if a message arrives before it was sent
	first, worst At
	count, early int
}

// Add takes in a message that took so long from one process to another.
func (d *Skews[At]) Add(from, to ProcessID, took Time, at At) {
	l := d.links[link{from, to}]
	if l == nil {
		if d.links == nil {
			d.links = make(map[link]*delay[At])
		}
		l = &delay[At]{least: took, worst: at}
		d.links[link{from, to}] = l
	}
	if took < l.least {
		l.least, l.worst = took, at
	}
	l.count++
	if took < 0 {
		if l.early++; l.early == 1 {
			l.first = at
		}
	}
}

// Skew is a contradiction between the clocks of two processes.
type Skew[At any] struct {
	From, To ProcessID
	// Least is by how much the clock of To is behind that of From at least, Most at most;
	// that is 0 where no messages show it.
	Least, Most Time
	// Early messages of Count arrive before they were sent, first that at First, and by most
	// that at Worst.
	Early, Count int
	First, Worst At
}

// Bounds says in words by how much the clock is behind.
func (s Skew[At]) Bounds() string {
	if s.Most > s.Least {
		return fmt.Sprintf("%v to %v", time.Duration(s.Least), time.Duration(s.Most))
	}
	return fmt.Sprintf("at least %v", time.Duration(s.Least))
}

// All returns the contradictions, the greatest first.
func (d *Skews[At]) All() []Skew[At] {
	var all []Skew[At]
	for at, l := range d.links {
		if l.least >= 0 {
			continue
		}
		s := Skew[At]{From: at.from, To: at.to, Least: -l.least, Early: l.early, Count: l.count, First: l.first, Worst: l.worst}
		if back := d.links[link{at.to, at.from}]; back != nil && back.least > 0 {
			s.Most = back.least
		}
		all = append(all, s)
	}
	slices.SortFunc(all, func(one, other Skew[At]) int {
		return cmp.Or(cmp.Compare(other.Least, one.Least), cmp.Compare(one.From, other.From), cmp.Compare(one.To, other.To))
	})
	return all
}
