package document

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
)

// Page is a part of what a command prints: at most Limit rows, from Cursor on.
type Page struct {
	Limit int
	// Cursor is the cursor that the previous page ends with, "" for the first page. It holds the number of rows before
	// the page, and a checksum of the whole output, so that it fits no other output.
	Cursor string
}

// ErrCursor is the error for a cursor of another output.
var ErrCursor = errors.New("expected a cursor of the same command about the same trace, from its last page")

// window has the rows of a page: from (included) and to (excluded) of total. sum is the checksum of the whole
// output.
type window struct {
	from, to, total int
	sum             uint64
}

// window returns the rows of the page in an output of total rows with a checksum. It fails for a cursor of
// another output.
func (p Page) window(total int, sum uint64) (window, error) {
	w := window{total: total, sum: sum}
	if p.Cursor != "" {
		b, err := base64.RawURLEncoding.DecodeString(p.Cursor)
		if err != nil || len(b) != 16 || binary.BigEndian.Uint64(b) != sum {
			return w, ErrCursor
		}
		from := binary.BigEndian.Uint64(b[8:])
		if from >= uint64(total) {
			return w, ErrCursor
		}
		w.from = int(from)
	}
	w.to = min(w.from+p.Limit, total)
	if w.to < w.from { // the sum overflowed, since the limit is near the greatest integer
		w.to = total
	}
	return w, nil
}

// next returns the cursor of the page after this one, "" if it is the last.
func (w window) next() string {
	if w.to >= w.total {
		return ""
	}
	b := binary.BigEndian.AppendUint64(nil, w.sum)
	return base64.RawURLEncoding.EncodeToString(binary.BigEndian.AppendUint64(b, uint64(w.to)))
}

// WriteText writes a page of a text, whose rows are its lines. The number of lines comes first, and the cursor
// of the next page last. open returns the text from its beginning; it is called twice.
func (p Page) WriteText(out io.Writer, open func() (io.Reader, error)) error {
	sum := fnv.New64a()
	total := 0
	err := lines(open, func(line []byte) {
		sum.Write(line)
		total++
	})
	if err != nil {
		return err
	}
	w, err := p.window(total, sum.Sum64())
	if err != nil {
		return err
	}
	b := bufio.NewWriter(out)
	fmt.Fprintf(b, "lines %d to %d of %d\n", min(w.from+1, w.to), w.to, total)
	at := 0
	err = lines(open, func(line []byte) {
		at++
		if at > w.from && at <= w.to {
			b.Write(line)
		}
	})
	if err != nil {
		return err
	}
	if next := w.next(); next != "" {
		fmt.Fprintf(b, "next: %s\n", next)
	}
	return b.Flush()
}

// lines calls take for each line.
func lines(open func() (io.Reader, error), take func(line []byte)) error {
	input, err := open()
	if err != nil {
		return err
	}
	r := bufio.NewReader(input)
	for {
		line, err := r.ReadBytes('\n')
		if len(line) > 0 {
			take(line)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// RowLists are the keys of the lists in a document whose elements are rows. An element of an outer list may have
// inner lists; it is on the page if one of its inner rows is.
type RowLists struct{ Outer, Inner []string }

// WriteJSON writes a page of a JSON document whose first key is "format"; lists has the lists of each format.
// After the format it adds "total", the number of rows, and "next", the cursor of the next page if there is one.
func (p Page) WriteJSON(out io.Writer, open func() (io.Reader, error), lists map[string]RowLists) error {
	sum := fnv.New64a()
	counted, err := readPage(open, window{}, lists, sum)
	if err != nil {
		return err
	}
	w, err := p.window(counted.rows, sum.Sum64())
	if err != nil {
		return err
	}
	page, err := readPage(open, w, lists, io.Discard)
	if err != nil {
		return err
	}
	head := fmt.Sprintf(`{"format":%q,"total":%d`, page.format, w.total)
	if next := w.next(); next != "" {
		head += fmt.Sprintf(`,"next":%q`, next)
	}
	_, err = fmt.Fprintf(out, "%s%s\n", head, page.tail.Bytes())
	return err
}

// rowList describes the elements of a list.
type rowList int

const (
	noRows rowList = iota
	outerRows
	innerRows
)

// pageReader reads a document and keeps the rows in a window.
type pageReader struct {
	window
	*json.Decoder
	format string
	lists  map[string]rowList
	rows   int // the number of rows read so far
	tail   bytes.Buffer
	row    json.RawMessage // the last row that was read of an inner list
}

// readPage reads a document, and writes all of it to copied.
func readPage(open func() (io.Reader, error), w window, lists map[string]RowLists, copied io.Writer) (*pageReader, error) {
	input, err := open()
	if err != nil {
		return nil, err
	}
	input = io.TeeReader(input, copied)
	r := &pageReader{window: w, Decoder: json.NewDecoder(input), lists: make(map[string]rowList)}
	r.UseNumber()
	var tokens [3]json.Token
	for i := range tokens {
		tokens[i], err = r.Token()
		if err != nil {
			return nil, err
		}
	}
	r.format, _ = tokens[2].(string)
	known, ok := lists[r.format]
	if tokens[1] != "format" || !ok {
		return nil, fmt.Errorf("%s has no list of rows", r.format)
	}
	for _, key := range known.Outer {
		r.lists[key] = outerRows
	}
	for _, key := range known.Inner {
		r.lists[key] = innerRows
	}
	if _, err := r.members(&r.tail, ","); err != nil {
		return nil, err
	}
	_, err = io.Copy(io.Discard, input)
	return r, err
}

// members copies the members of an object to its end. shown is true if one of them has a row of the page.
func (r *pageReader) members(out *bytes.Buffer, separator string) (shown bool, err error) {
	for ; r.More(); separator = "," {
		key, err := r.Token()
		if err != nil {
			return false, err
		}
		name, _ := key.(string)
		out.WriteString(separator)
		writeScalar(out, key)
		out.WriteByte(':')
		has, err := r.value(out, r.lists[name])
		if err != nil {
			return false, err
		}
		shown = shown || has
	}
	out.WriteByte('}')
	_, err = r.Token()
	return shown, err
}

// value copies a value; of a list of rows it copies the rows of the page only.
func (r *pageReader) value(out *bytes.Buffer, rows rowList) (shown bool, err error) {
	token, err := r.Token()
	if err != nil {
		return false, err
	}
	switch token {
	case json.Delim('{'):
		out.WriteByte('{')
		return r.members(out, "")
	case json.Delim('['):
		out.WriteByte('[')
	default:
		writeScalar(out, token)
		return false, nil
	}
	for separator := ""; r.More(); {
		before := out.Len()
		out.WriteString(separator)
		on := rows != noRows && r.rows >= r.from && r.rows < r.to
		if rows != noRows {
			out.WriteByte('\n')
			r.rows++
		}
		inside := false
		if rows == innerRows { // most of a document, and read in less time as a whole
			err = r.Decode(&r.row)
			if err == nil && on {
				err = json.Compact(out, r.row)
			}
		} else {
			inside, err = r.value(out, noRows)
		}
		if err != nil {
			return false, err
		}
		if rows != noRows && !on && !inside {
			out.Truncate(before)
			continue
		}
		separator, shown = ",", shown || on || inside
	}
	out.WriteByte(']')
	_, err = r.Token()
	return shown, err
}

// writeScalar writes a text, a number with all its digits, a truth value or null.
func writeScalar(out *bytes.Buffer, token json.Token) {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(token) // which fails for no token
	out.Truncate(out.Len() - 1)
}
