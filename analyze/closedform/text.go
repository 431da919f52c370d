package closedform

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	"etrace/tracefmt/text"
	"etrace/tracefmt/text/document"
)

// maxListed is the greatest number of points in a sentence, maxAlike that of shapes that fit as well.
const (
	maxListed = 4
	maxAlike  = 2
)

// Lines describes the formula of a measure in sentences without a final period.
func (r *Result) Lines(measure string) []string {
	switch {
	case r.Exact != nil && len(r.Exact.Exceptions) == 0:
		return r.exactLines(measure)
	case r.Fits != nil:
		return append(r.nearLines(measure), r.fitLines(measure)...)
	case r.Exact != nil:
		return r.nearLines(measure)
	}
	return []string{measure + ": " + r.Reason}
}

// exactLines describes an exact formula, and whether the samples agree with it.
func (r *Result) exactLines(measure string) []string {
	line := measure + " = " + r.holdsAt(r.Exact)
	if r.Diagonal != nil {
		return []string{line, "  and " + r.holdsAt(r.Diagonal)}
	}
	if r.Sampled == nil {
		return []string{line}
	}
	return []string{line, "  " + r.Sampled.sentence("the samples")}
}

// holdsAt returns the formula with the points at which it holds.
func (r *Result) holdsAt(e *Exact) string {
	if r.OfSample {
		return fmt.Sprintf("%s for %s at every one of %d points (of a sample)", e.Formula, e.Domain, e.Points)
	}
	return fmt.Sprintf("%s for %s, exactly, at every one of %d points", e.Formula, e.Domain, e.Points)
}

// sentence states whether the formula holds.
func (c *Comparison) sentence(points string) string {
	off := c.Misses()
	switch {
	case len(off) == 0 && !c.Holds:
		return points + " do not decide whether they keep to it: " + c.Reason
	case len(off) == 0:
		return fmt.Sprintf(
			"%s keep to it at %s: within %d standard errors at each, %.1f at most", points,
			places(c.Points), withinErrors, c.greatestErrors(),
		)
	}
	return fmt.Sprintf("%s do not keep to it: more than %d standard errors off at %s", points, withinErrors,
		places(off))
}

// Misses returns the points at which the formula fails, without the open ones.
func (c *Comparison) Misses() (list []Compared) {
	for i := range c.Points {
		if !c.Points[i].Holds && !c.Points[i].Open {
			list = append(list, c.Points[i])
		}
	}
	return list
}

// greatestErrors returns the greatest difference of any point, in standard errors.
func (c *Comparison) greatestErrors() float64 {
	greatest := 0.0
	for i := range c.Points {
		greatest = max(greatest, math.Abs(c.Points[i].Errors))
	}
	return greatest
}

// places lists the places of points.
func places(points []Compared) string {
	names := make([]string, len(points))
	for i := range points {
		names[i] = points[i].Place
	}
	return text.Some(names, maxListed)
}

// nearLines describes a formula with exceptions; nil for none.
func (r *Result) nearLines(measure string) []string {
	if r.Exact == nil {
		return nil
	}
	var list []string
	for _, x := range r.Exact.Exceptions {
		list = append(list, fmt.Sprintf("%s, where it is %s and not %s", x.Place, shortRat(x.Measured),
			shortRat(x.Formula)))
	}
	return []string{fmt.Sprintf(
		"%s = %s for %s at every point but %s: no exact formula", measure, r.Exact.Formula, r.Exact.Domain,
		strings.Join(list, "; "),
	)}
}

// fitLines describes the best fits and their predictions.
func (r *Result) fitLines(measure string) []string {
	best := &r.Fits.Best[0]
	if r.Fits.Refuted() {
		return append([]string{measure + ": " + r.Reason}, best.predictionLines(r.Variables[0])...)
	}
	line := fmt.Sprintf("%s is about %s, fitted to %s", measure, best.Text, r.Fits.From)
	if best.Residual >= noticeable {
		line += fmt.Sprintf(", off by %s %% there at most", percent(best.Residual))
	}
	if r.Exact == nil {
		line += ", no exact formula is confirmed"
	}
	lines := []string{line}
	if alternatives := r.Fits.Best[1:]; len(alternatives) > 0 {
		var names []string
		for i := range alternatives {
			names = append(names, alternatives[i].Text)
		}
		lines = append(lines, "  not distinguishable from "+text.Or(text.Few(names, maxAlike))+": "+closeWords)
	}
	return append(lines, best.predictionLines(r.Variables[0])...)
}

// predictionLines compares the predictions with the measured values. For many sizes it lists the last ones, and
// the greatest difference.
func (f *Fit) predictionLines(variable string) (lines []string) {
	shown, greatest := f.Predictions, 0.0
	if len(shown) > maxListed {
		for i := range shown {
			greatest = max(greatest, math.Abs(shown[i].Off()))
		}
		lines = append(
			lines,
			fmt.Sprintf("  predicts %d sizes from %s = %d on, %s %% off at most", len(shown), variable, shown[0].N,
				percent(greatest)),
		)
		shown = shown[len(shown)-2:]
	}
	for i := range shown {
		lines = append(lines, "  "+shown[i].sentence(variable))
	}
	return lines
}

// closeWords explains when fits are not distinguishable.
var closeWords = fmt.Sprintf("Akaike's criteria are less than %d apart", criterionGap)

// noticeable is the relative difference below which texts and tests ignore a difference.
const noticeable = 1e-9

// percent returns a part in percent with two decimals.
func percent(part float64) string {
	s := strings.TrimSuffix(fmt.Sprintf("%.2f", 100*part), ".00")
	// Rounding can leave a sign at zero.
	if s == "-0" {
		return "0"
	}
	return s
}

// sentence compares the prediction with the measured value.
func (p *Prediction) sentence(variable string) string {
	s := fmt.Sprintf("%s = %d: predicted %s, measured %s", variable, p.N, number(p.Predicted), number(p.Measured))
	if p.Measured != 0 || p.Predicted == 0 {
		s += fmt.Sprintf(", %s %% off", percent(p.Off()))
	}
	if p.Errors != 0 {
		s += fmt.Sprintf(" (%.1f standard errors)", math.Abs(p.Errors))
	}
	return s
}

// Lines describes the comparison, with the points at which the formula fails.
func (c *Comparison) Lines(measure string) []string {
	if c.Holds {
		return []string{
			fmt.Sprintf("%s = %s holds at every one of %s%s", measure, c.Formula,
				text.Counted(len(c.Points), "point", "points"), c.precision()),
		}
	}
	misses := c.Misses()
	if len(misses) == 0 {
		return []string{fmt.Sprintf("%s = %s is not decided: %s", measure, c.Formula, c.Reason)}
	}
	lines := []string{
		fmt.Sprintf("%s = %s does not hold at %d of %s", measure, c.Formula, len(misses),
			text.Counted(len(c.Points), "point", "points")),
	}
	for i := range misses {
		lines = append(lines, "  "+misses[i].sentence())
	}
	return lines
}

// precision returns the sense in which a formula holds.
func (c *Comparison) precision() string {
	samples := 0
	for i := range c.Points {
		if c.Points[i].Sampled {
			samples++
		}
	}
	switch samples {
	case 0:
		return ", exactly"
	case len(c.Points):
		return fmt.Sprintf(", within %d standard errors (%.1f at most)", withinErrors, c.greatestErrors())
	}
	return fmt.Sprintf(", exactly or, at %d samples, within %d standard errors (%.1f at most)", samples,
		withinErrors, c.greatestErrors())
}

// sentence compares the measured value with the formula.
func (c *Compared) sentence() string {
	off := c.Off()
	sign := ""
	if off.Sign() > 0 {
		sign = "+"
	}
	s := fmt.Sprintf("%s: %s, the formula gives %s (%s%s)", c.Place, shortRat(c.Measured), shortRat(c.Formula),
		sign, shortRat(off))
	if c.Sampled && c.Error > 0 {
		s += fmt.Sprintf(", %.1f standard errors off", math.Abs(c.Errors))
	}
	return s
}

// JSON returns the formula for programs. Fractions are texts such as "147/10".
func (r *Result) JSON() document.Object {
	exact, diagonal := Exact{Domain: r.Domain, Points: r.Points}, document.Object(nil)
	formula := ""
	if r.Exact != nil {
		exact, formula = *r.Exact, r.Exact.Formula.String()
	}
	if d := r.Diagonal; d != nil {
		diagonal = document.Object{"formula", d.Formula.String(), "exact", true, "at", d.Domain, "points", d.Points}
	}
	return document.Object{
		"formula?", formula,
		"exact", r.Exact != nil && len(exact.Exceptions) == 0,
		"at", exact.Domain,
		"points", exact.Points,
		"exceptions?", document.List(exact.Exceptions, func(x Exception) document.Object {
			return document.Object{
				"at", x.Place, "measured", x.Measured, "formula", x.Formula, "law",
				x.Formula,
			} // formula: the former name
		}),
		"of_sample?", r.Exact != nil && r.OfSample,
		"diagonal?", diagonal,
		"sampled?", r.Sampled.JSON(),
		"fits?", r.Fits.json(),
		"reason?", r.Reason,
	}
}

// json returns the fits that are not distinguishable.
func (f *Fits) json() document.Object {
	if f == nil {
		return nil
	}
	return document.Object{"from", f.From, "distinguishable", len(f.Best) == 1, "refuted?", f.Refuted(), "best", f.Best}
}

// JSON returns the comparison for programs.
func (c *Comparison) JSON() document.Object {
	if c == nil {
		return nil
	}
	return document.Object{
		"formula", c.Formula,
		"holds", c.Holds,
		"open?", c.Reason,
		"points", document.List(c.Points, func(p Compared) document.Object {
			return document.Object{
				"at", p.Place, "measured", p.Measured, "formula", formulaText(p.Formula, p.Rounded), "holds",
				p.Holds, "standard_errors?", p.Errors,
			}
		}),
	}
}

// formulaText writes the value of a formula: as a decimal if it is rounded.
func formulaText(formula *big.Rat, rounded bool) string {
	if rounded {
		x, _ := formula.Float64()
		return fmt.Sprint(x)
	}
	return formula.RatString()
}
