package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"etrace/tracefmt"
)

const (
	// maxDepth bounds the nesting of values, maxForms the values of an entry.
	maxDepth = 500
	maxForms = 1 << 20
)

// form is a value of EDN without its tags. It is small, since a file may have half as many values as bytes.
type form struct {
	// a text unquoted, or a word as written
	text  string
	inner *content // nil of a word
}

// content is the part of a form that words do not have.
type content struct {
	sort  sort
	items []form // see form.items
}

// textContent is the inner part of all texts.
var textContent = &content{sort: quoted}

func (f form) sort() sort {
	if f.inner == nil {
		return word
	}
	return f.inner.sort
}

// items returns the items of a collection; of a map, keys and values in turn.
func (f form) items() []form {
	if f.inner == nil {
		return nil
	}
	return f.inner.items
}

// sort is the sort of a form.
type sort uint8

const (
	word sort = iota // nil, a number, a keyword with its colon, a symbol
	quoted
	sequence // a list, a vector or a set
	mapping
)

// closers has the closing bracket of each opening bracket, and sortOf the sort of the collection between them.
var (
	closers = map[byte]byte{'(': ')', '[': ']', '{': '}'}
	sortOf  = map[byte]sort{'(': sequence, '[': sequence, '{': mapping}
)

// scanner reads the values of a text one after another.
type scanner struct {
	text  string
	at    int
	line  int // the line of the offset at, from 1
	forms int // read since the last entry began
}

// errCut is the error for a text that ends inside a value.
var errCut = errors.New("the text ends inside a value")

// next returns the next value, or io.EOF at the end.
func (s *scanner) next(depth int) (form, error) {
	if err := s.skip(depth); err != nil {
		return form{}, err
	}
	s.forms++
	if s.forms > maxForms {
		return form{}, fmt.Errorf("an entry has more than %d values", maxForms)
	}
	switch c := s.text[s.at]; c {
	case '(', '[', '{':
		s.at++
		return s.collection(sortOf[c], closers[c], depth+1)
	case ')', ']', '}':
		return form{}, fmt.Errorf("expected a value, not %q", c)
	case '"':
		s.at++
		return s.quoted()
	case '\\':
		return s.character(), nil
	case '#':
		return s.dispatch(depth)
	}
	return form{text: s.word()}, nil
}

// skip moves to the next value, over white space, comments and discarded values.
func (s *scanner) skip(depth int) error {
	for s.at < len(s.text) {
		switch c := s.text[s.at]; {
		case isSpace(c):
			s.advance(s.at + 1)
		case c == ';':
			end := strings.IndexByte(s.text[s.at:], '\n')
			if end < 0 {
				end = len(s.text) - s.at
			}
			s.advance(s.at + end)
		case strings.HasPrefix(s.text[s.at:], "#_"):
			s.at += len("#_")
			if err := s.discard(depth); err != nil {
				return err
			}
		default:
			return nil
		}
	}
	return io.EOF
}

// discard skips a value after #_.
func (s *scanner) discard(depth int) error {
	depth++
	if depth > maxDepth {
		return tooDeep()
	}
	_, err := s.next(depth)
	return cutIfEOF(err)
}

// cutIfEOF replaces io.EOF by errCut, for places where a value has to follow.
func cutIfEOF(err error) error {
	if err == io.EOF {
		return errCut
	}
	return err
}

func tooDeep() error { return fmt.Errorf("values are nested deeper than %d", maxDepth) }

// advance moves to an offset, and counts lines.
func (s *scanner) advance(offset int) {
	s.line += strings.Count(s.text[s.at:offset], "\n")
	s.at = offset
}

func isSpace(c byte) bool { return c == ',' || c == ' ' || '\t' <= c && c <= '\r' }

// collection reads the values of a collection of some kind up to its closing bracket end.
func (s *scanner) collection(kind sort, end byte, depth int) (form, error) {
	if depth > maxDepth {
		return form{}, tooDeep()
	}
	content := &content{sort: kind}
	for {
		if err := cutIfEOF(s.skip(depth)); err != nil {
			return form{}, err
		}
		if s.text[s.at] == end {
			s.at++
			if kind == mapping && len(content.items)%2 != 0 {
				return form{}, errors.New("a map has a key without a value")
			}
			return form{inner: content}, nil
		}
		item, err := s.next(depth)
		if err != nil {
			return form{}, err
		}
		// append alone would allocate four times the length of a long list; this allocates its length once more.
		if len(content.items) == cap(content.items) {
			content.items = slices.Grow(content.items, len(content.items)+1)
		}
		content.items = append(content.items, item)
	}
}

// quoted reads a text up to its closing quote.
func (s *scanner) quoted() (form, error) {
	var b strings.Builder
	for {
		length := strings.IndexAny(s.text[s.at:], `"\`)
		if length < 0 || s.at+length+1 == len(s.text) && s.text[s.at+length] == '\\' {
			return form{}, errCut
		}
		b.WriteString(s.text[s.at : s.at+length])
		s.advance(s.at + length + 1)
		if s.text[s.at-1] == '"' {
			return form{inner: textContent, text: b.String()}, nil
		}
		b.WriteString(s.escape())
	}
}

// escapes maps the letter after a backslash to the character that it means.
var escapes = map[rune]string{'n': "\n", 't': "\t", 'r': "\r", 'b': "\b", 'f': "\f"}

// escape returns the character that the letter after a backslash represents.
func (s *scanner) escape() string {
	r, size := utf8.DecodeRuneInString(s.text[s.at:])
	written := s.text[s.at : s.at+size]
	s.advance(s.at + size)
	if r == 'u' && len(s.text)-s.at >= 4 {
		var char string
		if json.Unmarshal([]byte(`"\u`+s.text[s.at:s.at+4]+`"`), &char) == nil {
			s.at += 4
			return char
		}
	}
	if meant, ok := escapes[r]; ok {
		return meant
	}
	return written
}

// character reads a character, such as \a or \newline. Its text is kept as it is written.
func (s *scanner) character() form {
	from := s.at
	_, size := utf8.DecodeRuneInString(s.text[s.at+1:])
	s.advance(s.at + 1 + size)
	s.word()
	return form{inner: textContent, text: s.text[from+1 : s.at]}
}

// dispatch reads a form that begins with #: a set, a regular expression, a symbolic value such as ##Inf, or a
// value with a tag, which may be the namespace of a map.
func (s *scanner) dispatch(depth int) (form, error) {
	s.at++
	switch tail := s.text[s.at:]; {
	case strings.HasPrefix(tail, "{"):
		s.at++
		return s.collection(sequence, '}', depth+1)
	case strings.HasPrefix(tail, `"`):
		s.at++
		return s.quoted()
	}
	tag := s.word()
	if strings.HasPrefix(tag, "#") {
		return form{text: tag[1:]}, nil
	}
	depth++
	if depth > maxDepth {
		return form{}, tooDeep()
	}
	f, err := s.next(depth)
	return f, cutIfEOF(err)
}

// word reads up to a delimiter.
func (s *scanner) word() string {
	from := s.at
	for s.at < len(s.text) && !isSpace(s.text[s.at]) && !strings.ContainsRune("()[]{}\";", rune(s.text[s.at])) {
		s.at++
	}
	return s.text[from:s.at]
}

// keyword returns the name of a keyword, "" for anything else.
func (f form) keyword() string {
	if name, ok := strings.CutPrefix(f.text, ":"); ok && f.sort() == word {
		return name
	}
	return ""
}

// isNil reports whether the value is nil.
func (f form) isNil() bool { return f.sort() == word && f.text == "nil" }

// field returns the value of a key of a map.
func (f form) field(key string) (form, bool) {
	for i := 0; i < len(f.items()); i += 2 {
		if f.items()[i].name() == key {
			return f.items()[i+1], true
		}
	}
	return form{}, false
}

// json returns the value as JSON: a keyword is its name, a ratio, a symbol and a character
// are texts, as is the key of a map whatever it is.
func (f form) json() []byte { return f.appendJSON(nil) }

// appendJSON appends the value as JSON, see json.
func (f form) appendJSON(b []byte) []byte {
	switch f.sort() {
	case word:
		return f.appendWord(b)
	case quoted:
		return tracefmt.AppendString(b, f.text)
	case mapping:
		return f.appendMap(b)
	}
	b = append(b, '[')
	for i, item := range f.items() {
		if i > 0 {
			b = append(b, ',')
		}
		b = item.appendJSON(b)
	}
	return append(b, ']')
}

// constants are the words that mean the same in JSON.
var constants = map[string]string{"nil": "null", "true": "true", "false": "false"}

// appendWord appends a word: a constant or a number, or otherwise a text. Suffixes of numbers, M and N, are
// dropped.
func (f form) appendWord(b []byte) []byte {
	if constant, ok := constants[f.text]; ok {
		return append(b, constant...)
	}
	number := strings.TrimRight(strings.TrimPrefix(f.text, "+"), "MN")
	if len(number) >= len(f.text)-1 && json.Valid([]byte(number)) && strings.ContainsAny(number[:1], "-0123456789") {
		return append(b, number...)
	}
	return tracefmt.AppendString(b, strings.TrimPrefix(f.text, ":"))
}

// appendMap appends a map as a JSON object. Of equal keys the first counts.
func (f form) appendMap(b []byte) []byte {
	b = append(b, '{')
	seen := make(map[string]bool)
	for i := 0; i < len(f.items()); i += 2 {
		key := f.items()[i].name()
		if seen[key] {
			continue // the first counts, as it does for field
		}
		seen[key] = true
		if len(seen) > 1 {
			b = append(b, ',')
		}
		b = append(tracefmt.AppendString(b, key), ':')
		b = f.items()[i+1].appendJSON(b)
	}
	return append(b, '}')
}

// name returns the value as a word: keywords and texts without their signs.
func (f form) name() string {
	switch f.sort() {
	case word:
		return strings.TrimPrefix(f.text, ":")
	case quoted:
		return f.text
	}
	return string(f.json())
}
