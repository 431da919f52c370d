package tracefile

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"

	"etrace/tracefmt/atomicfile"
)

// inMemory is how much of a stream is kept in memory.
const inMemory = 8 << 20

// spool is a stream that was read to its end and can be read again.
type spool struct {
	io.ReaderAt
	size int64
	file *os.File // nil in memory
	// left is the name of the file while it is there to be removed.
	left string
}

func newSpool(r io.Reader) (*spool, error) {
	var b bytes.Buffer
	n, err := io.CopyN(&b, r, inMemory+1)
	switch {
	case errors.Is(err, io.EOF):
		return &spool{ReaderAt: bytes.NewReader(b.Bytes()), size: n}, nil
	case err != nil:
		return nil, err
	}
	return newSpoolFile(io.MultiReader(&b, r))
}

func newSpoolFile(r io.Reader) (*spool, error) {
	f, left, err := atomicfile.Temporary()
	if err != nil {
		return nil, fmt.Errorf("the stream is too long for memory and cannot be kept: %w", err)
	}
	s := &spool{ReaderAt: f, file: f, left: left}
	if s.size, err = io.Copy(f, r); err != nil {
		s.Close()
		return nil, fmt.Errorf("the stream is too long for memory and cannot be kept: %w", err)
	}
	return s, nil
}

// isDatabase reports whether the stream begins like a SQLite file.
func (s *spool) isDatabase() bool {
	head := make([]byte, len(databaseMagic))
	n, _ := s.ReadAt(head, 0)
	return string(head[:n]) == databaseMagic
}

// databaseMagic is how a SQLite file begins.
const databaseMagic = "SQLite format 3\x00"

// Close gives up what was kept.
func (s *spool) Close() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	if s.left != "" {
		err = cmp.Or(err, os.Remove(s.left))
	}
	s.file, s.ReaderAt = nil, bytes.NewReader(nil)
	return err
}
