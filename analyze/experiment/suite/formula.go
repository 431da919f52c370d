package suite

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"etrace/analyze/experiment/trial"
	"etrace/analyze/spec"
	"etrace/record/scenario"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// binding is a variable with its value.
type binding struct {
	name  string
	value any // int, float64 or string
}

// bindings are the variables of one case, in the order of their declaration.
type bindings []binding

// maxIDs is the limit for the lists of ids(a, b) and bitreversal(a, b).
const maxIDs = 100_000

// names returns the names that formulas may use.
func (b bindings) names() map[string]any {
	names := map[string]any{"ids": idList, "bitreversal": bitReversal}
	for _, v := range b {
		names[v.name] = v.value
	}
	return names
}

// idList writes the ids from a to b, rising or falling.
func idList(args []spec.Value) (any, error) {
	ids, err := idsBetween(args)
	if err != nil {
		return nil, fmt.Errorf("ids(%s): %w", joinValues(args), err)
	}
	return joinIDs(ids), nil
}

// bitReversal writes the ids from a to b, ordered by their positions with reversed binary digits.
func bitReversal(args []spec.Value) (any, error) {
	ids, err := idsBetween(args)
	if err != nil {
		return nil, fmt.Errorf("bitreversal(%s): %w", joinValues(args), err)
	}
	slices.Sort(ids)
	scenario.ReverseBits(ids)
	return joinIDs(ids), nil
}

// idsBetween returns the ids from the first to the second, rising or falling.
func idsBetween(args []spec.Value) ([]int64, error) {
	if len(args) != 2 {
		return nil, fmt.Errorf("expected two process ids")
	}
	from, ok := wholeNumber(args[0])
	last, ok2 := wholeNumber(args[1])
	if !ok || !ok2 || from < 0 || last < 0 || max(from, last)-min(from, last) >= maxIDs {
		return nil, fmt.Errorf("expected process ids, at most %d", maxIDs)
	}
	step := int64(1)
	if last < from {
		step = -1
	}
	ids := []int64{from}
	for id := from; id != last; {
		id += step
		ids = append(ids, id)
	}
	return ids, nil
}

// joinValues lists values.
func joinValues(values []spec.Value) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = v.String()
	}
	return strings.Join(words, ", ")
}

// joinIDs writes ids with commas between them.
func joinIDs(ids []int64) string {
	list := make([]string, len(ids))
	for i, id := range ids {
		list[i] = strconv.FormatInt(id, 10)
	}
	return strings.Join(list, ",")
}

// wholeNumber returns the value of a whole number of 64 bits.
func wholeNumber(v spec.Value) (int64, bool) {
	number, ok := v.Number()
	if !ok || !number.IsInt() || !number.Num().IsInt64() {
		return 0, false
	}
	return number.Num().Int64(), true
}

// expand replaces each ${...} by the value of the formula in it.
func (b bindings) expand(text string) (string, error) {
	var out strings.Builder
	for remaining := text; ; {
		before, after, found := strings.Cut(remaining, "${")
		out.WriteString(before)
		if !found {
			return out.String(), nil
		}
		formula, after, closed := strings.Cut(after, "}")
		if !closed {
			return "", fmt.Errorf("%q: expected } after ${", text)
		}
		value, err := spec.Evaluate(formula, b.names())
		if err != nil {
			return "", fmt.Errorf("formula %w", err)
		}
		out.WriteString(value.String())
		remaining = after
	}
}

// numeric returns the number in a text, or the value of the formula in it.
func (b bindings) numeric(text string) (trial.Value, error) {
	text, err := b.expand(text)
	if err != nil {
		return "", err
	}
	if text == string(trial.None) {
		return trial.None, nil
	}
	value, err := spec.Evaluate(text, b.names())
	if err != nil {
		return "", fmt.Errorf("formula %w", err)
	}
	switch number, ok := value.Number(); {
	case ok && number.IsInt() && !number.Num().IsInt64():
		return "", fmt.Errorf("formula %q: the value is beyond the whole numbers of 64 bits", text)
	case ok:
		return trial.Value(value.String()), nil
	}
	return "", fmt.Errorf("%q is %v, expected a number or none", text, value)
}

// scalarValue reads the value of a variable: a number or a word.
func scalarValue(text string) any {
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	// The second test excludes inf and nan.
	if x, err := strconv.ParseFloat(text, 64); err == nil && strings.ContainsRune("-.0123456789", rune(text[0])) {
		return x
	}
	return text
}

// maxValues is the limit for the values of one variable, and for the cases of a suite.
const maxValues = 100_000

// numberRange is a range of whole numbers. A date, or a list of ids, is one value.
var numberRange = regexp.MustCompile(`^\d+(-\d+|\.\.\d+(\.\.\d+)?)$`)

// values reads the values of a variable: a range of whole numbers, see [text.ParseNumbers], or one value.
func values(given string) ([]any, error) {
	if !numberRange.MatchString(given) {
		if n, ok := tracefmt.NumberOf(given); ok {
			if _, fits := n.Int64(); !fits {
				return nil, fmt.Errorf("%s is beyond the whole numbers of 64 bits", given)
			}
		}
		return []any{scalarValue(given)}, nil
	}
	numbers, err := text.ParseNumbers(given, maxValues)
	var list []any
	for _, n := range numbers {
		list = append(list, int(n))
	}
	return list, err
}

// reserved are the words of formulas, which cannot name variables.
var reserved = append(spec.ReservedWords(), "ids", "bitreversal", "none")

// checkName returns an error for a name that no variable may have.
func checkName(name string) error {
	letter := func(r rune) bool { return r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }
	bad := strings.ContainsFunc(name, func(r rune) bool { return !letter(r) && (r < '0' || r > '9') })
	if name == "" || bad || !letter(rune(name[0])) || slices.Contains(reserved, name) {
		return fmt.Errorf("%q is no name of a variable, expected letters and digits such as n or d2, and no word of the formulas", name)
	}
	return nil
}
