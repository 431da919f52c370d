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
	in := new(intake)
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil || !info.Mode().IsRegular() {
			in.size = 0
			break
		}
		in.size += info.Size()
	}
	in.bar = a.progress("reading bytes", in.size)
	return in
}

// of returns a reader that counts what is read of r.
func (in *intake) of(r io.Reader) io.Reader {
	in.open++
	return &counted{in, r, false}
}

type counted struct {
	in   *intake
	r    io.Reader
	done bool
}

// Read implements [io.Reader].
func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if c.in.read += int64(n); n > 0 {
		c.in.bar.become("reading bytes", c.in.size)
		c.in.bar.at(c.in.read)
	}
	if err == io.EOF && !c.done {
		c.done = true
		c.in.open--
	}
	return n, err
}
