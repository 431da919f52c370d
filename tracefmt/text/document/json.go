package document

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
)

// Object is a JSON object whose keys keep their order: keys and values by turns, as those of log/slog. A key that ends
// in ? is left out where its value is empty.
type Object []any

// List returns an object for each element, and never null.
func List[T any](all []T, object func(T) Object) []Object {
	list := make([]Object, len(all))
	for i, one := range all {
		list[i] = object(one)
	}
	return list
}

// MarshalJSON implements [json.Marshaler]. A key that is no text panics.
func (o Object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := write(&b, enc, o)
	return b.Bytes(), err
}

// write writes objects itself: package json would read what MarshalJSON returns once more at each level.
func write(b *bytes.Buffer, enc *json.Encoder, v any) error {
	switch v := v.(type) {
	case []Object:
		if v == nil {
			b.WriteString("null")
			return nil
		}
		b.WriteByte('[')
		for i, o := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := write(b, enc, o); err != nil {
				return err
			}
		}
		b.WriteByte(']')
	case Object:
		if v == nil {
			b.WriteString("null")
			return nil
		}
		separator := "{"
		for i := 0; i < len(v); i += 2 {
			key, optional := strings.CutSuffix(v[i].(string), "?")
			if optional && empty(reflect.ValueOf(v[i+1])) {
				continue
			}
			b.WriteString(separator + strconv.Quote(key) + ":")
			separator = ","
			if err := write(b, enc, v[i+1]); err != nil {
				return err
			}
		}
		b.WriteString(strings.TrimPrefix(separator, ",") + "}")
	default:
		return enc.Encode(v)
	}
	return nil
}

// empty reports whether a value is zero or nil, or has no elements.
func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map:
		return v.Len() == 0
	case reflect.Invalid:
		return true
	}
	return v.IsZero()
}
