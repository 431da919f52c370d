package format

import (
	"image"
	"image/color"
	"image/draw"
	"math"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"

	"etrace/render/drawing"
)

// pen fills polygons with antialiased edges.
type pen struct{ raster vector.Rasterizer }

// Tiles of a bitmap are filled one by one: the box of a slanted line has many more pixels than the line.
const (
	tileWidth  = 64
	tileHeight = 16
)

// fill fills polygons, each counted once where they overlap.
func (b *bitmap) fill(ink color.NRGBA, polygons ...[]drawing.Point) {
	box := bounds(polygons, b.scale).Intersect(b.image.Bounds())
	if ink.A == 0 || box.Empty() {
		return
	}
	source := image.NewUniform(ink)
	if box.Dx() <= 2*tileWidth && box.Dy() <= 2*tileHeight {
		b.fillTile(source, box, polygons)
		return
	}
	tiles := make(map[image.Point][][]drawing.Point)
	for _, polygon := range polygons {
		for _, at := range tilesOf(polygon, b.scale, box) {
			tiles[at] = append(tiles[at], polygon)
		}
	}
	for at, touching := range tiles { // tiles do not overlap, so their order does not matter
		tile := image.Rect(at.X*tileWidth, at.Y*tileHeight, (at.X+1)*tileWidth, (at.Y+1)*tileHeight)
		b.fillTile(source, tile.Intersect(box), touching)
	}
}

// tilesOf returns the tiles of a box that a polygon may touch, by column and row.
func tilesOf(polygon []drawing.Point, scale float64, box image.Rectangle) (tiles []image.Point) {
	extent := bounds([][]drawing.Point{polygon}, scale).Intersect(box)
	for row := extent.Min.Y / tileHeight; row*tileHeight < extent.Max.Y; row++ {
		// A pixel more on either side, since edges are antialiased.
		top, bottom := float64(row*tileHeight-1)/scale, float64((row+1)*tileHeight+1)/scale
		low, high := math.Inf(1), math.Inf(-1)
		for i, p := range polygon {
			left, right, ok := extentBetween(p, polygon[(i+1)%len(polygon)], top, bottom)
			if ok {
				low, high = min(low, left), max(high, right)
			}
		}
		if low > high {
			continue
		}
		first, last := max(int(low*scale)-1, extent.Min.X), min(int(high*scale)+1, extent.Max.X-1)
		for column := first / tileWidth; column*tileWidth <= last; column++ {
			tiles = append(tiles, image.Pt(column, row))
		}
	}
	return tiles
}

// extentBetween returns the horizontal extent of the part of a line between two heights; ok is false if no part is
// between them.
func extentBetween(a, b drawing.Point, top, bottom float64) (left, right float64, ok bool) {
	if a.Y > b.Y {
		a, b = b, a
	}
	if b.Y < top || a.Y > bottom {
		return 0, 0, false
	}
	at := func(y float64) float64 {
		if b.Y == a.Y {
			return a.X
		}
		return a.X + (b.X-a.X)*(y-a.Y)/(b.Y-a.Y)
	}
	start, end := a.X, b.X
	if a.Y < top {
		start = at(top)
	}
	if b.Y > bottom {
		end = at(bottom)
	}
	return min(start, end), max(start, end), true
}

// fillTile fills the part of polygons that is in a box.
func (b *bitmap) fillTile(ink image.Image, box image.Rectangle, polygons [][]drawing.Point) {
	r := &b.pen.raster
	r.Reset(box.Dx(), box.Dy())
	at := func(p drawing.Point) (x, y float32) {
		return float32(p.X*b.scale - float64(box.Min.X)), float32(p.Y*b.scale - float64(box.Min.Y))
	}
	for _, polygon := range polygons {
		if len(polygon) < 3 {
			continue
		}
		turned := twiceArea(polygon) < 0 // all must turn the same way, otherwise they would cancel out
		for i := range polygon {
			j := i
			if turned {
				j = len(polygon) - 1 - i
			}
			if x, y := at(polygon[j]); i == 0 {
				r.MoveTo(x, y)
			} else {
				r.LineTo(x, y)
			}
		}
		r.ClosePath()
	}
	r.DrawOp = draw.Over
	r.Draw(b.image, box, ink, image.Point{})
}

// bounds returns the pixels that the polygons touch.
func bounds(polygons [][]drawing.Point, scale float64) image.Rectangle {
	low, high := drawing.At(math.Inf(1), math.Inf(1)), drawing.At(math.Inf(-1), math.Inf(-1))
	for _, polygon := range polygons {
		for _, p := range polygon {
			low = drawing.At(min(low.X, p.X), min(low.Y, p.Y))
			high = drawing.At(max(high.X, p.X), max(high.Y, p.Y))
		}
	}
	if low.X > high.X {
		return image.Rectangle{}
	}
	const far = 1 << 24 // beyond any picture
	pixel := func(v float64) int { return int(max(min(v*scale, far), -far)) }
	return image.Rect(pixel(low.X)-1, pixel(low.Y)-1, pixel(high.X)+2, pixel(high.Y)+2)
}

// twiceArea returns twice the area of a polygon: positive if it turns one way, negative if it turns the other way.
func twiceArea(polygon []drawing.Point) float64 {
	sum := 0.0
	for i, p := range polygon {
		q := polygon[(i+1)%len(polygon)]
		sum += p.X*q.Y - q.X*p.Y
	}
	return sum
}

// stroke draws lines with the width and the dashes of the style.
func (b *bitmap) stroke(s *drawing.Style, lines [][]drawing.Point) {
	var pieces [][]drawing.Point
	for _, line := range lines {
		for _, dash := range dashesOf(line, patterns[s.Dash]) {
			pieces = appendStroke(pieces, dash, s.Width/2)
		}
	}
	b.fill(colorOf(s.Stroke), pieces...)
}

// patterns are the lengths of dashes and gaps, as in Graphviz.
var patterns = [...][]float64{drawing.Solid: nil, drawing.Dashed: {5, 2}, drawing.Dotted: {1, 5}, drawing.Invisible: nil}

// appendStroke adds the polygons that a line covers: a quadrangle for each piece, and a disc at each corner.
func appendStroke(pieces [][]drawing.Point, line []drawing.Point, half float64) [][]drawing.Point {
	for i := 1; i < len(line); i++ {
		a, b := line[i-1], line[i]
		length := math.Hypot(b.X-a.X, b.Y-a.Y)
		if length == 0 {
			continue
		}
		nx, ny := (b.Y-a.Y)/length*half, (a.X-b.X)/length*half // at a right angle to the line
		pieces = append(pieces, []drawing.Point{
			{X: a.X + nx, Y: a.Y + ny},
			{X: b.X + nx, Y: b.Y + ny},
			{X: b.X - nx, Y: b.Y - ny},
			{X: a.X - nx, Y: a.Y - ny},
		})
		if i+1 < len(line) && half > 0.3 {
			pieces = append(pieces, ellipse(b.X, b.Y, 2*half, 2*half, 8))
		}
	}
	return pieces
}

// dashesOf cuts a line into dashes. The pattern has the lengths of a dash and of the gap after it; nil is a solid line.
func dashesOf(line []drawing.Point, pattern []float64) [][]drawing.Point {
	if pattern == nil {
		return [][]drawing.Point{line}
	}
	var dashes [][]drawing.Point
	// Even steps are dashes, odd ones are gaps. left is the length of the step that remains.
	step, left := 0, pattern[0]
	dash := line[:min(1, len(line)):min(1, len(line))] // without capacity, so that append copies
	for i := 1; i < len(line); i++ {
		a, b := line[i-1], line[i]
		length := math.Hypot(b.X-a.X, b.Y-a.Y)
		for at := 0.0; at < length; {
			at += left
			if at >= length {
				left = at - length
				break
			}
			p := drawing.At(a.X+(b.X-a.X)*at/length, a.Y+(b.Y-a.Y)*at/length)
			if step%2 == 0 {
				dashes = append(dashes, append(dash, p))
			}
			dash = []drawing.Point{p}
			step++
			left = pattern[step%len(pattern)]
		}
		if step%2 == 0 {
			dash = append(dash, b)
		}
	}
	if step%2 == 0 && len(dash) > 1 {
		dashes = append(dashes, dash)
	}
	return dashes
}

// flatten converts Bézier curves to a polyline.
func flatten(stroke []drawing.Point) []drawing.Point {
	if len(stroke) == 0 {
		return nil
	}
	line := []drawing.Point{stroke[0]}
	for i := 0; i+3 < len(stroke); i += 3 {
		a, b, c, d := stroke[i], stroke[i+1], stroke[i+2], stroke[i+3]
		if a == b && c == d {
			line = append(line, d)
			continue
		}
		steps := 4 + int(min(math.Hypot(d.X-a.X, d.Y-a.Y)/6, 60))
		for k := 1; k <= steps; k++ {
			t := float64(k) / float64(steps) // the parameter of the curve, up to 1
			u := 1 - t
			line = append(line, drawing.At(
				u*u*u*a.X+3*u*u*t*b.X+3*u*t*t*c.X+t*t*t*d.X,
				u*u*u*a.Y+3*u*u*t*b.Y+3*u*t*t*c.Y+t*t*t*d.Y))
		}
	}
	return line
}

// closedPolygon returns the polygon with its first two points repeated at the end, so that the first corner is
// joined, too.
func closedPolygon(polygon []drawing.Point) []drawing.Point {
	return append(append([]drawing.Point(nil), polygon...), polygon[0], polygon[1])
}

// fillGlyph fills the inside of the contours of a character.
func (b *bitmap) fillGlyph(segments sfnt.Segments, at drawing.Point, ink color.NRGBA) {
	x, y := at.X*b.scale, at.Y*b.scale
	extent := segments.Bounds()
	box := image.Rect(int(math.Floor(x))+extent.Min.X.Floor()-1, int(math.Floor(y))+extent.Min.Y.Floor()-1,
		int(math.Ceil(x))+extent.Max.X.Ceil()+1, int(math.Ceil(y))+extent.Max.Y.Ceil()+1)
	if !box.Overlaps(b.image.Bounds()) || ink.A == 0 {
		return
	}
	r := &b.pen.raster
	r.Reset(box.Dx(), box.Dy())
	place := func(p fixed.Point26_6) (float32, float32) {
		return float32(x + float64(p.X)/64 - float64(box.Min.X)), float32(y + float64(p.Y)/64 - float64(box.Min.Y))
	}
	for _, s := range segments {
		ax, ay := place(s.Args[0])
		bx, by := place(s.Args[1])
		dx, dy := place(s.Args[2])
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			r.ClosePath()
			r.MoveTo(ax, ay)
		case sfnt.SegmentOpLineTo:
			r.LineTo(ax, ay)
		case sfnt.SegmentOpQuadTo:
			r.QuadTo(ax, ay, bx, by)
		case sfnt.SegmentOpCubeTo:
			r.CubeTo(ax, ay, bx, by, dx, dy)
		}
	}
	r.ClosePath()
	source := image.NewUniform(ink)
	r.DrawOp = draw.Over
	if box.In(b.image.Bounds()) {
		r.Draw(b.image, box, source, image.Point{})
		return
	}
	// The rasterizer does not clip: it would write what is beyond an edge into the next row.
	mask := image.NewAlpha(image.Rect(0, 0, box.Dx(), box.Dy()))
	r.Draw(mask, mask.Rect, image.Opaque, image.Point{})
	draw.DrawMask(b.image, box, source, image.Point{}, mask, image.Point{}, draw.Over)
}
