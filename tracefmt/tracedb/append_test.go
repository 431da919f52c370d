package tracedb

import (
	"path/filepath"
	"testing"
)

func TestSmoke(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.db")
	mustSave(t, path, election())
	expectRun(t, path, 1, election())
	mustSave(t, path, election(), election())
	expectRun(t, path, 1, election())
	expectRun(t, path, 3, election())
	expectFolder(t, filepath.Dir(path), "trace.db")
}
