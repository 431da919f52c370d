package complexity_test

import (
	"math"
	"strings"
	"testing"

	"etrace/analyze/complexity"
)

func TestEvaluate(t *testing.T) {
	values := map[string]any{"n": 6, "x": 2.5, "who": "all", "twice": func(n int) int { return 2 * n }}
	for text, want := range map[string]any{
		"3*n-1":                        17,
		"n*(n-1)/2":                    15.0,
		"(n-2) % 3":                    1,
		"x + 1":                        3.5,
		"max(n, 8)":                    8,
		"log2(8)":                      3.0,
		"H(0) + H(1)":                  1.0,
		"H(3) * n":                     11.0, // 1 + 1/2 + 1/3 = 11/6
		`who == "all" ? n-1 : n`:       5,
		`who == "lower" ? n-1 : who`:   "all",
		"n >= 6 and not (n > 6)":       true,
		"twice(n) + 1":                 13,
		`n == 6 ? 20 : n < 10 ? 1 : 2`: 20,
		"9007199254740993 > 2**53":     true,
		"2**53 < 9007199254740993":     true,
		"9007199254740993 == 2**53":    false,
		"9007199254740993 != 2**53":    true,
		"9223372036854775807 < 2**63":  true,
		"-9223372036854775807 > -2**63 and -9223372036854775807-1 == -2**63": true,
		"2**64 >= n and n <= 6.5 and n > 5.5 and -n < -5.5 and -n > -6.5":    true,
		"-9223372036854775807 - 1":      math.MinInt64,
		"-4611686018427387904 * 2":      math.MinInt64,
		"- (n - 8)":                     2,
		"-x + n - -2":                   5.5,
		"9223372036854775806 + 1 - n*0": math.MaxInt64,
	} {
		got, err := complexity.Evaluate(text, values)
		if err != nil || got != want {
			t.Errorf("%s: got %v (%T), %v, want %v", text, got, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"":                            `formula "": ends where more is expected`,
		"3*":                          `formula "3*": ends where more is expected`,
		"3*m":                         `formula "3*m": unknown name "m"`,
		`n + "a"`:                     `formula "n + \"a\"": + does not go between a number and a text`,
		"H(x)":                        `formula "H(x)": the harmonic number H of 2.5, expected a whole number from 0 on`,
		"H(-1)":                       `formula "H(-1)": the harmonic number H of -1, expected a whole number from 0 on`,
		"H(n > 1)":                    `formula "H(n > 1)": H takes a number`,
		"n % 0":                       `formula "n % 0": a remainder of a division by zero`,
		"1..n":                        `formula "1..n": a formula has no operator ..`,
		"[n]":                         `formula "[n]": at column 1 stands what no formula has`,
		"twice":                       `formula "twice": the value is no number, word or truth`,
		"9223372036854775807 + n - 5": `formula "9223372036854775807 + n - 5": 9223372036854775807 + 6 is beyond the whole numbers of 64 bits`,
		"-9223372036854775807 - 2":    `formula "-9223372036854775807 - 2": -9223372036854775807 - 2 is beyond the whole numbers of 64 bits`,
		"4611686018427387904 * 2":     `formula "4611686018427387904 * 2": 4611686018427387904 * 2 is beyond the whole numbers of 64 bits`,
		"n * -9223372036854775807":    `formula "n * -9223372036854775807": 6 * -9223372036854775807 is beyond the whole numbers of 64 bits`,
		"-(-9223372036854775807 - 1)": `formula "-(-9223372036854775807 - 1)": 0 - -9223372036854775808 is beyond the whole numbers of 64 bits`,
		"18446744073709551617":        `formula "18446744073709551617": no number, or one that is too large`,
		"2n":                          `formula "2n": 2n: an operator is missing, expected 2*n`,
		"2(n+1)":                      `formula "2(n+1)": 2(: an operator is missing, expected 2*(`,
		"(n+1)(n-1)":                  `formula "(n+1)(n-1)": )(: an operator is missing, expected )*(`,
		"n(n-1)/2":                    `formula "n(n-1)/2": n(: an operator is missing, expected n*(`,
		"n² + 1":                      `formula "n² + 1": n²: expected n^2`,
		"3·n":                         `formula "3·n": ·: expected *`,
		"n*ln(n)":                     `formula "n*ln(n)": there is no ln, expected log2(n), to the base 2, or H(n), the harmonic number`,
		"lg n":                        `formula "lg n": there is no lg, expected log2(n)`,
		"n*log2(m)":                   `formula "n*log2(m)": unknown name "m"`,
		strings.Repeat("1", 1001):     "a formula of 1001 bytes, expected at most 1000",
	} {
		if got, err := complexity.Evaluate(text, values); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v, %v, want %s", text, got, err, want)
		}
	}
	if got, err := complexity.Evaluate("7", nil); err != nil || got != 7 {
		t.Errorf("got %v, %v, want 7", got, err)
	}
}

// TestHarmonicNumber: H(1000) and H(10000) as in tables of harmonic numbers (OEIS A001008/A002805,
// decimal expansions).
func TestHarmonicNumber(t *testing.T) {
	for text, want := range map[string]float64{"H(1000)": 7.485470860550345, "H(10000)": 9.787606036044382} {
		got, err := complexity.Evaluate(text, nil)
		if x, ok := got.(float64); err != nil || !ok || math.Abs(x-want) > 1e-14 {
			t.Errorf("%s: got %v, %v, want %v", text, got, err, want)
		}
	}
}
