package closedform

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// Result is the result of [Find]: an exact formula for the points, or fitted ones, or the reason for neither.
type Result struct {
	Variables []string
	// Domain describes the measured points.
	Domain string
	Points int
	// Exact is the exact formula, perhaps with exceptions; nil for none. It is found from the points that are no
	// means of samples.
	Exact *Exact
	// Diagonal is a formula of its own for the points with equal variables, such as a start at the highest of n
	// processes. Exact then holds at the other points. It is nil for none.
	Diagonal *Exact
	// OfSample is true if some points of the exact formula are samples whose runs all have the same value.
	OfSample bool
	// Sampled compares the exact formula with the means of samples, if there are both.
	Sampled *Comparison
	// Fits are the least squares fits; nil if there is an exact formula.
	Fits *Fits
	// Reason explains why no formula was found.
	Reason string
}

// fewestPoints is the minimum number of points of an exact formula.
const fewestPoints = 1 + spare

// Find searches for the formula of the points: an exact one, else fitted ones.
func Find(points []Point, o Options) *Result {
	variables := o.variables()
	r := &Result{Variables: variables}
	list, err := distinct(points, variables)
	if err != nil {
		r.Reason = err.Error()
		return r
	}
	r.Points = len(list)
	if len(list) > 0 {
		r.Domain = domain(variables, list)
	}
	if len(list) < fewestPoints {
		r.Reason = tooFew(len(list), "any kind", fewestPoints)
		return r
	}
	exact, samples := split(list)
	r.OfSample = len(samples) > 0 && withoutSpread(samples)
	if r.OfSample {
		exact, samples = list, nil
	}
	r.Exact = findExact(exact, variables)
	if r.Exact != nil && !r.Exact.Formula.has(samples) {
		r.Exact = nil
	}
	if r.Exact != nil && len(r.Exact.Exceptions) == 0 {
		r.compareSamples(samples, o)
		return r
	}
	if !r.findBeside(exact, variables) {
		r.fit(list, variables, o)
	}
	return r
}

// findBeside searches for two formulas: one for the points with equal variables, one for all others. It
// reports whether it found both.
func (r *Result) findBeside(points []Point, variables []string) bool {
	if len(variables) != 2 || len(points) < r.Points {
		return false
	}
	var on, beside []Point
	for _, p := range points {
		if p.At[0] == p.At[1] {
			on = append(on, p)
		} else {
			beside = append(beside, p)
		}
	}
	if len(on) < fewestPoints || len(beside) < fewestPoints {
		return false
	}
	main, diagonal := searchExact(beside, variables), searchExact(onlyFirst(on), variables[:1])
	if main == nil || diagonal == nil || len(main.Exceptions)+len(diagonal.Exceptions) > 0 {
		return false
	}
	main.Domain += ", except for " + variables[1] + " = " + variables[0]
	diagonal.Domain += ", " + variables[1] + " = " + variables[0]
	r.Exact, r.Diagonal = main, diagonal
	return true
}

// onlyFirst drops all variables after the first.
func onlyFirst(points []Point) []Point {
	list := slices.Clone(points)
	for i := range list {
		list[i].At = list[i].At[:1]
	}
	return list
}

// compareSamples compares the exact formula with the samples.
func (r *Result) compareSamples(samples []Point, o Options) {
	if len(samples) == 0 {
		return
	}
	f := r.Exact.Formula
	// Compare cannot fail here: the places differ, and the formula has a value at each.
	r.Sampled, _ = Compare(f.String(), samples, o, func(at []int64) (*big.Rat, bool, error) {
		return f.At(at), false, nil
	})
}

// minShaped is the minimum number of points for a fit, by the number of variables: enough for a polynomial of
// degree two. A fit to fewer points would have none left to predict.
var minShaped = [...]int{1: 3 + spare, 2: 6 + spare}

// fit fits shapes to the points, or sets the Reason why that is impossible.
func (r *Result) fit(points []Point, variables []string, o Options) {
	if k := len(variables); k < len(minShaped) && len(points) < minShaped[k] {
		r.Reason = tooFew(len(points), "this kind", minShaped[k])
		return
	}
	if len(variables) > 1 {
		r.Reason = "no exact formula among the formulas that are tried; shapes are fitted in one variable only"
		return
	}
	fits, err := fit(points, variables[0], o.fitUpTo())
	if err != nil {
		r.Reason = "no exact formula, and " + variables[0] + " = " + err.Error()
		return
	}
	r.Fits = fits
	if fits.Refuted() {
		best := &fits.Best[0]
		r.Reason = fmt.Sprintf(
			"no formula is found, every shape that is tried is refused; the nearest is %s, fitted to %s: it %s",
			best.Text, fits.From, best.Refusal,
		)
	}
}

// withoutSpread reports whether no sample has any spread.
func withoutSpread(samples []Point) bool {
	return !slices.ContainsFunc(samples, func(p Point) bool { return p.Error > 0 })
}

// split separates the exact points from the means of samples.
func split(points []Point) (exact, samples []Point) {
	for _, p := range points {
		if p.Sampled {
			samples = append(samples, p)
		} else {
			exact = append(exact, p)
		}
	}
	return exact, samples
}

// tooFew returns the reason for points that are too few for a formula.
func tooFew(points int, kind string, needed int) string {
	return fmt.Sprintf("too few sizes for a formula of %s (%d more)", kind, needed-points)
}

// Holds reports whether an exact formula was found that no sample contradicts.
func (r *Result) Holds() bool {
	return r.Exact != nil && len(r.Exact.Exceptions) == 0 && (r.Sampled == nil || !r.Sampled.Refuted())
}

// shortRat writes a fraction, or a decimal if the fraction is long.
func shortRat(r *big.Rat) string {
	if s := r.RatString(); len(s) <= 24 {
		return s
	}
	f := new(big.Float).SetRat(r)
	return "about " + strings.TrimSpace(f.Text('g', 10))
}
