package spill

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestReadPart: of a page that can be read in part nothing is kept, and the error is.
func TestReadPart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pages")
	if err := os.WriteFile(path, []byte{7}, 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	s, page := &Store{file: file}, []byte{1, 2, 3}
	s.read(page, 0)
	if !slices.Equal(page, make([]byte, 3)) || s.Err() == nil {
		t.Errorf("page %v, error %v", page, s.Err())
	}
}
