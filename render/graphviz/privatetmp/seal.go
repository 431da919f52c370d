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
// wazero verifies part of a file and panics or, worse, runs what it has read
// when the rest is damaged. So each KEY gets a sibling KEY.sum with a checksum
// of the whole file, written once the file is complete; a file without a
// matching one is removed before go-graphviz can see it.
//
// Only files are ever removed, never directories: another etrace that is
// starting at the same moment may be about to write there.
const (
	cacheName   = "go-graphviz"
	versionName = "wazero-*"
	sumSuffix   = ".sum"
	tmpSuffix   = ".tmp"
	// staleAfter is how old an unfinished file is that nobody will finish.
	staleAfter = 10 * time.Minute
	// maxModules bounds what versions and processors of the past leave behind.
	maxModules = 8
)

var errUnremovable = errors.New("something in the cache cannot be removed")

var table = crc32.MakeTable(crc32.Castagnoli)

// versions returns the directories in which compiled modules lie.
func versions(cache string) []string {
	dirs, _ := filepath.Glob(filepath.Join(cache, versionName))
	return dirs
}

// sweep removes from the directory every file that is not known to be whole
// and returns how many modules remain.
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

func removeStale(entry fs.DirEntry, path string) {
	if info, err := entry.Info(); err == nil && time.Since(info.ModTime()) > staleAfter {
		_ = os.Remove(path)
	}
}

// sealed reports whether the file is what it was when it was sealed.
func sealed(path string) bool {
	want, err := os.ReadFile(path + sumSuffix)
	if err != nil {
		return false
	}
	got, err := sum(path)
	return err == nil && got == string(want)
}

// seal writes the checksums of the modules that have none yet. What cannot be
// sealed is compiled anew by the next start.
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

// sum returns the checksum of a file in the form in which it is kept. The
// checksum is quick rather than cryptographic (it is computed at every start):
// it guards against accidents; against people, the folder is private.
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
