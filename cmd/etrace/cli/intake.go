package cli

import (
	"io"
	"os"
)

// intake shows how much of the files is read.
type intake struct {
	bar  *progress
	size int64 // of all files in bytes, 0 if it is not known
	read int64
	open int // files that are not read to their end
}

func (a *app) intake(files []string) *intake {
	counted := new(intake)
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
func (n *intake) reader(r io.Reader) io.Reader {
	n.open++
	return &counted{n, r, false}
}

type counted struct {
	counter *intake
	r       io.Reader
	done    bool
}

// Read implements [io.Reader].
func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if c.counter.read += int64(n); n > 0 {
		c.counter.bar.become("reading bytes", c.counter.size)
		c.counter.bar.at(c.counter.read)
	}
	if err == io.EOF && !c.done {
		c.done = true
		c.counter.open--
	}
	return n, err
}
