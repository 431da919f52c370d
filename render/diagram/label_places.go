package diagram

import (
	"math"
	"slices"

	"etrace/render/drawing"
)

// plan stores which places are taken, so that texts find room. It is a grid of cells, each with a bounded number of
// things. So a look at a place costs the same in a crowd, and all texts together cost time in proportion to their
// number.
type plan struct {
	tiles map[[2]int32]*tile
	// last is the tile that was asked for last, at that place.
	last  *tile
	at    [2]int32
	boxes []box
	lines []segment
	// columns are the x of the lifelines, evenly spaced.
	columns []float64
}

// box is a rectangle with its sides parallel to the axes.
type box struct{ x0, y0, x1, y1 float64 }

// bounds returns the extent of a node as a box.
func bounds(n *drawing.Node) box {
	return box{n.X - n.W/2, n.Y - n.H/2, n.X + n.W/2, n.Y + n.H/2}
}

// overlaps reports whether the boxes have a common point.
func (b box) overlaps(c box) bool {
	return b.x0 < c.x1 && c.x0 < b.x1 && b.y0 < c.y1 && c.y0 < b.y1
}

// grow returns the box enlarged on each side.
func (b box) grow(margin float64) box {
	return box{b.x0 - margin, b.y0 - margin, b.x1 + margin, b.y1 + margin}
}

// segment is a straight line between two points.
type segment struct{ a, b drawing.Point }

// cell lists boxes and lines by index. crowded counts the lines beyond.
type cell struct {
	boxes, lines []int32
	crowded      int32
}

const (
	cellWidth, cellHeight = 56, 28
	maxCell               = 24
)

// tile is a column of cells; empty cells are nil. A vertical line in a high picture passes thousands of cells, and is
// recorded a tile at a time.
type tile [1 << tileBits]*cell

const tileBits = 6

// newPlan returns an empty plan with these lifelines.
func newPlan(columns []float64) *plan {
	return &plan{tiles: make(map[[2]int32]*tile), columns: columns}
}

// tile returns the tile that the cell is in, nil if there is none.
func (p *plan) tile(x, y int32) *tile {
	at := [2]int32{x, y >> tileBits}
	if p.last == nil || at != p.at {
		p.last, p.at = p.tiles[at], at
	}
	return p.last
}

// cell returns the cell at a place of the grid, and creates it if necessary.
func (p *plan) cell(x, y int32) *cell {
	t := p.tile(x, y)
	if t == nil {
		t = new(tile)
		p.tiles[p.at], p.last = t, t
	}
	c := &t[y&(1<<tileBits-1)]
	if *c == nil {
		*c = new(cell)
	}
	return *c
}

// cellIn returns the cell at a place of the grid, nil if it is empty.
func (p *plan) cellIn(x, y int32) *cell {
	if t := p.tile(x, y); t != nil {
		return t[y&(1<<tileBits-1)]
	}
	return nil
}

// cellAt returns the grid place of a point.
func cellAt(x, y float64) (int32, int32) {
	return int32(math.Floor(x / cellWidth)), int32(math.Floor(y / cellHeight))
}

// cover marks the box as taken.
func (p *plan) cover(b box) {
	x0, y0 := cellAt(b.x0, b.y0)
	x1, y1 := cellAt(b.x1, b.y1)
	for x := x0; x <= x1; x++ {
		for y := y0; y <= y1; y++ {
			c := p.cell(x, y)
			c.boxes = append(c.boxes, int32(len(p.boxes)))
		}
	}
	p.boxes = append(p.boxes, b)
}

// draw records a line from a to b.
func (p *plan) draw(a, b drawing.Point) {
	if a.X > b.X {
		a, b = b, a
	}
	x0, _ := cellAt(a.X, 0)
	x1, _ := cellAt(b.X, 0)
	for x := x0; x <= x1; x++ {
		// the part of the line within this column of cells
		left, right := max(a.X, float64(x)*cellWidth), min(b.X, float64(x+1)*cellWidth)
		ya, yb := a.Y, b.Y
		if b.X > a.X {
			slope := (b.Y - a.Y) / (b.X - a.X)
			ya, yb = a.Y+slope*(left-a.X), a.Y+slope*(right-a.X)
		}
		_, y0 := cellAt(0, min(ya, yb))
		_, y1 := cellAt(0, max(ya, yb))
		for y := y0; y <= y1; y++ {
			c := p.cell(x, y)
			if len(c.lines) == maxCell {
				c.crowded++
				continue
			}
			c.lines = append(c.lines, int32(len(p.lines)))
		}
	}
	p.lines = append(p.lines, segment{a, b})
}

// The costs of a place for a text, by what the text covers. The cheapest place wins.
const (
	costBox      = 1000 // something else
	costLine     = 7    // a line
	costLifeline = 10   // a lifeline
	costCrowd    = 4    // each line beyond the first maxCell of a cell
	// tooDear is the limit for all texts but those of marks, which go anywhere but upon something else. crowded is
	// the limit for labels of messages, which colour and arrowhead can replace.
	tooDear = 60
	crowded = 34
	// valueTooDear is the limit for values of variables: they may cover either a lifeline or a line.
	valueTooDear = 18
)

// cost measures how badly a text fits into the box. A text may cover its own arrow.
func (p *plan) cost(b box, arrow segment) float64 {
	if p.covered(b) {
		return costBox
	}
	total := 0.0
	x0, y0 := cellAt(b.x0, b.y0)
	x1, y1 := cellAt(b.x1, b.y1)
	var counted [8]int32 // lines that were counted: a line is in several cells
	n := 0
	for x := x0; x <= x1; x++ {
		for y := y0; y <= y1; y++ {
			c := p.cellIn(x, y)
			if c == nil {
				continue
			}
			total += costCrowd * float64(c.crowded)
			for _, i := range c.lines {
				if total > tooDear {
					return total
				}
				if s := p.lines[i]; s == arrow || !s.crosses(b) || contains(counted[:n], i) {
					continue
				}
				if n < len(counted) {
					counted[n] = i
					n++
				}
				total += costLine
			}
		}
	}
	return total + costLifeline*float64(p.lifelines(b))
}

// covered reports whether something is in the box.
func (p *plan) covered(b box) bool {
	x0, y0 := cellAt(b.x0, b.y0)
	x1, y1 := cellAt(b.x1, b.y1)
	for x := x0; x <= x1; x++ {
		for y := y0; y <= y1; y++ {
			if c := p.cellIn(x, y); c != nil && slices.ContainsFunc(c.boxes, func(i int32) bool { return p.boxes[i].overlaps(b) }) {
				return true
			}
		}
	}
	return false
}

// contains reports whether a short list has a number.
func contains(list []int32, v int32) bool {
	for _, w := range list {
		if w == v {
			return true
		}
	}
	return false
}

// lifelines counts the lifelines that the box covers.
func (p *plan) lifelines(b box) int {
	if len(p.columns) == 0 {
		return 0
	}
	if len(p.columns) == 1 {
		if b.x0 < p.columns[0] && p.columns[0] < b.x1 {
			return 1
		}
		return 0
	}
	gap := p.columns[1] - p.columns[0]
	first := math.Ceil((b.x0 - p.columns[0]) / gap)
	last := math.Floor((b.x1 - p.columns[0]) / gap)
	first, last = max(first, 0), min(last, float64(len(p.columns)-1))
	return max(0, int(last-first)+1)
}

// crosses reports whether the line goes through the box. It clips the line by the two pairs of sides (Liang and
// Barsky 1984).
func (s segment) crosses(b box) bool {
	t0, t1 := 0.0, 1.0
	clip := func(d, lo, hi float64) bool { // from lo to hi is the part of the box, d the extent of the line
		if d == 0 {
			return lo <= 0 && hi >= 0
		}
		u, v := lo/d, hi/d
		if u > v {
			u, v = v, u
		}
		t0, t1 = max(t0, u), min(t1, v)
		return t0 <= t1
	}
	return clip(s.b.X-s.a.X, b.x0-s.a.X, b.x1-s.a.X) && clip(s.b.Y-s.a.Y, b.y0-s.a.Y, b.y1-s.a.Y)
}

// spot is a place for a text; extra is its cost beside what it covers.
type spot struct {
	drawing.Point
	extra float64
}

// cheapest returns the cheapest of the spots for a text of that size, and false if every spot costs the limit or more.
func (p *plan) cheapest(spots []spot, w, h, limit float64, arrow segment) (drawing.Point, bool) {
	best, at := math.Inf(1), drawing.Point{}
	for _, s := range spots {
		if s.extra >= best {
			continue
		}
		b := box{s.X - w/2, s.Y - h/2, s.X + w/2, s.Y + h/2}
		if c := s.extra + p.cost(b, arrow); c < best {
			best, at = c, s.Point
		}
	}
	return at, best < limit
}
