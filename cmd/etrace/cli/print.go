package cli

import (
	"bytes"
	"io"
	"os"

	"etrace/tracefmt/atomicfile"
)

// print writes to stdout all or, when failing, nothing.
func (a *app) print(write func(io.Writer) error) error {
	var p printout
	defer p.discard()
	if err := write(&p); err != nil {
		return err
	}
	return p.writeTo(a.out)
}

// printout is what is to be printed once it is whole: in memory, and what is long in a
// temporary file.
type printout struct {
	buffered bytes.Buffer
	file     *os.File // of what comes before rest; nil for nothing
	left     string   // the name of the file while it is there to be removed
}

// inMemory is the number of printed bytes that stay in memory.
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

// spill moves what is in memory to the file. Where there is no room for one it stays.
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

// writeTo writes the whole text.
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

// open returns a reader of it all.
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

// discard removes the file.
func (p *printout) discard() {
	if p.file == nil {
		return
	}
	p.file.Close()
	if p.left != "" {
		os.Remove(p.left)
	}
}
