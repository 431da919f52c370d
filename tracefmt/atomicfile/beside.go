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

// hiddenName matches the names of files and folders that are not in their place yet: place, machine, boot, and a
// random part. The last part marks a file that is being exchanged.
var hiddenName = regexp.MustCompile(`^\..*\.etrace-([0-9a-f]{8})([0-9a-f]{8})[0-9a-f]{12}(` + exchanging + `)?$`)

// exchanging ends the name of a file that is being exchanged with the file in its place.
const exchanging = "-old"

// companions are the suffixes of the files that SQLite creates beside a database.
var companions = []string{"-journal", "-wal", "-shm"}

// maxBase is the limit for the part of a name that is repeated in a hidden name, so that the system accepts
// its length.
const maxBase = 100

// nameFor returns a new hidden name in the folder of path.
func nameFor(path string) (string, error) {
	base := filepath.Base(path)
	var random [6]byte
	if _, err := rand.Read(random[:]); err != nil {
		return "", err
	}
	host, start := machine()
	return filepath.Join(filepath.Dir(path), "."+base[:min(len(base), maxBase)]+".etrace-"+host+start+hex.EncodeToString(random[:])), nil
}

// machine returns short hashes of the machine's name and of its boot.
func machine() (host, start string) {
	name, _ := os.Hostname()
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return shortHash([]byte(name)), shortHash(boot)
}

// shortHash returns a hash of eight hexadecimal digits.
func shortHash(b []byte) string {
	h := fnv.New32a()
	h.Write(b)
	return hex.EncodeToString(h.Sum(nil))
}

// createBeside creates a file for path under a hidden name in the same folder, since only a rename within a file
// system is atomic. The file is locked as long as it is open.
func createBeside(path string) (*os.File, error) {
	for {
		name, err := nameFor(path)
		if err != nil {
			return nil, err
		}
		// Files of os.CreateTemp would be readable only by their owner, regardless of the umask.
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
		f.Close() // another program swept it before the lock
	}
}

// isAt reports whether the open file has the name.
func isAt(f *os.File, name string) bool {
	found, err := os.Lstat(name)
	if err != nil {
		return false
	}
	open, err := f.Stat()
	return err == nil && os.SameFile(open, found)
}

// sweep removes the files and folders that killed programs left in a folder: those of this machine that no
// living process has locked. Locks of another machine may be invisible here, so its files stay.
func sweep(folder string) {
	f, err := os.Open(folder)
	if err != nil {
		return
	}
	defer f.Close()
	names, _ := f.Readdirnames(-1)
	host, start := machine()
	for _, name := range names {
		if m := hiddenName.FindStringSubmatch(name); m != nil && (m[1] == host || m[2] == start) {
			remove(filepath.Join(folder, name), m[3] != "")
		}
	}
}

// remove removes a file or folder of a dead owner. With exchanged, the file may be the previous
// file at the place, of a program that was killed between the exchange and its check; remove then removes it only if
// etrace may replace it.
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
		if k := t.regularKind(Options{}); k != owned && k != empty {
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
