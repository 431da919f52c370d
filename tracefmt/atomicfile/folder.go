package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// NewFolder is a folder that is not in its place yet.
type NewFolder struct {
	path string   // the place
	made string   // the path of the folder until Commit moves it
	lock *os.File // locked while its owner lives
}

// Inside the hidden folder beside the place: the folder to be, and the file that its owner has locked.
const (
	madeName = "made"
	lockName = "lock"
)

// checkFolder returns the error that [Folder] would have: the place must be free.
func checkFolder(path string) error {
	switch _, err := os.Lstat(path); {
	case err == nil:
		return fmt.Errorf("%s: exists already, expected the name of a new folder", path)
	case !errors.Is(err, fs.ErrNotExist):
		return inPath(path, err)
	}
	return nil
}

// Folder makes a new folder with the files that fill writes into it. After an error it makes none.
func Folder(path string, fill func(*NewFolder) error) error {
	if err := checkFolder(path); err != nil {
		return err
	}
	path = filepath.Clean(path)
	sweep(filepath.Dir(path))
	f, err := folderBeside(path)
	if err != nil {
		return inPath(path, err)
	}
	hidden := filepath.Dir(f.made)
	defer func() {
		// The lock file goes last: as long as it exists, no other program removes the folder. An incomplete removal is no error: the
		// next program that writes beside the place removes it.
		os.RemoveAll(f.made)
		os.RemoveAll(hidden)
		f.lock.Close()
	}()
	if err := fill(f); err != nil {
		return err
	}
	if err := syncTree(f.made); err != nil {
		return inPath(path, err)
	}
	if err := renameNew(f.made, path); err != nil {
		return inPath(path, err)
	}
	syncFolder(filepath.Dir(path))
	return nil
}

// folderBeside creates a hidden folder beside path, with a locked file and an empty folder in it.
func folderBeside(path string) (*NewFolder, error) {
	for {
		hidden, err := nameFor(path)
		if err != nil {
			return nil, err
		}
		if err := os.Mkdir(hidden, 0o777); err != nil {
			if errors.Is(err, fs.ErrExist) {
				continue
			}
			return nil, err
		}
		name := filepath.Join(hidden, lockName)
		file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrNotExist) {
			continue // another program swept it before it had a lock
		}
		if err != nil {
			return nil, errors.Join(err, os.Remove(hidden))
		}
		_ = lock(file, true)
		if !isAt(file, name) {
			file.Close() // another program swept it before the lock
			continue
		}
		f := &NewFolder{path, filepath.Join(hidden, madeName), file}
		if err := os.Mkdir(f.made, 0o777); err != nil {
			return nil, errors.Join(err, os.RemoveAll(hidden), file.Close())
		}
		return f, nil
	}
}

// Create creates a file in the folder, and the folders in its name, which uses slashes.
func (f *NewFolder) Create(name string) (*FolderFile, error) {
	return f.open(name, os.O_EXCL)
}

// Append opens a file in the folder to write at its end, or creates it.
func (f *NewFolder) Append(name string) (*FolderFile, error) {
	return f.open(name, os.O_APPEND)
}

// open opens a file in the folder, and creates it if necessary. flag is os.O_EXCL or os.O_APPEND.
func (f *NewFolder) open(name string, flag int) (*FolderFile, error) {
	shown, at := filepath.Join(f.path, filepath.FromSlash(name)), filepath.Join(f.made, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
		return nil, inPath(shown, err)
	}
	file, err := os.OpenFile(at, os.O_WRONLY|os.O_CREATE|flag, 0o666)
	if err != nil {
		return nil, inPath(shown, err)
	}
	return &FolderFile{file, shown}, nil
}

// FolderFile is a file in a [NewFolder]. Its errors have the final name.
type FolderFile struct {
	file *os.File
	path string
}

// Write implements [io.Writer].
func (f *FolderFile) Write(b []byte) (int, error) {
	n, err := f.file.Write(b)
	return n, inPath(f.path, err)
}

// Close implements [io.Closer].
func (f *FolderFile) Close() error { return inPath(f.path, f.file.Close()) }

// syncTree syncs all files below a folder.
func syncTree(folder string) error {
	return filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			syncFolder(name)
			return nil
		}
		file, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			return err
		}
		return errors.Join(file.Sync(), file.Close())
	})
}

// removeFolder removes a hidden folder of a dead owner. It removes a folder without a lock only if it is empty:
// its owner may be about to create the lock, and then starts again.
func removeFolder(hidden string) {
	name := filepath.Join(hidden, lockName)
	file, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		os.Remove(hidden)
		return
	}
	defer file.Close()
	if lock(file, false) == nil && isAt(file, name) {
		os.RemoveAll(filepath.Join(hidden, madeName))
		os.RemoveAll(hidden)
	}
}
