package law

import (
	"fmt"
	"math"
	"math/big"
)

// withinErrors is how many standard errors a sampled mean may be off a formula that it keeps to.
const withinErrors = 3

// Compared is a formula beside a point.
type Compared struct {
	At       []int64
	Place    string
	Measured *big.Rat
	Says     *big.Rat
	// Rounded: what the formula says is not a fraction, and Says is near it.
	Rounded bool
	Sampled bool
	// Error is the standard error of a sampled mean, and Errors how many of them it is off.
	Error, Errors float64
	Holds         bool
	// Open: the formula says something else than all runs of a sample measured; without spread
	// nothing tells how far that is from the mean.
	Open bool
}

// Off is what was measured less what the formula says.
func (c *Compared) Off() *big.Rat { return new(big.Rat).Sub(c.Measured, c.Says) }

// Comparison is a formula beside every point.
type Comparison struct {
	Formula string
	Points  []Compared
	// Holds: the formula is exact at the points that are, and no more than three standard
	// errors off where the value is the mean of a sample.
	Holds bool
	// Reason says why there is no point, or that what some come to is open, "" if neither is so.
	Reason string
}

// Refuted reports whether the formula does not hold at some point. One that neither holds nor is
// refuted is open.
func (c *Comparison) Refuted() bool { return len(c.Misses()) > 0 }

// Compare computes a formula at each point. What the function returns is exact unless it
// says that it is rounded.
func Compare(formula string, points []Point, o Options, at func(at []int64) (says *big.Rat, rounded bool, err error)) (*Comparison, error) {
	variables := o.variables()
	list, err := distinct(points, variables)
	if err != nil {
		return nil, err
	}
	c := &Comparison{Formula: formula, Holds: true}
	for i := range list {
		p := &list[i]
		says, rounded, err := at(p.At)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", Place(variables, p.At), err)
		}
		row := Compared{At: p.At, Place: Place(variables, p.At), Measured: p.Value, Says: says, Rounded: rounded, Sampled: p.Sampled, Error: p.Error}
		if row.judge(); row.Open {
			c.Reason = fmt.Sprintf("the runs of the sample all measured the same at %s: without spread nothing shows how far the mean is from that", row.Place)
		}
		c.Holds = c.Holds && row.Holds
		c.Points = append(c.Points, row)
	}
	return c, nil
}

// rounding is how far floating point may be off, as a part of the value.
const rounding = 1e-12

func (c *Compared) judge() {
	off, _ := c.Off().Float64()
	says, _ := c.Says.Float64()
	near := c.Rounded && math.Abs(off) <= rounding*math.Abs(says)
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
