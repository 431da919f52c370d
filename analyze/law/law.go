package law

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// Law is what [Find] knows of a sequence.
type Law struct {
	Variables []string
	// Domain says at which points the sequence was measured.
	Domain string
	Points int
	// Exact is the exact law, or the one that holds at all points but some, or nil. Of points
	// of which some are means of samples it is the law of the others.
	Exact *Exact
	// Diagonal is the law of the points at which the second variable is the first, the highest
	// of n processes, say, where they have a law of their own; Exact is that of the others.
	Diagonal *Exact
	// OfSample: some of the points of the exact law are samples in which all runs measure the same.
	OfSample bool
	// Sampled compares the exact law with the means of samples, where there are both.
	Sampled *Comparison
	// Fits are the shapes that least squares prefer, nil where there is an exact law.
	Fits *Fits
	// Reason says why there is no law.
	Reason string
}

// least is how few points say something of a law.
const least = 1 + spare

// Find looks for the law of the points.
func Find(points []Point, o Options) *Law {
	variables := o.variables()
	law := &Law{Variables: variables}
	list, err := distinct(points, variables)
	if err != nil {
		law.Reason = err.Error()
		return law
	}
	law.Points = len(list)
	if len(list) > 0 {
		law.Domain = domain(variables, list)
	}
	if len(list) < least {
		law.Reason = tooFew(len(list), "any kind", least)
		return law
	}
	exact, samples := split(list)
	if law.OfSample = len(samples) > 0 && steady(samples); law.OfSample {
		exact, samples = list, nil
	}
	if law.Exact = findExact(exact, variables); law.Exact != nil && !law.Exact.Formula.has(samples) {
		law.Exact = nil
	}
	if law.Exact != nil && len(law.Exact.Exceptions) == 0 {
		law.compareSamples(samples, o)
		return law
	}
	if !law.findBeside(exact, variables) {
		law.fit(list, variables, o)
	}
	return law
}

// findBeside looks for two laws: one of the diagonal, and one of the points beside it.
func (l *Law) findBeside(points []Point, variables []string) bool {
	if len(variables) != 2 || len(points) < l.Points {
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
	if len(on) < least || len(beside) < least {
		return false
	}
	whole, diagonal := searchExact(beside, variables), searchExact(onlyFirst(on), variables[:1])
	if whole == nil || diagonal == nil || len(whole.Exceptions)+len(diagonal.Exceptions) > 0 {
		return false
	}
	whole.Domain += ", but for " + variables[1] + " = " + variables[0]
	diagonal.Domain += ", " + variables[1] + " = " + variables[0]
	l.Exact, l.Diagonal = whole, diagonal
	return true
}

// onlyFirst drops all but the first variable.
func onlyFirst(points []Point) []Point {
	list := slices.Clone(points)
	for i := range list {
		list[i].At = list[i].At[:1]
	}
	return list
}

// compareSamples computes the exact law where samples were taken.
func (l *Law) compareSamples(samples []Point, o Options) {
	if len(samples) == 0 {
		return
	}
	f := l.Exact.Formula
	// There is no error: the places differ, and the law has a value at each.
	l.Sampled, _ = Compare(f.String(), samples, o, func(at []int64) (*big.Rat, bool, error) {
		return f.At(at), false, nil
	})
}

// leastShaped is how many points tell a kind of law from the others, in one variable and in two:
// as many as confirm a polynomial of degree two. A fit to fewer has nothing left to predict.
var leastShaped = [...]int{1: 3 + spare, 2: 6 + spare}

func (l *Law) fit(points []Point, variables []string, o Options) {
	if k := len(variables); k < len(leastShaped) && len(points) < leastShaped[k] {
		l.Reason = tooFew(len(points), "this kind", leastShaped[k])
		return
	}
	if len(variables) > 1 {
		l.Reason = "no exact formula among those that are tried; shapes are fitted in one variable only"
		return
	}
	fits, err := fit(points, variables[0], o.fitUpTo())
	if err != nil {
		l.Reason = "no exact formula, and " + variables[0] + " = " + err.Error()
		return
	}
	if l.Fits = fits; fits.Refuted() {
		best := &fits.Best[0]
		l.Reason = fmt.Sprintf("no formula is found, every shape that is tried is refused; the nearest is %s, fitted to %s: it %s", best.Text, fits.From, best.Refusal)
	}
}

// steady reports whether there is no spread in any sample.
func steady(samples []Point) bool {
	return !slices.ContainsFunc(samples, func(p Point) bool { return p.Error > 0 })
}

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

// tooFew says how many points are missing for a law.
func tooFew(points int, kind string, needed int) string {
	return fmt.Sprintf("too few sizes for a formula of %s (%d more)", kind, needed-points)
}

// Holds reports whether there is an exact law, which samples do not contradict.
func (l *Law) Holds() bool {
	return l.Exact != nil && len(l.Exact.Exceptions) == 0 && (l.Sampled == nil || !l.Sampled.Refuted())
}

// shortRat writes a fraction, or a decimal where it is long.
func shortRat(r *big.Rat) string {
	if s := r.RatString(); len(s) <= 24 {
		return s
	}
	f := new(big.Float).SetRat(r)
	return "about " + strings.TrimSpace(f.Text('g', 10))
}
