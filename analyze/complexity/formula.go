package complexity

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"
)

// FormulaWords explains what formulas may hold besides the names of values,
// for help texts.
const FormulaWords = `numbers and words, + - * / % **, comparisons, and, or, not, c ? x : y, min, max, ceil, floor, log2(x), H(n) = 1 + 1/2 + ... + 1/n`

// Formula is a formula such as "3*n-1", compiled for names of certain types.
type Formula struct {
	text    string
	program *vm.Program
}

// ParseFormula compiles a formula. The values are examples: when it is
// evaluated, each name has one of the same type. A value may be a function. Like a
// budget, any formula ends, and soon.
func ParseFormula(text string, values map[string]any) (*Formula, error) {
	if len(text) > longestBudget {
		return nil, fmt.Errorf("a formula of %d bytes, expected at most %d", len(text), longestBudget)
	}
	known := formulaNames(values)
	if err := checkWords("formula", text, known); err != nil {
		return nil, fmt.Errorf("formula %q: %w", text, habit(text, err))
	}
	program, err := compile(text, expr.Env(environment(values)))
	if err != nil {
		return nil, fmt.Errorf("formula %q: %w", text, habit(text, errors.New(explained(err, known))))
	}
	return &Formula{text, program}, nil
}

// formulaNames are what a formula over these values may name.
func formulaNames(values map[string]any) []string {
	names := append(slices.Collect(maps.Keys(values)), "H", "log2")
	names = append(names, builtins...)
	slices.Sort(names)
	return names
}

// environment is a map of values as expr wants it: there is one.
func environment(values map[string]any) map[string]any {
	if values == nil {
		return map[string]any{}
	}
	return values
}

func (f *Formula) String() string { return f.text }

// Evaluate returns the value of the formula, given those of its names: an int,
// float64, bool or string. A division gives a float64, also where it goes even.
func (f *Formula) Evaluate(values map[string]any) (any, error) {
	value, err := expr.Run(f.program, environment(values))
	if err != nil {
		return nil, fmt.Errorf("formula %q: %s", f.text, explained(err, nil))
	}
	switch value.(type) {
	case int, float64, bool, string:
		return value, nil
	}
	return nil, fmt.Errorf("formula %q: the value is no number, word or truth", f.text)
}

// Evaluate returns the value of a formula.
func Evaluate(text string, values map[string]any) (any, error) {
	f, err := formulas.parse(text, values)
	if err != nil {
		return nil, err
	}
	return f.Evaluate(values)
}
