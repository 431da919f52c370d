package tracefile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"etrace/tracefmt"
	"etrace/tracefmt/tracedb"
)

// Made returns the trace that write makes in JSON Lines, such as the runs of logs; name is for errors. The trace is stored
// as [Open] stores a stream.
func Made(name string, write func(io.Writer) error, o Options) (*Trace, error) {
	s := new(spool)
	if err := write(s); err != nil {
		s.Close()
		return nil, err
	}
	t, text := &Trace{path: name, spool: s}, tracefmt.NewText(name, s, s.size)
	if !o.readsPassing() {
		return openText(t, text, o)
	}
	passing, err := beginPassing(t, text, io.NewSectionReader(s, 0, s.size), o)
	if err != nil {
		s.Close()
	}
	return passing, err
}

// openPipe reads the pipe with the given name.
func openPipe(path string, o Options) (*Trace, error) {
	pipe, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	o.Stdin = pipe
	t, err := openStream(path, o)
	if err != nil || t.stream == nil {
		return t, errors.Join(err, pipe.Close())
	}
	t.pipe = pipe
	return t, nil
}

// isPipe reports whether a file can be read only once.
func isPipe(info fs.FileInfo) bool { return info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) != 0 }

// openStream reads the stdin of the options; name is for errors.
func openStream(name string, o Options) (*Trace, error) {
	input := bufio.NewReaderSize(o.Stdin, headSize)
	if o.readsPassing() {
		if magic, _ := input.Peek(len(databaseMagic)); isText(magic) {
			return openPassing(name, input, o)
		}
	}
	s, err := newSpool(input)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if s.isDatabase() {
		s.Close()
		return nil, fmt.Errorf("%s: a database cannot be read from a stream, expected JSON Lines as etrace export writes them", name)
	}
	head := s.head()
	if bytes.HasPrefix(head, []byte(tracedb.ParquetMagic)) {
		s.Close()
		return nil, tracedb.Parquet(name)
	}
	t, err := openText(&Trace{path: name, spool: s}, tracefmt.NewText(name, s, s.size), o)
	return t, foreignError(head, err)
}

// head returns the first bytes of the stream.
func (s *spool) head() []byte {
	head := make([]byte, headSize)
	n, _ := s.ReadAt(head, 0)
	return head[:n]
}

// openPassing opens a stream that is read while it arrives.
func openPassing(name string, r io.Reader, o Options) (*Trace, error) {
	s := new(spool)
	text := tracefmt.NewText(name, s, 1<<62) // the spool ends at the data that was read so far
	t, err := beginPassing(&Trace{path: name, spool: s}, text, io.TeeReader(r, s), o)
	if err != nil {
		err = foreignError(s.head(), err)
		s.Close()
		return nil, err
	}
	return t, nil
}

// openPassingFile opens a file that is read while its runs are used.
func openPassingFile(path string, o Options) (*Trace, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return beginPassing(&Trace{path: path, pipe: f}, tracefmt.TextFile(path), f, o)
}

// beginPassing reads the header of the first run.
func beginPassing(t *Trace, text tracefmt.Text, r io.Reader, o Options) (*Trace, error) {
	t.complete, t.slices, text = o.Completeness, o.Slices, text.WithCompleteness(o.Completeness)
	if o.Unvalidated {
		text = text.Unvalidated()
	}
	t.stream = text.Stream(r)
	if err := t.readHeader(); err != nil {
		if t.pipe != nil {
			t.pipe.Close()
		}
		return nil, err
	}
	return t, nil
}

// readHeader reads the header of the next run of a stream; after the last it drops the stream.
func (t *Trace) readHeader() error {
	run, err := t.stream.Next()
	switch {
	case err == io.EOF:
		t.stream = nil
		return nil
	case err != nil:
		return err
	}
	t.texts = append(t.texts, run)
	t.numbers = append(t.numbers, run.Run().Number)
	return nil
}

// readUpTo reads a stream up to the run with the given number, 0 for all runs.
func (t *Trace) readUpTo(number int) error {
	for t.stream != nil && (number == 0 || len(t.texts) < number) {
		if err := t.readHeader(); err != nil {
			return err
		}
	}
	return nil
}
