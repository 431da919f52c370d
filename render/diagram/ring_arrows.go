package diagram

import (
	"etrace/render/drawing"
	"etrace/tracefmt"
)

// linkArrow has the messages of a link that share an arrow: those of one type and, if several elections go round the
// ring, of one election.
type linkArrow struct {
	hue, line int // 0 if they differ
	tilt      float64
	messages  []linkMessage
}

// mostArrows bounds the arrows of a link. If there were more, messages share an arrow regardless of their election,
// or even of their type.
const mostArrows = 4

// tilt is the angle, in degrees, by which the arrows of a link lean away from the ring: of the first arrow, and the
// addition for each further one.
type tilt struct{ first, further float64 }

// tilt sets the tilts of the links, so that arrows between two processes are apart, as far as there is room.
func (r *ring) tilt() {
	type pair struct {
		from, to tracefmt.ProcessID
		skips    bool
	}
	const step, maxOffset = 11.0, 34.0
	count := make(map[pair]int)
	for _, l := range r.links {
		count[pair{l.from, l.to, l.skips}] += len(r.arrows(l))
	}
	before := make(map[pair]int)
	for _, l := range r.links {
		p := pair{l.from, l.to, l.skips}
		further := step
		if n := count[p]; n > 1 {
			further = min(step, maxOffset/float64(n-1))
		}
		l.tilt = tilt{-float64(before[p]) * further, -further}
		before[p] += len(r.arrows(l))
	}
}

// arrows returns the arrows of a link, in the order of their first messages.
func (r *ring) arrows(l *link) []linkArrow {
	for _, same := range []func(m *linkMessage) linkArrow{
		func(m *linkMessage) linkArrow {
			return linkArrow{hue: drawing.HueOf(m.hue), line: r.page.lineOf(m.strand)}
		},
		func(m *linkMessage) linkArrow { return linkArrow{hue: drawing.HueOf(m.hue)} },
	} {
		if arrows := l.group(same); len(arrows) <= mostArrows {
			return arrows
		}
	}
	return l.group(func(*linkMessage) linkArrow { return linkArrow{} })
}

// group groups the messages of a link by the look that arrowOf gives them.
func (l *link) group(arrowOf func(m *linkMessage) linkArrow) []linkArrow {
	type look struct{ hue, line int }
	var arrows []linkArrow
	place := make(map[look]int)
	for i := range l.messages {
		a := arrowOf(&l.messages[i])
		k := look{a.hue, a.line}
		if _, ok := place[k]; !ok {
			place[k] = len(arrows)
			a.tilt = l.tilt.first + l.tilt.further*float64(len(arrows))
			arrows = append(arrows, a)
		}
		arrow := &arrows[place[k]]
		arrow.messages = append(arrow.messages, l.messages[i])
	}
	return arrows
}
