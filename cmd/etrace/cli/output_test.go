package cli

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFileSet: if the system fails while files get their names, the error names the new files.
func TestFileSet(t *testing.T) {
	folder := t.TempDir()
	s := fileSet{a: &app{}}
	defer s.discard()
	for _, name := range []string{"1/a", "2/b", "3/c"} {
		path := filepath.Join(folder, name)
		if err := os.Mkdir(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := s.add(outFile{path: path}, func(w io.Writer) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.RemoveAll(filepath.Join(folder, "3")); err != nil {
		t.Fatal(err)
	}
	want := "no such file or directory; only these files are new: 1/a and 2/b"
	if err := s.commit(); err == nil || !strings.HasSuffix(strings.ReplaceAll(err.Error(), folder+string(filepath.Separator), ""), want) {
		t.Errorf("error %v, want %s", err, want)
	}
}
