package spans

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"etrace/tracefmt/interop"
)

// maxSpans bounds the spans, which are in memory until the whole file was read.
const maxSpans = 2 << 20

// document reads JSON documents one after another, element by element.
type document struct {
	r    *interop.Reading
	text string
	dec  *json.Decoder
	at   int // the offset of the counted part of the text
	line int // the number of the line at this offset
}

// newDocument reads the text of the present file.
func newDocument(r *interop.Reading) (*document, error) {
	text, err := r.Text()
	if err != nil {
		return nil, err
	}
	d := &document{r: r, text: text, dec: json.NewDecoder(strings.NewReader(text)), line: 1}
	d.dec.UseNumber()
	return d, nil
}

// each calls read for every document of the file.
func (d *document) each(read func() error) error {
	for d.dec.More() {
		if err := read(); err != nil {
			return d.r.Errorf(d.r.Line(d.currentLine()), "%w", inWords(err))
		}
	}
	if _, err := d.dec.Token(); err != io.EOF {
		return d.r.Errorf(d.r.Line(d.currentLine()), "%w", inWords(err))
	}
	return nil
}

// inWords rewrites an error of the JSON decoder in words of JSON.
func inWords(err error) error {
	var wrong *json.UnmarshalTypeError
	switch {
	case err == io.EOF, errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the file ends inside a JSON document")
	case errors.As(err, &wrong):
		return fmt.Errorf("%s is a %s, which it cannot be", cmp.Or(wrong.Field, "a value"), wrong.Value)
	}
	return err
}

// currentLine returns the line of the next value.
func (d *document) currentLine() int {
	end := min(int(d.dec.InputOffset()), len(d.text))
	for end < len(d.text) && strings.IndexByte(" \t\r\n,:", d.text[end]) >= 0 {
		end++
	}
	d.line += strings.Count(d.text[d.at:end], "\n")
	d.at = end
	return d.line
}

// object reads an object. It calls the reader of each key, and skips the values of other keys.
func (d *document) object(keys map[string]func() error) error {
	if err := d.open('{'); err != nil {
		return err
	}
	for d.dec.More() {
		key, err := d.dec.Token()
		if err != nil {
			return err
		}
		read := keys[fmt.Sprint(key)]
		if read == nil {
			var ignored json.RawMessage
			read = func() error { return d.dec.Decode(&ignored) }
		}
		if err := read(); err != nil {
			return err
		}
	}
	_, err := d.dec.Token()
	return err
}

// open reads the opening bracket.
func (d *document) open(bracket json.Delim) error {
	token, err := d.dec.Token()
	if err == nil && token != bracket {
		err = fmt.Errorf("expected %s, not %s", bracket, interop.Shorten(fmt.Sprint(token)))
	}
	return err
}

// array reads an array, and calls read for each element.
func (d *document) array(read func() error) error {
	if err := d.open('['); err != nil {
		return err
	}
	for d.dec.More() {
		if err := read(); err != nil {
			return err
		}
	}
	_, err := d.dec.Token()
	return err
}

// into returns a reader that decodes the next value into target.
func (d *document) into(target any) func() error {
	return func() error { return d.dec.Decode(target) }
}
