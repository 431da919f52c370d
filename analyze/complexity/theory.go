package complexity

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"etrace/analyze/spec"
	"etrace/tracefmt"
)

// Theory evaluates the bounds that runs of one algorithm state, once for each setting; so thousands of runs
// are compared fast. It is not safe for concurrent use.
type Theory struct {
	bounds    []tracefmt.Bound
	bySetting map[Setting]evaluated // the limits evaluated so far
}

// evaluated holds the limits in a setting, or the error.
type evaluated struct {
	limits []Limit
	err    error
}

// maxSettings is the limit for the settings that a theory keeps.
const maxSettings = 1024

// NewTheory returns the theory of runs with the given bounds.
func NewTheory(bounds []tracefmt.Bound) *Theory {
	return &Theory{bounds: bounds, bySetting: map[Setting]evaluated{}}
}

// Limit is the value of a bound in a setting.
type Limit struct {
	Bound *tracefmt.Bound
	// Value is the value of the formula, 0 for a bound of the kind order.
	Value float64

	values map[string]any // the values of the names in the formula, and of others
}

// NewLimit evaluates the formula of a bound. It fails if the value is not a number.
func NewLimit(b *tracefmt.Bound, values map[string]any) (Limit, error) {
	l := Limit{Bound: b, values: values}
	if b.KindOf() == tracefmt.OrderOf {
		return l, nil
	}
	value, err := spec.Evaluate(b.Messages, values)
	if err != nil {
		return l, fmt.Errorf("formula %w", err)
	}
	x, ok := value.Number()
	if !ok {
		return l, fmt.Errorf("formula %q: expected a number, got %v", b.Messages, value)
	}
	l.Value, _ = x.Float64()
	return l, nil
}

// formulaWords finds the names in a formula.
var formulaWords = regexp.MustCompile(`[a-z]\w*`)

// String returns the value with its formula and the values of its names.
func (l Limit) String() string {
	if l.Bound.KindOf() == tracefmt.OrderOf {
		return l.Bound.Messages
	}
	number := strconv.FormatFloat(l.Value, 'f', -1, 64)
	var parts []string
	names := formulaWords.FindAllString(l.Bound.Messages, -1)
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if value, ok := l.values[name]; ok {
			parts = append(parts, fmt.Sprintf("%s = %v", name, value))
		}
	}
	if len(parts) == 0 {
		return number
	}
	return fmt.Sprintf("%s = %s with %s", number, l.Bound.Messages, strings.Join(parts, ", "))
}

// Unreadable is the error for a bound that cannot be evaluated.
type Unreadable struct{ error }

func (u Unreadable) Error() string {
	return "a bound of the run cannot be evaluated: " + u.error.Error()
}

// Limits returns the values of the bounds in a setting. Among bounds of the same kind and convention it uses
// the first whose condition is true. An error other than [Unreadable] explains why no bound applies.
func (t *Theory) Limits(v Setting) ([]Limit, error) {
	if w, ok := t.bySetting[v]; ok {
		return w.limits, w.err
	}
	limits, err := t.evaluate(v)
	if len(t.bySetting) < maxSettings {
		t.bySetting[v] = evaluated{limits, err}
	}
	return limits, err
}

// evaluate evaluates the bounds in a setting. It returns an error if no bound applies, or if one cannot be
// evaluated.
func (t *Theory) evaluate(v Setting) ([]Limit, error) {
	if len(t.bounds) == 0 {
		return nil, errors.New(noBounds)
	}
	var limits []Limit
	var reason error
	var conditions []string
	var settled []*tracefmt.Bound // their limit, or that of a rival bound, is already known
	for i := range t.bounds {
		b := &t.bounds[i]
		if slices.ContainsFunc(settled, b.Rivals) {
			continue
		}
		// The bound depends on the starting processes, which are not known.
		if v.Starts == 0 && !v.Alone && (mentionsStarts(b.If) || mentionsStarts(b.Messages)) {
			reason, settled = errors.New("the run has no scenario that says who starts"), append(settled, b)
			continue
		}
		values := v.values(b.Given)
		holds, err := condition(b.If, values)
		if err != nil {
			return limits, Unreadable{err}
		}
		if !holds {
			conditions = append(conditions, b.If)
			continue
		}
		l, err := NewLimit(b, values)
		if err != nil {
			return limits, Unreadable{err}
		}
		limits, settled = append(limits, l), append(settled, b)
	}
	switch {
	case len(limits) > 0:
		return limits, nil
	case reason != nil:
		return nil, reason
	}
	return nil, fmt.Errorf("the run states bounds only for %s", strings.Join(conditions, ", or "))
}

// values returns the values of the names in the bounds.
func (v Setting) values(given map[string]int64) map[string]any {
	values := map[string]any{"n": v.N, "live": v.Live}
	if v.Best {
		values["top"] = v.Top
	}
	if v.Starts > 0 || v.Alone {
		values["starts"], values["above"] = v.Starts, v.Above
	}
	for name, value := range maps.All(given) {
		values[name] = int(value)
	}
	return values
}

// condition evaluates the condition of a bound; an empty one is true.
func condition(text string, values map[string]any) (bool, error) {
	if text == "" {
		return true, nil
	}
	value, err := spec.Evaluate(text, values)
	if err != nil {
		return false, fmt.Errorf("formula %w", err)
	}
	holds, _, ok := value.Condition()
	if !ok {
		return false, fmt.Errorf("formula %q: expected true or false, got %v", text, value)
	}
	return holds, nil
}

// mentionsStarts reports whether a formula depends on the starting processes.
func mentionsStarts(formula string) bool {
	names := formulaWords.FindAllString(formula, -1)
	return slices.Contains(names, "starts") || slices.Contains(names, "above")
}

// Counts reports whether a bound counts an event.
func Counts(b *tracefmt.Bound, e *tracefmt.Event) bool {
	switch {
	case e.Kind != tracefmt.Send && e.Kind != tracefmt.Receive ||
		(e.Kind == tracefmt.Receive) != (b.Counts == tracefmt.CountsDelivered):
		return false
	case b.Counts == tracefmt.CountsOthers && e.Peer == e.Process:
		return false
	}
	return !slices.Contains(b.Without, e.Type)
}
