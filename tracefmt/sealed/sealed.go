// Package sealed reads the JSON that etrace writes for itself and that people do not edit: plans, summaries of
// shards, footers. It accepts only output of etrace. [Sum] detects changes of a document. [Unmarshal] rejects
// what a JSON decoder accepts: unknown keys, repeated keys, and keys in another case.
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

// Sum returns the checksum of a value, 32 hexadecimal digits. A document with its own sum must leave that field
// empty.
func Sum(v any) (string, error) {
	written, err := Marshal(v)
	sum := sha256.Sum256(unescaped(written))
	return hex.EncodeToString(sum[:16]), err
}

// unescaped replaces the escape that package json writes for bytes that are not UTF-8. After reading, the text
// has the character itself, and the sum must stay the same.
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
		case written[i] == '\\' && i+1 < len(written): // an escaped backslash begins no other escape
			b = append(b, written[i], written[i+1])
			i++
		default:
			b = append(b, written[i])
		}
	}
	return b
}

// Unmarshal reads the output of [Marshal] for a value of the same type, possibly indented. For other texts the
// error has the place: an unknown or missing key, another order, or a value of another type.
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

// difference compares two documents by their tokens, since a text has several escaped forms. Both are JSON, so they differ
// in a token or end together.
func difference(got, want []byte) error {
	gotTokens, wantTokens := json.NewDecoder(bytes.NewReader(got)), json.NewDecoder(bytes.NewReader(want))
	gotTokens.UseNumber()
	wantTokens.UseNumber()
	for {
		at := gotTokens.InputOffset()
		g, err := gotTokens.Token()
		w, ended := wantTokens.Token()
		switch {
		case errors.Is(err, io.EOF) && errors.Is(ended, io.EOF):
			return nil
		case g != w:
			return fmt.Errorf("after byte %d: %s, expected %s", at, shown(g), shown(w))
		}
	}
}

// shown writes a token for people.
func shown(token json.Token) string {
	if token == nil {
		return "null"
	}
	if s, isText := token.(string); isText {
		return text.Quote(text.Short(s, 65))
	}
	return text.Short(fmt.Sprint(token), 65)
}

// inWords rewrites an error of package json without the names of Go types.
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
		return fmt.Errorf(
			"byte %d: key %s: %s, expected %s", kind.Offset, text.Quote(text.Short(key, 65)),
			found(kind.Value), expected(kind.Type),
		)
	}
	return err
}

// found names a JSON type of package json for people.
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

// expected names the JSON type of values of a Go type for people.
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
