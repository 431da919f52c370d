// Package textfile reads whole files that people write for etrace: scenarios, suites, rules, mappings. They are
// small, so it rejects a long or endless file before it fills the memory.
package textfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// Most is the maximum size of a file in bytes: a suite of a hundred thousand cases is half as large.
const Most = 16 << 20

// Read returns the contents of the file at path, which may also be a pipe. Errors name the file. For a file of
// more than [Most] bytes, or that is no text, the error names the expected content, such as "a scenario".
func Read(path, content string) ([]byte, error) {
	if path == "" {
		return nil, fmt.Errorf("\"\": no such file, expected %s", content)
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
		return nil, fmt.Errorf("%s: is a directory, expected %s", path, content)
	case info.Size() > Most:
		return nil, tooLong(path, content)
	}
	data, err := io.ReadAll(io.LimitReader(f, Most+1))
	var reading *os.PathError
	switch {
	case errors.As(err, &reading):
		return nil, fmt.Errorf("%s: %w", path, reading.Err)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, err)
	case len(data) > Most:
		return nil, tooLong(path, content)
	case bytes.IndexByte(data, 0) >= 0:
		return nil, fmt.Errorf("%s: is no text, expected %s", path, content)
	}
	return data, nil
}

// tooLong returns the error for a file of more than [Most] bytes.
func tooLong(path, content string) error {
	return fmt.Errorf("%s: has more than %d MiB, expected %s", path, Most>>20, content)
}
