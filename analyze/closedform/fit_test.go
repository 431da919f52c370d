package closedform_test

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"etrace/analyze/closedform"
)

// noisy are means of samples around f, with relative standard errors of that size.
func noisy(sizes []int64, part float64, f func(n float64) float64) (points []closedform.Point) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range sizes {
		value := f(float64(n))
		err := part * math.Abs(value)
		points = append(
			points,
			closedform.Point{At: []int64{n}, Value: new(big.Rat).SetFloat64(value + err*random.NormFloat64()), Sampled: true, Error: err},
		)
	}
	return points
}

var sizes = []int64{8, 12, 16, 24, 32, 48, 64, 128, 256}

// TestFitsPredict: of samples of a known shape the shape is among the best fits, which
// were made from n <= 64 alone and predict 128 and 256 within four standard errors.
func TestFitsPredict(t *testing.T) {
	for growth, f := range map[string]func(n float64) float64{
		"n":         func(n float64) float64 { return 3 * n },
		"n^2":       func(n float64) float64 { return 0.5 * n * n },
		"n*log2(n)": func(n float64) float64 { return 2 * n * math.Log2(n) },
		"n^1.5":     func(n float64) float64 { return 4 * math.Pow(n, 1.5) },
		"log2(n)":   func(n float64) float64 { return 5 * math.Log2(n) },
		"1":         func(float64) float64 { return 12 },
	} {
		found := closedform.Find(noisy(sizes, 0.002, f), closedform.Options{})
		if found.Fits == nil {
			t.Errorf("%s: no fit: %v", growth, found.Lines("messages"))
			continue
		}
		var best []string
		for i := range found.Fits.Best {
			best = append(best, found.Fits.Best[i].Growth)
		}
		if !strings.Contains(strings.Join(best, " or ")+" or ", growth+" or ") {
			t.Errorf("%s: the best fits grow like %v", growth, best)
		}
		if len(found.Fits.Best[0].Predictions) != 2 {
			t.Errorf("%s: %d predictions, want those of 128 and 256", growth, len(found.Fits.Best[0].Predictions))
		}
	}
}

// TestPredictionsInStandardErrors: the mean of 16 measurements of 12, each with a standard error of 2, has one of 1/2.
// Its difference from a further measurement with an error of 1.2 has an error of 1.3, the root of 1.2² + 1/2².
func TestPredictionsInStandardErrors(t *testing.T) {
	var points []closedform.Point
	for n := range int64(16) {
		points = append(points, closedform.Point{At: []int64{4 * (n + 1)}, Value: rat(12, 1), Sampled: true, Error: 2})
	}
	points = append(points, closedform.Point{At: []int64{128}, Value: rat(1252, 100), Sampled: true, Error: 1.2})
	const want = "  n = 128: predicted 12, measured 12.52, -4.15 % off (0.4 standard errors)"
	if lines := closedform.Find(points, closedform.Options{}).Lines("messages"); lines[len(lines)-1] != want {
		t.Errorf("got\n%s\nwant at the end\n%s", strings.Join(lines, "\n"), want)
	}
}

// TestNotDistinguishable: with errors of 1 % n*log2(n) and n*H(n) are alike. With errors of 30 % no formula is within
// 5 % of the points.
func TestNotDistinguishable(t *testing.T) {
	found := closedform.Find(noisy(sizes, 0.01, func(n float64) float64 { return n * math.Log2(n) }), closedform.Options{})
	if found.Fits == nil || len(found.Fits.Best) < 2 {
		t.Fatalf("got %v, want several fits that are not distinguishable", found.Lines("messages"))
	}
	if text := strings.Join(found.Lines("messages"), "\n"); !strings.Contains(text, "not distinguishable from") {
		t.Errorf("the text does not say so:\n%s", text)
	}
	found = closedform.Find(noisy(sizes, 0.3, func(n float64) float64 { return n * math.Log2(n) }), closedform.Options{})
	if found.Fits == nil || !found.Fits.Refuted() {
		t.Errorf("errors of 30 %%: got %q, want no formula", found.Lines("messages"))
	}
}

// TestFormulaOfExactPointsIsComparedWithSamples: n*H(n) is found where all orders were
// executed, and samples beyond are compared with it.
func TestFormulaOfExactPointsIsComparedWithSamples(t *testing.T) {
	mean := func(n int64) *big.Rat { return new(big.Rat).Mul(rat(n, 1), harmonic(n)) }
	exact := sequence(2, 8, mean)
	at := func(n int64, errors float64) closedform.Point {
		value, _ := mean(n).Float64()
		return closedform.Point{At: []int64{n}, Value: new(big.Rat).SetFloat64(value + errors), Sampled: true, Error: 1}
	}
	kept := closedform.Find(append(exact, at(16, 0.5), at(256, -2.9)), closedform.Options{})
	if !kept.Holds() || kept.Exact.Formula.String() != "n*H(n)" || kept.Sampled == nil {
		t.Errorf("got %v", kept.Lines("messages"))
	}
	broken := closedform.Find(append(exact, at(16, 0.5), at(256, 3.1)), closedform.Options{})
	if broken.Holds() || len(broken.Sampled.Misses()) != 1 || broken.Sampled.Misses()[0].Place != "n = 256" {
		t.Errorf("got %v", broken.Lines("messages"))
	}
}

// TestNoFormulaInTwoVariables: shapes are fitted in one variable only; the answer is this reason.
func TestNoFormulaInTwoVariables(t *testing.T) {
	powers := []int64{1, 3, 9, 27, 81} // of three, modulo seven
	var points []closedform.Point
	for n := range int64(4) {
		for k := range int64(4) {
			points = append(points, closedform.Point{At: []int64{n, k}, Value: rat(powers[n]*powers[k]*powers[(n*k)%5]%7, 1)})
		}
	}
	found := closedform.Find(points, closedform.Options{Variables: []string{"n", "k"}})
	const want = "messages: no exact formula among the formulas that are tried; shapes are fitted in one variable only"
	if lines := found.Lines("messages"); found.Holds() || len(lines) != 1 || lines[0] != want {
		t.Errorf("got %q, want %q", lines, want)
	}
}

// TestNoFormula: the answer for points without a formula is a reason, never a formula.
func TestNoFormula(t *testing.T) {
	primes := []int64{2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43}
	huge := new(big.Int).Exp(big.NewInt(10), big.NewInt(400), nil)
	for _, c := range []struct {
		name   string
		points []closedform.Point
		want   string
	}{
		{"none", nil, "any kind (4 more)"},
		{"one", sequence(3, 3, integers(func(n int64) int64 { return n })), "any kind (3 more)"},
		{"two", sequence(3, 4, integers(func(n int64) int64 { return n })), "any kind (2 more)"},
		{"three", sequence(3, 5, integers(func(n int64) int64 { return n })), "any kind (1 more)"},
		{
			"all at one place",
			[]closedform.Point{
				{At: []int64{4}, Value: rat(1, 1)},
				{At: []int64{4}, Value: rat(1, 1)},
				{At: []int64{4}, Value: rat(1, 1)},
				{At: []int64{4}, Value: rat(1, 1)},
			},
			"any kind (3 more)",
		},
		{
			"two values at one place",
			[]closedform.Point{{At: []int64{4}, Value: rat(1, 1)}, {At: []int64{4}, Value: rat(2, 1)}},
			"n = 4 has two values, 1 and 2",
		},
		{"huge without a formula", sequence(1, 12, func(n int64) *big.Rat {
			return new(big.Rat).SetInt(new(big.Int).Mul(huge, big.NewInt(primes[n])))
		}), "fits are made of numbers that 64 bits hold"},
		{"negative sizes", sequence(-6, 7, integers(func(n int64) int64 { return primes[(n+6)%13] })), "of variables from 1 on"},
	} {
		found := closedform.Find(c.points, closedform.Options{})
		if found.Holds() || found.Fits != nil || !strings.Contains(found.Reason, c.want) {
			t.Errorf("%s: got %v, want a reason with %q", c.name, found.Lines("messages"), c.want)
		}
	}
	if found := closedform.Find(sequence(1, 13, integers(func(n int64) int64 { return primes[n] })), closedform.Options{}); found.Holds() ||
		found.Fits == nil {
		t.Errorf("the primes have the formula %v", found.Lines("primes"))
	}
}

// TestHugeValuesHaveExactFormulas: no number is too large for fractions.
func TestHugeValuesHaveExactFormulas(t *testing.T) {
	huge := new(big.Int).Exp(big.NewInt(10), big.NewInt(400), nil)
	found := closedform.Find(sequence(1, 12, func(n int64) *big.Rat {
		return new(big.Rat).SetInt(new(big.Int).Mul(huge, big.NewInt(n*n)))
	}), closedform.Options{})
	if !found.Holds() || found.Exact.Formula.String() != huge.String()+"*n^2" {
		t.Errorf("got %v", found.Lines("messages"))
	}
}

// TestASpecialCaseAtTheBeginning: a formula that begins late is reported with its exceptions.
func TestASpecialCaseAtTheBeginning(t *testing.T) {
	found := closedform.Find(sequence(1, 20, integers(func(n int64) int64 {
		if n < 3 {
			return 17
		}
		return n*n - 1
	})), closedform.Options{})
	want := "messages = n^2 - 1 for n = 1..20 at every point but n = 1, where it is 17 and not 0; n = 2, where it " +
		"is 17 and not 3: no exact formula"
	if lines := found.Lines("messages"); found.Holds() || lines[0] != want {
		t.Errorf("got\n%s\nwant\n%s", lines[0], want)
	}
}

// TestCompare: a formula holds exactly or not at all, but at samples.
func TestCompare(t *testing.T) {
	square := func(at []int64) (*big.Rat, bool, error) { return rat(at[0]*at[0], 1), false, nil }
	points := sequence(1, 5, integers(func(n int64) int64 { return n * n }))
	c, err := closedform.Compare("n^2", points, closedform.Options{}, square)
	if err != nil || !c.Holds {
		t.Errorf("got %+v, %v", c, err)
	}
	points[2].Value = rat(91, 10)
	c, err = closedform.Compare("n^2", points, closedform.Options{}, square)
	if err != nil || c.Holds || len(c.Misses()) != 1 || c.Misses()[0].Off().RatString() != "1/10" {
		t.Errorf("got %+v, %v", c, err)
	}
	points[2].Sampled, points[2].Error = true, 0.05
	c, err = closedform.Compare("n^2", points, closedform.Options{}, square)
	if err != nil || !c.Holds {
		t.Errorf("two standard errors off: got %+v, %v", c, err)
	}
	points[2].Value = rat(91, 10)
	points[2].Error = 0.02
	c, err = closedform.Compare("n^2", points, closedform.Options{}, square)
	if err != nil || c.Holds {
		t.Errorf("five standard errors off: got %+v, %v", c, err)
	}
	// Runs that measure the same may have missed what differs: they refute nothing.
	points[2].Value, points[2].Error, points[2].Unseen = rat(11, 1), 0, 1.0/3
	c, err = closedform.Compare("n^2", points, closedform.Options{}, square)
	if err != nil || c.Holds || c.Refuted() || !c.Points[2].Open || !strings.Contains(c.Reason, " at n = 3: without spread") {
		t.Errorf("no spread: got %+v, %v", c, err)
	}
	points[0].Value = rat(7, 1)
	c, err = closedform.Compare("n^2", points, closedform.Options{}, square)
	if err != nil || !c.Refuted() || len(c.Misses()) != 1 {
		t.Errorf("refuted at n = 1, open at n = 3: got %+v, %v", c, err)
	}
	points[0].Value = rat(1, 1)
	points[2].Value = rat(9, 1)
	c, err = closedform.Compare("n^2", points, closedform.Options{}, square)
	if err != nil || !c.Holds {
		t.Errorf("no spread, and equal: got %+v, %v", c, err)
	}
	if _, err := closedform.Compare(
		"n^2", points, closedform.Options{},
		func([]int64) (*big.Rat, bool, error) { return nil, false, errors.New("no value") },
	); err == nil ||
		err.Error() != "n = 1: no value" {
		t.Errorf("got %v", err)
	}
}

// TestADiagonalOfItsOwn: the highest of n processes is a case of its own.
func TestADiagonalOfItsOwn(t *testing.T) {
	var points []closedform.Point
	for n := int64(3); n < 12; n++ {
		for k := int64(1); k <= n; k++ {
			value := n*n - 2*k
			if k == n {
				value = n - 1
			}
			points = append(points, closedform.Point{At: []int64{n, k}, Value: rat(value, 1)})
		}
	}
	o := closedform.Options{Variables: []string{"n", "start"}}
	found := closedform.Find(points, o)
	if !found.Holds() || found.Diagonal == nil || found.Exact.Formula.String() != "n^2 - 2*start" ||
		found.Diagonal.Formula.String() != "n - 1" {
		t.Errorf("got %v", found.Lines("messages"))
	}
	points[7].Value = rat(1, 1)
	if found := closedform.Find(points, o); found.Holds() {
		t.Errorf("called exact with a point changed: %v", found.Lines("messages"))
	}
}

// powersOf2 returns f at the given number of powers of 2, from 4.
func powersOf2(count int, f func(n int64) *big.Rat) (points []closedform.Point) {
	for i := range count {
		n := int64(4) << i
		points = append(points, closedform.Point{At: []int64{n}, Value: f(n)})
	}
	return points
}

// TestTooFewSizes: a constant needs four sizes, one and three more, a line five, and whatever else
// grows six; of fewer nothing is fitted.
func TestTooFewSizes(t *testing.T) {
	square := integers(func(n int64) int64 { return n * n })
	line := integers(func(n int64) int64 { return 3*n - 1 })
	for _, c := range []struct {
		points []closedform.Point
		want   string
	}{
		{nil, "too few sizes for a formula of any kind (4 more)"},
		{sequence(2, 4, line), "too few sizes for a formula of any kind (1 more)"},
		{sequence(2, 5, line), "too few sizes for a formula of this kind (2 more)"},
		{sequence(2, 6, line), "m = 3*n - 1 for n = 2..6, exactly"},
		{sequence(2, 5, square), "too few sizes for a formula of this kind (2 more)"},
		{sequence(2, 6, square), "too few sizes for a formula of this kind (1 more)"},
		{sequence(2, 7, square), "m = n^2 for n = 2..7, exactly"},
		{powersOf2(5, square), "too few sizes for a formula of this kind (1 more)"}, // not n*2^floor(log2(n))
		{powersOf2(6, square), "m = n^2 for n = 4, 8, 16, 32, 64, 128"},
	} {
		found := closedform.Find(c.points, closedform.Options{})
		if got := found.Lines("m")[0]; !strings.Contains(got, c.want) || found.Fits != nil {
			t.Errorf("%d points: got %q, fits %v, want %q", len(c.points), got, found.Fits, c.want)
		}
	}
}

// TestNothingIsOff: a perfect fit is 0 % off, without a sign.
func TestNothingIsOff(t *testing.T) {
	points := sequence(2, 9, integers(func(n int64) int64 { return 2 * n }))
	for i := range points {
		points[i].Sampled, points[i].Error = true, 1
	}
	for _, line := range closedform.Find(points, closedform.Options{}).Lines("m") {
		if strings.Contains(line, "-0 %") {
			t.Errorf("%q", line)
		}
	}
}

// TestFormulaOfSteadySamples: Le Lann's ring sends n^2 messages whatever the order, so that no sample
// of orders has a spread. The formula is that of these points, and not "about".
func TestFormulaOfSteadySamples(t *testing.T) {
	points := sequence(2, 16, integers(func(n int64) int64 { return n * n }))
	for i := range points {
		points[i].Sampled = i > 0 // of two processes there is one order
	}
	found := closedform.Find(points, closedform.Options{})
	want := "messages = n^2 for n = 2..16 at every one of 15 points (of a sample)"
	if lines := found.Lines("messages"); !found.Holds() || len(lines) != 1 || lines[0] != want || !found.OfSample {
		t.Errorf("got %q, want %q", lines, want)
	}
	points[7].Error = 0.1
	if lines := closedform.Find(points, closedform.Options{}).Lines("messages"); strings.Contains(lines[0], "at every one of") {
		t.Errorf("with a spread: got %q", lines[0])
	}
}

// TestASizeWithoutSpread: Chang and Roberts' mean is n*H(n) + n with the announcement, at n = 2
// always 5. That sample has no spread, and the fit is tested as without it.
func TestASizeWithoutSpread(t *testing.T) {
	grid := []int64{2, 4, 8, 16, 32, 64}
	made := func(f func(n float64) float64) []closedform.Point {
		points := noisy(grid, 0.005, f)
		points[0] = closedform.Point{At: []int64{2}, Value: rat(5, 1), Sampled: true, Unseen: 0.005}
		return points
	}
	ring := func(n float64) float64 {
		h, _ := harmonic(int64(n)).Float64()
		return n*h + n
	}
	found := closedform.Find(made(ring), closedform.Options{})
	if found.Fits == nil || found.Fits.Refuted() || found.Fits.Best[0].Misfit == 0 {
		t.Fatalf("got %q", found.Lines("messages"))
	}
	for _, p := range found.Fits.Best[0].Predictions {
		if math.Abs(p.Errors) > 4 || math.Abs(p.Off()) > 0.03 {
			t.Errorf("predicted %v, measured %v: %q", p.Predicted, p.Measured, found.Lines("messages"))
		}
	}
	jumps := made(func(n float64) float64 { return ring(n) * (1 + 0.5*math.Sin(n)) })
	for _, points := range [][]closedform.Point{
		jumps,
		append(
			[]closedform.Point{},
			noisy([]int64{3, 4, 8, 16, 32, 64, 128}, 0.005, func(n float64) float64 { return ring(n) * (1 + 0.5*math.Sin(n)) })...,
		),
	} {
		found := closedform.Find(points, closedform.Options{})
		if lines := found.Lines("messages"); found.Fits == nil || !found.Fits.Refuted() || !strings.Contains(lines[0], "no formula is found") {
			t.Errorf("got %q", lines)
		}
	}
}
