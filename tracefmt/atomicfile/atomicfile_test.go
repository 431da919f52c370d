package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func expectFolder(t *testing.T, folder string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if !slices.Equal(got, want) {
		t.Errorf("the folder has %q, want %q", got, want)
	}
}

func expectText(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s: %q, %v, want %q", path, got, err, want)
	}
}

func create(t *testing.T, path, text string) *File {
	t.Helper()
	f, err := Create(path)
	if err == nil {
		_, err = f.Write([]byte(text))
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Discard() })
	return f
}

// TestNothingHalfWritten: until the end there is what was there before.
func TestNothingHalfWritten(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a")
	create(t, path, "given up").Discard()
	expectFolder(t, folder)
	for _, text := range []string{"first", "second"} {
		if err := create(t, path, text).Replace(); err != nil {
			t.Fatal(err)
		}
		expectText(t, path, text)
		f := create(t, path, "given up")
		expectText(t, path, text)
		f.Discard()
		f.Discard()
		expectText(t, path, text)
	}
	expectFolder(t, folder, "a")
}

// TestPlace: what is there is not replaced, also where there are no hard links.
func TestPlace(t *testing.T) {
	for name, place := range map[string]func(*File) error{"link": (*File).Place, "no link": (*File).placeWithoutLink} {
		folder := t.TempDir()
		path := filepath.Join(folder, "a")
		first, second := create(t, path, "first"), create(t, path, "second")
		if err := place(first); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		first.Discard()
		if err := place(second); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: error %v, want %v", name, err, fs.ErrExist)
		}
		expectText(t, second.Name(), "second")
		second.Discard()
		expectText(t, path, "first")
		expectFolder(t, folder, "a")
	}
}

// TestErrors: they name the file that was asked for, and nothing is left.
func TestErrors(t *testing.T) {
	folder := t.TempDir()
	expect := func(err error, kind error, text string) {
		t.Helper()
		if err == nil || kind != nil && !errors.Is(err, kind) || err.Error() != text {
			t.Errorf("got %v, want %s", err, text)
		}
	}
	_, err := Create(folder)
	expect(err, nil, folder+": is a directory, expected a file")
	path := filepath.Join(folder, "none", "a")
	_, err = Create(path)
	expect(err, fs.ErrNotExist, path+": cannot be written: no such file or directory")
	path = filepath.Join(folder, "a")
	f := create(t, path, "")
	f.Close()
	_, err = f.Write([]byte("text"))
	expect(err, fs.ErrClosed, path+": file already closed")
	f.Discard()
	f = create(t, path, "text")
	if err := os.Mkdir(path, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := f.Replace(); err == nil || !strings.HasPrefix(err.Error(), path+": ") || strings.Contains(err.Error(), ".a.") {
		t.Errorf("got %v", err)
	}
	expectFolder(t, folder, "a")
}

// TestModes: a file has the permissions of any new file.
func TestModes(t *testing.T) {
	folder := t.TempDir()
	path, other := filepath.Join(folder, "a"), filepath.Join(folder, "b")
	if err := create(t, path, "").Replace(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(other, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	got, _ := os.Stat(path)
	want, _ := os.Stat(other)
	if got.Mode() != want.Mode() {
		t.Errorf("mode %v, want %v", got.Mode(), want.Mode())
	}
}
