package diagram

import (
	"math"

	"etrace/render/drawing"
)

// mostStressed is the greatest number of nodes in a graph that is laid out by its distances. This takes time in
// proportion to the square of the number.
const mostStressed = 300

// layOut places the nodes of a graph, neighbours at a distance of about 1. The nodes form a circle if two thirds of
// the pairs are neighbours, if none are, or if there are very many nodes. Otherwise the distances in the picture
// approximate those in the graph. The result is the same on every machine.
func layOut(neighbours [][]int) []drawing.Point {
	// ends counts each pair of neighbours twice.
	n, ends := len(neighbours), 0
	for _, list := range neighbours {
		ends += len(list)
	}
	if n <= 3 || ends == 0 || 3*ends > 2*n*(n-1) || n > mostStressed {
		order := make([]int, n)
		for i := range order {
			order[i] = i
		}
		return onCircle(order)
	}
	at := onCircle(depthFirst(neighbours))
	relax(at, distances(neighbours))
	return lieDown(at)
}

// onCircle places nodes on a circle in that order, clockwise from the top. Two nodes are placed side by side.
func onCircle(order []int) []drawing.Point {
	at := make([]drawing.Point, len(order))
	if len(order) == 1 {
		return at
	}
	n, from := float64(len(order)), -math.Pi/2
	if len(order) == 2 {
		from = math.Pi
	}
	radius := 0.5 / math.Sin(math.Pi/n)
	for k, i := range order {
		at[i] = polar(drawing.Point{}, from+2*math.Pi*float64(k)/n, radius)
	}
	return at
}

// depthFirst lists the nodes so that each branch of a tree is contiguous.
func depthFirst(neighbours [][]int) (order []int) {
	seen := make([]bool, len(neighbours))
	var visit func(i int)
	visit = func(i int) {
		seen[i] = true
		order = append(order, i)
		for _, j := range neighbours[i] {
			if !seen[j] {
				visit(j)
			}
		}
	}
	for i := range neighbours {
		if !seen[i] {
			visit(i)
		}
	}
	return order
}

// distances returns the lengths of the shortest paths. Nodes that are not connected have one more than the longest
// path.
func distances(neighbours [][]int) [][]float64 {
	n := len(neighbours)
	lengths, longest := make([][]float64, n), 0.0
	for i := range lengths {
		row := make([]float64, n) // 0 for nodes that were not reached
		for queue := []int{i}; len(queue) > 0; queue = queue[1:] {
			for _, j := range neighbours[queue[0]] {
				if j != i && row[j] == 0 {
					row[j] = row[queue[0]] + 1
					longest = max(longest, row[j])
					queue = append(queue, j)
				}
			}
		}
		lengths[i] = row
	}
	for i := range lengths {
		for j := range lengths[i] {
			if i != j && lengths[i][j] == 0 {
				lengths[i][j] = longest + 1
			}
		}
	}
	return lengths
}

// relax moves the nodes towards the wanted distances by majorization of the stress (Gansner, Koren and North 2004).
// In each round it moves every node to the weighted mean of the places that the other nodes want for it: at the
// wanted distance from them, in the direction in which it is. A pair has the weight 1/distance². Products are
// converted so that no machine fuses them with a sum.
func relax(at []drawing.Point, distance [][]float64) {
	const maxRounds, steps = 1000, 2e7
	for range min(maxRounds, int(steps)/(len(at)*len(at))) {
		for i := range at {
			x, y, weights := 0.0, 0.0, 0.0
			for j := range at {
				if i == j {
					continue
				}
				d := distance[i][j]
				w := 1 / float64(d*d)
				dx, dy := at[i].X-at[j].X, at[i].Y-at[j].Y
				stretch := d / max(math.Sqrt(float64(dx*dx)+float64(dy*dy)), 1e-9)
				x += float64(w * (at[j].X + float64(dx*stretch)))
				y += float64(w * (at[j].Y + float64(dy*stretch)))
				weights += w
			}
			at[i] = drawing.At(x/weights, y/weights)
		}
	}
}

// lieDown rotates the nodes so that the graph is widest from left to right: by the angle of the main axis of their
// covariance matrix.
func lieDown(at []drawing.Point) []drawing.Point {
	var x, y, xx, yy, xy float64
	for _, p := range at {
		x, y = x+p.X/float64(len(at)), y+p.Y/float64(len(at))
	}
	for _, p := range at {
		dx, dy := p.X-x, p.Y-y
		xx, yy, xy = xx+float64(dx*dx), yy+float64(dy*dy), xy+float64(dx*dy)
	}
	const even = 1.3 // a graph about as wide as high is not turned
	turn := 0.0
	if spread := math.Hypot(xx-yy, 2*xy); xx+yy+spread > even*(xx+yy-spread) {
		turn = -math.Atan2(2*xy, xx-yy) / 2
	}
	sin, cos := math.Sincos(turn)
	for i, p := range at {
		dx, dy := p.X-x, p.Y-y
		at[i] = drawing.At(float64(dx*cos)-float64(dy*sin), float64(dx*sin)+float64(dy*cos))
	}
	return at
}
