package privatetmp

import (
	"os"
	"path/filepath"
	"testing"
)

// newFolder makes a folder as go-graphviz leaves it, with one compiled module,
// and seals it. What is in the module does not matter to this package.
func newFolder(t *testing.T) (folder, module string) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "etrace")
	dir := filepath.Join(folder, cacheName, "wazero-dev-amd64-linux")
	module = filepath.Join(dir, "0123456789abcdef")
	for _, d := range []string{folder, filepath.Dir(dir), dir} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write(t, module, "compiled")
	seal(folder)
	return folder, module
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// TestSweep: go-graphviz finds the module of a cache only if it is, to the
// byte, the one that was sealed. The start of a whole program on each of these
// caches is tried in package graphviz, by make long.
func TestSweep(t *testing.T) {
	for _, tt := range []struct {
		name string
		harm func(t *testing.T, module string)
		// keeps: the module is used; refused: the folder is.
		keeps, refused bool
	}{
		{"whole", func(*testing.T, string) {}, true, false},
		{"empty", func(t *testing.T, module string) { write(t, module, "") }, false, false},
		{"cut", func(t *testing.T, module string) { write(t, module, "comp") }, false, false},
		{"longer", func(t *testing.T, module string) { write(t, module, "compiled!") }, false, false},
		{"one bit", func(t *testing.T, module string) { write(t, module, "bompiled") }, false, false},
		{"never sealed", func(_ *testing.T, module string) { os.Remove(module + sumSuffix) }, false, false},
		{"sum damaged", func(t *testing.T, module string) { write(t, module+sumSuffix, "crc32c 0000") }, false, false},
		{"sum empty", func(t *testing.T, module string) { write(t, module+sumSuffix, "") }, false, false},
		{"unfinished beside it", func(t *testing.T, module string) { write(t, module+".123"+tmpSuffix, "half") }, true, false},
		{
			"a stranger beside it",
			func(t *testing.T, module string) { write(t, filepath.Join(filepath.Dir(module), "stranger"), "x") }, true, false,
		},
		{"a stranger beside the versions", func(t *testing.T, module string) {
			write(t, filepath.Join(filepath.Dir(filepath.Dir(module)), "stranger"), "x")
		}, true, false},
		{"a link", func(t *testing.T, module string) { relink(t, module) }, false, false},
		{"a full directory", func(t *testing.T, module string) {
			os.Remove(module)
			if err := os.MkdirAll(filepath.Join(module, "full"), 0o700); err != nil {
				t.Fatal(err)
			}
		}, true, true},
		{"open to others", func(t *testing.T, module string) {
			if err := os.Chmod(filepath.Dir(module), 0o755); err != nil {
				t.Fatal(err)
			}
		}, true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			folder, module := newFolder(t)
			tt.harm(t, module)
			if err := usable(folder, os.Getuid()); (err != nil) != tt.refused {
				t.Errorf("the folder is refused: %v, want %v", err, tt.refused)
			}
			if got := exists(module); got != tt.keeps {
				t.Errorf("the module is left: %v, want %v", got, tt.keeps)
			}
			for dir := filepath.Dir(module); dir != folder; dir = filepath.Dir(dir) {
				if exists(filepath.Join(dir, "stranger")) {
					t.Errorf("a file without a seal is left in %s", dir)
				}
			}
		})
	}
}

func relink(t *testing.T, module string) {
	t.Helper()
	outside := filepath.Join(t.TempDir(), "elsewhere")
	write(t, outside, "compiled")
	os.Remove(module)
	if err := os.Symlink(outside, module); err != nil {
		t.Fatal(err)
	}
}

// TestChoose: the first folder that belongs to the user alone is taken, and
// none that belongs to somebody else, or is no folder, or a link to one.
func TestChoose(t *testing.T) {
	good, _ := newFolder(t)
	linked := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(good, linked); err != nil {
		t.Fatal(err)
	}
	open := t.TempDir()
	if err := os.Chmod(open, 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "x")
	bad := []string{linked, open, file, filepath.Join(file, "below"), "/nonexistent/etrace"}
	for _, folder := range bad {
		if got := choose([]string{folder}, os.Getuid()); got != nowhere {
			t.Errorf("%s was chosen, want none", got)
		}
	}
	if got := choose(append(bad, good), os.Getuid()); got != good {
		t.Errorf("chose %s, want %s", got, good)
	}
	if got := choose([]string{good}, os.Getuid()+1); got != nowhere {
		t.Errorf("chose %s, which belongs to somebody else", got)
	}
}
