package document

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
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
	if o == nil {
		return []byte("null"), nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	b.WriteByte('{')
	for i := 0; i < len(o); i += 2 {
		key, optional := strings.CutSuffix(o[i].(string), "?")
		if optional && empty(reflect.ValueOf(o[i+1])) {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:", key)
		if err := enc.Encode(o[i+1]); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
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
