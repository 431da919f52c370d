package trial

import (
	"encoding/json"
	"strconv"
)

// Value is an expected, published or measured value as text: a number, a verdict, a process. Numbers have one
// notation, so equal values are equal texts. "" is a value that is not given. None is a time without an event,
// or a missing leader.
type Value string

// None is the value of a missing time or process.
const None Value = "none"

// Down is the elected value of a process that is not live at the end.
const Down Value = "down"

// Number writes a number.
func Number(x float64) Value { return Value(strconv.FormatFloat(x, 'f', -1, 64)) }

// Integer writes a whole number.
func Integer(n int64) Value { return Value(strconv.FormatInt(n, 10)) }

// MarshalJSON writes numbers as numbers, other values as strings, and a missing value as null.
func (v Value) MarshalJSON() ([]byte, error) {
	if v == "" {
		return []byte("null"), nil
	}
	if x, err := strconv.ParseFloat(string(v), 64); err == nil && Number(x) == v && json.Valid([]byte(v)) {
		return []byte(v), nil
	}
	return json.Marshal(string(v))
}

// instant returns a time in units of the mean message delay, None for nil.
func instant(t *float64) Value {
	if t == nil {
		return None
	}
	return Number(*t)
}

// process returns the raw JSON value of an elected variable without quotes.
func process(raw json.RawMessage) Value {
	var name string
	switch {
	case raw == nil || string(raw) == "null":
		return None
	case json.Unmarshal(raw, &name) == nil:
		return Value(name)
	}
	return Value(raw)
}
