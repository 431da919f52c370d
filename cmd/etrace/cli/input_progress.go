package cli

import (
	"io"
	"os"
)

// inputProgress counts the bytes read from the input files of a command, and shows their share on the terminal.
type inputProgress struct {
	bar  *progress
	size int64 // bytes of all files, 0 if unknown
	read int64
	open int // the number of files that were not read to their end
}

// inputProgress starts the progress of reading the files. The total is unknown if one of them is no regular file.
func (a *app) inputProgress(files []string) *inputProgress {
	counted := new(inputProgress)
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil || !info.Mode().IsRegular() {
			counted.size = 0
			break
		}
		counted.size += info.Size()
	}
	counted.bar = a.progress("reading bytes", counted.size)
	return counted
}

// reader returns a reader that counts the bytes read from r.
func (n *inputProgress) reader(r io.Reader) io.Reader {
	n.open++
	return &countingReader{n, r, false}
}

// countingReader adds the bytes that are read from r to the counter.
type countingReader struct {
	counter *inputProgress
	r       io.Reader
	done    bool
}

// Read implements [io.Reader].
func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.counter.read += int64(n)
	if n > 0 {
		c.counter.bar.setTask("reading bytes", c.counter.size)
		c.counter.bar.update(c.counter.read)
	}
	if err == io.EOF && !c.done {
		c.done = true
		c.counter.open--
	}
	return n, err
}
