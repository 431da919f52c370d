package tracedb

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/fixtures/size"
)

type resultRow struct {
	Cell  int
	Run   int64
	Value string
}

// resultRows are some, enough for more than one page.
func resultRows() (rows []resultRow) {
	for cell := range 5 {
		for run := range int64(200) {
			rows = append(rows, resultRow{cell, run, fmt.Sprintf("[%d,%d]", cell, run*run)})
		}
	}
	return rows
}

func putResults(t *testing.T, path string, rows []resultRow) {
	t.Helper()
	r, err := OpenResults(path, "about", "[]")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.Put(len(rows), func(i int) (int, int64, string) { return rows[i].Cell, rows[i].Run, rows[i].Value }); err != nil {
		t.Fatal(err)
	}
}

// readResultRows returns all rows of a file, and what it is about.
func readResultRows(path string) (rows []resultRow, about string, err error) {
	r, err := ReadResults(path)
	if err != nil {
		return nil, "", err
	}
	defer r.Close()
	err = r.Each(func(cell int, run int64, value string) error {
		rows = append(rows, resultRow{cell, run, value})
		return nil
	})
	return rows, r.About(), err
}

// TestResults: what is put is there, in order, also of a file that is opened again.
func TestResults(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.db")
	want := resultRows()
	putResults(t, path, want[500:])
	putResults(t, path, want[:500])
	got, about, err := readResultRows(path)
	if err != nil || about != "about" {
		t.Fatalf("about %q, %v", about, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-put +read)\n%s", diff)
	}
}

// TestResultsAlone: while one writes, no other does, nor reads what is half there.
func TestResultsAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.db")
	r, err := OpenResults(path, "about", "[]")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := OpenResults(path, "about", "[]"); !errors.Is(err, errBusy) ||
		err.Error() != path+": another sweep is writing to it, expected one at a time" {
		t.Errorf("a second writer: %v", err)
	}
	if _, err := ReadResults(path); !errors.Is(err, errBusy) {
		t.Errorf("a reader: %v", err)
	}
	r.Close()
	putResults(t, path, resultRows())
}

// TestResultsGone: what is put into a file that is removed meanwhile would be lost.
func TestResultsGone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.db")
	r, err := OpenResults(path, "about", "[]")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := r.Put(1, func(int) (int, int64, string) { return 0, 0, "[]" }); err == nil {
		t.Error("results are put into a file that is gone")
	}
}

// TestOtherFiles: a trace, other databases, texts and nothing are no results, in one
// line, and are left as they are; results are no trace.
func TestOtherFiles(t *testing.T) {
	folder := t.TempDir()
	trace, results := filepath.Join(folder, "trace.db"), filepath.Join(folder, "results.db")
	if err := createEmpty(trace); err != nil {
		t.Fatal(err)
	}
	putResults(t, results, nil)
	if err := CheckFile(results); !errors.Is(err, ErrNotTrace) ||
		!strings.Contains(err.Error(), "holds results of etrace sweep, expected an etrace trace") {
		t.Errorf("results as a trace: %v", err)
	}
	added := filepath.Join(folder, "added.db")
	putResults(t, added, nil)
	change(t, added, "CREATE TRIGGER more AFTER INSERT ON result BEGIN DELETE FROM about; END")
	second := filepath.Join(folder, "other.db")
	putResults(t, second, nil)
	change(t, second, "ALTER TABLE result ADD COLUMN more")
	text, empty := filepath.Join(folder, "notes.txt"), filepath.Join(folder, "empty")
	for name, content := range map[string]string{text: "What I found out in a long night.\n", empty: ""} {
		if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{trace, added, second, text, empty, folder} {
		before, _ := os.ReadFile(path)
		for _, open := range []func() (*Results, error){
			func() (*Results, error) { return OpenResults(path, "about", "[]") },
			func() (*Results, error) { return ReadResults(path) },
		} {
			_, err := open()
			if !errors.Is(err, errNotResults) || strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), path+": ") {
				t.Errorf("%s: %v", filepath.Base(path), err)
			}
		}
		if after, _ := os.ReadFile(path); string(before) != string(after) {
			t.Errorf("%s was changed", path)
		}
	}
	if _, err := ReadResults(filepath.Join(folder, "missing.db")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// TestResultsDamaged: after a flipped bit or a cut, no wrong row is read, and no row is missing without an
// error.
func TestResultsDamaged(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "results.db")
	rows := resultRows()
	putResults(t, path, rows)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	stored := map[resultRow]bool{}
	for _, row := range rows {
		stored[row] = true
	}
	damaged := filepath.Join(folder, "damaged.db")
	noticed := 0
	try := func(name string, content []byte) {
		if err := os.WriteFile(damaged, content, 0o666); err != nil {
			t.Fatal(err)
		}
		got, about, err := readResultRows(damaged)
		if err != nil {
			noticed++
			if strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), damaged+": ") {
				t.Errorf("%s: %v", name, err)
			}
		} else if about != "about" || len(got) != len(rows) {
			t.Errorf("%s: about %q, %d rows of %d", name, about, len(got), len(rows))
		}
		for _, row := range got {
			if !stored[row] {
				t.Fatalf("%s: the row %v was never put", name, row)
			}
		}
	}
	for at := 0; at < len(good); at += size.Pick(509, 151, 31) {
		bad := append([]byte(nil), good...)
		bad[at] ^= 1 << (at % 8)
		try(fmt.Sprintf("byte %d", at), bad)
	}
	for _, length := range []int{1, 50, 99, 100, 4096, len(good) / 2, len(good) - 1} {
		try(fmt.Sprintf("the first %d bytes", length), good[:length])
	}
	if noticed < size.Pick(6, 20, 100) {
		t.Errorf("damage was noticed %d times only", noticed)
	}
}

// TestResultsMissing: a missing row is detected, as after damage to an index; so is an additional one.
func TestResultsMissing(t *testing.T) {
	for _, statement := range []string{
		"DELETE FROM result WHERE cell = 1 AND run = 7", "DELETE FROM about WHERE key = 'cells'", "INSERT INTO about VALUES('color', '1', 0)",
		"UPDATE about SET value = '[1]' WHERE key = 'cells'",
	} {
		path := filepath.Join(t.TempDir(), "results.db")
		putResults(t, path, resultRows())
		change(t, path, statement)
		if _, _, err := readResultRows(path); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v, want %v", statement, err, ErrDamaged)
		}
		if r, err := OpenResults(path, "about", "[]"); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: to add: %v, want %v", statement, err, ErrDamaged)
			r.Close()
		}
	}
}
