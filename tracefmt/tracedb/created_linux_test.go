package tracedb

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestOneJournal: what is moved to a trace is committed to one file, so that no
// journal over several is made, which nothing would remove after a crash.
func TestOneJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t#1?%.db")
	mustSave(t, path, election())
	watch, err := syscall.InotifyInit1(syscall.IN_NONBLOCK)
	needs(t, err, "inotify")
	defer syscall.Close(watch)
	_, err = syscall.InotifyAddWatch(watch, filepath.Dir(path), syscall.IN_CREATE)
	needs(t, err, "a watch of a folder")
	mustSave(t, path, election())
	expectRun(t, path, 2, election())
	buffer := make([]byte, 1<<16)
	n, err := syscall.Read(watch, buffer)
	created := string(buffer[:max(0, n)])
	if err != nil || !strings.Contains(created, "t#1?%.db-journal") {
		t.Fatalf("created %q, %v, want a journal among it", created, err)
	}
	if strings.Contains(created, "t#1?%.db-mj") {
		t.Errorf("created %q, want no journal over several files", created)
	}
}
