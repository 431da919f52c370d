package topology

import (
	"errors"
	"fmt"
)

// complete returns the edges of the complete graph.
func complete(n int, _ []int64, _ int64) ([]Edge, error) {
	edges := make([]Edge, 0, n*(n-1)/2)
	for a := 1; a <= n; a++ {
		for b := a + 1; b <= n; b++ {
			edges = append(edges, Edge{a, b})
		}
	}
	return edges, nil
}

// line returns the edges of the path 1, 2, ..., n.
func line(n int, _ []int64, _ int64) ([]Edge, error) {
	var edges []Edge
	for a := 1; a < n; a++ {
		edges = append(edges, Edge{a, a + 1})
	}
	return edges, nil
}

// ring returns the edges of the ring 1, 2, ..., n, 1.
func ring(n int, _ []int64, _ int64) ([]Edge, error) {
	edges, _ := line(n, nil, 0)
	if n > 2 { // of two, the edge back is the edge itself
		edges = append(edges, Edge{1, n})
	}
	return edges, nil
}

// star returns the edges from vertex 1 to all others.
func star(n int, _ []int64, _ int64) ([]Edge, error) {
	var edges []Edge
	for b := 2; b <= n; b++ {
		edges = append(edges, Edge{1, b})
	}
	return edges, nil
}

// tree returns the edges of the binary tree in which i/2 is the parent of i.
func tree(n int, _ []int64, _ int64) ([]Edge, error) {
	var edges []Edge
	for b := 2; b <= n; b++ {
		edges = append(edges, Edge{b / 2, b})
	}
	return edges, nil
}

// hypercube returns the edges of the hypercube. It fails unless n is a power of two.
func hypercube(n int, _ []int64, _ int64) ([]Edge, error) {
	if n&(n-1) != 0 {
		return nil, errors.New("expected 1, 2, 4, 8, 16, ... processes")
	}
	var edges []Edge
	for a := range n {
		for bit := 1; bit < n; bit <<= 1 {
			if a&bit == 0 {
				edges = append(edges, Edge{a + 1, a | bit + 1})
			}
		}
	}
	return edges, nil
}

// grid returns the edges of a grid with rows of numbers[0] vertices, by default the square root of n rounded up.
// The last row may be shorter.
func grid(n int, numbers []int64, _ int64) ([]Edge, error) {
	width := 1
	for width*width < n {
		width++
	}
	if len(numbers) > 0 {
		if numbers[0] < 1 || numbers[0] > int64(n) {
			return nil, fmt.Errorf("rows of %d, expected 1 to %d", numbers[0], n)
		}
		width = int(numbers[0])
	}
	var edges []Edge
	for a := 1; a <= n; a++ {
		if a%width != 0 && a < n {
			edges = append(edges, Edge{a, a + 1})
		}
		if a+width <= n {
			edges = append(edges, Edge{a, a + width})
		}
	}
	return edges, nil
}

// leastRing is the length of the shortest ring without a double edge.
const leastRing = 3

// torus returns the edges of a torus, whose rows and columns are closed to rings. It fails unless all rows and
// columns have the same length of at least 3.
func torus(n int, numbers []int64, _ int64) ([]Edge, error) {
	width, err := torusWidth(n, numbers)
	if err != nil {
		return nil, err
	}
	var edges []Edge
	join := func(a, b int) { edges = append(edges, Edge{min(a, b) + 1, max(a, b) + 1}) }
	for a := range n {
		row, column := a/width, a%width
		join(a, row*width+(column+1)%width)
		join(a, (a+width)%n)
	}
	return edges, nil
}

// torusWidth returns the length of the rows. The default is the smallest length with at least as many columns as
// rows.
func torusWidth(n int, numbers []int64) (int, error) {
	if len(numbers) > 0 {
		w := numbers[0]
		if w < leastRing || int64(n)%w != 0 || int64(n)/w < leastRing {
			return 0, fmt.Errorf("rows of %d, expected full rows and columns of at least %d", w, leastRing)
		}
		return int(w), nil
	}
	for w := leastRing; w <= n/leastRing; w++ {
		if w*w >= n && n%w == 0 {
			return w, nil
		}
	}
	return 0, fmt.Errorf("expected a rectangle of at least %d by %d, such as 9 or 12 processes", leastRing, leastRing)
}
