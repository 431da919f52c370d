package atomicfile

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
)

// besides are the names of files and folders that are not in their place yet: whose, on
// which machine, since which start of it, and a random part. The last part marks a file
// that is being exchanged for another.
var besides = regexp.MustCompile(`^\..*\.etrace-([0-9a-f]{8})([0-9a-f]{8})[0-9a-f]{12}(` + exchanging + `)?$`)

const exchanging = "-old"

// companions are the endings of what SQLite may lay beside a database.
var companions = []string{"-journal", "-wal", "-shm"}

// mostBase is how much of a name is repeated in the one beside it, so that the
// system does not find it too long.
const mostBase = 100

// nameFor returns a hidden name in the folder of path that is hardly taken.
func nameFor(path string) (string, error) {
	base := filepath.Base(path)
	var random [6]byte
	if _, err := rand.Read(random[:]); err != nil {
		return "", err
	}
	host, start := machine()
	return filepath.Join(filepath.Dir(path), "."+base[:min(len(base), mostBase)]+".etrace-"+host+start+hex.EncodeToString(random[:])), nil
}

// machine returns a short form of the machine's name, and one of its start.
func machine() (host, start string) {
	name, _ := os.Hostname()
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return short([]byte(name)), short(boot)
}

func short(b []byte) string {
	h := fnv.New32a()
	h.Write(b)
	return hex.EncodeToString(h.Sum(nil))
}

// beside creates a file for path under a hidden name in the same folder, since
// only from there can it be put in place in one step. It is locked for as long
// as it is open.
func beside(path string) (*os.File, error) {
	for {
		name, err := nameFor(path)
		if err != nil {
			return nil, err
		}
		// Not os.CreateTemp, whose files only their owner may read, whatever the
		// umask says.
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		switch {
		case errors.Is(err, fs.ErrExist):
			continue
		case err != nil:
			return nil, err
		}
		_ = lock(f, true)
		if isAt(f, name) {
			return f, nil
		}
		f.Close() // it was swept between its creation and the lock
	}
}

// isAt reports whether the open file has that name.
func isAt(f *os.File, name string) bool {
	there, err := os.Lstat(name)
	if err != nil {
		return false
	}
	open, err := f.Stat()
	return err == nil && os.SameFile(open, there)
}

// sweep removes what programs that were killed have left in a folder: files and folders
// of this machine that no living process holds locked. Another machine's lock may
// be invisible here, so its files are left to it.
func sweep(folder string) {
	f, err := os.Open(folder)
	if err != nil {
		return
	}
	defer f.Close()
	names, _ := f.Readdirnames(-1)
	host, start := machine()
	for _, name := range names {
		if m := besides.FindStringSubmatch(name); m != nil && (m[1] == host || m[2] == start) {
			remove(filepath.Join(folder, name), m[3] != "")
		}
	}
}

// remove removes a file or folder that its owner has left. A program that was killed while
// it exchanged two files may have left one that came to the name at the last moment: of
// these, only what etrace may replace is removed.
func remove(name string, exchanged bool) {
	info, err := os.Lstat(name)
	switch {
	case err != nil:
		return
	case info.IsDir():
		removeFolder(name)
		return
	case !info.Mode().IsRegular():
		return
	case exchanged:
		t := target{place: name, info: info}
		if k := t.regular(Options{}); k != own && k != empty {
			return
		}
	}
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer f.Close()
	if lock(f, false) != nil || !isAt(f, name) {
		return
	}
	for _, ending := range companions {
		os.Remove(name + ending)
	}
	os.Remove(name)
}
