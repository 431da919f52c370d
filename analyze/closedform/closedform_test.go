package closedform_test

import (
	"math/big"
	"math/bits"
	"testing"

	"etrace/analyze/closedform"
)

func rat(num, den int64) *big.Rat { return big.NewRat(num, den) }

// sequence is f from the first n to the last.
func sequence(first, last int64, f func(n int64) *big.Rat) (points []closedform.Point) {
	for n := first; n <= last; n++ {
		points = append(points, closedform.Point{At: []int64{n}, Value: f(n)})
	}
	return points
}

func integers(f func(n int64) int64) func(int64) *big.Rat {
	return func(n int64) *big.Rat { return rat(f(n), 1) }
}

// TestKnownSequences: what is counted here has a formula in every textbook.
func TestKnownSequences(t *testing.T) {
	for _, c := range []struct {
		name            string
		points          []closedform.Point
		formula, domain string
	}{
		{"handshakes", sequence(2, 20, integers(func(n int64) int64 {
			sum := int64(0)
			for i := range n {
				sum += i
			}
			return sum
		})), "(n^2 - n)/2", "n = 2..20"},
		{"constant", sequence(3, 9, integers(func(int64) int64 { return 7 })), "7", "n = 3..9"},
		{"nothing", sequence(1, 9, integers(func(int64) int64 { return 0 })), "0", "n = 1..9"},
		{"squares of sums", sequence(0, 12, integers(func(n int64) int64 {
			sum := int64(0)
			for i := range n + 1 {
				sum += i * i * i
			}
			return sum
		})), "(n^4 + 2*n^3 + n^2)/4", "n = 0..12"},
		{"records of a random order", sequence(1, 9, func(n int64) *big.Rat {
			sum := new(big.Rat)
			for i := range n {
				sum.Add(sum, rat(1, i+1))
			}
			return sum
		}), "H(n)", "n = 1..9"},
		{"Chang and Roberts, mean", sequence(2, 8, func(n int64) *big.Rat {
			sum := new(big.Rat)
			for i := range n {
				sum.Add(sum, rat(n, i+1))
			}
			return sum
		}), "n*H(n)", "n = 2..8"},
		{"comparisons of a merge sort", sequence(1, 40, integers(func(n int64) int64 {
			k := int64(bits.Len64(uint64(n - 1))) // ceil(log2 n)
			return n*k - 1<<k + 1
		})), "n*ceil(log2(n)) - 2^ceil(log2(n)) + 1", "n = 1..40"},
		{
			"nodes of a binary tree above its leaves",
			sequence(1, 40, integers(func(n int64) int64 { return 1<<(bits.Len64(uint64(n))-1) - 1 })),
			"2^floor(log2(n)) - 1", "n = 1..40",
		},
		{"pairs", sequence(3, 30, integers(func(n int64) int64 { return n / 2 })), "(n - (n % 2))/2", "n = 3..30"},
		{
			"edges of the fullest bipartite graph",
			sequence(2, 30, integers(func(n int64) int64 { return n * n / 4 })), "(n^2 - (n % 2))/4",
			"n = 2..30",
		},
		{"mean distance to the others in a line", sequence(2, 30, func(n int64) *big.Rat {
			sum := int64(0)
			for i := range n {
				for j := range n {
					sum += max(i-j, j-i)
				}
			}
			return rat(sum, n*n)
		}), "(n^2 - 1)/(3*n)", "n = 2..30"},
		{"mean of n-1 processes, one of which needs one less", sequence(4, 12, func(n int64) *big.Rat {
			return rat((n-2)*(n-1)+n-2, n-1)
		}), "(n^2 - 2*n)/(n - 1)", "n = 4..12"},
		{"over one more than n", sequence(0, 9, func(n int64) *big.Rat { return rat(n*(n-1), 6*(n+1)) }), "(n^2 - n)/(6*(n + 1))", "n = 0..9"},
		{
			"one round of Peterson's",
			sequence(4, 70, integers(func(n int64) int64 { return 2*n*int64(bits.Len64(uint64(n))-1) + 2*n })),
			"2*n*floor(log2(n)) + 2*n", "n = 4..70",
		},
	} {
		got := closedform.Find(c.points, closedform.Options{})
		if got.Exact == nil || got.Exact.Formula.String() != c.formula || got.Exact.Domain != c.domain || len(got.Exact.Exceptions) > 0 {
			t.Errorf("%s: got %+v, want %s for %s", c.name, got.Exact, c.formula, c.domain)
		}
	}
}

// TestOverANeighbour: a quotient by n-1 needs a point more than a polynomial with as many terms, and
// none of the points may be a sample: three terms, the divisor and three to spare are seven points.
func TestOverANeighbour(t *testing.T) {
	ratio := func(n int64) *big.Rat { return rat(n*(n-2), n-1) }
	if got := closedform.Find(sequence(4, 9, ratio), closedform.Options{}); got.Exact != nil {
		t.Errorf("six points: got %s", got.Exact.Formula)
	}
	points := sequence(4, 10, ratio)
	if got := closedform.Find(points, closedform.Options{}); got.Exact == nil || got.Exact.Formula.At([]int64{5}).Cmp(rat(15, 4)) != 0 {
		t.Errorf("seven points: got %+v, want 15/4 for n = 5", got.Exact)
	}
	points[3].Sampled, points[3].Unseen = true, 1.0/9
	if got := closedform.Find(points, closedform.Options{}); got.Exact != nil {
		t.Errorf("a sample among them: got %s", got.Exact.Formula)
	}
	points = sequence(4, 20, ratio)
	points[9].Value = rat(7, 1)
	if got := closedform.Find(points, closedform.Options{}); got.Exact != nil {
		t.Errorf("a point beside it: got %s", got.Exact.Formula)
	}
	// Where n is 1 the divisor is 0.
	points = sequence(1, 12, func(n int64) *big.Rat { return rat(n*(n-2), max(n-1, 1)) })
	if got := closedform.Find(points, closedform.Options{}); got.Exact != nil &&
		len(got.Exact.Exceptions) == 0 {
		t.Errorf("n = 1: got %s", got.Exact.Formula)
	}
}
