package trial

import (
	"encoding/json"
	"strconv"
)

// Value is something expected, published or measured, in words: a number, a
// verdict, a process. Numbers are written in one way, so that equal values are
// equal texts. "" is a value that is not given, None that of a time at which
// nothing happened or a leader that there is not.
type Value string

// None is the value of what there is not.
const None Value = "none"

// Down is what a process has elected that is not live at the end.
const Down Value = "down"

// Number writes a number.
func Number(x float64) Value { return Value(strconv.FormatFloat(x, 'f', -1, 64)) }

// Integer writes a whole number.
func Integer(n int64) Value { return Value(strconv.FormatInt(n, 10)) }

// MarshalJSON writes numbers as numbers, other values as strings, and null
// for no value.
func (v Value) MarshalJSON() ([]byte, error) {
	if v == "" {
		return []byte("null"), nil
	}
	if x, err := strconv.ParseFloat(string(v), 64); err == nil && Number(x) == v && json.Valid([]byte(v)) {
		return []byte(v), nil
	}
	return json.Marshal(string(v))
}

// instant is a time in units of the mean message delay, None for nil.
func instant(t *float64) Value {
	if t == nil {
		return None
	}
	return Number(*t)
}

// process is the raw JSON value of elected without quotes.
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
