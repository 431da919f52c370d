package tracefmt

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Skews detects clocks that contradict each other: a message that arrives before it was sent shows a minimum
// difference between the clocks of its receiver and its sender. Messages in the opposite direction show the
// maximum difference: the shortest apparent delay. At is the place of a message. The zero value is empty.
type Skews[At any] struct {
	links map[link]*delay[At]
}

// link is a pair of sender and receiver.
type link struct{ sender, receiver ProcessID }

// delay summarizes the delays of the messages of a link, by the clocks of both ends.
type delay[At any] struct {
	smallest     Time // negative if a message arrives before it was sent
	first, worst At
	count, early int
}

// Add adds a message with its apparent delay.
func (d *Skews[At]) Add(sender, receiver ProcessID, took Time, at At) {
	l := d.links[link{sender, receiver}]
	if l == nil {
		if d.links == nil {
			d.links = make(map[link]*delay[At])
		}
		l = &delay[At]{smallest: took, worst: at}
		d.links[link{sender, receiver}] = l
	}
	if took < l.smallest {
		l.smallest, l.worst = took, at
	}
	l.count++
	if took < 0 {
		l.early++
		if l.early == 1 {
			l.first = at
		}
	}
}

// Skew is a contradiction between the clocks of two processes.
type Skew[At any] struct {
	From, To ProcessID
	// Least is the minimum by which the clock of To is behind that of From. Most is the maximum, 0 if no message shows
	// it.
	Least, Most Time
	// Count is the number of messages from From to To. Early of them arrive before they were sent.
	Early, Count int
	// First is the place of the first early message, Worst that of the message with the greatest contradiction.
	First, Worst At
}

// Bounds describes by how much the clock is behind.
func (s Skew[At]) Bounds() string {
	if s.Most > s.Least {
		return fmt.Sprintf("%v to %v", time.Duration(s.Least), time.Duration(s.Most))
	}
	return fmt.Sprintf("at least %v", time.Duration(s.Least))
}

// All returns the contradictions, the greatest first.
func (d *Skews[At]) All() []Skew[At] {
	var list []Skew[At]
	for at, l := range d.links {
		if l.smallest >= 0 {
			continue
		}
		s := Skew[At]{From: at.sender, To: at.receiver, Least: -l.smallest, Early: l.early, Count: l.count, First: l.first, Worst: l.worst}
		if back := d.links[link{at.receiver, at.sender}]; back != nil && back.smallest > 0 {
			s.Most = back.smallest
		}
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b Skew[At]) int {
		return cmp.Or(cmp.Compare(b.Least, a.Least), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	return list
}
