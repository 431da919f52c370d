package complexity_test

import (
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
		`who == "all" ? n-1 : n`:       5,
		`who == "lower" ? n-1 : who`:   "all",
		"n >= 6 and not (n > 6)":       true,
		"twice(n) + 1":                 13,
		`n == 6 ? 20 : n < 10 ? 1 : 2`: 20,
	} {
		got, err := complexity.Evaluate(text, values)
		if err != nil || got != want {
			t.Errorf("%s: got %v (%T), %v, want %v", text, got, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"":                        `formula "": ends where more is expected`,
		"3*":                      `formula "3*": ends where more is expected`,
		"3*m":                     `formula "3*m": unknown name "m"`,
		`n + "a"`:                 `formula "n + \"a\"": + does not go between a number and a text`,
		"n % 0":                   `formula "n % 0": a remainder of a division by zero`,
		"1..n":                    `formula "1..n": a formula has no operator ..`,
		"[n]":                     `formula "[n]": at column 1 stands what no formula has`,
		"twice":                   `formula "twice": the value is no number, word or truth`,
		strings.Repeat("1", 1001): "a formula of 1001 bytes, expected at most 1000",
	} {
		if got, err := complexity.Evaluate(text, values); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v, %v, want %s", text, got, err, want)
		}
	}
	if got, err := complexity.Evaluate("7", nil); err != nil || got != 7 {
		t.Errorf("got %v, %v, want 7", got, err)
	}
}
