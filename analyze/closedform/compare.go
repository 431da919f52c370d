package closedform

import (
	"fmt"
	"math"
	"math/big"
)

// withinErrors is the limit, in standard errors, for the difference between a sampled mean and a formula.
const withinErrors = 3

// Compared compares a formula with a point.
type Compared struct {
	At       []int64
	Place    string
	Measured *big.Rat
	Formula  *big.Rat
	// Rounded: the value of the formula is irrational, and the value is approximate.
	Rounded bool
	Sampled bool
	// Error is the standard error of a sampled mean, and Errors the difference in standard errors.
	Error, Errors float64
	Holds         bool
	// Open: all runs of a sample have the same value, and the formula has another. Without spread the distance
	// to the mean is unknown.
	Open bool
}

// Off returns the measured value minus that of the formula.
func (c *Compared) Off() *big.Rat { return new(big.Rat).Sub(c.Measured, c.Formula) }

// Comparison compares a formula with every point.
type Comparison struct {
	Formula string
	Points  []Compared
	// Holds: the formula equals every exact value, and is within three standard errors of every sampled mean.
	Holds bool
	// Reason explains why there is no point, or why the comparison is open; it is "" otherwise.
	Reason string
}

// Refuted reports whether the formula fails at some point. A comparison can also be open.
func (c *Comparison) Refuted() bool { return len(c.Misses()) > 0 }

// Compare evaluates a formula at each point. The value of at is exact unless rounded is true. Compare fails if
// the points contradict each other, or if at fails.
func Compare(
	formula string, points []Point, o Options, at func(at []int64) (formula *big.Rat, rounded bool, err error),
) (*Comparison, error) {
	variables := o.variables()
	list, err := distinct(points, variables)
	if err != nil {
		return nil, err
	}
	c := &Comparison{Formula: formula, Holds: true}
	for i := range list {
		p := &list[i]
		formula, rounded, err := at(p.At)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", Place(variables, p.At), err)
		}
		row := Compared{
			At: p.At, Place: Place(variables, p.At), Measured: p.Value, Formula: formula, Rounded: rounded,
			Sampled: p.Sampled, Error: p.Error,
		}
		if row.judge(); row.Open {
			c.Reason = fmt.Sprintf(
				"the runs of the sample all measured the same at %s: without spread nothing shows how far the mean is from that",
				row.Place,
			)
		}
		c.Holds = c.Holds && row.Holds
		c.Points = append(c.Points, row)
	}
	return c, nil
}

// rounding is the relative error of floating point.
const rounding = 1e-12

// judge decides whether the formula holds at the point: exactly, within withinErrors standard errors of a
// sampled mean, or, for a sample without spread that differs, openly.
func (c *Compared) judge() {
	off, _ := c.Off().Float64()
	formula, _ := c.Formula.Float64()
	near := c.Rounded && math.Abs(off) <= rounding*math.Abs(formula)
	switch {
	case off == 0 || near:
		c.Holds = true
	case c.Sampled && c.Error > 0:
		c.Errors = off / c.Error
		c.Holds = math.Abs(c.Errors) <= withinErrors
	default:
		c.Open = c.Sampled
	}
}
