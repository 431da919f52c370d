package sweep

import (
	"slices"

	"etrace/record/scenario"
	"etrace/tracefmt/text"
)

// order is a value of the axis order: one order of the ring, or all.
type order struct {
	name, doc string
	// apply orders the ids, which are sorted; number is at least 0 and less than the count.
	apply func(s *scenario.Scenario, number int64)
	// every is true if the cell has runs in all (n-1)! orders; otherwise it has one order.
	every bool
	// drawn is true if the seed decides the order.
	drawn bool
}

// Key implements [text.Named].
func (o *order) Key() string { return o.name }

var orders = text.NewRegistry("order of the ring",
	&order{name: "increasing", doc: "1, 2, ..., n", apply: func(*scenario.Scenario, int64) {}},
	&order{name: "decreasing", doc: "n, ..., 2, 1", apply: func(s *scenario.Scenario, _ int64) {
		slices.Reverse(s.IDs)
	}},
	&order{
		name: "random", doc: "drawn by the seed, another one for each",
		apply: func(s *scenario.Scenario, _ int64) { s.Shuffle = true }, drawn: true,
	},
	&order{
		name:  "bit-reversal",
		doc:   "by the binary digits of the place, read backwards: 1, 5, 3, 7, 2, 6, 4, 8",
		apply: func(s *scenario.Scenario, _ int64) { scenario.ReverseBits(s.IDs) },
	},
	&order{
		name: "all", doc: "each of the (n-1)! orders that a ring has",
		apply: func(s *scenario.Scenario, number int64) { permute(s.IDs[1:], number) }, every: true,
	},
)

// Orders returns the names of the orders of the ring with their explanations.
func Orders() (names, docs []string) {
	for _, o := range orders.All() {
		names, docs = append(names, o.name), append(docs, o.doc)
	}
	return names, docs
}

// count returns the number of orders of n processes, 0 if there are too many.
func (o *order) count(n int) int64 {
	if !o.every {
		return 1
	}
	count := int64(1)
	for i := int64(2); i < int64(n); i++ {
		if count *= i; count > maxRuns {
			return 0
		}
	}
	return count
}

// permute applies the permutation with the given number, in lexicographic order. Number 0 is the identity.
func permute(ids []int64, number int64) {
	product := int64(1)
	for i := range ids {
		product *= int64(i + 1)
	}
	for i := range ids {
		product /= int64(len(ids) - i)
		from := i + int(number/product)
		number %= product
		id := ids[from]
		copy(ids[i+1:from+1], ids[i:from])
		ids[i] = id
	}
}
