package modelcheck

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"etrace/tracefmt/interop"
)

// jsonScanner reads a JSON document as values with their lines.
type jsonScanner struct {
	r       *interop.Reading
	text    string
	dec     *json.Decoder
	counted int64 // the offset of the counted part of the text
	line    int
	// limit bounds the values of a part: a state, or the document. left is the rest of the limit.
	scope       string
	limit, left int
	// key names the list of the document whose items are passed to take one by one, and not kept.
	key    string
	onItem func(item *value) error
}

// readJSON reads the document of a file. The items of the list with the key are passed to take, and not
// returned.
func readJSON(r *interop.Reading, key string, take func(item *value) error) (value, error) {
	text, err := r.Text()
	if err != nil {
		return value{}, err
	}
	s := &jsonScanner{key: key, onItem: take, r: r, text: text, dec: json.NewDecoder(strings.NewReader(text)), line: 1}
	s.scope, s.limit, s.left = "the document", maxValues, maxValues
	s.dec.UseNumber()
	v, err := s.next(0)
	if err == nil {
		if _, more := s.dec.Token(); more != io.EOF {
			err = errors.New("expected one JSON document, here something follows it")
		}
	}
	if wrong := new(interop.Error); errors.As(err, &wrong) {
		return v, err // take has given the error its place already
	}
	if err != nil {
		s.countLines()
		return v, r.Errorf(r.Line(s.line), "%w", inWords(err))
	}
	return v, nil
}

// inWords rewrites the error for a text that ends too early.
func inWords(err error) error {
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the file ends inside the JSON document")
	}
	return err
}

// countLines counts lines up to the present offset.
func (s *jsonScanner) countLines() {
	end := min(s.dec.InputOffset(), int64(len(s.text)))
	s.line += strings.Count(s.text[s.counted:end], "\n")
	s.counted = end
}

// next reads the next value. It fails if the value is invalid, nested too deeply, or has too many values inside.
func (s *jsonScanner) next(depth int) (value, error) {
	token, err := s.dec.Token()
	if err != nil {
		return value{}, err
	}
	s.countLines()
	s.left--
	if s.left < 0 {
		return value{}, fmt.Errorf("%s has more than %d values, the most that this format reads", s.scope, s.limit)
	}
	v := value{line: int32(s.line)}
	switch token := token.(type) {
	case json.Delim:
		if depth == maxDepth {
			return v, fmt.Errorf("values are nested deeper than %d", maxDepth)
		}
		return v, s.contents(token, &v, depth)
	case string:
		v = textValue(token)
		v.line = int32(s.line)
	case json.Number:
		v.text = token.String()
	case bool:
		v.text = map[bool]string{false: "false", true: "true"}[token]
	default:
		v.text = "null"
	}
	return v, nil
}

// contents reads the items of a list or object after its opening bracket.
func (s *jsonScanner) contents(open json.Delim, v *value, depth int) error {
	v.kind = list
	if open == '{' {
		v.kind = record
	}
	for s.dec.More() {
		var key *value
		if v.kind == record {
			next, err := s.next(depth + 1)
			if err != nil {
				return err
			}
			key = &next
		}
		read := s.next
		if depth == 0 && key != nil && s.key != "" && key.plain() == s.key {
			read = s.eachItem
		}
		item, err := read(depth + 1)
		if err != nil {
			return err
		}
		v.add(key, item)
	}
	_, err := s.dec.Token()
	return err
}

// eachItem passes the items of a list to take.
func (s *jsonScanner) eachItem(depth int) (value, error) {
	token, err := s.dec.Token()
	s.countLines()
	v := value{kind: list, line: int32(s.line)}
	if err == nil && token != json.Delim('[') {
		err = fmt.Errorf("expected a list %q", s.key)
	}
	for err == nil && s.dec.More() {
		s.scope, s.limit, s.left = "a state", maxOfState, maxOfState
		var item value
		item, err = s.next(depth + 1)
		if err == nil {
			err = s.onItem(&item)
		}
	}
	if err != nil {
		return v, err
	}
	_, err = s.dec.Token()
	return v, err
}
