package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// CheckFolder says early why [Folder] would make no folder there: nothing may be there.
func CheckFolder(path string) error {
	switch _, err := os.Lstat(path); {
	case err == nil:
		return fmt.Errorf("%s: exists already, expected the name of a new folder", path)
	case !errors.Is(err, fs.ErrNotExist):
		return inPath(path, err)
	}
	return nil
}

// Folder makes a new folder with what fill writes into it or, after an error, none.
func Folder(path string, fill func(folder string) error) error {
	if err := CheckFolder(path); err != nil {
		return err
	}
	hidden, err := os.MkdirTemp(filepath.Dir(path), "."+filepath.Base(path)+".etrace-")
	if err != nil {
		return inPath(path, err)
	}
	defer os.RemoveAll(hidden)
	made := filepath.Join(hidden, "made")
	if err := os.Mkdir(made, 0o777); err != nil {
		return inPath(path, err)
	}
	if err := fill(made); err != nil {
		return err
	}
	return inPath(path, os.Rename(made, path))
}
