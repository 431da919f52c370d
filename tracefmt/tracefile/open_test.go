package tracefile

import (
	"errors"
	"os"
	"testing"

	"etrace/tracefmt"
)

// TestOpenTextCloses: a stream that is no trace leaves no file open.
func TestOpenTextCloses(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := new(spool)
	if _, err := s.Write(make([]byte, maxInMemory+1)); err != nil {
		t.Fatal(err)
	}
	f := s.file
	if _, err := openText(&Trace{spool: s}, tracefmt.NewText("-", s, s.size), Options{}); err == nil {
		t.Error("a text of zero bytes is a trace")
	}
	if err := f.Close(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("the file is open: %v", err)
	}
}
