package diagram

import (
	"math"

	"etrace/render/drawing"
)

// curve returns the course of an arrow. It is outside the circle to the next process, and inside to the one before.
// It goes around crashed processes that it skips, and across the circle to all others. The tilt, in degrees, keeps
// the arrows of one pair of processes apart.
func (r *ring) curve(l *link, tilt float64) []drawing.Point {
	switch {
	case l.from == l.to:
		return r.selfCurve(l, tilt)
	case l.skips:
		return r.aroundCurve(l, tilt)
	case r.next(l.from, l.to):
		return r.sideCurve(l, 52, tilt)
	case r.next(l.to, l.from):
		return r.sideCurve(l, 128, tilt)
	}
	return r.acrossCurve(l, tilt)
}

// Nodes with a radius below smallNode have arrows that begin with a reach of smallReach.
const (
	smallNode  = 14.0
	smallReach = 14.0
)

const degree = math.Pi / 180

// sideCurve returns a curve that leaves the node at an angle from its outward direction, on the side of the goal, and
// arrives at the same angle.
func (r *ring) sideCurve(l *link, degrees, tilt float64) []drawing.Point {
	turn := (degrees + tilt) * degree
	a, b := r.angle(l.from)+turn, r.angle(l.to)-turn
	if degrees > 90 { // to the process before: the other way round
		a, b = r.angle(l.from)-turn, r.angle(l.to)+turn
	}
	from, to := polar(r.at(l.from), a, r.node+1), polar(r.at(l.to), b, r.node+2)
	reach := min(0.36*math.Hypot(to.X-from.X, to.Y-from.Y), 52) - tilt*0.8
	if r.node < smallNode { // arrows are longer than the nodes are apart
		reach = smallReach - tilt*0.5
	}
	return []drawing.Point{from, polar(from, a, reach), polar(to, b, reach), to}
}

// aroundCurve returns a curve outside the nodes between.
func (r *ring) aroundCurve(l *link, tilt float64) []drawing.Point {
	n := len(r.story.Order)
	step := 2 * math.Pi / float64(n)
	a := r.angle(l.from)
	b := a + step*float64((r.story.Column[l.to]-r.story.Column[l.from]+n)%n)
	from, to := polar(r.at(l.from), a+40*degree, r.node+1), polar(r.at(l.to), b-40*degree, r.node+2)
	inner := math.Hypot(from.X-r.center.X, from.Y-r.center.Y)
	outer := r.radius + r.node + 20 - tilt/2
	lead := math.Atan2(r.node*math.Sin(40*degree), inner) // the angle of from beyond the node, as seen from the centre
	points := []drawing.Point{from}
	for k := 1; k < aroundPieces; k++ {
		f := float64(k) / aroundPieces
		rise := math.Pow(math.Sin(math.Pi*f), 0.7) // 0 at both ends, 1 in the middle
		points = append(points, polar(r.center, a+lead+(b-a-2*lead)*f, inner+(outer-inner)*rise))
	}
	return smooth(append(points, to))
}

// aroundPieces is the number of pieces of a curve around other processes.
const aroundPieces = 8

// acrossCurve returns a chord that bends a little to its right, so that the two directions differ. It bends towards
// the centre if it would touch the nodes between.
func (r *ring) acrossCurve(l *link, tilt float64) []drawing.Point {
	a, b := r.at(l.from), r.at(l.to)
	length := math.Hypot(b.X-a.X, b.Y-a.Y)
	angle := math.Atan2(b.Y-a.Y, b.X-a.X)
	bend := (8-tilt/3)*degree - r.inward(l, length)
	from, to := polar(a, angle+bend, r.node+1), polar(b, angle+math.Pi-bend, r.node+2)
	return []drawing.Point{from, polar(from, angle+bend, length*chordReach), polar(to, angle+math.Pi-bend, length*chordReach), to}
}

// chordReach is the distance of a chord's control points from its ends, as a part of its length.
const chordReach = 0.3

// inward returns the angle, negative to the left, by which a chord must leave its node to avoid the nodes that it
// passes.
func (r *ring) inward(l *link, length float64) float64 {
	n := len(r.story.Order)
	gap := (r.story.Column[l.to] - r.story.Column[l.from] + n) % n
	span := min(gap, n-gap)
	between := r.radius * (math.Cos(math.Pi*float64(span-2)/float64(n)) - math.Cos(math.Pi*float64(span)/float64(n)))
	// between is the distance of the chord from the nodes that it passes: the chord is at the distance
	// r*cos(pi*span/n) from the centre, and the chord between its inner neighbours at r*cos(pi*(span-2)/n).
	missing := r.node + 18 - between
	if missing <= 0 {
		return 0
	}
	turn := math.Asin(min(missing/(0.75*chordReach*length), 0.8))
	if 2*gap <= n { // clockwise: the centre lies at the right
		return -turn
	}
	return turn
}

// selfCurve returns the curve of a message of a process to itself.
func (r *ring) selfCurve(l *link, tilt float64) []drawing.Point {
	at, angle := r.at(l.from), r.angle(l.from)
	from, to := polar(at, angle-28*degree, r.node+1), polar(at, angle+28*degree, r.node+2)
	return []drawing.Point{from, polar(from, angle-34*degree, 44-tilt), polar(to, angle+34*degree, 44-tilt), to}
}

// smooth returns a curve through all the points (Catmull-Rom).
func smooth(points []drawing.Point) []drawing.Point {
	n := len(points)
	curve := []drawing.Point{points[0]}
	for i := 0; i+1 < n; i++ {
		before, a, b, after := points[max(i-1, 0)], points[i], points[i+1], points[min(i+2, n-1)]
		curve = append(curve,
			drawing.At(a.X+(b.X-before.X)/6, a.Y+(b.Y-before.Y)/6),
			drawing.At(b.X-(after.X-a.X)/6, b.Y-(after.Y-a.Y)/6), b)
	}
	return curve
}

// along returns the point of a curve at t, from 0 to 1. A curve is a chain of cubic Bézier curves, which share their
// ends.
func along(curve []drawing.Point, t float64) drawing.Point {
	pieces := (len(curve) - 1) / 3
	i := min(int(t*float64(pieces)), pieces-1)
	t = t*float64(pieces) - float64(i)
	p := curve[3*i : 3*i+4]
	u := 1 - t
	w := [4]float64{u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t}
	return drawing.At(
		w[0]*p[0].X+w[1]*p[1].X+w[2]*p[2].X+w[3]*p[3].X,
		w[0]*p[0].Y+w[1]*p[1].Y+w[2]*p[2].Y+w[3]*p[3].Y,
	)
}

// cut returns the part of a curve up to t.
func cut(curve []drawing.Point, t float64) []drawing.Point {
	pieces := (len(curve) - 1) / 3
	i := min(int(t*float64(pieces)), pieces-1)
	t = t*float64(pieces) - float64(i)
	mix := func(a, b drawing.Point) drawing.Point { return drawing.At(a.X+t*(b.X-a.X), a.Y+t*(b.Y-a.Y)) }
	p := curve[3*i : 3*i+4]
	ab, bc, cd := mix(p[0], p[1]), mix(p[1], p[2]), mix(p[2], p[3])
	abc, bcd := mix(ab, bc), mix(bc, cd)
	return append(append([]drawing.Point(nil), curve[:3*i+1]...), ab, abc, mix(abc, bcd))
}
