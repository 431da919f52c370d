package closedform_test

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"etrace/analyze/closedform"
	"etrace/fixtures/size"
)

// TestRefusedFits: Maekawa's one request costs 3 messages for each of the others in a quorum, which is a row and a
// column of a grid: a staircase. Nothing that falls, becomes negative or misses a point by 5 % is its formula.
func TestRefusedFits(t *testing.T) {
	floorSqrt := integers(func(n int64) int64 { return 100 + int64(math.Sqrt(float64(n))) })
	for _, c := range []struct {
		name   string
		points []closedform.Point
		want   string
	}{
		{"a staircase", staircase(2, 16), "m: no formula is found, every shape that is tried is refused; the nearest is "},
		{"a jump", sequence(1, 16, integers(func(n int64) int64 {
			if n == 7 {
				return 200
			}
			return 100 + 10*(n%3)
		})), "no formula is found"},
		{"nearly constant", sequence(4, 40, floorSqrt), "m is about "},
	} {
		if lines := strings.Join(closedform.Find(c.points, closedform.Options{}).Lines("m"), "\n"); !strings.Contains(lines, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, lines, c.want)
		}
	}
}

// staircase is 3(rows + columns - 2) of the smallest grid with n places.
func staircase(first, last int64) []closedform.Point {
	return sequence(first, last, integers(func(n int64) int64 {
		columns := int64(math.Ceil(math.Sqrt(float64(n))))
		rows := (n + columns - 1) / columns
		return 3 * (rows + columns - 2)
	}))
}

// TestAcceptedFits: every accepted fit of rising counts is within 5 % of each of them, does not fall, and is
// not negative, up to twice the largest size. The same holds for fits that are not distinguishable from it.
func TestAcceptedFits(t *testing.T) {
	size.Check(t, 10, 20, 200, func(t *rapid.T) {
		n, value := rapid.Int64Range(1, 9).Draw(t, "first"), int64(0)
		power, scale := rapid.Float64Range(0, 2).Draw(t, "power"), rapid.Float64Range(1, 50).Draw(t, "scale")
		var points []closedform.Point
		for range rapid.IntRange(6, 12).Draw(t, "sizes") {
			value = max(value, int64(scale*math.Pow(float64(n), power))+rapid.Int64Range(0, 2).Draw(t, "more"))
			points = append(points, closedform.Point{At: []int64{n}, Value: rat(value, 1)})
			n += rapid.Int64Range(1, 6).Draw(t, "next")
		}
		found := closedform.Find(points, closedform.Options{})
		if found.Fits == nil || found.Fits.Refuted() {
			return
		}
		for i := range found.Fits.Best {
			accepted(t, &found.Fits.Best[i], points)
		}
	})
}

func accepted(t *rapid.T, f *closedform.Fit, points []closedform.Point) {
	for _, p := range points {
		value, _ := p.Value.Float64()
		if off := math.Abs(f.At(float64(p.At[0])) - value); off > 0.05*max(value, 1) {
			t.Fatalf("%s is off by %v at n = %d, where %v was measured", f.Text, off, p.At[0], value)
		}
	}
	first, last := points[0].At[0], points[len(points)-1].At[0]
	for n := first; n <= 2*last; n++ {
		at := f.At(float64(n))
		if at < -1e-9 {
			t.Fatalf("%s is %v at n = %d", f.Text, at, n)
		}
		if n > first && at < f.At(float64(n-1))-1e-9 {
			t.Fatalf("%s falls at n = %d, where the counts rise", f.Text, n)
		}
	}
}

// TestFallingCounts: what falls may have a fit that falls, as long as that is no negative count.
func TestFallingCounts(t *testing.T) {
	found := closedform.Find(sequence(1, 12, func(n int64) *big.Rat {
		return new(big.Rat).SetFloat64(1000 - 10*math.Sqrt(float64(n))*math.Log2(float64(n)))
	}), closedform.Options{})
	if found.Fits == nil || found.Fits.Refuted() ||
		!strings.Contains(found.Fits.Best[0].Text, " - ") && !strings.HasPrefix(found.Fits.Best[0].Text, "-") {
		t.Errorf("got %q, want a fit that falls", found.Lines("m"))
	}
}
