// Package sealed reads the JSON that etrace writes for itself, and that people do not edit: plans, summaries of shards,
// footers. It accepts what etrace wrote and nothing else. [Sum] shows whether a document was changed, and [Unmarshal]
// refuses what a decoder of JSON lets pass: keys that are unknown, that occur twice, or in capitals.
package sealed

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"etrace/tracefmt/text"
)

// Marshal returns a value as JSON on one line, without a line break. Texts keep the characters that HTML escapes.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// Sum returns the sum of a value, 32 hexadecimal digits. A document that has a sum of itself leaves that empty here.
func Sum(v any) (string, error) {
	written, err := Marshal(v)
	sum := sha256.Sum256(unescaped(written))
	return hex.EncodeToString(sum[:16]), err
}

// unescaped replaces the escape by which package json writes bytes that are no UTF-8. A text that was read has the
// character itself, and the sum is to be the same.
func unescaped(written []byte) []byte {
	const escape = `\ufffd`
	if !bytes.Contains(written, []byte(escape)) {
		return written
	}
	var b []byte
	for i := 0; i < len(written); i++ {
		switch {
		case bytes.HasPrefix(written[i:], []byte(escape)):
			b = append(b, "\uFFFD"...)
			i += len(escape) - 1
		case written[i] == '\\' && i+1 < len(written): // so that an escaped backslash begins no escape
			b = append(b, written[i], written[i+1])
			i++
		default:
			b = append(b, written[i])
		}
	}
	return b
}

// Unmarshal reads what [Marshal] wrote of a value of the same type, also after it was indented. Anything else is an
// error that says where: a key too many or too few, another order, a value of another kind.
func Unmarshal(written []byte, v any) error {
	if err := json.Unmarshal(written, v); err != nil {
		return inWords(err)
	}
	again, err := Marshal(v)
	if err != nil {
		return err
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, written); err != nil {
		return inWords(err)
	}
	if bytes.Equal(compact.Bytes(), again) {
		return nil
	}
	return difference(written, again)
}

// difference compares two documents by their tokens: the same text may be escaped in two ways.
func difference(got, want []byte) error {
	one, other := json.NewDecoder(bytes.NewReader(got)), json.NewDecoder(bytes.NewReader(want))
	one.UseNumber()
	other.UseNumber()
	for {
		at := one.InputOffset()
		g, err := one.Token()
		w, ended := other.Token()
		switch {
		case errors.Is(err, io.EOF) && errors.Is(ended, io.EOF):
			return nil
		case err != nil || ended != nil || g != w:
			return fmt.Errorf("after byte %d: %s, expected %s", at, shown(g), shown(w))
		}
	}
}

// shown is a token for people.
func shown(token json.Token) string {
	if token == nil {
		return "null"
	}
	if s, is := token.(string); is {
		return text.Quote(text.Short(s, 65))
	}
	return text.Short(fmt.Sprint(token), 65)
}

// inWords is an error of package json without the names of Go types.
func inWords(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("byte %d: not JSON, or not whole", syntax.Offset)
	case errors.As(err, &kind):
		key := kind.Field[strings.LastIndexByte(kind.Field, '.')+1:]
		if key == "" {
			return fmt.Errorf("byte %d: %s, expected %s", kind.Offset, found(kind.Value), expected(kind.Type))
		}
		return fmt.Errorf("byte %d: key %s: %s, expected %s", kind.Offset, text.Quote(text.Short(key, 65)), found(kind.Value), expected(kind.Type))
	}
	return err
}

// found says for people what package json calls an object, array, string, bool or number.
func found(value string) string {
	switch value {
	case "object":
		return "an object"
	case "array":
		return "a list"
	case "string":
		return "a text"
	case "bool":
		return "true or false"
	}
	return text.Short(value, 65)
}

// expected says for people what becomes a value of a type.
func expected(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Struct, reflect.Map, reflect.Pointer:
		return "an object"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	}
	return "a number of " + fmt.Sprint(8*t.Size()) + " bits"
}
