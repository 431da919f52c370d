package document

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
)

// Object is a JSON object with ordered keys: keys and values alternate, as in log/slog. A key that ends in ? is
// omitted if its value is empty.
type Object []any

// List returns an object for each element, and never null.
func List[T any](elements []T, object func(T) Object) []Object {
	list := make([]Object, len(elements))
	for i, element := range elements {
		list[i] = object(element)
	}
	return list
}

// MarshalJSON implements [json.Marshaler]. It panics if a key is not a text.
func (o Object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := write(&b, enc, o)
	return b.Bytes(), err
}

// write writes nested objects itself: package json would parse the output of MarshalJSON again at each level.
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
			// A key with ? is left out if its value is empty; the separator then stays that of the first key.
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
