package privatetmp

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// candidates returns the folders that may hold the cache, the best first: one in the user's cache directory,
// which is permanent, and one in the temporary directory for users without a home.
func candidates() []string {
	var list []string
	if cache, err := os.UserCacheDir(); err == nil {
		// The cache directory itself may be new, but not the home above it. So Mkdir, not MkdirAll: it must not
		// create a home.
		_ = os.Mkdir(cache, 0o700)
		list = append(list, filepath.Join(cache, "etrace"))
	}
	return append(list, filepath.Join(os.TempDir(), "etrace-"+strconv.Itoa(os.Getuid())))
}

// choose returns the first usable folder, or nowhere.
func choose(folders []string, uid int) string {
	for _, folder := range folders {
		if usable(folder, uid) == nil {
			return folder
		}
	}
	return nowhere
}

var (
	errForeign = errors.New("the folder is not the user's own, or others may enter it")
	errNoSpace = errors.New("there is no room for the cache")
)

// usable creates the folder if needed. It returns an error if go-graphviz could fail to read or write the
// cache in it. It removes damaged files.
func usable(folder string, uid int) error {
	if err := os.Mkdir(folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := private(folder, uid); err != nil {
		return err
	}
	cache := filepath.Join(folder, cacheName)
	if err := os.Mkdir(cache, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	good := 0
	for _, dir := range append(versions(cache), cache) {
		if err := private(dir, uid); err != nil {
			return err
		}
		n, err := sweep(dir)
		if err != nil {
			return err
		}
		good += n
		if err := writable(dir, 0); err != nil {
			return err
		}
	}
	if good == 0 {
		return writable(cache, roomNeeded)
	}
	return nil
}

// private returns an error unless the path is a real directory (no symbolic link) that belongs to the user
// and that no other user may enter.
func private(path string, uid int) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() || !ownedBy(info, uid) {
		return errForeign
	}
	return nil
}

// roomNeeded is more than the size of the compiled module (6 MB). On a full disk, go-graphviz's init would
// panic, so the room is tested.
const roomNeeded = 12 << 20

// writable writes a file of that size to the directory and removes it.
func writable(dir string, size int) error {
	f, err := os.CreateTemp(dir, "room.*.tmp")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	block := make([]byte, 64<<10)
	for i := range block {
		block[i] = byte(i) // not zeros, which some file systems store as holes
	}
	for written := 0; written < size; written += len(block) {
		if _, err := f.Write(block); err != nil {
			f.Close()
			return errNoSpace
		}
	}
	return f.Close()
}
