package shard

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// EachTagged reads lines SHARD<TAB>LINE, sorted by shard and seq. It calls check for each shard with its slice in
// JSON Lines, including the header. An empty LINE only ensures that the shard is checked.
func (p *Plan) EachTagged(r io.Reader, check func(shard int, slice io.Reader) error) error {
	header, err := p.sliceHeader()
	if err != nil {
		return err
	}
	t, seen := &tagged{r: bufio.NewReaderSize(r, 64<<10)}, make(map[int]bool)
	for t.begin(); t.err == nil; {
		shard, err := strconv.Atoi(t.tag)
		if err != nil {
			return fmt.Errorf("line %d: expected SHARD<TAB>LINE, the number of a shard first", t.line)
		}
		if err := p.CheckShard(shard); err != nil {
			return fmt.Errorf("line %d: %w", t.line, err)
		}
		if seen[shard] {
			return fmt.Errorf("line %d: shard %d again after another one, expected the lines sorted by their shards", t.line, shard)
		}
		seen[shard], t.shard = true, t.tag
		if err := check(shard, io.MultiReader(bytes.NewReader(header), t)); err != nil {
			return fmt.Errorf("shard %d: %w", shard, err)
		}
		if _, err := io.Copy(io.Discard, t); err != nil {
			return err
		}
	}
	if errors.Is(t.err, io.EOF) {
		return nil
	}
	return t.err
}

// sliceHeader returns the first line of the slices of the plan. For a plan that splits runs it returns nil.
func (p *Plan) sliceHeader() ([]byte, error) {
	if p.Mode != Events {
		return nil, nil
	}
	run, err := p.One.Run()
	if err != nil {
		return nil, err
	}
	run.Slice = true
	header, err := headerOf(run)
	return append(header, '\n'), err
}

// tagged reads the lines of one shard, without their tags.
type tagged struct {
	r        *bufio.Reader
	line     int64
	shard    string // the shard whose lines are read
	tag      string // the tag of the present line
	buffered []byte // the unread part of the buffered line
	// ends is true if the buffer contains the end of the line.
	ends bool
	// err is the reason why no further line follows.
	err error
}

// Read implements [io.Reader]. It ends before a line of another shard.
func (t *tagged) Read(p []byte) (int, error) {
	for len(t.buffered) == 0 {
		if t.ends {
			t.begin()
		}
		switch {
		case t.err != nil:
			return 0, t.err
		case t.tag != t.shard:
			return 0, io.EOF
		}
		t.read()
	}
	n := copy(p, t.buffered)
	t.buffered = t.buffered[n:]
	return n, nil
}

// begin reads the tag of the next line.
func (t *tagged) begin() {
	t.ends = false
	t.line++
	tag, err := t.r.ReadSlice('\t')
	switch {
	case err == nil && string(tag[:len(tag)-1]) == t.tag:
	case err == nil:
		t.tag = string(tag[:len(tag)-1])
	case errors.Is(err, io.EOF) && len(tag) > 0, errors.Is(err, bufio.ErrBufferFull):
		t.tag = "" // no valid number
	default:
		t.err = err
	}
}

// read buffers the next part of the present line.
func (t *tagged) read() {
	part, err := t.r.ReadSlice('\n')
	t.buffered, t.ends = part, !errors.Is(err, bufio.ErrBufferFull)
	if err != nil && t.ends {
		t.err = err
	}
}
