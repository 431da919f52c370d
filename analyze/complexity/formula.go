package complexity

import (
	"fmt"
	"maps"

	"github.com/expr-lang/expr"
)

// FormulaWords explains what formulas may hold besides the names of values,
// for help texts.
const FormulaWords = `numbers and words, + - * / % **, comparisons, and, or, not, c ? x : y, min, max, ceil, floor, log2(x)`

// Evaluate returns the value of a formula such as "3*n-1", given the values of
// its names: an int, float64, bool or string. A value may be a function. A
// division gives a float64, also where it goes even. Like a budget, any formula
// ends, and soon.
func Evaluate(text string, values map[string]any) (any, error) {
	if len(text) > longestBudget {
		return nil, fmt.Errorf("a formula of %d bytes, expected at most %d", len(text), longestBudget)
	}
	if err := checkWords("formula", text); err != nil {
		return nil, fmt.Errorf("formula %q: %w", text, err)
	}
	env := maps.Clone(values)
	if env == nil {
		env = map[string]any{}
	}
	program, err := expr.Compile(text, append(vocabulary(), expr.Env(env))...)
	if err != nil {
		return nil, fmt.Errorf("formula %q: %s", text, firstLine(err))
	}
	value, err := expr.Run(program, env)
	if err != nil {
		return nil, fmt.Errorf("formula %q: %s", text, firstLine(err))
	}
	switch value.(type) {
	case int, float64, bool, string:
		return value, nil
	}
	return nil, fmt.Errorf("formula %q: the value is no number, word or truth", text)
}
