package diagram

import (
	"math"

	"etrace/render/drawing"
	"etrace/render/story"
)

// A stub of a lost message ends clear of the lifelines that it passes, in columns
// after one of them: nearer to the next one if it has passed an even number.
const (
	stubFar, stubNear = 0.7, 0.3
	stubFall          = 2.0 // as if it arrived this many rows below
	crossRoom         = 8.0 // that a cross needs from others
)

// drawDropped draws a message that is lost in transit.
func (s *sequence) drawDropped(i int, from drawing.Point) {
	s.page.Explain(legendDropped)
	from = s.passedPart(i, from, s.lostBelow(s.relays(i), from.Y))
	to := s.placeLoss(&s.story.Steps[i], from)
	if s.losses == nil {
		s.losses = make(map[int]drawing.Point)
	}
	s.losses[i] = to
	s.openArrow(i, lostLine, from, to)
	s.cross(i, to)
}

// lostBelow returns the height below which a lost message has no more hops. On a time axis that is between the bands
// before and after the time of the last hop.
func (s *sequence) lostBelow(via []story.Hop, from float64) float64 {
	if len(via) == 0 {
		return from
	}
	end := from + hopDrop*float64(len(via)+1)
	if s.schedule.unit != instant {
		return end
	}
	for i := range s.schedule.bands {
		b := &s.schedule.bands[i]
		first, last := s.rowsOf(b)
		later := 0
		for _, hop := range via {
			if int64(hop.Time) > b.key {
				later++
			}
		}
		if b.key > int64(via[len(via)-1].Time) {
			return min(end, first)
		}
		end = max(end, last+hopDrop*float64(later+1))
	}
	return end
}

// placeLoss returns the place where the arrow of a lost message ends: about half way to the receiver, away from other
// crosses.
func (s *sequence) placeLoss(st *story.Step, from drawing.Point) drawing.Point {
	dx := s.x[s.story.Column[st.Process]] - from.X
	if dx == 0 {
		dx = s.sideWithRoom(st.Process) * s.width
	}
	columns := max(int(math.Round(math.Abs(dx)/s.width)), 1) // the columns from sender to receiver
	reach := float64(columns/2) + stubNear
	if columns%2 == 1 {
		reach = float64(columns/2) + stubFar
	}
	fall := stubFall*s.pitch + s.perColumn*float64(columns-1)
	var spots []spot
	for _, steeper := range [...]float64{1, 1.4, 1.9, 0.6, 2.5, 3.2} {
		for n, shift := range [...]float64{0, -0.1, 0.1, -0.2, 0.2} {
			part := (reach + shift) / float64(columns)
			to := drawing.At(from.X+part*dx, from.Y+part*fall*steeper)
			extra := float64(n) + 8*math.Abs(steeper-1)
			if to.Y > s.bottom-crossRoom/2 {
				extra += costBox / 2
			}
			spots = append(spots, spot{to, extra})
		}
	}
	to, _ := s.plan.cheapest(spots, crossRoom, crossRoom, math.Inf(1), segment{})
	return to
}

// lossBottom returns the lowest y of the lost messages.
func (s *sequence) lossBottom() float64 {
	bottom := 0.0
	for i := range s.story.Steps {
		if st := &s.story.Steps[i]; st.OnTheWay() {
			bottom = max(bottom, s.lostBelow(s.relays(i), s.y[st.Match])+stubFall*s.pitch)
		} else if st.Unsure {
			bottom = max(bottom, s.y[i]+stubFall*s.pitch+unsureR)
		}
	}
	return bottom
}
