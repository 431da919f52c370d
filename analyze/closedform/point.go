package closedform

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// Point is a measured value at one place.
type Point struct {
	// At has the values of the variables, in order.
	At    []int64
	Value *big.Rat
	// Sampled: Value is the mean of a sample, and Error its standard error.
	Sampled bool
	Error   float64
	// Unseen is the assumed error of a sample whose runs all have the same value, so that Error is 0: the
	// sample may have missed other values. 0 means unknown.
	Unseen float64
}

// Options describe the points.
type Options struct {
	// Variables names the coordinates of the points, by default the single variable n.
	Variables []string
	// FitUpTo is the greatest size from which a fit is made, if there are greater ones, which the fit then
	// predicts; 0 means 64.
	FitUpTo int64
}

// variables returns the names of the variables, by default n.
func (o *Options) variables() []string {
	if len(o.Variables) == 0 {
		return []string{"n"}
	}
	return o.Variables
}

// fitUpTo returns the limit of fits, by default 64.
func (o *Options) fitUpTo() int64 {
	if o.FitUpTo == 0 {
		return 64
	}
	return o.FitUpTo
}

// distinct returns the points in ascending order, each place once. It fails if a place has two values.
func distinct(points []Point, variables []string) ([]Point, error) {
	list := slices.Clone(points)
	for i := range list {
		if p := &list[i]; len(p.At) != len(variables) || p.Value == nil {
			return nil, fmt.Errorf("a point with %d coordinates, expected one for each of %s, and a value",
				len(p.At), strings.Join(variables, ", "))
		}
	}
	slices.SortStableFunc(list, func(a, b Point) int { return slices.Compare(a.At, b.At) })
	var out []Point
	for i := range list {
		p := &list[i]
		if len(out) == 0 || !slices.Equal(out[len(out)-1].At, p.At) {
			out = append(out, *p)
			continue
		}
		if was := &out[len(out)-1]; was.Value.Cmp(p.Value) != 0 || was.Sampled != p.Sampled {
			return nil, &contradiction{Place: Place(variables, p.At), Values: [2]*big.Rat{was.Value, p.Value}}
		}
	}
	return out, nil
}

// contradiction is the error for two values at one place.
type contradiction struct {
	Place  string
	Values [2]*big.Rat
}

func (c *contradiction) Error() string {
	return fmt.Sprintf("%s has two values, %s and %s: something else varies, too", c.Place, c.Values[0].RatString(),
		c.Values[1].RatString())
}

// Place names a point: "n = 8, start = 3".
func Place(variables []string, at []int64) string {
	parts := make([]string, len(at))
	for i := range at {
		parts[i] = fmt.Sprintf("%s = %d", variables[i], at[i])
	}
	return strings.Join(parts, ", ")
}

// domain describes the values of the variables: "n = 3..64". It names the step of equidistant values, and only
// the ends of a long list.
func domain(variables []string, points []Point) string {
	parts := make([]string, len(variables))
	for i, name := range variables {
		var values []int64
		for j := range points {
			values = append(values, points[j].At[i])
		}
		slices.Sort(values)
		parts[i] = name + " = " + span(slices.Compact(values))
	}
	return strings.Join(parts, ", ")
}

// span describes ascending values: "3..64", "4..8..64" for a step of 4, or a list.
func span(values []int64) string {
	n := len(values)
	first, last := values[0], values[n-1]
	const few = 6
	switch {
	case n == 1:
		return fmt.Sprint(first)
	case n > 2 && equidistant(values) && values[1]-first == 1:
		return fmt.Sprintf("%d..%d", first, last)
	case n <= few:
		return strings.Trim(strings.ReplaceAll(fmt.Sprint(values), " ", ", "), "[]")
	case equidistant(values):
		return fmt.Sprintf("%d..%d..%d", first, last, values[1]-first)
	}
	return fmt.Sprintf("%d to %d (%d values)", first, last, n)
}

// equidistant reports whether the values are equidistant.
func equidistant(values []int64) bool {
	for i := 2; i < len(values); i++ {
		if values[i]-values[i-1] != values[1]-values[0] {
			return false
		}
	}
	return true
}
