package textfile_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"etrace/tracefmt/textfile"
)

func TestRead(t *testing.T) {
	folder := t.TempDir()
	write := func(name string, size int64) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, bytes.Repeat([]byte{'a'}, int(min(size, textfile.Most))), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, size); err != nil {
			t.Fatal(err)
		}
		return path
	}
	pipe := filepath.Join(folder, "pipe")
	if err := makePipe(pipe); err != nil {
		t.Fatal(err)
	}
	go func() { _ = os.WriteFile(pipe, []byte("algorithm: bully\n"), 0) }()
	long := write("long", textfile.Most+1)
	for _, test := range []struct {
		path, want string
		size       int
	}{
		{path: write("empty", 0)},
		{path: write("full", textfile.Most), size: textfile.Most},
		{path: pipe, size: len("algorithm: bully\n")},
		{path: long, want: long + ": has more than 16 MiB, expected a scenario"},
		{path: "/dev/zero", want: "/dev/zero: has more than 16 MiB, expected a scenario"},
		{path: folder, want: folder + ": is a directory, expected a scenario"},
	} {
		data, err := textfile.Read(test.path, "a scenario")
		if err != nil && err.Error() != test.want || err == nil && test.want != "" || len(data) != test.size {
			t.Errorf("%s: %d bytes, %v, want %d, %s", test.path, len(data), err, test.size, test.want)
		}
	}
	if _, err := textfile.Read(filepath.Join(folder, "none"), "a scenario"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	for _, text := range []string{"\x00", "a\x00"} {
		path := pathOf(t, []byte(text))
		if _, err := textfile.Read(path, "a scenario"); err == nil || err.Error() != path+": is no text, expected a scenario" {
			t.Errorf("%q: %v", text, err)
		}
	}
	if data, err := textfile.Read(pathOf(t, []byte("x")), "a scenario"); err != nil || !bytes.Equal(data, []byte("x")) {
		t.Errorf("%q, %v", data, err)
	}
}

func pathOf(t *testing.T, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
