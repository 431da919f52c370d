package diagram

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"etrace/render/drawing"
	"etrace/render/story"
	"etrace/tracefmt"
)

// link has the messages from one process to another with the same fate. They share a label.
type link struct {
	from, to tracefmt.ProcessID
	fate     tracefmt.Fate
	skips    bool // the processes between are down: the message goes around them
	// unsure: it is not recorded whether they arrived; unsent: nor when they were sent.
	unsure, unsent bool
	leftOut        bool // their ends are not shown
	inferred       bool // the matches of these messages are inferred
	messages       []linkMessage
	tilt           tilt
}

// linkMessage is a message of a link, with its texts.
type linkMessage struct {
	number int
	hue    int // number of the type
	strand int
	step   int
	label  string
	long   string // the label in the table
	reason string // the reason of a loss on the way
}

// skipsOver reports whether the message of a step skips crashed processes to reach the next live one, in an algorithm
// on a ring. In other algorithms any process can be addressed directly.
func (r *ring) skipsOver(step int, from, to tracefmt.ProcessID) bool {
	n := len(r.story.Order)
	i, j := r.story.Column[from], r.story.Column[to]
	gap := (j - i + n) % n
	if !r.story.Run.States(tracefmt.OnRing) || gap < 2 || gap > n-1 {
		return false
	}
	for k := 1; k < gap; k++ {
		if life := story.LifeAt(r.spans[r.story.Order[(i+k)%n]], step); life == story.Up || life == story.Unborn {
			return false
		}
	}
	return true
}

// inner reports whether the link runs inside the circle.
func (r *ring) inner(l *link) bool { return !l.skips && !r.next(l.from, l.to) && l.from != l.to }

// next reports whether to is the process after from on the ring.
func (r *ring) next(from, to tracefmt.ProcessID) bool {
	return (r.story.Column[from]+1)%len(r.story.Order) == r.story.Column[to] && from != to
}

// drawLinks draws the arrows of all links and then places the labels. Labels outside the circle, where there is room,
// come before those inside.
func (r *ring) drawLinks() {
	r.tilt()
	curves := make([][]drawing.Point, len(r.links)) // the outermost curve of each link
	for i, l := range r.links {
		for _, a := range r.arrows(l) {
			curves[i] = r.curve(l, a.tilt)
			r.drawArrow(l, &a, curves[i])
		}
	}
	for _, inner := range [...]bool{false, true} {
		for i, l := range r.links {
			if r.inner(l) == inner {
				r.labelLink(l, curves[i])
			}
		}
	}
}

// drawArrow draws an arrow with the marks of its messages: lost, in flight, without a recorded send, inferred.
func (r *ring) drawArrow(l *link, a *linkArrow, curve []drawing.Point) {
	p := drawing.Path{
		ID: messageID(&r.story.Steps[a.messages[0].step]), Style: messageLine, Hue: a.hue, Line: a.line, From: nodeID(l.from), To: nodeID(l.to),
		Strokes: [][]drawing.Point{curve}, Tip: r.linkTip(l, a.messages),
	}
	switch l.fate {
	case tracefmt.ReceiverCrashed:
		p.Style = lostLine
		r.page.Explain(legendTooLateRing)
		r.drawCross(curve[len(curve)-1])
	case tracefmt.Lost:
		p.Style = lostLine
		p.Strokes[0] = cut(curve, lostAt)
		r.page.Explain(legendDropped)
		r.drawCross(along(curve, lostAt))
	case tracefmt.InFlight:
		p.Style = openLine
		switch {
		case l.unsure:
			r.drawUnsure(&p, curve)
		case l.leftOut:
			p.Style = borderLine
			r.page.Explain(legendBorder)
			const before, after = 0.66, 0.7
			a, b := along(curve, before), along(curve, after)
			r.page.Path(Marks, drawing.Path{Style: borderMark, Strokes: slashes(a, b)})
			r.plan.cover(box{a.X, a.Y, a.X, a.Y}.grow(unsentR))
		default:
			r.page.explainOpen()
		}
	}
	if l.unsent {
		at := along(curve, unsentAt)
		r.page.Explain(legendUnsent)
		r.page.Node(Marks, drawing.Node{Style: unsentDot, X: at.X, Y: at.Y, W: 2 * unsentR, H: 2 * unsentR})
	}
	// The marks of a message that was inferred or not recorded do not exclude one another.
	if l.inferred {
		at := along(curve, inferredAt)
		r.page.Explain(legendInferred)
		r.drawQuestion(at)
	}
	if l.skips {
		r.page.Explain(legendSkipped)
	}
	if p.Hue == 0 {
		r.page.Explain(legendMixed)
	} else {
		for i := range a.messages {
			r.page.ExplainType(a.messages[i].hue)
		}
	}
	r.page.Path(Lines, p)
	for i := 0; i < 12; i++ {
		r.plan.draw(along(curve, float64(i)/12), along(curve, float64(i+1)/12))
	}
}

// lostAt is the part of its way that a lost message is drawn.
const lostAt = 0.62

// unsentAt is the place of the circle on an arrow without a recorded send, as a part of its way.
const unsentAt = 0.03

// inferredAt is the place of the question mark on an arrow whose send is inferred. It is nearer to the end than the
// question mark of a message that may not have arrived.
const inferredAt = 0.75

// drawQuestion draws a question mark.
func (r *ring) drawQuestion(at drawing.Point) {
	r.page.Node(Marks, drawing.Node{Style: unsureMark, X: at.X, Y: at.Y, W: 2 * unsureR, H: 2 * unsureR, Text: "?"})
	r.plan.cover(box{at.X, at.Y, at.X, at.Y}.grow(unsureR))
}

// drawUnsure ends the arrow before its receiver, with a question mark.
func (r *ring) drawUnsure(p *drawing.Path, curve []drawing.Point) {
	r.page.Explain(legendUnsure)
	p.Style, p.Strokes[0] = unsureLine, cut(curve, lostAt)
	r.drawQuestion(along(curve, lostAt))
}

// drawCross draws the end of a lost message.
func (r *ring) drawCross(at drawing.Point) {
	r.page.Path(Marks, drawing.Path{Style: crossMark, Strokes: saltire(at, 5)})
	r.plan.cover(box{at.X, at.Y, at.X, at.Y}.grow(6))
}

// linkTip describes the messages of an arrow.
func (r *ring) linkTip(l *link, messages []linkMessage) string {
	return story.Clean(r.story.Name(l.from)+" to "+r.story.Name(l.to)+": "+strings.Join(r.lines(messages), "; "), maxLinkTip)
}

// lines returns the lines of a link's label: one for each type and payload or, if these are too many, one for each
// type.
func (r *ring) lines(messages []linkMessage) []string {
	lines := groupLines(messages, func(m *linkMessage) string {
		if m.reason != "" {
			return m.label + ": " + m.reason
		}
		return m.label
	})
	if len(lines) > maxLines {
		lines = groupLines(messages, func(m *linkMessage) string { return r.story.Types[m.hue-1] })
	}
	if len(lines) > maxLines {
		more := len(lines) - maxLines + 1
		lines = append(lines[:maxLines-1], fmt.Sprintf("… and %d types more", more))
	}
	return lines
}

// maxLines bounds the lines of a link's label.
const maxLines = 4

// groupLines puts the numbers of messages with the same text before the text: "1, 9 election".
func groupLines(messages []linkMessage, textOf func(*linkMessage) string) []string {
	var texts []string
	numbers := make(map[string][]int)
	for i := range messages {
		text := textOf(&messages[i])
		if numbers[text] == nil {
			texts = append(texts, text)
		}
		numbers[text] = append(numbers[text], messages[i].number)
	}
	for i, text := range texts {
		texts[i] = numberList(numbers[text]) + " " + text
	}
	return texts
}

// numberList returns "1, 9, 17", or "1, 9, … 33 (5×)" for many numbers.
func numberList(numbers []int) string {
	const limit = 4
	var b strings.Builder
	for i, n := range numbers {
		if len(numbers) > limit && i == limit-2 {
			fmt.Fprintf(&b, ", … %d (%d×)", numbers[len(numbers)-1], len(numbers))
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Itoa(n))
	}
	return b.String()
}

// labelLink places the label of a link beside its curve.
func (r *ring) labelLink(l *link, curve []drawing.Point) {
	lines := r.lines(l.messages)
	w := 0.0
	for _, line := range lines {
		w = max(w, messageLabel.TextWidth(line)+4)
	}
	h := float64(len(lines)) * labelHeight
	at, ok := r.plan.cheapest(r.labelSpots(l, curve, w, h), w, h, tooDear, segment{})
	if !ok {
		r.omitted++
		return
	}
	b := box{at.X - w/2, at.Y - h/2, at.X + w/2, at.Y + h/2}
	r.plan.cover(b.grow(1))
	for i, line := range lines {
		lw := messageLabel.TextWidth(line) + 4
		r.page.Node(Texts, drawing.Node{Style: messageLabel, X: at.X, Y: b.y0 + (float64(i)+0.5)*labelHeight, W: lw, H: labelHeight, Text: line})
	}
}

// labelSpots lists places for a label of that size: on the far side of the curve from the centre, or on the curve if
// it is inside the circle.
func (r *ring) labelSpots(l *link, curve []drawing.Point, w, h float64) []spot {
	var spots []spot
	for n, t := range [...]float64{0.5, 0.42, 0.58, 0.35, 0.65, 0.28, 0.72, 0.2, 0.8} {
		p := along(curve, t)
		angle := math.Atan2(p.Y-r.center.Y, p.X-r.center.X)
		extra := float64(n)
		if r.inner(l) {
			// On its curve a label belongs to no other.
			spots = append(spots, spot{p, extra})
			if r.next(l.to, l.from) {
				spots = append(spots, spot{polar(p, angle+math.Pi, 5+clearance(angle, w, h)), extra + 0.5})
			}
			for _, side := range [...]float64{-1, 1} {
				spots = append(spots, spot{drawing.At(p.X, p.Y+side*(h/2+3)), extra + 12}, spot{drawing.At(p.X+side*(w/2+3), p.Y), extra + 12},
					spot{drawing.At(p.X, p.Y+side*(h+6)), extra + 20})
			}
			continue
		}
		for k := range 4 {
			distance := 6 + clearance(angle, w, h) + 14*float64(k)
			spots = append(spots, spot{polar(p, angle, distance), extra + 3*float64(k)})
		}
	}
	for i := range spots {
		spots[i].X = min(max(spots[i].X, w/2+4), r.left-w/2-6)
		above := spots[i].Y-h/2 < r.top
		below := r.page.Layout.Height > 0 && spots[i].Y+h/2 > r.center.Y+r.radius+r.node+r.above
		if above || below {
			spots[i].extra += tooDear
		}
	}
	return spots
}

// clearance returns the distance from a point at which the middle of a box must be, in a direction, for the box not
// to cover the point.
func clearance(angle, w, h float64) float64 {
	c, s := math.Abs(math.Cos(angle)), math.Abs(math.Sin(angle))
	return min(w/2/max(c, 1e-9), h/2/max(s, 1e-9))
}
