package tracefile

import (
	"cmp"
	"fmt"
	"io"
	"os"

	"etrace/tracefmt/atomicfile"
)

// inMemory is how much of a stream is kept in memory.
const inMemory = 8 << 20

// spool is what was read of a stream, to be read again. Commands go through a stream once as it
// comes, if they can, but hardly any is sure at the beginning that once is enough:
//   - which run is the last one, which most commands are about, is known at the end of the stream;
//   - check verifies a loop, which the last event of a run claims, from an earlier event on; looks up
//     the lines of a log from which a violation is; and explains a violation by what led to it;
//   - stats, replay and render of a run that does not declare what it tells need to know all that occurs
//     in it before its first event means anything;
//   - lint says of the events of its findings what they are;
//   - replay and diff seek.
//
// Who is sure reads the stream with a [tracefmt.Decoder]: query, import, and check of a shard.
type spool struct {
	memory []byte
	size   int64
	file   *os.File // nil while it is in memory
	// left is the name of the file while it is there to be removed.
	left string
}

// newSpool reads a stream to its end.
func newSpool(r io.Reader) (*spool, error) {
	s := new(spool)
	if _, err := io.Copy(s, r); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Write implements [io.Writer]: more of the stream.
func (s *spool) Write(p []byte) (n int, err error) {
	if s.file == nil && s.size+int64(len(p)) > inMemory {
		err = s.toFile()
	}
	switch {
	case err != nil:
	case s.file == nil:
		s.memory = append(s.memory, p...)
		n = len(p)
	default:
		n, err = s.file.Write(p)
	}
	s.size += int64(n)
	if err != nil {
		err = fmt.Errorf("the stream is too long for memory and cannot be kept: %w", err)
	}
	return n, err
}

// toFile moves what is kept to a file.
func (s *spool) toFile() (err error) {
	if s.file, s.left, err = atomicfile.Temporary(); err == nil {
		_, err = s.file.Write(s.memory)
	}
	s.memory = nil
	return err
}

// ReadAt implements [io.ReaderAt].
func (s *spool) ReadAt(p []byte, at int64) (n int, err error) {
	if s.file != nil {
		return s.file.ReadAt(p, at)
	}
	if at < int64(len(s.memory)) {
		n = copy(p, s.memory[at:])
	}
	if n < len(p) {
		err = io.EOF
	}
	return n, err
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
	s.memory = nil
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	if s.left != "" {
		err = cmp.Or(err, os.Remove(s.left))
	}
	s.file = nil
	return err
}
