package cli

import (
	"bytes"
	"io"
	"os"

	"etrace/tracefmt/atomicfile"
)

// print writes the text that write makes to stdout: all of it or, if write fails, nothing.
func (a *app) print(write func(io.Writer) error) error {
	var p printout
	defer p.discard()
	if err := write(&p); err != nil {
		return err
	}
	return p.writeTo(a.out)
}

// printout stores a text until it is complete. It keeps up to 8 MB in memory, and the rest in a temporary file.
type printout struct {
	buffered bytes.Buffer
	file     *os.File // the text before buffered, nil for none
	left     string   // the name of the file, "" if the system has removed it already
}

// inMemory is the number of bytes of a text that stay in memory.
const inMemory = 8 << 20

// Write implements [io.Writer].
func (p *printout) Write(b []byte) (int, error) {
	if p.buffered.Len()+len(b) > inMemory && p.buffered.Len() > 0 {
		if err := p.spill(); err != nil {
			return 0, err
		}
	}
	return p.buffered.Write(b)
}

// spill moves the buffered text to the temporary file. If the file cannot be created, the text stays in memory.
func (p *printout) spill() (err error) {
	if p.file == nil {
		p.file, p.left, err = atomicfile.Temporary()
		if err != nil {
			p.file = nil
			return nil
		}
	}
	_, err = p.buffered.WriteTo(p.file)
	return err
}

// writeTo writes the whole text to w.
func (p *printout) writeTo(w io.Writer) error {
	if p.file != nil {
		if _, err := p.file.Seek(0, io.SeekStart); err != nil {
			return err
		}
		if _, err := io.Copy(w, p.file); err != nil {
			return err
		}
	}
	_, err := p.buffered.WriteTo(w)
	return err
}

// open returns a reader of the whole text.
func (p *printout) open() (io.Reader, error) {
	reader := bytes.NewReader(p.buffered.Bytes())
	if p.file == nil {
		return reader, nil
	}
	if _, err := p.file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return io.MultiReader(p.file, reader), nil
}

// discard removes the temporary file.
func (p *printout) discard() {
	if p.file == nil {
		return
	}
	p.file.Close()
	if p.left != "" {
		os.Remove(p.left)
	}
}
