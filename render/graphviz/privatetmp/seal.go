package privatetmp

import (
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// The cache has the form that go-graphviz and wazero give it:
//
//	go-graphviz/wazero-VERSION-ARCH-OS/KEY
//
// wazero verifies only a part of a file. If the rest is damaged, it panics, or even runs the damaged code. So each
// KEY gets a sibling KEY.sum with a checksum of the whole file, written once the file is complete. A file without a
// matching checksum is removed before go-graphviz can read it.
//
// Only files are removed, never directories: another etrace that starts at the same moment may write there.
const (
	cacheName   = "go-graphviz"
	versionName = "wazero-*"
	sumSuffix   = ".sum"
	tmpSuffix   = ".tmp"
	// staleAfter is the age from which on an unfinished file counts as abandoned.
	staleAfter = 10 * time.Minute
	// maxModules bounds the modules in the cache: other versions and processors leave theirs.
	maxModules = 8
)

var errUnremovable = errors.New("something in the cache cannot be removed")

var table = crc32.MakeTable(crc32.Castagnoli)

// versions returns the directories of the compiled modules.
func versions(cache string) []string {
	dirs, _ := filepath.Glob(filepath.Join(cache, versionName))
	return dirs
}

// sweep removes from the directory every file that is not known to be complete, and returns the number of
// remaining modules.
func sweep(dir string) (good int, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0, err
	}
	crowded := len(entries) > 3*maxModules
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		switch {
		case entry.IsDir() && filepath.Base(dir) == cacheName:
			// one of versions(cache), which has its own sweep
		case strings.HasSuffix(path, tmpSuffix):
			removeStale(entry, path)
		case strings.HasSuffix(path, sumSuffix):
			// judged together with its module
		case !crowded && entry.Type().IsRegular() && sealed(path):
			good++
		default:
			_ = os.Remove(path + sumSuffix)
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return 0, errUnremovable
			}
		}
	}
	return good, nil
}

// removeStale removes an abandoned file.
func removeStale(entry fs.DirEntry, path string) {
	if info, err := entry.Info(); err == nil && time.Since(info.ModTime()) > staleAfter {
		_ = os.Remove(path)
	}
}

// sealed reports whether the file has the checksum with which it was sealed.
func sealed(path string) bool {
	want, err := os.ReadFile(path + sumSuffix)
	if err != nil {
		return false
	}
	got, err := sum(path)
	return err == nil && got == string(want)
}

// seal writes the checksums of the modules without one. Modules that cannot be sealed are compiled again by
// the next start.
func seal(folder string) {
	for _, dir := range versions(filepath.Join(folder, cacheName)) {
		entries, _ := os.ReadDir(dir)
		for _, entry := range entries {
			name := entry.Name()
			if strings.HasSuffix(name, sumSuffix) || strings.HasSuffix(name, tmpSuffix) {
				continue
			}
			path := filepath.Join(dir, name)
			if _, err := os.Lstat(path + sumSuffix); errors.Is(err, fs.ErrNotExist) {
				_ = writeSum(path)
			}
		}
	}
}

// writeSum writes the checksum of a file beside it.
func writeSum(path string) error {
	s, err := sum(path)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "sum.*"+tmpSuffix)
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(s)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path+sumSuffix)
}

// sum returns the checksum of a file, in the form of a checksum file. The checksum is quick rather than
// cryptographic, since it is computed at every start. It guards against accidents; against other users, the
// folder is private.
func sum(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := crc32.New(table)
	if _, err := io.CopyBuffer(struct{ io.Writer }{h}, struct{ io.Reader }{f}, make([]byte, 128<<10)); err != nil {
		return "", err
	}
	const hex = "0123456789abcdef"
	line := []byte("crc32c ")
	for shift := 28; shift >= 0; shift -= 4 {
		line = append(line, hex[h.Sum32()>>shift&15])
	}
	return string(append(line, '\n')), nil
}
