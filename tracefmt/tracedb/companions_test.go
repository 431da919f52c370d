package tracedb

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestStaleCompanions: what a killed writer has left of a trace that is gone is
// neither taken for a part of a new one nor destroyed.
func TestStaleCompanions(t *testing.T) {
	for _, suffix := range []string{"-journal", "-wal"} {
		path := filepath.Join(t.TempDir(), "t.db")
		if err := os.WriteFile(path+suffix, []byte("left"), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := save(path, election()); !errors.Is(err, fs.ErrExist) || !strings.HasPrefix(err.Error(), path+suffix+": ") {
			t.Errorf("%s: error %v, want one that names it", suffix, err)
		}
		expectFolder(t, filepath.Dir(path), "t.db"+suffix)
		if err := os.Truncate(path+suffix, 0); err != nil {
			t.Fatal(err)
		}
		mustSave(t, path, election())
		expectRun(t, path, 1, election())
	}
}

// TestLongNames: a name that leaves no room for those of companions is refused
// before anything is recorded, and all others can be appended to.
func TestLongNames(t *testing.T) {
	for _, length := range []int{maxName, maxName + 1, 247, 255} {
		path := filepath.Join(t.TempDir(), strings.Repeat("x", length))
		if length > maxName {
			if err := save(path, election()); !errors.Is(err, syscall.ENAMETOOLONG) {
				t.Errorf("%d bytes: error %v, want %v", length, err, syscall.ENAMETOOLONG)
			}
			expectFolder(t, filepath.Dir(path))
			continue
		}
		mustSave(t, path, election())
		mustSave(t, path, election())
		expectRun(t, path, 2, election())
	}
}
