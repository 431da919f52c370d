package spec_test

import (
	"math"
	"strings"
	"testing"

	"etrace/analyze/spec"
)

// TestFormulas: formulas compute with exact numbers, of any size; a number is written as a fraction here.
func TestFormulas(t *testing.T) {
	twice := func(args []spec.Value) (any, error) {
		n, _ := args[0].Number()
		return n.Add(n.Rat, n.Rat), nil
	}
	values := map[string]any{"n": 6, "x": 2.5, "s": 1, "who": "all", "start": 7, "twice": twice, "type": map[string]any{"OK": 3, "": 0}}
	for source, want := range map[string]string{
		"3*n-1":                           "17",
		"(n-s)**2":                        "25",
		"start - s":                       "6",
		"n*(n-1)/2":                       "15",
		"(n-2) % 3":                       "1",
		"x + 1":                           "7/2",
		"max(n, 8, x)":                    "8",
		"H(0) + H(1)":                     "1",
		"H(3) * n":                        "11", // 1 + 1/2 + 1/3 = 11/6
		"n*H(n)":                          "147/10",
		"n/4 - x":                         "-1",
		"0.1 + 0.2":                       "3/10",
		"1e3":                             "1000",
		"-n ** 2":                         "-36",
		"2^-3":                            "1/8",
		"2**3**2":                         "512",
		"2^floor(log2(n))":                "4",
		"ceil(log2(n))":                   "3",
		"log2(8) + log2(1/4)":             "1",
		"floor(-x) + ceil(-x)":            "-5",
		"min(n, x) + max(n, x)":           "17/2",
		"n > 5 ? n - 1 : n":               "5",
		"n < 5 or x != n ? 1 :0":          "1",
		"not (n < 5) ? 7 : 8":             "7",
		"!(n < 5) && true ? 7:8":          "7",
		"H(0) + 2^200/2^199":              "2",
		"- (n - 8)":                       "2",
		"-x + n - -2":                     "11/2",
		"twice(n) + 1":                    "13",
		`type["OK"] + type.OK`:            "6",
		`type["NONE"]`:                    "0",
		`who == "all" ? n-1 : n`:          "5",
		`who == 'lower' ? 1 : who`:        "all",
		`n == 6 ? 20 : n < 10 ? 1 : 2`:    "20",
		"n >= 6 and not (n > 6)":          "true",
		"n in (5, 6)":                     "true",
		"true or 1/(n-6) > 0":             "true",
		"9007199254740993 == 2**53":       "false",
		"9223372036854775807 < 2**63":     "true",
		"9223372036854775807 + n":         "9223372036854775813",
		"0.12345678901234567890 * 10**20": "12345678901234567890",
	} {
		got, err := spec.Evaluate(source, values)
		said := got.String()
		if number, ok := got.Number(); ok {
			said = number.RatString()
			if number.Rounded {
				said = "about " + said
			}
		}
		if err != nil || said != want {
			t.Errorf("%s: got %v, %v, want %v", source, said, err, want)
		}
	}
	if got, err := spec.Evaluate("log2(n)", values); err != nil {
		t.Error(err)
	} else if number, _ := got.Number(); !number.Rounded {
		t.Errorf("log2(6): got %v, want a rounded number", number)
	}
}

// TestFormulaErrors: an error is one line with the mistake and the expectation.
func TestFormulaErrors(t *testing.T) {
	values := map[string]any{"n": 6, "x": 2.5, "type": map[string]any{"": 0}, "f": func([]spec.Value) (any, error) { return 1, nil }}
	for source, want := range map[string]string{
		"":                        `column 1: unexpected end`,
		"3*":                      `column 3: unexpected end`,
		"3*m":                     `column 3: unknown name "m"`,
		`n + "a"`:                 `+ does not go between a number and a text`,
		`-type`:                   `- does not go between a number and a table`,
		`n < "a"`:                 `< does not go between a number and a text`,
		"H(x)":                    `the harmonic number H of 5/2, expected a whole number from 0 on`,
		"H(-1)":                   `the harmonic number H of -1, expected a whole number from 0 on`,
		"H(n > 1)":                `H takes a number, not a condition`,
		"log2(1, 2)":              `log2 takes another number of arguments`,
		"log2(n - 6)":             `log2 of 0, expected a number above 0`,
		"n % 0":                   `a remainder of a division by zero`,
		"x % 2":                   `% goes between whole numbers`,
		"1/(n-6)":                 `division by zero`,
		"(n - 6) ** (-1)":         `division by zero`,
		"9 ** 9 ** 9":             `a power with more than`,
		"n ? 1 : 2":               `n is a number, expected a condition`,
		"n(3)":                    `n is a number, no function`,
		"x(3)":                    `x is a number, no function`,
		"n.x":                     `a number has no x`,
		"n[0]":                    `column 1: n has no parts`,
		"f + 1":                   `+ does not go between a function and a number`,
		"max(type)":               `max takes a number, not a table`,
		"1..n":                    `column`,
		"[n]":                     `column 1: unexpected`,
		"n @ 3":                   `column 3: unexpected character @`,
		`n < "a`:                  `column 5: the text has no closing quote`,
		"1e999":                   `1e999 is too large a number`,
		"1e-999":                  `1e-999 is too large a number, or too small`,
		"forall p in f(n): true":  `column 1: forall belongs to rules about events`,
		"has n":                   `column 1: has belongs to rules`,
		"null":                    `column 1: null belongs to rules`,
		"2n":                      `2n: an operator is missing, expected 2*n`,
		"2(n+1)":                  `2(: an operator is missing, expected 2*(`,
		"(n+1)(n-1)":              `)(: an operator is missing, expected )*(`,
		"n² + 1":                  `n²: expected n^2`,
		"3·n":                     `·: expected *`,
		"n*ln(n)":                 `there is no ln, expected log2(n), to the base 2, or H(n), the harmonic number`,
		"lg n":                    `there is no lg, expected log2(n)`,
		"n*log2(m)":               `column 8: unknown name "m"`,
		strings.Repeat("1", 1001): "1001 bytes, expected at most 1000",
		strings.Repeat("(", 900):  "column 51: parentheses nest at most 50 deep",
	} {
		got, err := spec.Evaluate(source, values)
		if err == nil {
			t.Errorf("%s: got %v, want an error", source, got)
			continue
		}
		_, said, _ := strings.Cut(err.Error(), `": `)
		if !strings.HasPrefix(said, want) || strings.Contains(said, "\n") {
			t.Errorf("%s: got %v, want %s", source, err, want)
		}
	}
}

// TestHarmonicNumber: H(1000) and H(10000) as in tables of harmonic numbers (OEIS A001008/A002805,
// decimal expansions).
func TestHarmonicNumber(t *testing.T) {
	for source, want := range map[string]float64{"H(1000)": 7.485470860550345, "H(10000)": 9.787606036044382} {
		got, err := spec.Evaluate(source, nil)
		number, ok := got.Number()
		if !ok || err != nil {
			t.Fatal(got, err)
		}
		if x, _ := number.Float64(); math.Abs(x-want) > 1e-14 {
			t.Errorf("%s: got %v, want %v", source, x, want)
		}
	}
}
