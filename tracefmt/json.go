package tracefmt

import (
	"bytes"
	"encoding/json"
	"io"
	"iter"
	"unicode/utf8"
)

// Fields yields the top-level fields of a JSON object in order: the unquoted key, and the raw value. It
// allocates only for keys with escapes. It stops at the first syntax error without reporting it, since
// validation is done elsewhere.
func Fields(object []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		i := skipSpace(object, 0)
		if i >= len(object) || object[i] != '{' {
			return
		}
		for i++; ; i++ {
			i = skipSpace(object, i)
			end := skipString(object, i)
			if end < 0 {
				return
			}
			key := unquote(object[i:end])
			i = skipSpace(object, end)
			if i >= len(object) || object[i] != ':' {
				return
			}
			i = skipSpace(object, i+1)
			end = skipValue(object, i)
			if end <= i || !yield(key, object[i:end]) {
				return
			}
			i = skipSpace(object, end)
			if i >= len(object) || object[i] != ',' {
				return
			}
		}
	}
}

// Items yields the raw items of a JSON list in order, as [Fields] does for objects.
func Items(list []byte) iter.Seq[[]byte] {
	return func(yield func(item []byte) bool) { eachItem(list, yield) }
}

// ItemCount returns the number of items of a JSON list, -1 for anything else: a bracket, a comma or an item is
// missing, or something follows the list. It does not check the items.
func ItemCount(list []byte) int {
	n := 0
	end := eachItem(list, func([]byte) bool { n++; return true })
	if end < 0 || end >= len(list) || list[end] != ']' || skipSpace(list, end+1) < len(list) {
		return -1
	}
	return n
}

// eachItem yields the items, and returns the index after the last. It returns -1 without a list, or if an item
// is missing.
func eachItem(list []byte, yield func(item []byte) bool) int {
	i := skipSpace(list, 0)
	if i >= len(list) || list[i] != '[' {
		return -1
	}
	i = skipSpace(list, i+1)
	if i < len(list) && list[i] == ']' {
		return i
	}
	for {
		end := skipValue(list, i)
		if end <= i || !yield(list[i:end]) {
			return -1
		}
		i = skipSpace(list, end)
		if i >= len(list) || list[i] != ',' {
			return i
		}
		i = skipSpace(list, i+1)
	}
}

// skipSpace returns the index of the first byte from i that is not white space.
func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// skipString returns the index after the string that begins at i, or -1.
func skipString(b []byte, i int) int {
	if i >= len(b) || b[i] != '"' {
		return -1
	}
	for i++; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}

// skipValue returns the index after the value that begins at i, or -1.
func skipValue(b []byte, i int) int {
	depth := 0
	for ; i < len(b); i++ {
		switch b[i] {
		case '"':
			i = skipString(b, i)
			if i < 0 {
				return -1
			}
			if depth == 0 {
				return i
			}
			i-- // the loop adds one
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			depth--
			if depth == 0 {
				return i + 1
			}
		case ',', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return i
			}
		}
	}
	return -1
}

// unquote returns the text of a JSON string. It allocates only for a string with escapes.
func unquote(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') >= 0 {
		var s string
		if json.Unmarshal(quoted, &s) == nil {
			return []byte(s)
		}
	}
	return quoted[1 : len(quoted)-1]
}

// AppendString appends s as a JSON string in the form of traces: it escapes only what JSON requires, and
// replaces bytes that are not UTF-8 by U+FFFD.
func AppendString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	plain := 0 // the beginning of the part to copy unchanged
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c < utf8.RuneSelf && c != '"' && c != '\\' {
			i++
			continue
		}
		dst = append(dst, s[plain:i]...)
		size := 1
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, '\\', 'n')
		case c == '\r':
			dst = append(dst, '\\', 'r')
		case c == '\t':
			dst = append(dst, '\\', 't')
		case c < 0x20:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			var r rune
			r, size = utf8.DecodeRuneInString(s[i:])
			dst = utf8.AppendRune(dst, r)
		}
		i += size
		plain = i
	}
	return append(append(dst, s[plain:]...), '"')
}

// WriteJSON writes one value for programs: indented, and with <, > and & unescaped. etrace explain json-formats lists the
// formats.
func WriteJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
