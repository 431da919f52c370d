package suite

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"etrace/analyze/complexity"
	"etrace/analyze/experiment/trial"
	"etrace/record/scenario"
	"etrace/tracefmt"
)

// binding is a variable with its value.
type binding struct {
	name  string
	value any // int, float64 or string
}

// bindings are the variables of one case, in the order of their declaration.
type bindings []binding

// mostIDs bounds the lists that ids(a, b) and bitreversal(a, b) make.
const mostIDs = 100_000

// names gives formulas their names.
func (b bindings) names() map[string]any {
	names := map[string]any{"ids": idList, "bitreversal": bitReversal}
	for _, v := range b {
		names[v.name] = v.value
	}
	return names
}

// idList writes the ids from a to b, rising or falling.
func idList(a, b any) (string, error) {
	ids, err := idsBetween(a, b)
	if err != nil {
		return "", fmt.Errorf("ids(%v, %v): %w", a, b, err)
	}
	return listed(ids), nil
}

// bitReversal writes the ids from a to b in the order of their places with the
// binary digits read backwards.
func bitReversal(a, b any) (string, error) {
	ids, err := idsBetween(a, b)
	if err != nil {
		return "", fmt.Errorf("bitreversal(%v, %v): %w", a, b, err)
	}
	slices.Sort(ids)
	scenario.ReverseBits(ids)
	return listed(ids), nil
}

// idsBetween returns the ids from a to b, rising or falling.
func idsBetween(a, b any) ([]int64, error) {
	from, ok := whole(a)
	to, ok2 := whole(b)
	if !ok || !ok2 || from < 0 || to < 0 || max(from, to)-min(from, to) >= mostIDs {
		return nil, fmt.Errorf("expected process ids, at most %d", mostIDs)
	}
	step := 1
	if to < from {
		step = -1
	}
	ids := []int64{int64(from)}
	for id := from; id != to; {
		id += step
		ids = append(ids, int64(id))
	}
	return ids, nil
}

// listed writes ids with commas between them.
func listed(ids []int64) string {
	list := make([]string, len(ids))
	for i, id := range ids {
		list[i] = strconv.FormatInt(id, 10)
	}
	return strings.Join(list, ",")
}

// whole returns a number as an int, if it is one: formulas divide to
// floating-point numbers, which may be whole.
func whole(x any) (int, bool) {
	switch x := x.(type) {
	case int:
		return x, true
	case float64:
		return int(x), math.Abs(x) <= 1<<53 && x == math.Trunc(x)
	}
	return 0, false
}

// expand replaces each ${...} by the value of the formula in it.
func (b bindings) expand(text string) (string, error) {
	var out strings.Builder
	for rest := text; ; {
		before, after, found := strings.Cut(rest, "${")
		out.WriteString(before)
		if !found {
			return out.String(), nil
		}
		formula, after, closed := strings.Cut(after, "}")
		if !closed {
			return "", fmt.Errorf("%q: expected } after ${", text)
		}
		value, err := complexity.Evaluate(formula, b.names())
		if err != nil {
			return "", err
		}
		out.WriteString(write(value))
		rest = after
	}
}

// write writes the value of a formula.
func write(value any) string {
	if x, ok := value.(float64); ok {
		return string(trial.Number(x))
	}
	return fmt.Sprint(value)
}

// numeric returns the number that a text is or that it is a formula for.
func (b bindings) numeric(text string) (trial.Value, error) {
	text, err := b.expand(text)
	if err != nil {
		return "", err
	}
	if text == string(trial.None) {
		return trial.None, nil
	}
	value, err := complexity.Evaluate(text, b.names())
	if err != nil {
		return "", err
	}
	switch x := value.(type) {
	case int:
		return trial.Integer(int64(x)), nil
	case float64:
		if !math.IsInf(x, 0) && !math.IsNaN(x) {
			return trial.Number(x), nil
		}
	}
	return "", fmt.Errorf("%q is %v, expected a number or none", text, value)
}

// scalarValue reads the value of a variable: a number or a word.
func scalarValue(text string) any {
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	if x, err := strconv.ParseFloat(text, 64); err == nil && strings.ContainsRune("-.0123456789", rune(text[0])) { // not inf
		return x
	}
	return text
}

// mostValues bounds the values of one variable, and the cases of a suite.
const mostValues = 100_000

// values reads what a variable stands for: a range of whole numbers such as
// 3-32, or one value.
func values(text string) ([]any, error) {
	low, high, ranged := strings.Cut(text, "-")
	for _, numeral := range []string{text, low, high} {
		if n, ok := tracefmt.NumberOf(numeral); ok && (numeral == text || ranged) {
			if _, fits := n.Int64(); !fits {
				return nil, fmt.Errorf("%s is beyond the whole numbers of 64 bits", numeral)
			}
		}
	}
	from, err := strconv.Atoi(low)
	to, err2 := strconv.Atoi(high)
	if !ranged || err != nil || err2 != nil {
		return []any{scalarValue(text)}, nil
	}
	if to < from || to-from >= mostValues {
		return nil, fmt.Errorf("%q: expected a rising range of at most %d values", text, mostValues)
	}
	var all []any
	for n := from; n <= to; n++ {
		all = append(all, n)
	}
	return all, nil
}

// reserved words of formulas are no names of variables.
var reserved = []string{
	"and", "or", "not", "in", "let", "if", "else", "true", "false", "nil", "matches", "contains", "startsWith", "endsWith",
	"min", "max", "ceil", "floor", "log2", "H", "ids", "bitreversal", "none",
}

func checkName(name string) error {
	letter := func(r rune) bool { return r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }
	bad := strings.ContainsFunc(name, func(r rune) bool { return !letter(r) && (r < '0' || r > '9') })
	if name == "" || bad || !letter(rune(name[0])) || slices.Contains(reserved, name) {
		return fmt.Errorf("%q is no name of a variable, expected letters and digits such as n or d2, and no word of the formulas", name)
	}
	return nil
}
