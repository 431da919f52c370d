package complexity_test

import (
	"math/big"
	"strings"
	"testing"

	"etrace/analyze/complexity"
)

var examples = map[string]any{"n": 6, "x": 2.5, "H": func(float64) float64 { return 0 }}

// TestFractions: what a formula says is a fraction, if it is one.
func TestFractions(t *testing.T) {
	values := map[string]*big.Rat{"n": big.NewRat(6, 1), "x": big.NewRat(5, 2)}
	for text, want := range map[string]string{
		"n*H(n)":                 "147/10",
		"n*(n+1)/2":              "21",
		"n/4 - x":                "-1",
		"0.1 + 0.2":              "3/10",
		"-n ** 2":                "-36",
		"2^-3":                   "1/8",
		"n % 4":                  "2",
		"2^floor(log2(n))":       "4",
		"ceil(log2(n))":          "3",
		"log2(8) + log2(1/4)":    "1",
		"floor(-x) + ceil(-x)":   "-5",
		"min(n, x) + max(n, x)":  "17/2",
		"n > 5 ? n - 1 : n":      "5",
		"n < 5 or x != n ? 1 :0": "1",
		"not (n < 5) ? 7 : 8":    "7",
		"H(0) + 2^200/2^199":     "2",
	} {
		f, err := complexity.ParseFormula(text, examples)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got, err := f.Fraction(values); err != nil || got.RatString() != want || got.Rounded {
			t.Errorf("%s: got %v, %v, want %s", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"n / (n - 6)":     "division by zero",
		"log2(n - 6)":     "log2 of 0",
		"H(x)":            "no H(5/2)",
		"n % (n - 6)":     "a remainder of a division by zero",
		"9 ** 9 ** 9":     "digits",
		"(n - 6) ** (-1)": "division by zero",
		"n > 5":           "no number",
	} {
		f, err := complexity.ParseFormula(text, examples)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got, err := f.Fraction(values); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, %v, want an error with %q", text, got, err, want)
		}
	}
	f, err := complexity.ParseFormula("log2(n)", examples)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := f.Fraction(values); err != nil || !got.Rounded {
		t.Errorf("log2(6): got %v, %v, want what is rounded", got, err)
	}
}
