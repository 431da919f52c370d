package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"etrace/tracefmt/tracefile"
)

// checkFolder says early why no folder can be made there: nothing may be.
func checkFolder(path string) error {
	if path == tracefile.Stream {
		return errors.New("what is written is a folder, expected its name, -o FOLDER")
	}
	switch _, err := os.Lstat(path); {
	case err == nil:
		return fmt.Errorf("%s: exists already, expected the name of a new folder", path)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return nil
}

// writeFolder makes a folder with the files that write creates, whose names have slashes: all
// of them or, after an error, none.
func writeFolder(path string, write func(create func(name string) (io.WriteCloser, error)) error) error {
	return makeFolder(path, func(made string) error {
		return write(func(name string) (io.WriteCloser, error) {
			file := filepath.Join(made, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
				return nil, err
			}
			return os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		})
	})
}

// makeFolder makes a folder with what fill writes into it or, after an error, none.
func makeFolder(path string, fill func(folder string) error) error {
	if err := checkFolder(path); err != nil {
		return err
	}
	hidden, err := os.MkdirTemp(filepath.Dir(path), "."+filepath.Base(path)+".etrace-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(hidden)
	made := filepath.Join(hidden, "made")
	if err := os.Mkdir(made, 0o777); err != nil {
		return err
	}
	if err := fill(made); err != nil {
		return err
	}
	return os.Rename(made, path)
}
