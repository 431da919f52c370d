package tracefile

import (
	"cmp"
	"fmt"
	"io"
	"os"

	"etrace/tracefmt/atomicfile"
)

// maxInMemory is the maximum size of a stream in memory.
const maxInMemory = 8 << 20

// spool stores the data read from a stream, to read it again. Commands read a stream once as it comes, if they
// can, but most of them may need it again:
//
//   - most commands use the last run, which is known only at the end of the stream;
//   - check verifies the loop that the last event of a run claims from an earlier event on. It also looks
//     up the log lines of a violation, and explains a violation by its causes;
//   - stats, replay and render of a run without declared completeness need to know everything that occurs
//     in it before its first event has a meaning;
//   - lint describes the events of its findings;
//   - replay and diff seek.
//
// Commands that never need it again use a [tracefmt.Decoder]: query, import, and check of a shard.
type spool struct {
	memory []byte
	size   int64
	file   *os.File // nil while the data is in memory
	name   string   // the name of a file that has to be removed, "" for none
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
	if s.file == nil && s.size+int64(len(p)) > maxInMemory {
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

// toFile moves the data to a file.
func (s *spool) toFile() (err error) {
	s.file, s.name, err = atomicfile.Temporary()
	if err == nil {
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

// databaseMagic is the beginning of a SQLite file.
const databaseMagic = "SQLite format 3\x00"

// Close removes the file of the data.
func (s *spool) Close() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	if s.name != "" {
		err = cmp.Or(err, os.Remove(s.name))
	}
	s.file = nil
	return err
}
