package tracedb

import (
	"errors"
	"io/fs"
	"path/filepath"
	"sync"
	"testing"

	"etrace/tracefmt"
)

var _ tracefmt.Recording = (*Recording)(nil)

// TestManyReaders: streams of one DB do not disturb each other, neither in
// several goroutines nor one inside another.
func TestManyReaders(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.db")
	mustSave(t, path, longRun(500), longRun(700))
	db, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	count := func(number int, from tracefmt.Seq) (n int) {
		r, err := db.Recording(number)
		if err != nil {
			t.Error(err)
			return
		}
		for e, err := range r.Events(from) {
			if err != nil {
				t.Error(err)
			}
			n++
			if e.Seq != from+tracefmt.Seq(n)-1 {
				t.Errorf("seq %d, want %d", e.Seq, from+tracefmt.Seq(n)-1)
			}
		}
		return n
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if a, b := count(1, 1), count(2, 201); a != 500 || b != 500 {
				t.Errorf("%d and %d events, want 500 and 500", a, b)
			}
		})
	}
	wg.Wait()
	r, err := db.Recording(1)
	if err != nil {
		t.Fatal(err)
	}
	for e, err := range r.Events(491) {
		if err != nil || count(2, e.Seq) != 701-int(e.Seq) {
			t.Errorf("inside another stream, at %d: %v", e.Seq, err)
		}
	}
}

// TestClosed: a closed DB returns an error.
func TestClosed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.db")
	mustSave(t, path, election())
	db, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if db.Path() != path {
		t.Errorf("path %s", db.Path())
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Runs(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("error %v", err)
	}
}
