package diagram

import (
	"etrace/render/drawing"
	"etrace/tracefmt"
)

// linkArrow is the messages of a link that share an arrow: those of one type and,
// where several elections go round the ring, of one of these.
type linkArrow struct {
	hue, line int // 0 if they differ
	tilt      float64
	messages  []linkMessage
}

// mostArrows is the greatest number of arrows of a link. If there were more, its
// messages share them regardless of the election, or even of the type.
const mostArrows = 4

// tilt is how far, in degrees, the arrows of a link lean away from the ring: the
// first one, and each further one.
type tilt struct{ first, further float64 }

// tilt leans the arrows from one process to another apart, at most as far as
// there is room.
func (r *ring) tilt() {
	type pair struct {
		from, to tracefmt.ProcessID
		skips    bool
	}
	const step, most = 11.0, 34.0
	count := make(map[pair]int)
	for _, l := range r.links {
		count[pair{l.from, l.to, l.skips}] += len(r.arrows(l))
	}
	before := make(map[pair]int)
	for _, l := range r.links {
		p := pair{l.from, l.to, l.skips}
		further := step
		if n := count[p]; n > 1 {
			further = min(step, most/float64(n-1))
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

func (l *link) group(of func(m *linkMessage) linkArrow) []linkArrow {
	type look struct{ hue, line int }
	var arrows []linkArrow
	place := make(map[look]int)
	for i := range l.messages {
		a := of(&l.messages[i])
		k := look{a.hue, a.line}
		if _, ok := place[k]; !ok {
			place[k] = len(arrows)
			a.tilt = l.tilt.first + l.tilt.further*float64(len(arrows))
			arrows = append(arrows, a)
		}
		own := &arrows[place[k]]
		own.messages = append(own.messages, l.messages[i])
	}
	return arrows
}
