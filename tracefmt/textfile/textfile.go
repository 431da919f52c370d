// Package textfile reads the files that people write for etrace and that are
// read as a whole: scenarios, suites, rules, mappings. They are small, so that
// one which is not, or which never ends, is refused before it fills the memory.
package textfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// Most is how many bytes a file may have: a suite of a hundred thousand cases
// has half of them.
const Most = 16 << 20

// Read returns what the file at path holds, which may also be a pipe. An error
// names the file; for one of more than [Most] bytes, or that is no text, it says
// that what was expected, such as "a scenario".
func Read(path, what string) ([]byte, error) {
	if path == "" {
		return nil, fmt.Errorf("\"\": no such file, expected %s", what)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("%s: is a directory, expected %s", path, what)
	case info.Size() > Most:
		return nil, tooLong(path, what)
	}
	data, err := io.ReadAll(io.LimitReader(f, Most+1))
	var reading *os.PathError
	switch {
	case errors.As(err, &reading):
		return nil, fmt.Errorf("%s: %w", path, reading.Err)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, err)
	case len(data) > Most:
		return nil, tooLong(path, what)
	case bytes.IndexByte(data, 0) >= 0:
		return nil, fmt.Errorf("%s: is no text, expected %s", path, what)
	}
	return data, nil
}

func tooLong(path, what string) error {
	return fmt.Errorf("%s: has more than %d MiB, expected %s", path, Most>>20, what)
}
